"""A source of live prices is one record: who says it, where, on which terms, and the function that reads it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, Protocol

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
class HostedPriceObservation:
    """What a hosted model costs for each million tokens, as the source says it."""

    vendor: str
    model: str
    input_usd_per_mtoken: float
    output_usd_per_mtoken: float | None = None
    cached_input_usd_per_mtoken: float | None = None
    note: str = ""
    day: date | None = None


@dataclass(frozen=True, slots=True)
class ExchangeRateObservation:
    """What one unit of a currency is worth in dollars."""

    code: str
    usd: float
    day: date | None = None


@dataclass(frozen=True, slots=True)
class UnreadableRow:
    """A row of a reply that no price could be told from: counted and shown, never guessed at, never believed."""

    what: str  # as the source calls it
    why: str


AnyObservation = Observation | HostedPriceObservation | ExchangeRateObservation | UnreadableRow


class FeedReply(Protocol):
    """One reply of a source, checked for size and type, with the digest of its bytes."""

    @property
    def digest(self) -> str:
        """SHA-256 of its bytes, so far as they were read."""

    def json(self) -> Any:
        """The whole reply as JSON; a `FeedError` where it is none."""

    def text(self) -> str:
        """The whole reply as text."""

    def content(self) -> bytes:
        """The whole reply as bytes: a zip, for one."""

    def lines(self) -> Iterator[str]:
        """A long reply line by line as it comes; never the whole of it in memory."""


class Fetcher(Protocol):
    """How a feed asks: the client has time-outs, retries, limits, and lets nobody be asked but the feed's hosts."""

    def get(
        self, url: str, *, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> FeedReply:
        """Ask for a page."""

    def post(self, url: str, body: Any, *, headers: Mapping[str, str] | None = None) -> FeedReply:
        """Ask with a JSON body."""

    def key(self) -> str:
        """The person's key for this feed, from the environment."""


class Read(Protocol):
    """Reads a feed to its end."""

    def __call__(self, ask: Fetcher) -> Iterator[tuple[FeedReply, AnyObservation]]:
        """Every observation, with the reply it stood in."""


@dataclass(frozen=True)
class Feed:
    """A source of live prices."""

    name: str  # as `--source` has it
    label: str
    page: str  # for people, to look at the same prices
    hosts: tuple[str, ...]  # nobody else is asked, whatever a reply says; host, or host:port where it is not 443
    licence: str
    read: Read
    kind: Literal["rental", "hosted", "exchange"] = "rental"
    via: Literal["price_api", "third_party"] = "price_api"
    key_name: str | None = None  # the variable of the environment that holds the person's key; None: keyless
    largest_reply_bytes: int = 64_000_000
    may_be_empty: bool = False  # lists only what can be had now: nothing is an answer too
    second_hand: tuple[str, ...] = ()  # sellers, as it calls them, of whom another feed speaks first hand: left to it


class FeedError(Exception):
    """Why a feed could not be read, in a sentence for people."""
