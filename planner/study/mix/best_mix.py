"""The best mix: how much to own, to reserve and to rent, for work whose demand changes over time.

A mixed-integer program on the rates of the plan proposes a mix for each kind of burst. Each proposal and its neighbors,
a server and a machine away, are then priced by the ledger, and the cheapest is the answer: the program finds, the
ledger prices. Both keep to the limits on cash.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from planner.money.finance import SolveResult
from planner.money.option import Option, fleet_option_key
from planner.money.plan import Plan, option
from planner.money.setting import PlanContext
from planner.money.sizing import completed_share, deferrable_capacity_share, server_size, wait_hours
from planner.money.verdict.contender import CashLimits, plan_limits, upper_bound_usd
from planner.money.ways.mix import build
from planner.money.ways.own import fleet_builder
from planner.scenario.own import PurchaseOrder
from planner.scenario.rent import MixInputs, Peaks
from planner.study.mix.load_duration import EnvelopeSegment, LoadCurve, Screen, load_curve, lower_envelope, threshold
from planner.study.mix.mix_program import Infeasible, best, build_program, screening_lines
from planner.study.mix.mix_rates import MixRates, rates_of
from planner.study.mix.search import MOST_MIXED, MixSearch, least_fleet
from pricing.caching import cached_property, derive

ALIKE = "demand is constant while work runs, so a fleet is used as a whole: own all of it or none"
UNTOLD = "the times of the peaks are not given, so all count at once: give them with `by_hour` in a scenario file"
TOO_MANY = "the work grows to {peak:,.0f} accelerators at once, more than the {most:,} up to which a mix is looked for"
NO_WAY = "nothing here has a price, so there is nothing to mix"
FLAT_SHARE = 0.01  # bases within so much of the best cost the same
_CURVE_POINTS = 24
_QUEUES = 24  # sizes of a fleet to try where waiting has a price
_HOURLESS = 1e-9  # of all hours


@dataclass(frozen=True)
class BaseSizeCost:
    """The net present cost of the plan by its ledger with a base of this size, all else as in the best mix."""

    accelerators: int
    usd: float


@dataclass(frozen=True, eq=False)
class BestMix:
    """The best mix of a plan and the numbers behind it."""

    plan: Plan
    mix: MixInputs
    usd: float  # net present cost, by its ledger
    at_most_usd: float  # with unpublished prices at their highest
    single_option: Option  # the cheapest option that is no mix
    single_option_usd: float  # at most
    rates: MixRates
    search: MixSearch
    infeasible: tuple[Infeasible, ...]  # kinds of burst that break a limit

    @property
    def own(self) -> int:
        """The accelerators to own."""
        return self.mix.own_accelerators

    @property
    def reserved(self) -> int:
        """The accelerators to reserve above the owned ones."""
        return self.mix.reserve_accelerators

    @property
    def burst(self) -> Peaks:
        """The option for the work above base and reservation."""
        return self.mix.peaks

    @property
    def saving_usd(self) -> float:
        """The savings against the cheapest single option; negative if the mix costs more. [USD]"""
        return self.single_option_usd - self.at_most_usd

    @property
    def single_option_allowed(self) -> bool:
        """Return whether the single option keeps to the limits on cash; if none does, it is the cheapest without."""
        setting, single = self.plan.setting, self.single_option
        return plan_limits(setting.terms).allows(setting, single.way, single.ledger)

    @property
    def is_mixed(self) -> bool:
        """Return whether the mix is more than one option: layers of two kinds, each with work."""
        base, both = (completed_share_in_stages(self.plan.setting, self.mix, above) for above in (0, self.reserved))
        return sum((base > 0, both > base, both < 1 - _HOURLESS)) > 1

    @cached_property
    def load(self) -> LoadCurve:
        """The utilization of each slice of capacity."""
        return load_curve(self.plan.setting)

    @cached_property
    def screening_lines(self) -> tuple[Screen, ...]:
        """The cost of an hour of capacity by option, where it has a price."""
        return screening_lines(self.rates, self.plan.setting)

    @property
    def layers(self) -> tuple[EnvelopeSegment, ...]:
        """The cheapest option for capacity by utilization; spot machines only if all the work may stop."""
        interruptible = all(work.may_stop for work in self.plan.setting.scenario.work)
        return lower_envelope([line for line in self.screening_lines if interruptible or line.name != "spot"])

    @cached_property
    def break_even_utilization(self) -> SolveResult:
        """The utilization above which owning a slice is cheaper than paying by the hour; or why it never is. [1]"""
        lines = {line.name: line for line in self.screening_lines}
        rest = "on_demand" if self.burst == "spot" else self.burst
        return threshold(lines.get("own", Screen("own", np.inf, 0.0)), lines[rest])

    @cached_property
    def curve(self) -> tuple[BaseSizeCost, ...]:
        """The cost over the size of the base, by the ledger; sizes that break a limit are left out."""
        server, most = server_size(self.plan.setting), self.search.max_accelerators
        step = server * max(-(-most // (server * _CURVE_POINTS)), 1)
        sizes = sorted({*range(0, most, step), most, self.own})
        costs = (self.search.at_most_usd(self.search.resized(self.mix, own_accelerators=size)) for size in sizes)
        return tuple(BaseSizeCost(size, usd) for size, usd in zip(sizes, costs, strict=True) if np.isfinite(usd))

    @cached_property
    def flat(self) -> tuple[int, int]:
        """The smallest and the largest base around the best one that cost at most a hundredth more."""
        most = self.at_most_usd + FLAT_SHARE * abs(self.at_most_usd)
        sizes = [point.accelerators for point in self.curve]
        near = {point.accelerators for point in self.curve if point.usd <= most} | {self.own}
        low = high = sizes.index(self.own)
        while low > 0 and sizes[low - 1] in near:
            low -= 1
        while high + 1 < len(sizes) and sizes[high + 1] in near:
            high += 1
        return sizes[low], sizes[high]

    @cached_property
    def wait_hours(self) -> SolveResult | None:
        """The wait of a job that may wait on base and reservation; None where nothing waits. [hour]"""
        fleet = self.own + self.reserved
        waits = fleet > 0 and np.any(self.plan.setting.demand.waiting_hours > 0)
        return wait_hours(self.plan.setting, fleet) if waits else None


@dataclass(frozen=True)
class MixUnavailable:
    """Why there is no mix to look for, or none that keeps to the limits."""

    reason: str


def best_mix(plan: Plan) -> BestMix | MixUnavailable:
    """Return the cheapest mix of a plan within its cash of day one, the cash of each year, and the accepted wait.

    Where an hour of waiting has a price, the ledger counts that in place of the accepted wait.
    """
    setting = plan.setting
    if setting.resolved is not None and setting.resolved.problems:
        return MixUnavailable("; ".join(setting.resolved.problems))
    single = _best_single_option(plan)
    if single is None or alike(setting):
        return MixUnavailable(NO_WAY if single is None else UNTOLD if _has_peaks(setting) else ALIKE)
    peak = float(np.max(setting.demand.peak))
    if peak > MOST_MIXED:
        return MixUnavailable(TOO_MANY.format(peak=peak, most=MOST_MIXED))
    rates = rates_of(setting)
    proposed, infeasible = _proposed_mixes(setting, rates)
    search, mix = _search_mix(setting, rates, proposed)
    if mix is None:
        reasons = [burst.reason for burst in infeasible] or list(rates.missing)
        return MixUnavailable("; ".join(reasons) or "no mix keeps to the limits")
    price = search.priced(mix)
    return BestMix(plan, mix, price.usd, price.at_most_usd, *single, rates, search, infeasible)


def completed_share_in_stages(setting: PlanContext, mix: MixInputs, held: int) -> float:
    """Return the share of useful hours on the base, as ordered, and `held` reserved accelerators. [1]"""
    if not mix.orders:
        return completed_share(setting, mix.own_accelerators + held)
    runs, demand = setting.timeline.runs, setting.usual_demand
    ordered = (np.where(setting.timeline.month > order.month, order.accelerators, 0) for order in mix.orders)
    fleet = sum(ordered) + held
    sizes = np.unique(fleet).tolist()
    done = sum(
        (demand.done(size, deferrable_capacity_share(setting, size)) * runs * (fleet == size)).sum() for size in sizes
    )
    return float(done / max(float((demand.all_hours * runs).sum()), _HOURLESS))


def _search_mix(
    setting: PlanContext, rates: MixRates, proposed: Sequence[MixInputs]
) -> tuple[MixSearch, MixInputs | None]:
    """Return the cheapest mix by its ledger, and the search that found it: in stages, somewhat earlier, or at once."""
    schedule, machine = rates.base.schedule if rates.base else None, rates.reserved.machine if rates.reserved else 1
    # Steps of base and reservation: those of the program, then single servers and machines.
    coarse = int(rates.base.sizes[1]) if rates.base and len(rates.base.sizes) > 1 else 1
    fine = coarse if setting.scenario.own.capex_usd is not None else min(server_size(setting), coarse)
    steps = [(step, machine) for step in sorted({coarse, fine}, reverse=True)]
    setting = derive(setting, "demand", "timeline", "usual_demand", shows_orders=False)
    search = MixSearch(setting, schedule)
    mix = search.best([search.resized(mix) for mix in proposed], steps) if proposed else None
    if mix is None or schedule is None:
        return search, mix
    for other in [MixSearch(setting, each, search.cache) for each in (schedule.shifted_earlier(), None)]:
        again = other.resized(mix)
        if other.at_most_usd(again) < search.at_most_usd(mix):
            search, mix = other, other.best([again], steps) or again
    return search, mix


def _has_peaks(setting: PlanContext) -> bool:
    """Return whether a service has a peak above its average at times that are not given."""
    tasks = [work.serve for work in setting.written.work if work.serve is not None and not work.by_hour]
    return any((task.peak_requests_per_s or 0.0) > task.requests_per_s for task in tasks)


def add_best_mix(plan: Plan) -> Plan:
    """Return the plan with its best mix as an option, if the scenario names none and it is the cheapest."""
    setting = plan.setting
    if not can_have_mix(setting):
        return plan
    result = best_mix(plan)
    if isinstance(result, MixUnavailable) or (result.saving_usd <= 0 and result.single_option_allowed):
        return plan
    if not result.is_mixed:
        return _with_fleet(plan, result.own, result.mix.orders)
    scenario = setting.scenario.model_copy(update={"mix": result.mix})
    context = derive(setting, "demand", "timeline", scenario=scenario)
    mix = option(context, "mix", build)
    if not isinstance(mix, Option):
        return plan
    return Plan(context, (*plan.options, mix), tuple(skipped for skipped in plan.absent if skipped.way != "mix"))


def _with_fleet(plan: Plan, accelerators: int, orders: tuple[PurchaseOrder, ...]) -> Plan:
    """Return the plan with another fleet that does all the work for less: where waiting has a price, or prices rise.

    In addition to a fleet whose size was given; else in its place.
    """
    sizes = {(int(each.accelerators), each.orders) for each in plan.options if each.way == "own"}
    if not sizes or accelerators == 0 or (accelerators, orders) in sizes:
        return plan
    given = plan.setting.scenario.own.accelerators is not None or bool(plan.setting.scenario.own.orders)
    key = fleet_option_key(accelerators) if given else "own"
    fleet = option(plan.setting, "own", fleet_builder(accelerators, orders), key=key)
    if not isinstance(fleet, Option):
        return plan
    options = tuple(fleet if each.key == key else each for each in plan.options)
    return replace(plan, options=(*options, fleet) if given else options)


def can_have_mix(setting: PlanContext) -> bool:
    """Return whether to look for a mix: the scenario names none, asks for all options or for it, and slices differ."""
    ways = setting.scenario.ways
    return setting.scenario.mix is None and (not ways or "mix" in ways) and not alike(setting)


def alike(setting: PlanContext) -> bool:
    """Return whether every slice of capacity has the same utilization, in whole servers, and cash is not limited."""
    demand = setting.demand
    if np.any(demand.waiting_hours > 0):
        return False
    wanted, server = demand.levels.sizes, server_size(setting)
    if len(wanted) != 1:
        return len(wanted) == 0
    limited = plan_limits(setting.terms) != CashLimits()  # then the cash may be enough for part of the fleet only
    return bool(wanted[0] <= server or (wanted[0] % server == 0 and not limited))


def _proposed_mixes(setting: PlanContext, rates: MixRates) -> tuple[list[MixInputs], tuple[Infeasible, ...]]:
    """Return a mix for each kind of burst, and nothing owned: the program's solution, or why there is none."""
    proposed, infeasible = [], []
    waiting_has_price = setting.terms.usd_per_waiting_hour is not None
    enough, most = least_fleet(setting), MixSearch(setting).max_accelerators
    for burst, fleet in product(rates.bursts, {0, enough} if waiting_has_price else {enough}):
        program = build_program(setting, rates, burst, least_fleet=fleet)
        solution = best(program)
        if isinstance(solution, Infeasible):
            infeasible.append(solution)
            continue
        own, reserved = min(solution.accelerators, most), min(solution.machines * program.machine, most)
        mix = MixInputs(own_accelerators=own, reserve_accelerators=reserved, peaks=burst)
        proposed += [MixInputs(peaks=burst), mix]
    if waiting_has_price and proposed:
        proposed += _queueing_mixes(setting, rates)
    return proposed, tuple(infeasible)


def _queueing_mixes(setting: PlanContext, rates: MixRates) -> list[MixInputs]:
    """Return fleets that jobs wait for, from small to all.

    The program does not know a price of waiting, and waiting falls so steeply with the size that no single step leads
    from renting everything to the best fleet.
    """
    most, server = MixSearch(setting).max_accelerators, server_size(setting)
    spaced = np.geomspace(server, max(most, server), min(_QUEUES, -(-most // server)))
    sizes = {min(-(-int(np.ceil(size)) // server) * server, most) for size in spaced}
    names = ["own_accelerators"] * bool(rates.base) + ["reserve_accelerators"] * bool(rates.reserved)
    return [
        MixInputs(peaks=burst).model_copy(update={name: size})
        for name, burst, size in product(names, rates.bursts, sizes)
    ]


def _best_single_option(plan: Plan) -> tuple[Option, float] | None:
    """Return the cheapest option that is no mix, within the limits; one with an unpublished price comes last."""
    setting, limits = plan.setting, plan_limits(plan.setting.terms)
    singles = [each for each in plan.options if each.way != "mix"]
    allowed = [each for each in singles if limits.allows(setting, each.way, each.ledger)] or singles
    costs = [(upper_bound_usd(setting, each.ledger), each.key, each) for each in allowed]
    cheapest = min(costs, key=lambda cost: cost[:2], default=None)
    return None if cheapest is None else (cheapest[2], cheapest[0])
