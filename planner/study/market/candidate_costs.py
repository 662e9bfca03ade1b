"""The cost of each candidate of a market study that is purchased.

A purchased fleet is charged to the work in full: from order to sale, over the years of the plan. All fleets of one
machine type are draws of one ledger. Only electricity depends on the work, in proportion to utilization, so fleets are
cached: another model or token count calculates no ledger again. Existing machines cost electricity and upkeep.

The work of a market study on machines that one has: electricity and upkeep.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date

import numpy as np

from planner.money.demand.stream import DemandLayer
from planner.money.ledger import CASES, Case, end
from planner.money.measures import monthly_discount_factors
from planner.money.owning import Ownership, machine, owned
from planner.money.owning.inputs import add_power_price, add_staff_and_space
from planner.money.owning.machine import place_key
from planner.money.owning.place import (
    W_PER_KW,
    existing_accelerator,
    existing_power,
    network_fact,
    no_network_reason,
    place_of,
    power_shortfall_reason,
)
from planner.money.owning.resale import existing_hardware
from planner.money.setting import PlanContext
from planner.scenario.base import DAYS_PER_MONTH, HOURS_PER_DAY, HOURS_PER_MONTH, MONTHS_PER_YEAR
from planner.scenario.own import ExistingHardware
from planner.scenario.scenario import Scenario
from planner.speed.training.result import Interval
from planner.study.market.candidate import NEARLY, MarketCandidate, Rejection
from planner.study.market.hours_needed import Task, WorkEstimate, work_estimates
from planner.study.market.rental_costs import Array, RentalQuery
from pricing import Catalogue
from pricing.caching import cached

NETWORK = "usd_per_accelerator_of_network"
OF_ONE_MACHINE = ("usd_per_server", "usd_per_accelerator", "capex_usd", "running_usd_per_month", "rated_w_per_server")
_UTILIZATIONS = (0.0, 1.0)


@dataclass(frozen=True, eq=False)
class FleetCosts:
    """The net present cost of a purchased fleet, each in three cases: low, typical, high."""

    idle_usd: Array  # over the plan, with nothing running
    busy_usd: Array  # added at full utilization; in proportion below
    months: Array  # in service, discounted too
    waits: Array  # months before delivery, discounted too
    lead_time_months: float
    age_days: int | None  # of the price; None for a price of your own


FleetsByCount = dict[int, FleetCosts | None]  # None: not sold in this count, or not enough power


def fleet_costs(
    catalogue: Catalogue, scenario: Scenario, counts: Mapping[str, Set[int]], day: date
) -> dict[str, FleetsByCount]:
    """Return the fleet costs by accelerator and count."""
    defaults = Scenario()
    ignored = ("name", "note", "work", "models", "measured", "seed", "ways")
    scenario, fleets = scenario.model_copy(update={name: getattr(defaults, name) for name in ignored}), {}
    for key, sizes in counts.items():
        fleets[key] = cache = _cache(catalogue, scenario, key, day)
        missing = sorted(sizes - cache.keys())
        for context, group in _group_by_machine(catalogue, scenario, key, missing, day):
            cache.update(zip(group, _compute_fleet_costs(context, group), strict=True))
        for size in missing:
            cache.setdefault(size, None)
    return fleets


@cached(512, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *plan: plan)  # accelerators of some eight plans
def _cache(catalogue: Catalogue, scenario: Scenario, key: str, day: date) -> FleetsByCount:
    """The counts calculated so far, which the only caller adds to."""
    return {}


def _group_by_machine(
    catalogue: Catalogue, scenario: Scenario, key: str, counts: Iterable[int], day: date
) -> Iterable[tuple[PlanContext, list[int]]]:
    """Return the counts of an accelerator grouped by the machine to buy, each with the context of its purchase."""
    groups: dict[tuple[object, ...], tuple[PlanContext, list[int]]] = {}
    # Prices of your own belong to the accelerator they were entered for.
    own = scenario.own if key == scenario.accelerator else scenario.own.model_copy(update=dict.fromkeys(OF_ONE_MACHINE))
    for count in counts:
        update = {"accelerator": key, "own": own.model_copy(update={"accelerators": count})}
        context = PlanContext(catalogue, scenario.model_copy(update=update), day)
        hardware = machine(context)
        if hardware is not None and not power_shortfall_reason(context, count):
            product = (hardware.what, hardware.accelerators, hardware.is_priced_whole, hardware.is_known_product)
            machine_key = (*product, place_key(context))
            groups.setdefault(machine_key, (context, []))[1].append(count)
    return groups.values()


def _compute_fleet_costs(context: PlanContext, counts: Sequence[int]) -> list[FleetCosts]:
    """Calculate all counts of one machine type, idle and busy, each as a draw of one ledger."""
    sizes = np.array([float(count) for count in counts for _ in _UTILIZATIONS]).reshape(-1, 1)
    layer = DemandLayer(
        accelerator=context.scenario.accelerator, accelerators=sizes,
        busy_share=np.tile(_UTILIZATIONS, len(counts)).reshape(-1, 1), years=context.scenario.years,
        hours_per_session=1.0, storage_tb=0.0, egress_tb_per_month=0.0, site=context.scenario.site,
    )  # fmt: skip
    costs = [_cost(context, layer, sizes, case) for case in CASES]
    ownership = costs[CASES.index("typical")][0]
    lead_time_months = float(np.max(ownership.sheet.used["lead_time_months"].value))
    price = ownership.machine.price
    age_days = None if price is None else price.age_days(context.day)
    months, waits = (np.array([each[place] for _, _, each in costs]) for place in range(2))
    idle, busy = (np.array([usd[at :: len(_UTILIZATIONS)] for _, usd, _ in costs]) for at in range(len(_UTILIZATIONS)))
    return [
        FleetCosts(idle[:, at], (busy - idle)[:, at], months, waits, lead_time_months, age_days)
        for at in range(len(counts))
    ]


def _cost(
    context: PlanContext, layer: DemandLayer, counts: Array, case: Case
) -> tuple[Ownership, Array, tuple[float, float]]:
    """Return the net present cost of owning each draw over the plan, its discounted months in service and before it."""
    hardware = machine(context)
    assert hardware is not None  # else it is no candidate
    usd = {count: _network_usd(context, int(count), case) for count in np.unique(counts)}
    network = np.array([usd[count] for count in counts[:, 0]]).reshape(-1, 1)
    context = context.with_tried({"many": (counts > hardware.accelerators).astype(np.float64), NETWORK: network})
    ownership = owned(context, layer)
    assert ownership is not None  # it has a machine
    worth = monthly_discount_factors(context)
    lines = [np.broadcast_to(line.at_end(case).usd, (len(counts), len(worth))) for line in ownership.lines]
    owns, waits = (float((np.broadcast_to(share, worth.shape) * worth).sum()) for share in
                   (ownership.holding.owns, ownership.holding.waits))  # fmt: skip
    return ownership, (np.sum(lines, axis=0) * worth).sum(axis=-1), (owns, waits)


def _network_usd(context: PlanContext, accelerators: int, case: Case) -> float:
    """Return the network cost of each accelerator; each draw has a size of its own, and the size a price. [USD]"""
    own_usd = context.scenario.own.usd_per_accelerator_of_network
    if own_usd is not None or no_network_reason(context):
        return own_usd or 0.0
    return end(context.catalogue.facts[network_fact(context, accelerators)].figure.newest, case)


@dataclass(frozen=True)
class PurchaseCost:
    """The cost of owning for one estimate."""

    estimate: int  # its index
    usd: Interval  # net present cost of the run over the plan, or of a month, with the rent until delivery
    wait_days: float  # until the run can begin: none where rented machines bridge the delivery
    why_not: Rejection | None  # they come too late, or the run does not end while they are owned
    age_days: int | None  # of the price; None for a price of your own


def purchase_costs(query: RentalQuery, rent_usd: Mapping[int, float]) -> Iterator[PurchaseCost]:
    """Return the purchase cost of each estimate whose accelerator has a price.

    Until delivery the work is rented, as in a plan: at `rent_usd` for all of an estimate, where somebody has them.
    """
    estimates = query.estimates
    counts: dict[str, set[int]] = {}
    for estimate in estimates:
        counts.setdefault(estimate.accelerator, set()).add(estimate.at_once)
    fleets = fleet_costs(query.catalogue, query.scenario, counts, query.day)
    for index, estimate in enumerate(estimates):
        fleet = fleets[estimate.accelerator].get(estimate.at_once)
        cost = fleet and _purchase_cost(query, fleet, index, rent_usd.get(index))
        if cost and math.isfinite(cost.usd.typical):
            yield cost


def _purchase_cost(query: RentalQuery, fleet: FleetCosts, index: int, rent_usd: float | None) -> PurchaseCost:
    """Return the cost of a run, or of each month of continuous work, with the rent that bridges the delivery."""
    estimate, months, wait = query.estimates[index], query.scenario.months, fleet.lead_time_months
    run_months = estimate.hours.typical / estimate.at_once / HOURS_PER_DAY / DAYS_PER_MONTH
    is_bridged, ends = rent_usd is not None, months if query.monthly else min(run_months, months)
    bridge_usd = (rent_usd or 0.0) * np.array([estimate.hours.low, estimate.hours.typical, estimate.hours.high])
    bridge_usd /= estimate.hours.typical
    rejection = Rejection("too_late") if wait >= (ends if is_bridged else months) - NEARLY else None
    rented_share = 0.0
    if not query.monthly:
        rented_share = min(wait / run_months, 1.0) if is_bridged else 0.0
        if rejection is None and run_months > months - (0.0 if is_bridged else wait) + NEARLY:
            rejection = Rejection("outlasts_the_plan")
    utilization = run_months * (1 - rented_share) / (1.0 if query.monthly else months)
    usd = fleet.idle_usd + fleet.busy_usd * min(utilization, 1.0) + bridge_usd * rented_share
    if query.monthly:
        usd, spread = usd + bridge_usd * fleet.waits, fleet.months + fleet.waits * is_bridged
        usd = np.divide(usd, spread, out=np.full(len(CASES), np.nan), where=spread > 0)
    low, typical, high = map(float, usd)
    band = Interval(min(low, typical), typical, max(high, typical))
    return PurchaseCost(index, band, 0.0 if is_bridged else wait * DAYS_PER_MONTH, rejection, fleet.age_days)


def existing_candidates(
    catalogue: Catalogue, task: Task, accelerators: Sequence[str], day: date
) -> Iterable[MarketCandidate]:
    """Return the work on machines that are kept. What these would sell for is left to the plan."""
    kept = existing_hardware(PlanContext(catalogue, task.scenario, day))
    key = None if kept is None else existing_accelerator(catalogue, kept)
    if kept is None or key is None or (accelerators and key not in accelerators):
        return
    for estimate in work_estimates(catalogue, task, (key,), (kept.accelerators,), lambda _: None):
        rejection = estimate.why_not
        if not rejection and estimate.at_once > kept.accelerators:
            rejection = Rejection("too_few", f"it takes {estimate.at_once:,} at once")
        usd = None if rejection else _existing_usd(PlanContext(catalogue, task.scenario, day), task, kept, estimate)
        yield MarketCandidate(
            key, kept.accelerators, "keep", None, None, estimate.days, usd, estimate.rate, estimate.layout, rejection,
            on_front=False, label=catalogue.accelerator_label(key), at_once=estimate.at_once,
            tpot_p99_ms=estimate.tpot_p99_ms,
        )  # fmt: skip


def _existing_usd(context: PlanContext, task: Task, kept: ExistingHardware, estimate: WorkEstimate) -> Interval:
    """Return the cost of the work on kept machines: power of busy and idle hours, and upkeep while the work lasts."""
    inputs = context.input_sheet()
    add_power_price(inputs, context)
    add_staff_and_space(inputs, context)
    used = {name: float(value.value) for name, value in inputs.used.items()}
    power = existing_power(context, kept)
    busy_w, idle_w, kw = (0.0, 0.0, 0.0) if power is None else (power.busy_w, power.idle_w, power.peak_kw)
    busy_w = busy_w if kept.power_w_each is None else kept.power_w_each
    idle_w = min(idle_w, busy_w) if kept.idle_power_w_each is None else kept.idle_power_w_each
    upkeep = kept.running_usd_per_month
    if upkeep is None:
        people = max(
            kept.accelerators * used["fte_per_accelerator"],
            used["least_fte"] * min(kept.accelerators / used["least_from"], 1),
        )
        staff = people * used["usd_per_fte_year"] / MONTHS_PER_YEAR
        upkeep = staff + (0.0 if place_of(context).builds_room else kw * used["usd_per_kw_month"])

    def usd(hours: float) -> float:
        months = 1.0 if task.monthly else hours / kept.accelerators / HOURS_PER_MONTH
        idle = max(kept.accelerators * months * HOURS_PER_MONTH - hours, 0.0)
        kwh = (hours * busy_w + idle * idle_w) / W_PER_KW
        return kwh * used["usd_per_kwh"] * used["pue"] + months * upkeep

    return Interval(usd(estimate.hours.low), usd(estimate.hours.typical), usd(estimate.hours.high))
