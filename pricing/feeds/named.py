"""From the names of a source to the catalogue's ids. An unknown name waits for a person and is never guessed."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Set
from dataclasses import dataclass
from datetime import date
from itertools import combinations, product
from typing import NamedTuple

from pricing.caching import cached
from pricing.catalogue import Catalogue
from pricing.choices import Area
from pricing.errors import AmbiguousNameError, UnknownNameError
from pricing.feeds.feed import DEAREST_HOURS, GateReason, HostedPriceObservation, Observation, ObservedPrice
from pricing.feeds.given import NEW, UNWANTED, NameDecisions, What
from pricing.feeds.machines import table
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
        self._vendors = {plain(hosted.vendor): hosted.vendor for hosted in catalogue.hosted.values()}
        self._vendors |= {plain(row["called"]): row["vendor"] for row in table("vendors")}
        self._known = KnownNames(catalogue)
        self._chips: dict[tuple[str, str, float | None, int], str | GateReason] = {}
        self._sold: dict[tuple[str, int], set[str]] = defaultdict(set)  # accelerators, by seller and size; 0: any size
        self._sellers: dict[str, str | GateReason] = {}
        self._places: dict[tuple[str, str, Area | None, tuple[str, ...]], SaleLocation] = {}
        self._of_names = {frozenset(name.candidates): key for key, name in catalogue.ambiguous.items()}
        self._region_names: dict[str, Counter[tuple[str, Area]]] = defaultdict(Counter)
        for offer in catalogue.offers.values():
            self._region_names[offer.provider][offer.region, offer.area] += 1
            for count in (0, offer.accelerators_per_instance):
                self._sold[offer.provider, count].add(offer.accelerator)
        lands = catalogue.lands.items()
        self._lands = {plain(land.label): code for code, land in lands} | {code.casefold(): code for code, _ in lands}
        self._long = sorted((label for label in self._lands if len(label) >= _SHORTEST_LABEL), key=len, reverse=True)

    def placed(self, observation: Observation) -> ResolvedProduct | GateReason:
        """Return the product, its seller and its place, or the name that is unknown."""
        seller = self.seller(observation.seller)
        if isinstance(seller, GateReason):
            return seller
        chip = self.chip(seller, observation.accelerator, observation.memory_gb, observation.count)
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
        known = self._vendors.get(plain(name), name if decision == NEW else None)
        return known if known is not None else GateReason("unknown_seller", name=name[:80])

    def _decided(self, what: What, name: str, ids: Container[str]) -> str | GateReason | None:
        """Return a person's decision about a name. None: there is none, or the catalogue lacks its id by now."""
        decision = self._given.means(what, name[:80])
        if decision == UNWANTED:
            return GateReason("unwanted", name=name[:80])
        return decision if decision in ids else None

    def chip(self, seller: str, name: str, memory_gb: float | None, count: int = 0) -> str | GateReason:
        """Return the accelerator; where a name covers several, the one of those that this seller is known to sell."""
        key = seller, name, memory_gb, count
        if key not in self._chips:
            shown = f"{name[:60]} with {memory_gb:.0f} GB" if memory_gb else name[:80]
            decision = self._decided("accelerator", shown, self._catalogue.accelerators)
            self._chips[key] = self._listed(seller, name, memory_gb, count, shown) if decision is None else decision
        return self._chips[key]

    def _listed(self, seller: str, name: str, memory_gb: float | None, count: int, shown: str) -> str | GateReason:
        match = self._known.find("accelerator", name)
        if isinstance(match, UnknownNameError) and memory_gb:
            match = self._known.find("accelerator", f"{name} {memory_gb:.0f}GB")
        if isinstance(match, UnknownNameError):
            return GateReason("unknown_accelerator", name=shown)
        among = match.candidates if isinstance(match, AmbiguousNameError) else (match,)
        exact = frozenset(key for key in among if self._has(key, memory_gb, _ROUNDED))
        fits = exact or frozenset(key for key in among if self._has(key, memory_gb, _SAME_MEMORY))
        wide, sold = self._of_names.get(fits), self._sold[seller, 0]
        known = fits if len(fits) == 1 or wide in sold else fits & self._sold[seller, count] or fits & sold
        if len(known) == 1:
            return next(iter(known))
        if wide is not None and (wide in sold or not known):
            return wide
        of = f"{shown[:60]} at {seller[:19]}" if known else shown
        decision = self._decided("accelerator", of, self._catalogue.accelerators)
        return GateReason("unclear_accelerator", name=of) if decision is None else decision

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
        listed_countries = tuple(code for code in observation.countries if code in self._catalogue.lands)
        countries = (
            listed_countries or self._catalogue.providers[seller].regions.get(region, ()) or self._country(region)
        )
        if observation.area is not None:
            return SaleLocation(region or NOT_STATED, observation.area, listed_countries)
        area = areas[0] if areas else self._area(countries, region)
        return SaleLocation(region or NOT_STATED, area, () if areas and not listed_countries else tuple(countries))

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


# Doubts about the price itself; the others pass with the day. With a doubt of `PARTIAL` it is not a whole price.
PARTIAL = frozenset({"component_only", "minimum_bid", "may_be_shared"})
LASTING = frozenset({"component_only", "listed_not_sold", "minimum_bid", "per_second_service", "may_be_shared",
                     "modified_hardware"})  # fmt: skip


_UNNAMED = frozenset({"peak hours", "regional", "Lite"})  # tiers that some sources list as if they were the base


class OfferShape(NamedTuple):
    """The product of a price, but for the machine's name."""

    provider: str
    accelerator: str
    accelerators: int
    region: str
    purchase: str
    partial: frozenset[str] = frozenset()


def shape_of(resolved: ResolvedProduct, observation: Observation) -> OfferShape:
    where, partial = resolved.where.region, PARTIAL.intersection(observation.doubts)
    return OfferShape(resolved.provider, resolved.accelerator, observation.count, where, observation.purchase, partial)


class OfferShapeIndex:
    """The offers and the hosted models of a catalogue, by product."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._offers: dict[OfferShape, list[str]] = defaultdict(list)
        for key, offer in catalogue.offers.items():
            shape = OfferShape(
                offer.provider, offer.accelerator, offer.accelerators_per_instance, offer.region, offer.purchase
            )
            for doubts in _subsets(PARTIAL.intersection(offer.doubts)):  # a source may not name all of them
                for region, count in product((shape.region, ""), (shape.accelerators, 0)):
                    self._offers[shape._replace(region=region, accelerators=count, partial=doubts)].append(key)
        self._hosted: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)  # by tier
        for key, record in catalogue.hosted.items():
            self._hosted[plain(record.vendor), plain(record.model)].setdefault(record.tier or "", key)

    def offer(self, shape: OfferShape, sku: str) -> Offer | None:
        """Return the one offer of this shape, and of this machine where both name one."""
        key = self.key(shape, sku)
        return None if key is None else self._catalogue.offers[key]

    def key(self, shape: OfferShape, sku: str) -> str | None:
        """Return the id of that offer. One price everywhere is that of the one place on the list."""
        wider = [shape, shape._replace(region="")] if shape.region == NOT_STATED else [shape]
        if shape.accelerators == 1 and not sku:  # the price of one, in machines of the only size
            wider += [sized._replace(accelerators=0) for sized in wider]
        keys = (self._matching_machine(self._offers.get(sized, ()), sku) for sized in wider)
        return next((key for key in keys if key is not None), None)

    def is_only_location(self, shape: OfferShape, sku: str, regions: Set[str]) -> bool:
        """Return whether the catalogue has just one offer of this shape, in a region that is none of these."""
        key = self._matching_machine(self._offers.get(shape._replace(region=""), ()), sku)
        return key is not None and self._catalogue.offers[key].region not in regions

    def _matching_machine(self, keys: Iterable[str], sku: str) -> str | None:
        names = [(key, _machine(self._catalogue.offers[key].sku or "")) for key in keys]
        exact = [key for key, name in names if name == _machine(sku)]
        same = exact or [key for key, name in names if not (name and sku) or name.startswith(_machine(sku))]
        return same[0] if len(same) == 1 else None

    def is_vague(self, shape: OfferShape, sku: str) -> bool:
        """Return whether the catalogue says more of what a seller asks for this accelerator: place or machine."""
        anywhere = shape._replace(region="", accelerators=0, partial=frozenset())
        if shape.region == NOT_STATED or not sku:
            return anywhere in self._offers
        known = self._offers.get(shape._replace(partial=frozenset()), ())
        return any(_machine(self._catalogue.offers[key].sku or "").startswith(_machine(sku)) for key in known)

    def hosted(self, observation: HostedPriceObservation, price: ObservedPrice) -> str | None:
        """Return the id of a hosted model in a tier.

        Where a source names no tier it is the base record, or that of a place or version with this very price.
        """
        keys = self._hosted.get((plain(observation.vendor), plain(observation.model)), {})
        if observation.tier not in ("", DEAREST_HOURS):
            return keys.get(observation.tier)
        if observation.tier == DEAREST_HOURS and (peak := keys.get("peak hours")) is not None:
            return peak
        same = (keys[tier] for tier in _UNNAMED & keys.keys() if _has_price(self._catalogue.hosted[keys[tier]], price))
        return next(same, keys.get(""))

    def hosted_price(self, observation: HostedPriceObservation, price: ObservedPrice) -> tuple[float, date] | None:
        """Return the catalogue's price of a hosted model for a million tokens, and its day."""
        key = self.hosted(observation, price)
        if key is None:
            return None
        figure = self._catalogue.hosted[key].input_usd_per_mtoken
        return (figure.newest.typical, figure.checked) if figure.newest.typical > 0 else None


# the index of a catalogue, which all sources of a refresh share
offer_shapes = cached(4, same=lambda catalogue: (catalogue.offers, catalogue.hosted))(OfferShapeIndex)


def _subsets(words: frozenset[str]) -> list[frozenset[str]]:
    return [frozenset(some) for count in range(len(words) + 1) for some in combinations(words, count)]


def _has_price(record: HostedPrice, price: ObservedPrice) -> bool:
    written = record.output_usd_per_mtoken
    listed = record.input_usd_per_mtoken.newest.typical, None if written is None else written.newest.typical
    return listed == (price.price, price.output)


def _machine(name: str) -> str:
    return plain(name).removeprefix("standard")
