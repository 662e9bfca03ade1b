"""What a kilowatt-hour emits and how much water it takes, at a place or wherever a seller may stand.

One kind of figure only: yearly intensity of what is generated inside a country. Life-cycle figures count more and are
never mixed in. A place without a figure takes that of what it lies in, with a wider range. Of several countries, nobody
knowing which, it is their mean, and eight of ten of them lie in the range.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pricing.caching import cached
from pricing.catalogue import Catalogue
from pricing.electricity import called
from pricing.figure import Figure

STAND_IN = "grid-carbon-stand-in"
WORLD = "WORLD"
_ENDS = (0.1, 0.9)


class Grid(NamedTuple):
    """Grams of CO2 equivalent for a kilowatt-hour; `where` it is, and what stands in for what nobody says."""

    low: float
    typical: float
    high: float
    where: str
    stands_in: str | None = None
    water_l_per_kwh: float | None = None


def _facts(catalogue: Catalogue, *_: object) -> tuple[object, ...]:
    return catalogue.sites, catalogue.facts, catalogue.lands


@cached(1_024, same=_facts, equal=lambda _, site: site)
def grid_intensity_at(catalogue: Catalogue, site: str) -> Grid | None:
    """The grid at a site; None where nobody knows even for the world."""
    found = catalogue.site_figure(site, "carbon_g_per_kwh")
    if found is None:
        return None
    label, water = catalogue.sites[site].label, _water_use(catalogue, site)
    value = found[1].newest
    low, high = (value.typical if end is None else end for end in (value.low, value.high))
    if found[0] == site:
        return Grid(low, value.typical, high, label, None, water)
    spread = catalogue.facts[STAND_IN].figure.newest
    words = f"no grid figure of {label}: that of {called(catalogue, found[0])} stands in, with a wider range"
    return Grid(low * (spread.low or 1.0), value.typical, high * (spread.high or 1.0), label, words, water)


@cached(1_024, same=_facts, equal=lambda _, countries, area: (countries, area))
def mean_grid_intensity(catalogue: Catalogue, countries: frozenset[str], area: str) -> Grid | None:
    """The grid of what stands in one of these countries; of none said, in a part of the world or anywhere."""
    if len(countries) == 1:
        (only,) = countries
        if only in catalogue.sites:
            return grid_intensity_at(catalogue, only)
    known = _known(catalogue, countries)
    if known:
        what = f"one of {len(countries)} countries"
        return _mean(known, what, f"the seller says only that it is {what}: their mean stands in")
    known = _known(catalogue, (code for code, land in catalogue.lands.items() if land.area == area))
    if known:
        what = area.replace("_", " ")
        return _mean(known, what, f"the seller names no country: the mean of {len(known)} countries there stands in")
    return _world_intensity(catalogue)


def _world_intensity(catalogue: Catalogue) -> Grid | None:
    """The world's average; eight of ten countries lie in the range."""
    world = catalogue.sites[WORLD].carbon_g_per_kwh
    known = _known(catalogue, catalogue.lands)
    if world is None or not known:
        return None
    low, high = np.quantile(known, _ENDS).tolist()
    words = "nobody says where it stands: the world's average stands in, with the range of all countries"
    typical = world.newest.typical
    return Grid(min(low, typical), typical, max(high, typical), "the world", words)


def _known(catalogue: Catalogue, countries: Iterable[str]) -> list[float]:
    sites = (catalogue.sites[code] for code in countries if code in catalogue.sites)
    return [site.carbon_g_per_kwh.newest.typical for site in sites if site.carbon_g_per_kwh is not None]


def _mean(known: list[float], where: str, words: str) -> Grid:
    low, high = np.quantile(known, _ENDS).tolist()
    mean = sum(known) / len(known)
    return Grid(min(low, mean), mean, max(high, mean), where, words)


def _water_use(catalogue: Catalogue, site: str) -> float | None:
    found: tuple[str, Figure] | None = catalogue.site_figure(site, "water_l_per_kwh")
    return None if found is None else found[1].newest.typical
