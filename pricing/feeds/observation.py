"""What a source said of a price at one moment. It is written once and never changed."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from pricing.choices import Area, Fabric, Purchase

Per = Literal["accelerator", "instance"]


@dataclass(frozen=True, slots=True)
class Observation:
    """One price for an hour, as the source says it: nothing believed, nothing named anew, nothing converted."""

    seller: str  # as the source calls it
    accelerator: str  # as the source calls it
    count: int  # accelerators in one rented machine
    purchase: Purchase
    price: float  # of one clock hour, in `currency`; a whole term's price is divided by its hours before
    per: Per = "instance"
    currency: str = "USD"
    region: str = ""  # as the seller calls it; empty: one price everywhere
    area: Area | None = None  # None: told from the region
    countries: tuple[str, ...] = ()
    sku: str = ""  # what the seller calls the machine
    vcpus: float | None = None
    ram_gb: float | None = None  # of one machine
    memory_gb: float | None = None  # of one accelerator: tells 40 GB from 80 GB apart
    fabric: Fabric | None = None  # what joins its machines, where the source says it
    free: int | None = None  # machines to be had now, at least; 0: none; None: not said
    doubts: tuple[str, ...] = ()  # why it must not be called the cheapest: words of pricing.records.Doubt
    note: str = ""
    day: date | None = None  # the day the source itself read it, where it is second hand; None: when it is asked


@dataclass(frozen=True, slots=True)
class HostedObservation:
    """What a hosted model costs for each million tokens, as the source says it."""

    vendor: str
    model: str
    input_usd_per_mtoken: float
    output_usd_per_mtoken: float | None = None
    cached_input_usd_per_mtoken: float | None = None
    note: str = ""
    day: date | None = None


@dataclass(frozen=True, slots=True)
class RateObservation:
    """What one unit of a currency is worth in dollars."""

    code: str
    usd: float
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Odd:
    """A row of a reply that no price could be told from: counted and shown, never guessed at, never believed."""

    what: str  # as the source calls it
    why: str


AnyObservation = Observation | HostedObservation | RateObservation | Odd
