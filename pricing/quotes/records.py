"""A user's own prices: a price for a shape, a share off list, the price of hardware."""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable
from datetime import date
from difflib import get_close_matches
from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from pricing import names
from pricing.catalogue import Catalogue
from pricing.choices import Area, Purchase
from pricing.errors import AmbiguousNameError, UnknownNameError
from pricing.figure import Id, StrictModel, Whole
from pricing.quotes.files import LONGEST_TEXT, WISHES, format_number
from pricing.records import Offer

MAX_USD_PER_ACCELERATOR_HOUR = 1_000.0
MAX_HARDWARE_USD = 10_000_000.0

Short = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
HourlyUsd = Annotated[float, Field(gt=0, le=MAX_USD_PER_ACCELERATOR_HOUR)]
HardwareUsd = Annotated[float, Field(gt=0, le=MAX_HARDWARE_USD)]
Shape = tuple[str, str, int, str, str]

_LONGEST_ID = 150


def loose(text: str) -> str:
    """Text without case, spaces and punctuation, in any script."""
    letters = (character for character in unicodedata.normalize("NFKC", text).casefold() if character.isalnum())
    return "".join(letters) or text


def user_record_id(*parts: str) -> str:
    """Return an id for a record of the user's own: readable, and never the same for two things."""
    exact = "/".join(("yours", *parts))
    readable = "/".join(("yours", *(re.sub(r"[^A-Za-z0-9._+ ()-]+", "-", part) for part in parts)))
    if readable == exact and len(exact) <= _LONGEST_ID:
        return exact
    return f"{readable[: _LONGEST_ID - 13]}-{hashlib.sha256(repr(parts).encode()).hexdigest()[:12]}"


def shape_of(offer: "Offer | OfferQuote") -> Shape:
    """Return the shape that makes two offers the same product. Regions are compared without case and punctuation."""
    return offer.provider, offer.accelerator, offer.accelerators_per_instance, loose(offer.region), offer.purchase


class QuoteRow(StrictModel):
    """The fields of every row."""

    line: int
    valid_from: date
    valid_until: date | None = None
    note: Short | None = None


class OfferQuote(QuoteRow):
    """A price for a shape. Without a price it is an offer that one has to ask a quote for."""

    provider: Id
    provider_label: Short
    accelerator: Id
    accelerators_per_instance: Whole = 1
    region: Short = "yours"
    area: Area = "not_stated"
    purchase: Purchase = "on_demand"
    most_accelerators: Whole | None = None
    starts: date | None = None  # later than today: for the plan to take, and no price of the catalogue
    ends: date | None = None  # of a block of machines
    usd_per_accelerator_hour: HourlyUsd | None = None
    usd_per_instance_hour: Annotated[float, Field(gt=0)] | None = None

    @field_validator("usd_per_instance_hour")
    @classmethod
    def _instance_is_its_accelerators(cls, instance: float | None, info: ValidationInfo) -> float | None:
        count = info.data.get("accelerators_per_instance")
        each = info.data.get("usd_per_accelerator_hour")
        if instance is None or count is None:
            return instance
        if not 0 < instance / count <= MAX_USD_PER_ACCELERATOR_HOUR:
            raise ValueError(f"a price above 0 and at most {count * MAX_USD_PER_ACCELERATOR_HOUR:,.0f} USD for {count}")
        if each is not None and abs(each * count - instance) > 0.005 * each * count + 0.005:
            raise ValueError(
                f"{format_number(each * count)} ({count} x {format_number(each)}), or one of the two prices left empty"
            )
        return instance

    @property
    def price(self) -> float | None:
        """USD for each accelerator and hour, whichever way it was written."""
        if self.usd_per_accelerator_hour is None and self.usd_per_instance_hour is not None:
            return self.usd_per_instance_hour / self.accelerators_per_instance
        return self.usd_per_accelerator_hour


class DiscountQuote(QuoteRow):
    """A share off a provider's list prices, perhaps only for one chip, shape, region or term."""

    provider: Id
    discount_share: float
    accelerator: Id | None = None
    accelerators_per_instance: Whole | None = None
    region: Short | None = None
    purchase: Purchase | None = None

    @field_validator("discount_share")
    @classmethod
    def _between_nothing_and_all(cls, share: float) -> float:
        if 1 <= share < 100:
            raise ValueError(f"a share: {format_number(share / 100)} for {format_number(share)} %")
        if not 0 < share < 1:
            raise ValueError(WISHES["discount_share"])
        return share

    @property
    def specificity(self) -> int:
        """Return how many conditions it has beside the provider."""
        conditions = (self.accelerator, self.accelerators_per_instance, self.region, self.purchase)
        return sum(condition is not None for condition in conditions)

    def covers(self, offer: Offer) -> bool:
        return (
            offer.provider == self.provider
            and self.accelerator in (None, offer.accelerator)
            and self.accelerators_per_instance in (None, offer.accelerators_per_instance)
            and self.purchase in (None, offer.purchase)
            and (self.region is None or loose(self.region) == loose(offer.region))
        )


class HardwareQuote(QuoteRow):
    """The quoted price of one accelerator, or of one whole server."""

    accelerator: Id | None = None
    server: Id | None = None
    price_usd: HardwareUsd
    low_usd: HardwareUsd | None = None
    high_usd: HardwareUsd | None = None

    @field_validator("low_usd", "high_usd")
    @classmethod
    def _check_bound(cls, bound: float | None, info: ValidationInfo) -> float | None:
        price, is_low = info.data.get("price_usd"), info.field_name == "low_usd"
        if bound is not None and price is not None and (bound > price if is_low else bound < price):
            raise ValueError(f"at {'most' if is_low else 'least'} the price, {format_number(price)}")
        return bound


AnyQuote = OfferQuote | DiscountQuote | HardwareQuote


_HINTS = 100  # comparing a misspelt name with all others takes milliseconds, so a file gets this many hints
_NEARLY = 0.8
_LOOK_UP: dict[str, Callable[[Catalogue, str], str]] = {
    "accelerator": names.accelerator,
    "server": names.server,
    "provider": names.provider,
}


class KnownNames:
    """The names of one catalogue, and the user's own providers as they turn up."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._hints_left = _HINTS
        self._placed: dict[tuple[str, str], str | AmbiguousNameError | UnknownNameError] = {}
        self._own: dict[str, tuple[str, str]] = {}
        chips = [(key, record.label, *record.aliases) for key, record in catalogue.accelerators.items()]
        chips += [(key, record.label, *record.aliases) for key, record in catalogue.ambiguous.items()]
        servers = [(key, record.label) for key, record in catalogue.servers.items()]
        providers = [(key, record.label, *record.aliases) for key, record in catalogue.providers.items()]
        self._spellings = {"accelerator": _plain(chips), "server": _plain(servers), "provider": _plain(providers)}

    def find(self, what: str, name: str) -> str | AmbiguousNameError | UnknownNameError:
        """Return the id of the one record called `name`, or why there is none."""
        key = (what, names.plain(name))
        if key not in self._placed:
            self._placed[key] = self._look_up(what, name)
        return self._placed[key]

    def provider(self, name: str) -> tuple[str, str]:
        """Id and label of a provider: the catalogue's, or else one of the user's own."""
        key = self._spellings["provider"].get(names.plain(name))
        if key is not None:
            return key, self._catalogue.providers[key].label
        return self._own.setdefault(loose(name), (user_record_id(name), name))

    def similar_provider(self, name: str) -> str | None:
        """Return the catalogue provider that a name of the user's own nearly spells."""
        spellings = self._spellings["provider"]
        if names.plain(name) in spellings or self._hints_left <= 0:
            return None
        self._hints_left -= 1
        near = get_close_matches(names.plain(name), spellings, n=1, cutoff=_NEARLY)
        return self._catalogue.providers[spellings[near[0]]].label if near else None

    def _look_up(self, what: str, name: str) -> str | AmbiguousNameError | UnknownNameError:
        if names.plain(name) not in self._spellings[what]:
            self._hints_left -= 1
            if self._hints_left < 0:
                return UnknownNameError(f"No {what} is called {name!r}.", ())
        try:
            return _LOOK_UP[what](self._catalogue, name)
        except (AmbiguousNameError, UnknownNameError) as error:
            return error


def _plain(named: Iterable[tuple[str, ...]]) -> dict[str, str]:
    """Return every spelling, plain, to its id; ids win, as they do in `pricing.names`."""
    spellings = {names.plain(spelling): key for key, *others in named for spelling in others}
    ids = {names.plain(key): key for key, *_ in named}
    return {plain: key for plain, key in (spellings | ids).items() if plain}
