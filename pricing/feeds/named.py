"""From what a source calls things to the catalogue's ids. What is not known is asked about, and never guessed."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable
from dataclasses import dataclass

from pricing.catalogue import Catalogue
from pricing.choices import Area
from pricing.errors import AmbiguousNameError, UnknownNameError
from pricing.feeds.feed import Observation
from pricing.feeds.given import NEW, UNWANTED, NameDecisions, What
from pricing.feeds.verdict import Reason
from pricing.names import plain
from pricing.quotes.known_names import KnownNames

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
class Placed:
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
        self._chips: dict[tuple[str, float | None], str | Reason] = {}
        self._sellers: dict[str, str | Reason] = {}
        self._places: dict[tuple[str, str, Area | None, tuple[str, ...]], SaleLocation] = {}
        self._of_names = {frozenset(one.candidates): key for key, one in catalogue.ambiguous.items()}
        self._region_names: dict[str, Counter[tuple[str, Area]]] = defaultdict(Counter)
        for offer in catalogue.offers.values():
            self._region_names[offer.provider][offer.region, offer.area] += 1
        lands = catalogue.lands.items()
        self._lands = {plain(one.label): code for code, one in lands} | {code.casefold(): code for code, _ in lands}
        self._long = sorted((label for label in self._lands if len(label) >= _SHORTEST_LABEL), key=len, reverse=True)

    def placed(self, one: Observation) -> Placed | Reason:
        """What is sold by whom and where, or which name nobody knows."""
        seller = self.seller(one.seller)
        if isinstance(seller, Reason):
            return seller
        chip = self.chip(one.accelerator, one.memory_gb)
        if isinstance(chip, Reason):
            return chip
        return Placed(seller, chip, chip in self._catalogue.ambiguous, self.where(seller, one))

    def seller(self, name: str) -> str | Reason:
        """Whose price it is."""
        if name not in self._sellers:
            found = self._meant("seller", name, self._catalogue.providers)
            known = self._known.find("provider", name) if found is None else found
            self._sellers[name] = known if isinstance(known, str | Reason) else Reason("unknown_seller", name=name[:80])
        return self._sellers[name]

    def vendor(self, name: str) -> str | Reason:
        """Who sells tokens."""
        found = self._given.means("vendor", name[:80])
        if found is not None and found != NEW:
            return Reason("unwanted", name=name[:80]) if found == UNWANTED else found
        return name if found == NEW or plain(name) in self._vendors else Reason("unknown_seller", name=name[:80])

    def _meant(self, what: What, called: str, known: Container[str]) -> str | Reason | None:
        """What a person said that a name is. None: nobody did, or the catalogue has it no longer."""
        found = self._given.means(what, called[:80])
        if found == UNWANTED:
            return Reason("unwanted", name=called[:80])
        return found if found in known else None

    def chip(self, name: str, memory_gb: float | None) -> str | Reason:
        """The accelerator; where a name covers several, what its memory leaves of them."""
        asked = (name, memory_gb)
        if asked not in self._chips:
            self._chips[asked] = self._chip(name, memory_gb)
        return self._chips[asked]

    def _chip(self, name: str, memory_gb: float | None) -> str | Reason:
        meant = self._meant("accelerator", _called(name, memory_gb), self._catalogue.accelerators)
        return self._listed(name, memory_gb) if meant is None else meant

    def _listed(self, name: str, memory_gb: float | None) -> str | Reason:
        found = self._known.find("accelerator", name)
        if isinstance(found, UnknownNameError) and memory_gb:
            found = self._known.find("accelerator", f"{name} {memory_gb:.0f}GB")
        if isinstance(found, UnknownNameError):
            return Reason("unknown_accelerator", name=_called(name, memory_gb))
        among = found.candidates if isinstance(found, AmbiguousNameError) else (found,)
        exactly = frozenset(key for key in among if self._has(key, memory_gb, _ROUNDED))
        fits = exactly or frozenset(key for key in among if self._has(key, memory_gb, _SAME_MEMORY))
        if len(fits) == 1:
            return next(iter(fits))
        return self._of_names.get(fits) or Reason("unclear_accelerator", name=_called(name, memory_gb))

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
