"""The order of a plan: its size at once, the size of one job, its place; and the offers that can take it.

An offer is eligible unless it is elsewhere, joins too few machines, or publishes that it has fewer. Where none is, a
sentence says what would do.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import numpy as np

from planner.money.setting import PlanContext
from planner.scenario.amounts import count
from planner.scenario.base import ONE_MACHINE
from planner.scenario.rent import accepts_hosts
from planner.scenario.scenario import UNION, Scenario
from planner.speed.work_to_hours import ScenarioInHours
from pricing import Catalogue
from pricing.caching import cached
from pricing.market.sellers import band_of, listed
from pricing.orderable import (
    Capacity,
    Order,
    ResidencyRequirement,
    allowed_countries,
    bloc_members,
    eu,
    joins,
    refusal_reason,
    sale,
)

_MOST_PLACES = 5  # named in a sentence
_MOST_MORE = 1.5  # times the price anywhere: where a place costs more, one seller or two have it there


# A plan asks for it fifteen times, with other offers taken.
@cached(4, same=lambda setting: (setting.catalogue, setting.scenario, setting.resolved, setting.demand))
def busiest_order(setting: PlanContext) -> Order:
    """Return the peak demand of the plan, and how many of them work on one job."""
    scenario, at_once = setting.scenario, max(int(np.ceil(setting.demand.all.peak_accelerators)), 1)
    needed, hosts = together(scenario, setting.resolved), accepts_hosts(at_once, scenario.rent.hosts_of_others)
    is_grown = any(work.growth_per_year > 0 for work in scenario.work)
    order = Order(at_once, min(needed, at_once), placement_limits(setting.catalogue, scenario), hosts, is_grown)
    if scenario.residency != "near" or order.stay.countries:
        return order
    whole = _in_machines(setting, order)
    return replace(order, stay=nearest(setting.catalogue, scenario.site, scenario.accelerator, whole, setting.day))


def orders_of(setting: PlanContext) -> tuple[Order, ...]:
    """Return the order of a plan; before it, in whole machines where the work fills them and states no job size."""
    order = busiest_order(setting)
    return tuple(dict.fromkeys((_in_machines(setting, order), order)))


def _in_machines(setting: PlanContext, order: Order) -> Order:
    silent = not any(it.accelerators_per_job or it.train or it.serve or it.run for it in setting.written.work)
    return replace(order, together=ONE_MACHINE) if silent and order.accelerators % ONE_MACHINE == 0 else order


def together(scenario: Scenario, resolved: ScenarioInHours | None) -> int:
    """Return the accelerators of the largest run, replica or job, which need a network between them."""
    named = [] if resolved is None else [training.accelerators for training in resolved.trainings]
    named += [] if resolved is None else [serving.accelerators_per_replica for serving in resolved.servings]
    return max([*named, *(work.accelerators_per_job or 1 for work in scenario.work)], default=1)


@cached(64, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *rest: rest)
def nearest(catalogue: Catalogue, site: str, chip: str, order: Order, day: date) -> ResidencyRequirement:
    """Return the nearest place that likely has an order for about the price anywhere; else where it may be."""
    country, europe = site_country(catalogue, site) or site, ResidencyRequirement(areas=frozenset({"europe"}))
    here, union = bloc_members(catalogue, country), bloc_members(catalogue, UNION)
    # Prices of one country of Europe are often those of a single seller.
    alone = europe if country in allowed_countries(catalogue, europe) else ResidencyRequirement(here)
    keys, usual = (
        listed(catalogue, chip, frozenset({"on_demand"}), day),
        band_of(catalogue, chip, order, day, "on_demand"),
    )
    for place in (ResidencyRequirement(union), europe) if here <= union else (alone,):
        near = replace(order, stay=replace(place, without=order.stay.without))
        band = band_of(catalogue, chip, near, day, "on_demand") if able(catalogue, keys, (near,)) else None
        if (
            band is not None
            and band.standing != "unavailable"
            and (usual is None or band.typical <= _MOST_MORE * usual.typical)
        ):
            return near.stay
    return order.stay


def placement_limits(catalogue: Catalogue, scenario: Scenario) -> ResidencyRequirement:
    """Return where the work must stay, and who may hold it."""
    return replace(_places(catalogue, scenario), without=frozenset(scenario.not_from))


def _places(catalogue: Catalogue, scenario: Scenario) -> ResidencyRequirement:
    if scenario.stay_in:
        return ResidencyRequirement(countries=frozenset(scenario.stay_in))
    stay = scenario.residency
    if stay == "europe":
        return ResidencyRequirement(areas=frozenset({"europe"}))
    if stay in ("eu", "eu_sellers"):
        return eu(catalogue, sellers_too=stay == "eu_sellers")
    code = site_country(catalogue, scenario.site)
    return ResidencyRequirement(frozenset({code}) if stay == "country" and code is not None else frozenset())


def site_country(catalogue: Catalogue, site: str) -> str | None:
    """The two letters of the country in which a site lies; None for the whole world or a union of states."""
    place: str | None = site
    while place is not None and place not in catalogue.lands:
        place = catalogue.sites[place].parent if place in catalogue.sites else None
    return place


def able(catalogue: Catalogue, keys: Sequence[str], orders: Sequence[Order]) -> tuple[str, ...]:
    """Return the offers that can take the first possible order; none where no order is possible."""
    several = (tuple(key for key in keys if refusal_reason(catalogue, key, order) is None) for order in orders)
    return next((able_keys for able_keys in several if able_keys), ())


def nobody(setting: PlanContext, keys: Sequence[str], order: Order, buying: str) -> str:
    """Return why none of the offers will do, and what would: a smaller order, another place."""
    catalogue = setting.catalogue
    label = catalogue.accelerator_label(setting.scenario.accelerator)
    anywhere = replace(order, stay=ResidencyRequirement())
    local = [key for key in keys if refusal_reason(catalogue, key, replace(order, accelerators=1, together=1)) is None]
    if not local:
        return _elsewhere(setting, keys, anywhere, f"{label} {buying}")
    joined = [key for key in local if joins(sale(catalogue, key), order.together)]
    if not joined:
        best = max(local, key=lambda key: (sale(catalogue, key).reach, key))
        return (
            f"no known seller here joins {order.together:,} {label} {buying} in one job: the largest is "
            f"{_number(sale(catalogue, best).reach)}, of {_seller(catalogue, best)}. Smaller jobs, or your quote, "
            "would do"
        )
    most: dict[str, Capacity] = {}
    for key in joined:
        provider, its = catalogue.offers[key].provider, sale(catalogue, key).most
        most[provider] = max(most.get(provider, its), its)
    best = max(joined, key=lambda key: (sale(catalogue, key).most, key))
    largest = _number(sale(catalogue, best).most)
    every = f", all {len(most)} sellers together {_number(*most.values())}" if len(most) > 1 else ""
    return (
        f"no known seller here has {order.accelerators:,} {label} {buying} at once: {_seller(catalogue, best)} has "
        f"{largest}{every}. Fewer at once, or a quote of yours, would do"
    )


def _number(*capacities: Capacity) -> str:
    """Accelerators of one seller or of several, with how many of them we assume."""
    every, assumed = (
        sum(capacity.accelerators for capacity in capacities if capacity.assumed or known) for known in (True, False)
    )
    part = "" if assumed == every else f"{assumed:,} of them "
    return f"{every:,} ({part}we assume)" if assumed else f"{every:,}"


def _elsewhere(setting: PlanContext, keys: Sequence[str], anywhere: Order, what: str) -> str:
    """The places of sellers that would do if the work could leave, and how many do not state theirs."""
    catalogue = setting.catalogue

    def codes(key: str) -> list[str]:
        return [code for place in sale(catalogue, key).places if len(place) == 1 for code in place]

    can = [key for key in keys if refusal_reason(catalogue, key, anywhere) is None]
    places = sorted({catalogue.lands[code].label for key in can for code in codes(key)})
    silent = sum(not sale(catalogue, key).places for key in can)
    listed = ", ".join(places[:_MOST_PLACES])
    if len(places) > _MOST_PLACES:
        listed += f" and {count(len(places) - _MOST_PLACES, 'more country', 'more countries')}"
    where = f": there is some in {listed}" if places else ""
    stand = count(silent, "offer does not say where it stands", "offers do not say where they stand")
    unsaid = f"; {stand}: ask" if silent else ""
    why = f"no seller states that {what} stands where the work must stay{where}{unsaid}"
    return f"{why}. Another place, or a quote of yours, would do"


def _seller(catalogue: Catalogue, key: str) -> str:
    return catalogue.providers[catalogue.offers[key].provider].label
