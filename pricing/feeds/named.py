"""From the names of a source to the catalogue's ids. Unknown names are asked about, and never guessed."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Set
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from pricing.catalogue import Catalogue
from pricing.choices import Area
from pricing.errors import AmbiguousNameError, UnknownNameError
from pricing.feeds.feed import GateReason, Observation, ObservedPrice
from pricing.feeds.given import NEW, UNWANTED, NameDecisions, What
from pricing.names import plain
from pricing.quotes.records import KnownNames
from pricing.records import HostedPrice, Offer

NOT_STATED = "not stated"
_SAME_MEMORY = 0.12  # GB and GiB lie 7 % apart, and a device really has a little less than it is sold as
_ROUNDED = 0.006

# Beginnings of the names of large clouds' regions, by part of the world; the longest that fits counts.
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
    region: str
    area: Area
    countries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResolvedProduct:
    """The product of an observation, in the catalogue's words."""

    provider: str
    accelerator: str  # the id of an ambiguous name where the source says no more
    ambiguous: bool
    where: SaleLocation


class FeedNameResolver:
    """The names of one catalogue, and those that a person explained; each name is looked up once."""

    def __init__(self, catalogue: Catalogue, given: NameDecisions) -> None:
        self._catalogue, self._given = catalogue, given
        self._vendors = frozenset(plain(hosted.vendor) for hosted in catalogue.hosted.values())
        self._known = KnownNames(catalogue)
        self._chips: dict[tuple[str, float | None], str | GateReason] = {}
        self._sellers: dict[str, str | GateReason] = {}
        self._places: dict[tuple[str, str, Area | None, tuple[str, ...]], SaleLocation] = {}
        self._of_names = {frozenset(name.candidates): key for key, name in catalogue.ambiguous.items()}
        self._region_names: dict[str, Counter[tuple[str, Area]]] = defaultdict(Counter)
        for offer in catalogue.offers.values():
            self._region_names[offer.provider][offer.region, offer.area] += 1
        lands = catalogue.lands.items()
        self._lands = {plain(land.label): code for code, land in lands} | {code.casefold(): code for code, _ in lands}
        self._long = sorted((label for label in self._lands if len(label) >= _SHORTEST_LABEL), key=len, reverse=True)

    def placed(self, observation: Observation) -> ResolvedProduct | GateReason:
        """Return the product, its seller and its place, or the name that is unknown."""
        seller = self.seller(observation.seller)
        if isinstance(seller, GateReason):
            return seller
        chip = self.chip(observation.accelerator, observation.memory_gb)
        if isinstance(chip, GateReason):
            return chip
        return ResolvedProduct(seller, chip, chip in self._catalogue.ambiguous, self.where(seller, observation))

    def seller(self, name: str) -> str | GateReason:
        if name not in self._sellers:
            decision = self._decided("seller", name, self._catalogue.providers)
            key = self._known.find("provider", name) if decision is None else decision
            unknown = GateReason("unknown_seller", name=name[:80])
            self._sellers[name] = key if isinstance(key, str | GateReason) else unknown
        return self._sellers[name]

    def vendor(self, name: str) -> str | GateReason:
        """Return the seller of tokens of this name."""
        decision = self._given.means("vendor", name[:80])
        if decision is not None and decision != NEW:
            return GateReason("unwanted", name=name[:80]) if decision == UNWANTED else decision
        is_vendor = decision == NEW or plain(name) in self._vendors
        return name if is_vendor else GateReason("unknown_seller", name=name[:80])

    def _decided(self, what: What, name: str, ids: Container[str]) -> str | GateReason | None:
        """Return a person's decision about a name. None: there is none, or the catalogue lacks its id by now."""
        decision = self._given.means(what, name[:80])
        if decision == UNWANTED:
            return GateReason("unwanted", name=name[:80])
        return decision if decision in ids else None

    def chip(self, name: str, memory_gb: float | None) -> str | GateReason:
        """Return the accelerator; where a name covers several, those that its memory leaves."""
        if (name, memory_gb) not in self._chips:
            shown = f"{name[:60]} with {memory_gb:.0f} GB" if memory_gb else name[:80]
            decision = self._decided("accelerator", shown, self._catalogue.accelerators)
            self._chips[name, memory_gb] = self._listed(name, memory_gb, shown) if decision is None else decision
        return self._chips[name, memory_gb]

    def _listed(self, name: str, memory_gb: float | None, shown: str) -> str | GateReason:
        match = self._known.find("accelerator", name)
        if isinstance(match, UnknownNameError) and memory_gb:
            match = self._known.find("accelerator", f"{name} {memory_gb:.0f}GB")
        if isinstance(match, UnknownNameError):
            return GateReason("unknown_accelerator", name=shown)
        among = match.candidates if isinstance(match, AmbiguousNameError) else (match,)
        exact = frozenset(key for key in among if self._has(key, memory_gb, _ROUNDED))
        fits = exact or frozenset(key for key in among if self._has(key, memory_gb, _SAME_MEMORY))
        if len(fits) == 1:
            return next(iter(fits))
        return self._of_names.get(fits) or GateReason("unclear_accelerator", name=shown)

    def _has(self, chip: str, memory_gb: float | None, share: float) -> bool:
        record = self._catalogue.accelerators[chip]
        sizes = [figure.newest.typical for figure in (record.memory_gb, record.memory_real_gb) if figure is not None]
        return memory_gb is None or not sizes or any(abs(memory_gb / gb - 1) <= share for gb in sizes)

    def where(self, seller: str, observation: Observation) -> SaleLocation:
        """Return the place: as the source says, else as the catalogue knows the seller's region."""
        key = seller, observation.region, observation.area, observation.countries
        if key not in self._places:
            self._places[key] = self._where(seller, observation)
        return self._places[key]

    def _where(self, seller: str, observation: Observation) -> SaleLocation:
        regions = self._region_names[seller]
        region = observation.region.strip()
        if not region and len({name for name, _ in regions}) == 1:
            region = next(iter(regions))[0]
        areas = [area for (name, area), _ in regions.most_common() if name == region]
        said = tuple(code for code in observation.countries if code in self._catalogue.lands)
        countries = said or self._catalogue.providers[seller].regions.get(region, ()) or self._country(region)
        if observation.area is not None:
            return SaleLocation(region or NOT_STATED, observation.area, said)
        area = areas[0] if areas else self._area(countries, region)
        return SaleLocation(region or NOT_STATED, area, () if areas and not said else tuple(countries))

    def _country(self, region: str) -> tuple[str, ...]:
        """Return the country in a region's name: `Texas, US`, `FR`, `japaneast`, `Frankfurt, Germany`."""
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
        starts = [start for start in _AREA_OF if region.casefold().startswith(start)]
        return _AREA_OF[max(starts, key=len)] if starts else "not_stated"


# Doubts about the price itself: a bid is no price for the same thing without one. The others pass with the day.
LASTING = frozenset({"component_only", "listed_not_sold", "minimum_bid", "per_second_service", "may_be_shared",
                     "modified_hardware"})  # fmt: skip


class OfferShape(NamedTuple):
    """The product of a price, but for the machine's name."""

    provider: str
    accelerator: str
    accelerators: int
    region: str
    purchase: str
    doubts: frozenset[str]


def shape_of(product: ResolvedProduct, observation: Observation) -> OfferShape:
    doubts = LASTING.intersection(observation.doubts)
    return OfferShape(
        product.provider, product.accelerator, observation.count, product.where.region, observation.purchase, doubts
    )


class OfferShapeIndex:
    """The offers and the hosted models of a catalogue, by product."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._offers: dict[OfferShape, list[str]] = defaultdict(list)
        self._anywhere: dict[OfferShape, list[str]] = defaultdict(list)
        for key, offer in catalogue.offers.items():
            shape = OfferShape(
                offer.provider, offer.accelerator, offer.accelerators_per_instance, offer.region, offer.purchase,
                LASTING.intersection(offer.doubts),
            )  # fmt: skip
            self._offers[shape].append(key)
            self._anywhere[shape._replace(region="")].append(key)
        self._hosted: dict[tuple[str, str], list[str]] = defaultdict(list)
        for key in sorted(catalogue.hosted, key=lambda key: catalogue.hosted[key].tier is not None):  # base first
            self._hosted[plain(catalogue.hosted[key].vendor), plain(catalogue.hosted[key].model)].append(key)

    def offer(self, shape: OfferShape, sku: str) -> Offer | None:
        """Return the one offer of this shape, and of this machine where both name one."""
        key = self.key(shape, sku)
        return None if key is None else self._catalogue.offers[key]

    def key(self, shape: OfferShape, sku: str) -> str | None:
        key = self._matching_machine(self._offers.get(shape, ()), sku)
        if key is None and shape.region == NOT_STATED:  # one price everywhere is that of the one place on the list
            key = self._matching_machine(self._anywhere.get(shape._replace(region=""), ()), sku)
        return key

    def is_only_location(self, shape: OfferShape, sku: str, regions: Set[str]) -> bool:
        """Return whether the catalogue has just one offer of this shape, in a region that is none of these."""
        key = self._matching_machine(self._anywhere.get(shape._replace(region=""), ()), sku)
        return key is not None and self._catalogue.offers[key].region not in regions

    def _matching_machine(self, keys: Iterable[str], sku: str) -> str | None:
        names = [(key, self._catalogue.offers[key].sku) for key in keys]
        same = [key for key, name in names if not (name and sku) or _machine(name) == _machine(sku)]
        return same[0] if len(same) == 1 else None

    def hosted(self, vendor: str, model: str, price: ObservedPrice | None = None) -> str | None:
        """Return the id of a hosted model. Sources name no tier: the base record, unless the price is a tier's."""
        keys = self._hosted.get((plain(vendor), plain(model)), [])
        same = (key for key in keys if _has_price(self._catalogue.hosted[key], price))
        return next(same, next(iter(keys), None))

    def hosted_price(self, vendor: str, model: str, price: ObservedPrice | None = None) -> tuple[float, date] | None:
        """Return the catalogue's price of a hosted model for a million tokens, and its day."""
        key = self.hosted(vendor, model, price)
        if key is None:
            return None
        figure = self._catalogue.hosted[key].input_usd_per_mtoken
        return (figure.newest.typical, figure.checked) if figure.newest.typical > 0 else None


def _has_price(record: HostedPrice, price: ObservedPrice | None) -> bool:
    written = record.output_usd_per_mtoken
    listed = record.input_usd_per_mtoken.newest.typical, None if written is None else written.newest.typical
    return price is not None and listed == (price.price, price.output)


def _machine(name: str) -> str:
    """Return a machine's name without what a cloud puts in front of all of them."""
    return plain(name).removeprefix("standard")
