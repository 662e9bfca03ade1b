"""A source of live prices is one record, with the function that reads it; what it yields are observations of products.

A product is what is sold, apart from its price: the same description is the same product, refresh after refresh.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date
from pathlib import Path
from types import NoneType
from typing import Any, Literal, Protocol

from pricing.choices import Area, Fabric, Purchase
from pricing.formulas import unseen, without_unseen

Verdict = Literal["believed", "held", "refused"]
ReasonKind = Literal[
    "no_price",  # missing, zero, negative or no number: refused at once, nobody could accept it
    "no_shape",  # not a count of accelerators that a machine can have
    "huge",  # more than anything that is rented costs
    "unknown_seller",  # a name of nobody in the catalogue: a person decides
    "unknown_accelerator",
    "unclear_accelerator",  # a name of several, and nothing in the reply says which
    "unwanted",  # a name of which somebody wants no price
    "unknown_currency",
    "per_machine",  # by the count of its accelerators too dear: a machine's price read as that of one accelerator
    "per_accelerator",  # by that count too cheap: the other way round
    "cents",  # a hundredfold
    "out_of_range",  # far from what others ask for this accelerator
    "jump",  # further from the last believed price than prices of its class move
    "drift",  # further than prices of its class and the market moved in 30 or 90 days
    "alone",  # far, and nobody else says so or moved so: a second reading on another day decides
    "as_refused",  # somebody has refused this very price before
]
NAMES: frozenset[ReasonKind] = frozenset({"unknown_seller", "unknown_accelerator", "unclear_accelerator"})
_NEVER: frozenset[ReasonKind] = frozenset({"no_price", "no_shape", "huge", "as_refused", "unwanted"})
_NEEDS_MORE: frozenset[ReasonKind] = NAMES | {"unknown_currency"}


@dataclass(frozen=True, slots=True)
class GateReason:
    """Why a price is not believed as it comes."""

    kind: ReasonKind
    usd: float | None = None  # what was read, in dollars
    against: float | None = None  # what it is compared with: the last believed price, or the middle of others
    factor: float | None = None  # how far it may be from that
    name: str = ""  # that is unknown

    @property
    def verdict(self) -> Verdict:
        """The verdict that follows: held for a person, or refused."""
        return "refused" if self.kind in _NEVER else "held"

    @property
    def acceptable(self) -> bool:
        """Whether a person can accept the price as it is; not while its name or currency is unknown."""
        return self.kind not in _NEVER and self.kind not in _NEEDS_MORE

    def to_json(self) -> str:
        """As the store keeps it."""
        return json.dumps({key: value for key, value in asdict(self).items() if value not in (None, "")})


Per = Literal["accelerator", "instance"]
Kind = Literal["rental", "hosted", "exchange", "interruption"]
DOLLAR = "USD"
DEAREST_HOURS = "dearest hours"  # a tier: the base, unless the model has peak hours
_MOST = 2**63 - 1  # the largest whole number that a database keeps


@dataclass(frozen=True, slots=True)
class Observation:
    """One hourly price as the source says it: nothing validated, renamed or converted."""

    seller: str  # as the source calls it
    accelerator: str  # as the source calls it
    count: int  # accelerators in one rented machine
    purchase: Purchase
    price: float  # of one clock hour, in `currency`; the price of a whole term is divided by its hours
    per: Per = "instance"
    currency: str = DOLLAR
    region: str = ""  # as the seller calls it; empty: one price everywhere
    area: Area | None = None  # None: it follows from the region
    countries: tuple[str, ...] = ()
    sku: str = ""  # the seller's name of the machine
    vcpus: float | None = None
    ram_gb: float | None = None  # of one machine
    memory_gb: float | None = None  # of one accelerator: tells 40 GB from 80 GB apart
    fabric: Fabric | None = None  # the network between machines, where the source says it
    free: int | None = None  # machines that are free now, at least; 0: none; None: unknown
    doubts: tuple[str, ...] = ()  # why it must not be called the cheapest: words of pricing.records.ListingDoubt
    note: str = ""
    day: date | None = None  # the day a second-hand source read it; None: the day of the refresh


@dataclass(frozen=True, slots=True)
class HostedPriceObservation:
    """The price of a hosted model for each million tokens, as the source says it."""

    vendor: str
    model: str
    input_usd_per_mtoken: float
    output_usd_per_mtoken: float | None = None
    cached_input_usd_per_mtoken: float | None = None
    tier: str = ""  # prompts, hours or places, where it is not the base price: as the catalogue calls them
    note: str = ""
    day: date | None = None


@dataclass(frozen=True, slots=True)
class ExchangeRateObservation:
    """The worth of one unit of a currency in dollars."""

    code: str
    usd: float
    day: date | None = None


@dataclass(frozen=True, slots=True)
class InterruptionObservation:
    """How many of a seller's spot machines of one type are taken back within a month, in one region."""

    accelerator: str
    machine: str
    region: str
    share: float
    day: date | None = None


@dataclass(frozen=True, slots=True)
class UnreadableRow:
    """A row of a reply without a readable price: counted and shown, never guessed at."""

    what: str  # as the source calls it
    why: str


AnyPriced = Observation | HostedPriceObservation | ExchangeRateObservation | InterruptionObservation
AnyObservation = AnyPriced | UnreadableRow


class FeedReply(Protocol):
    """One reply of a source, checked for size and type, with the digest of its bytes."""

    @property
    def digest(self) -> str:
        """SHA-256 of its bytes, so far as they were read."""

    def json(self) -> Any:
        """Return the whole reply as JSON; raise `FeedError` where it is none."""

    def text(self) -> str:
        """Return the whole reply as text."""

    def content(self) -> bytes:
        """Return the whole reply as bytes: a zip, for one."""

    def lines(self) -> Iterator[str]:
        """Yield a long reply line by line as it comes; never the whole of it in memory."""


class Fetcher(Protocol):
    """Asks for a feed: with time-outs, retries and limits, and only the feed's hosts."""

    copies: Path | None  # the folder of what is kept of large files; None: nothing is

    def get(
        self, url: str, *, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> FeedReply:
        """Ask for a page."""

    def post(self, url: str, body: Any, *, headers: Mapping[str, str] | None = None) -> FeedReply:
        """Ask with a JSON body."""

    def key(self) -> str:
        """Return the person's key for this feed, from the environment; empty where it is optional and not set."""


Read = Callable[[Fetcher], Iterator[tuple[FeedReply, AnyObservation]]]  # every observation, with its reply


@dataclass(frozen=True)
class Feed:
    """A source of live prices."""

    name: str  # as `--source` has it
    label: str
    page: str  # for people, to look at the same prices
    hosts: tuple[str, ...]  # the only ones that get requests; host, or host:port where it is not 443
    licence: str
    read: Read
    kind: Kind = "rental"
    via: Literal["price_api", "third_party"] = "price_api"
    key_name: str | None = None  # the variable of the environment that holds the person's key; None: keyless
    key_optional: bool = False  # the source answers without the key too
    largest_reply_bytes: int = 64_000_000
    may_be_empty: bool = False  # lists only what is free now: nothing is an answer too
    sellers: tuple[str, ...] = ()  # of a direct feed: the names under which other sources list its seller

    @property
    def collects(self) -> bool:
        """Return whether it lists other sellers' prices, which count where the seller's own feed was not read."""
        return self.kind == "rental" and self.via == "third_party" and not self.sellers


class FeedError(Exception):
    """Why a feed could not be read, in a sentence for people."""


class OfflineError(FeedError):
    """No connection to the host of a feed."""


@dataclass(frozen=True, slots=True)
class ObservedPrice:
    """The price of a product, as the source said it."""

    price: float  # of an hour; of a million tokens sent; of a unit of a currency; the share of machines taken back
    currency: str = DOLLAR
    output: float | None = None
    cached: float | None = None
    free: int | None = None


# The fields of an observation that are its price, and not its product.
_OF_PRICE: dict[str, frozenset[str]] = {
    "rental": frozenset({"price", "currency", "free", "day"}),
    "hosted": frozenset({"input_usd_per_mtoken", "output_usd_per_mtoken", "cached_input_usd_per_mtoken", "day"}),
    "exchange": frozenset({"usd", "day"}),
    "interruption": frozenset({"share", "day"}),
}


def split_observation(observation: AnyPriced) -> tuple[Kind, str, ObservedPrice]:
    """Return the kind of an observation, its product as JSON, and its price."""
    if isinstance(observation, Observation):
        kind, price = "rental", ObservedPrice(observation.price, observation.currency, free=observation.free)
    elif isinstance(observation, HostedPriceObservation):
        kind, price = "hosted", ObservedPrice(
            observation.input_usd_per_mtoken, output=observation.output_usd_per_mtoken,
            cached=observation.cached_input_usd_per_mtoken,
        )  # fmt: skip
    elif isinstance(observation, ExchangeRateObservation):
        kind, price = "exchange", ObservedPrice(observation.usd)
    else:
        kind, price = "interruption", ObservedPrice(observation.share)
    values = ((name, default, getattr(observation, name)) for name, default in _DEFAULTS[type(observation)])
    product = {name: value for name, default, value in values if name not in _OF_PRICE[kind] and value != default}
    return kind, json.dumps(product, sort_keys=True, separators=(",", ":"), ensure_ascii=False), price  # type: ignore[return-value]


def joined(kind: str, product: str, price: ObservedPrice) -> AnyPriced:
    values: dict[str, Any] = json.loads(product)
    if kind == "rental":
        values |= {name: tuple(values[name]) for name in ("countries", "doubts") if name in values}
        return Observation(**values, price=price.price, currency=price.currency, free=price.free)
    if kind == "hosted":
        return HostedPriceObservation(
            **values, input_usd_per_mtoken=price.price, output_usd_per_mtoken=price.output,
            cached_input_usd_per_mtoken=price.cached,
        )  # fmt: skip
    if kind == "exchange":
        return ExchangeRateObservation(**values, usd=price.price)
    return InterruptionObservation(**values, share=price.price)


def first_malformed_field(observation: AnyPriced) -> str | None:
    """Return, as one printable line, what is wrong with the first field of a wrong type or with invisible marks."""
    for name, kind in _TYPES[type(observation)]:
        value = getattr(observation, name)
        parts = value if isinstance(value, tuple) else (value,)
        wrong = ""
        if not isinstance(value, kind) or (kind == (tuple,) and not all(isinstance(part, str) for part in parts)):
            wrong = "is"
        elif hides(value):
            wrong = "has a mark that does not show:"
        elif isinstance(value, int) and abs(value) > _MOST:
            wrong = "is too large to keep:"
        if wrong:
            visible = tuple(without_unseen(part) if isinstance(part, str) else part for part in parts)
            return f"{name} {wrong} {visible if isinstance(value, tuple) else visible[0]!r:.60}"
    return None


def hides(value: object) -> bool:
    parts = value if isinstance(value, tuple) else (value,)
    return any(isinstance(part, str) and unseen(part) for part in parts)


_PRICED = (Observation, HostedPriceObservation, ExchangeRateObservation, InterruptionObservation)
_DEFAULTS = {kind: tuple((field.name, field.default) for field in fields(kind)) for kind in _PRICED}
_OF_TYPE: dict[Any, tuple[type, ...]] = {
    str: (str,), int: (int,), float: (int, float), tuple[str, ...]: (tuple,), date | None: (date, NoneType),
    int | None: (int, NoneType), float | None: (int, float, NoneType),
}  # fmt: skip
_TYPES = {
    kind: tuple((field.name, _OF_TYPE.get(field.type, (str, NoneType))) for field in fields(kind)) for kind in _PRICED
}
