"""From what a source calls things to the catalogue's ids. What is not known is asked about, and never guessed."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Set
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from pricing.catalogue import Catalogue
from pricing.choices import Area
from pricing.errors import AmbiguousNameError, UnknownNameError
from pricing.feeds.feed import Observation, ObservedPrice
from pricing.feeds.given import NEW, UNWANTED, NameDecisions, What
from pricing.feeds.verdict import GateReason
from pricing.names import plain
from pricing.quotes.records import KnownNames
from pricing.records import HostedPrice, Offer

NOT_STATED = "not stated"
_SAME_MEMORY = 0.12  # GB and GiB lie 7 % apart, and what a device really has lies a little below what it is sold as
_ROUNDED = 0.006

# How large clouds begin the names of their regions, by part of the world; the longest beginning that fits counts.
_REGIONS: dict[Area, tuple[str, ...]] = {
    "north_america": ("us-", "ca-", "mx-", "northamerica-"),
    "south_america": ("sa-", "southamerica-"),
    "europe": ("eu-", "europe-", "northeurope", "westeurope", "uk-"),
    "asia": ("ap-", "asia-", "eastasia", "southeastasia", "cn-"),
    "oceania": ("ap-southeast-2", "ap-southeast-4", "ap-southeast-6", "ap-sydney", "ap-melbourne", "australia"),
    "middle_east": ("me-", "il-", "uae", "qatar"),
    "africa": ("af-", "africa-", "southafrica"),
}
_AREA_OF = {start: area for area, starts in _REGIONS.items() for start in starts}
_AMERICAN = re.compile(r"(east|west|central|northcentral|southcentral|westcentral)us\d*(euap|stage)?")
_WORD = re.compile("[a-z]+")
_SHORTEST_LABEL = 4  # of a country inside the name of a region: japaneast


@dataclass(frozen=True, slots=True)
class SaleLocation:
    """Where something is sold."""

    region: str
    area: Area
    countries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResolvedProduct:
    """What an observation is of, in the catalogue's words."""

    provider: str
    accelerator: str  # the id of an ambiguous name where the source says no more
    ambiguous: bool
    where: SaleLocation


class FeedNameResolver:
    """The names of one catalogue, and those that a person explained; each that is asked for is looked up once."""

    def __init__(self, catalogue: Catalogue, given: NameDecisions) -> None:
        """Nothing is looked up yet."""
        self._catalogue, self._given = catalogue, given
        self._vendors = frozenset(plain(one.vendor) for one in catalogue.hosted.values())
        self._known = KnownNames(catalogue)
        self._chips: dict[tuple[str, float | None], str | GateReason] = {}
        self._sellers: dict[str, str | GateReason] = {}
        self._places: dict[tuple[str, str, Area | None, tuple[str, ...]], SaleLocation] = {}
        self._of_names = {frozenset(one.candidates): key for key, one in catalogue.ambiguous.items()}
        self._region_names: dict[str, Counter[tuple[str, Area]]] = defaultdict(Counter)
        for offer in catalogue.offers.values():
            self._region_names[offer.provider][offer.region, offer.area] += 1
        lands = catalogue.lands.items()
        self._lands = {plain(one.label): code for code, one in lands} | {code.casefold(): code for code, _ in lands}
        self._long = sorted((label for label in self._lands if len(label) >= _SHORTEST_LABEL), key=len, reverse=True)

    def placed(self, one: Observation) -> ResolvedProduct | GateReason:
        """What is sold by whom and where, or which name nobody knows."""
        seller = self.seller(one.seller)
        if isinstance(seller, GateReason):
            return seller
        chip = self.chip(one.accelerator, one.memory_gb)
        if isinstance(chip, GateReason):
            return chip
        return ResolvedProduct(seller, chip, chip in self._catalogue.ambiguous, self.where(seller, one))

    def seller(self, name: str) -> str | GateReason:
        """Whose price it is."""
        if name not in self._sellers:
            found = self._meant("seller", name, self._catalogue.providers)
            known = self._known.find("provider", name) if found is None else found
            self._sellers[name] = (
                known if isinstance(known, str | GateReason) else GateReason("unknown_seller", name=name[:80])
            )
        return self._sellers[name]

    def vendor(self, name: str) -> str | GateReason:
        """Who sells tokens."""
        found = self._given.means("vendor", name[:80])
        if found is not None and found != NEW:
            return GateReason("unwanted", name=name[:80]) if found == UNWANTED else found
        return name if found == NEW or plain(name) in self._vendors else GateReason("unknown_seller", name=name[:80])

    def _meant(self, what: What, called: str, known: Container[str]) -> str | GateReason | None:
        """What a person said that a name is. None: nobody did, or the catalogue has it no longer."""
        found = self._given.means(what, called[:80])
        if found == UNWANTED:
            return GateReason("unwanted", name=called[:80])
        return found if found in known else None

    def chip(self, name: str, memory_gb: float | None) -> str | GateReason:
        """The accelerator; where a name covers several, what its memory leaves of them."""
        asked = (name, memory_gb)
        if asked not in self._chips:
            self._chips[asked] = self._chip(name, memory_gb)
        return self._chips[asked]

    def _chip(self, name: str, memory_gb: float | None) -> str | GateReason:
        meant = self._meant("accelerator", _called(name, memory_gb), self._catalogue.accelerators)
        return self._listed(name, memory_gb) if meant is None else meant

    def _listed(self, name: str, memory_gb: float | None) -> str | GateReason:
        found = self._known.find("accelerator", name)
        if isinstance(found, UnknownNameError) and memory_gb:
            found = self._known.find("accelerator", f"{name} {memory_gb:.0f}GB")
        if isinstance(found, UnknownNameError):
            return GateReason("unknown_accelerator", name=_called(name, memory_gb))
        among = found.candidates if isinstance(found, AmbiguousNameError) else (found,)
        exactly = frozenset(key for key in among if self._has(key, memory_gb, _ROUNDED))
        fits = exactly or frozenset(key for key in among if self._has(key, memory_gb, _SAME_MEMORY))
        if len(fits) == 1:
            return next(iter(fits))
        return self._of_names.get(fits) or GateReason("unclear_accelerator", name=_called(name, memory_gb))

    def _has(self, chip: str, memory_gb: float | None, share: float) -> bool:
        one = self._catalogue.accelerators[chip]
        known = [figure.newest.typical for figure in (one.memory_gb, one.memory_real_gb) if figure is not None]
        return memory_gb is None or not known or any(abs(memory_gb / gb - 1) <= share for gb in known)

    def where(self, seller: str, one: Observation) -> SaleLocation:
        """Where it stands: as the source says, else as the catalogue knows the seller's region."""
        asked = (seller, one.region, one.area, one.countries)
        if asked not in self._places:
            self._places[asked] = self._where(seller, one)
        return self._places[asked]

    def _where(self, seller: str, one: Observation) -> SaleLocation:
        known = self._region_names[seller]
        region = one.region.strip()
        if not region and len({name for name, _ in known}) == 1:
            region = next(iter(known))[0]
        same = [area for (name, area), _ in known.most_common() if name == region]
        countries = tuple(code for code in one.countries if code in self._catalogue.lands)
        found = countries or self._catalogue.providers[seller].regions.get(region, ()) or self._country(region)
        if one.area is not None:
            return SaleLocation(region or NOT_STATED, one.area, countries)
        area = same[0] if same else self._area(found, region)
        return SaleLocation(region or NOT_STATED, area, () if same and not countries else tuple(found))

    def _country(self, region: str) -> tuple[str, ...]:
        """The country that a region's name says: `Texas, US`, `FR`, `japaneast`, `Frankfurt, Germany`."""
        last = self._lands.get(plain(region.rpartition(",")[2])) or self._lands.get(region.strip().casefold())
        if last is not None:
            return (last,)
        squeezed = plain(region)
        if _AMERICAN.fullmatch(squeezed) or "usa" in _WORD.findall(region.casefold()):
            return ("US",)
        return tuple(self._lands[label] for label in self._long if label in squeezed)[:1]

    def _area(self, countries: Iterable[str], region: str) -> Area:
        areas = {self._catalogue.lands[code].area for code in countries if code in self._catalogue.lands}
        if len(areas) == 1:
            return next(iter(areas))
        name = region.casefold()
        starts = sorted((start for start in _AREA_OF if name.startswith(start)), key=len)
        return _AREA_OF[starts[-1]] if starts else "not_stated"


def _called(name: str, memory_gb: float | None) -> str:
    return f"{name[:60]} with {memory_gb:.0f} GB" if memory_gb else name[:80]


# Doubts about the price itself: a bid is no price for the same thing without one. The others pass with the day.
LASTING = frozenset({"component_only", "listed_not_sold", "minimum_bid", "per_second_service", "may_be_shared",
                     "modified_hardware"})  # fmt: skip


class OfferShape(NamedTuple):
    """What a price is of, but for the machine's name."""

    provider: str
    accelerator: str
    accelerators: int
    region: str
    purchase: str
    doubts: frozenset[str]


def shape_of(placed: ResolvedProduct, one: Observation) -> OfferShape:
    """The shape of an observation."""
    doubts = LASTING.intersection(one.doubts)
    return OfferShape(placed.provider, placed.accelerator, one.count, placed.where.region, one.purchase, doubts)


class OfferShapeIndex:
    """The offers and the hosted models of a catalogue, to be found by what they are of."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Arranged once."""
        self._catalogue = catalogue
        self._offers: dict[OfferShape, list[str]] = defaultdict(list)
        self._anywhere: dict[OfferShape, list[str]] = defaultdict(list)
        for key, offer in catalogue.offers.items():
            shape = _of_offer(offer)
            self._offers[shape].append(key)
            self._anywhere[shape._replace(region="")].append(key)
        self._hosted: dict[tuple[str, str], list[str]] = defaultdict(list)
        for key in sorted(catalogue.hosted, key=lambda key: catalogue.hosted[key].tier is not None):  # base first
            one = catalogue.hosted[key]
            self._hosted[plain(one.vendor), plain(one.model)].append(key)

    def offer(self, shape: OfferShape, sku: str) -> Offer | None:
        """The one offer of this shape, and of this machine where both name one."""
        key = self.key(shape, sku)
        return None if key is None else self._catalogue.offers[key]

    def key(self, shape: OfferShape, sku: str) -> str | None:
        """Its id."""
        found = self._matching_machine(self._offers.get(shape, ()), sku)
        if found is None and shape.region == NOT_STATED:  # one price everywhere is that of the one place on the list
            found = self._matching_machine(self._anywhere.get(shape._replace(region=""), ()), sku)
        return found

    def is_only_location(self, shape: OfferShape, sku: str, regions: Set[str]) -> bool:
        """Whether the catalogue has just one offer of this shape, under a name of a place that none of these is."""
        key = self._matching_machine(self._anywhere.get(shape._replace(region=""), ()), sku)
        return key is not None and self._catalogue.offers[key].region not in regions

    def _matching_machine(self, keys: Iterable[str], sku: str) -> str | None:
        known = [(key, self._catalogue.offers[key].sku) for key in keys]
        same = [key for key, name in known if not (name and sku) or _machine(name) == _machine(sku)]
        return same[0] if len(same) == 1 else None

    def hosted(self, vendor: str, model: str, asked: ObservedPrice | None = None) -> str | None:
        """The id of a hosted model's record. Sources name no tier: the base record, unless the price is a tier's."""
        keys = self._hosted.get((plain(vendor), plain(model)), [])
        same = (key for key in keys if _asks(self._catalogue.hosted[key], asked))
        return next(same, next(iter(keys), None))

    def hosted_price(self, vendor: str, model: str, asked: ObservedPrice | None = None) -> tuple[float, date] | None:
        """What a hosted model asks for a million tokens, and when that was read."""
        key = self.hosted(vendor, model, asked)
        if key is None:
            return None
        figure = self._catalogue.hosted[key].input_usd_per_mtoken
        return (figure.newest.typical, figure.checked) if figure.newest.typical > 0 else None


def _asks(record: HostedPrice, asked: ObservedPrice | None) -> bool:
    """Whether a record has this price, to read and to write."""
    written = record.output_usd_per_mtoken
    has = record.input_usd_per_mtoken.newest.typical, None if written is None else written.newest.typical
    return asked is not None and has == (asked.price, asked.output)


def _of_offer(offer: Offer) -> OfferShape:
    doubts = LASTING.intersection(offer.doubts)
    return OfferShape(
        offer.provider, offer.accelerator, offer.accelerators_per_instance, offer.region, offer.purchase, doubts
    )


def _machine(name: str) -> str:
    """A machine's name without what a cloud puts in front of all of them."""
    return plain(name).removeprefix("standard")
