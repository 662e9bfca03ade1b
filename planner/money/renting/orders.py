"""The order of a plan: its size at once, the size of one job, its place; and the sellers that can take it.

An offer is eligible where it can deliver the whole order. Where none can, the order is spread over several sellers, as
long as each holds whole jobs. Where that fails too, a sentence says what would do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.money.setting import PlanContext, SellerShare
from planner.scenario.amounts import count
from planner.scenario.base import ONE_MACHINE
from planner.scenario.scenario import Scenario
from planner.speed.work_to_hours import ScenarioInHours
from pricing import Catalogue
from pricing.belief import PriceEstimates
from pricing.orderable import Capacity, Order, ResidencyRequirement, country, eu, refusal_reason, sale

_FEW_SELLERS = 4  # not more, if fewer will do
_MOST_PLACES = 5  # named in a sentence


def busiest_order(setting: PlanContext) -> Order:
    """Return the peak demand of the plan, and how many of them work on one job."""
    at_once = max(int(np.ceil(setting.demand.all.peak_accelerators)), 1)
    needed = together(setting.scenario, setting.resolved)
    return Order(at_once, min(needed, at_once), placement_limits(setting.catalogue, setting.scenario))


def orders_of(setting: PlanContext) -> tuple[Order, ...]:
    """Return the order of a plan; before it, in whole machines where the work fills them and states no job size."""
    order, works = busiest_order(setting), setting.written.work
    silent = not any(work.accelerators_per_job or work.train or work.serve or work.run for work in works)
    if not silent or order.accelerators % ONE_MACHINE:
        return (order,)
    return (replace(order, together=ONE_MACHINE), order)


def together(scenario: Scenario, resolved: ScenarioInHours | None) -> int:
    """Return the accelerators of the largest run, replica or job, which need a network between them."""
    named = [] if resolved is None else [training.accelerators for training in resolved.trainings]
    named += [] if resolved is None else [serving.accelerators_per_replica for serving in resolved.servings]
    return max([*named, *(work.accelerators_per_job or 1 for work in scenario.work)], default=1)


def placement_limits(catalogue: Catalogue, scenario: Scenario) -> ResidencyRequirement:
    """Return where the work must stay, and who may hold it."""
    if scenario.stay_in:
        return ResidencyRequirement(countries=frozenset(scenario.stay_in))
    if scenario.stay in ("eu", "eu_sellers"):
        return eu(catalogue, sellers_too=scenario.stay == "eu_sellers")
    code = site_country(catalogue, scenario.site)
    return country(catalogue, code) if scenario.stay == "country" and code is not None else ResidencyRequirement()


def site_country(catalogue: Catalogue, site: str) -> str | None:
    """The two letters of the country in which a site lies; None for the whole world or a union of states."""
    place: str | None = site
    while place is not None and place not in catalogue.lands:
        place = catalogue.sites[place].parent if place in catalogue.sites else None
    return place


@dataclass(frozen=True)
class EligibleOffers:
    """The offers that can take an order: each the whole of it, or several of them together."""

    keys: tuple[str, ...]
    order: Order
    whole: bool


def able(
    catalogue: Catalogue, keys: Sequence[str], orders: Sequence[Order], *, may_split: bool = True
) -> EligibleOffers | None:
    """Return the offers that can take the first possible order; those with a job's worth where none has all of it."""
    for order in orders:
        whole = tuple(key for key in keys if refusal_reason(catalogue, key, order) is None)
        if whole:
            return EligibleOffers(whole, order, whole=True)
        job = replace(order, accelerators=order.together)
        parts = tuple(key for key in keys if may_split and refusal_reason(catalogue, key, job) is None)
        if spread(catalogue, parts, order):
            return EligibleOffers(parts, order, whole=False)
    return None


def spread(catalogue: Catalogue, by_cost: Sequence[str], order: Order) -> tuple[SellerShare, ...]:
    """Split an order that no seller has in full: whole jobs from each seller, from as few sellers as will do.

    A seller with all of the rest comes before one with a part; then the cheaper one. Small sellers are used only where
    the larger ones together have too few. Empty where all of them together have too few.
    """
    needed = max(order.accelerators, order.together)
    most = _capacity_by_seller(catalogue, by_cost, order)
    for least in (-(-needed // _FEW_SELLERS), 1):
        shares, left = list[SellerShare](), needed
        sellers = {key: count for key, count in most.items() if count >= min(least, left)}
        while sellers and left > 0:
            key = next((seller for seller, count in sellers.items() if count >= left), next(iter(sellers)))
            shares.append(SellerShare(key, min(sellers.pop(key), left)))
            left -= shares[-1].accelerators
        if left <= 0:
            return tuple(shares)
    return ()


def _capacity_by_seller(catalogue: Catalogue, by_cost: Sequence[str], order: Order) -> dict[str, int]:
    """The capacity of each seller, in whole jobs, at its cheapest offer; the cheapest seller first."""
    sellers: dict[str, tuple[str, int]] = {}
    for key in by_cost:
        if refusal_reason(catalogue, key, replace(order, accelerators=order.together)) is None:
            most = sale(catalogue, key).most.accelerators // order.together * order.together
            sellers.setdefault(catalogue.offers[key].provider, (key, most))
    return dict(sellers.values())


def blended(prices: PriceEstimates, shares: Sequence[SellerShare]) -> PriceEstimates:
    """The prices with that of the first seller replaced by the mean of all that deliver, each by what it delivers."""
    if len(shares) < 2:
        return prices
    parts = prices.take([share.offer for share in shares])
    weights = np.array([share.accelerators for share in shares], dtype=np.float64)
    mean = {name: float(np.average(getattr(parts, name), weights=weights)) for name in ("low", "typical", "high")}
    return prices.with_price(shares[0].offer, **mean)


def nobody(setting: PlanContext, keys: Sequence[str], order: Order, buying: str) -> str:
    """Return why none of the offers will do, and what would: a smaller order, another place."""
    catalogue = setting.catalogue
    label = catalogue.accelerator_label(setting.scenario.accelerator)
    anywhere = replace(order, stay=ResidencyRequirement())
    local = [key for key in keys if refusal_reason(catalogue, key, replace(order, accelerators=1, together=1)) is None]
    if not local:
        return _elsewhere(setting, keys, anywhere, f"{label} {buying}")
    joined = [key for key in local if sale(catalogue, key).reach.accelerators >= order.together]
    if not joined:
        best = max(local, key=lambda key: (sale(catalogue, key).reach, key))
        return (
            f"nobody known here joins {order.together:,} {label} {buying} in one job: the largest is "
            f"{_number(sale(catalogue, best).reach)}, of {_seller(catalogue, best)}. Smaller jobs, or your quote, "
            "would do"
        )
    most: dict[str, Capacity] = {}
    for key in joined:
        who, its = catalogue.offers[key].provider, sale(catalogue, key).most
        most[who] = max(most.get(who, its), its)
    best = max(joined, key=lambda key: (sale(catalogue, key).most, key))
    largest = _number(sale(catalogue, best).most)
    every = f", all {len(most)} sellers together {_number(*most.values())}" if len(most) > 1 else ""
    return (
        f"nobody known here has {order.accelerators:,} {label} {buying} at once: {_seller(catalogue, best)} has "
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
    why = f"nobody says that {what} stands where the work must stay{where}{unsaid}"
    return f"{why}. Another place, or a quote of yours, would do"


def _seller(catalogue: Catalogue, key: str) -> str:
    return catalogue.providers[catalogue.offers[key].provider].label
