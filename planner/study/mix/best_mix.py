"""The best mix: how much to own, to reserve and to rent, where the work wants more at some times than at others.

A mixed-integer programme on the rates of the plan proposes a mix for each kind of burst. Each proposal is then reckoned
by the ledger, as are its neighbours a server and a machine away, and the cheapest ledger is the answer: the programme
finds, the ledger says what it costs. Limits on cash are kept by both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from planner.money.finance import SolveResult
from planner.money.option import Option, fleet_option_key
from planner.money.plan import Plan, option
from planner.money.setting import PlanContext
from planner.money.sizing import completed_share, reach, server_size, wait_hours
from planner.money.verdict.contender import at_most_usd
from planner.money.verdict.limits import Limits, limits_of
from planner.money.ways.mix import build
from planner.money.ways.own import fleet_builder
from planner.scenario.own import PurchaseOrder
from planner.scenario.rent import MixInputs, Peaks
from planner.study.mix.load_duration import LoadCurve, Piece, Screen, load_curve, lower_envelope, threshold
from planner.study.mix.mix_program import Infeasible, MixSolution, best, build_program, screening_lines
from planner.study.mix.mix_rates import MixRates, rates_of
from planner.study.mix.search import MOST_MIXED, MixSearch, least_fleet
from pricing.caching import cached_property, derive

ALIKE = "the work wants the same number whenever it runs, so a fleet is used as a whole: own all of it or none"
UNTOLD = (
    "when the peaks come is not said, so all are taken to be wanted at once: say it with `by_hour` in a scenario file"
)
TOO_MANY = "the work grows to {peak:,.0f} accelerators at once, more than the {most:,} up to which a mix is looked for"
NO_WAY = "nothing here has a price, so there is nothing to mix"
FLAT_SHARE = 0.01  # bases within so much of the best cost the same
_CURVE_POINTS = 24
_QUEUES = 24  # sizes of a fleet that are tried where waiting has a price
_HOURLESS = 1e-9  # of all hours


@dataclass(frozen=True)
class BaseSizeCost:
    """A size of the base, and what the plan then comes to by its ledger, all else as in the best mix."""

    accelerators: int
    usd: float


@dataclass(frozen=True, eq=False)
class BestMix:
    """The best mix of a plan and what it rests on."""

    plan: Plan
    mix: MixInputs
    usd: float  # today's money, by its ledger
    at_most_usd: float  # with what nobody publishes at its dearest
    pure: Option  # the cheapest way that is no mix
    pure_usd: float  # at most
    rates: MixRates
    search: MixSearch
    refused: tuple[Infeasible, ...]  # kinds of burst that keep to no limit

    @property
    def own(self) -> int:
        """How many accelerators to own."""
        return self.mix.own_accelerators

    @property
    def reserved(self) -> int:
        """How many accelerators to reserve above the owned ones."""
        return self.mix.reserve_accelerators

    @property
    def burst(self) -> Peaks:
        """Where the work above base and reservation goes."""
        return self.mix.peaks

    @property
    def saving_usd(self) -> float:
        """What the mix saves against the cheapest way that is no mix; negative where it costs more. [USD]"""
        return self.pure_usd - self.at_most_usd

    @property
    def is_cheaper(self) -> bool:
        """Whether the mix costs less than every way alone that keeps to the limits on money, or no way alone does."""
        return self.saving_usd > 0 or not self.single_option_allowed

    @property
    def single_option_allowed(self) -> bool:
        """Whether a way alone keeps to the limits on money; if none does, `pure` is the cheapest without them."""
        return limits_of(self.plan.setting.terms).allows(self.plan.setting, self.pure.way, self.pure.ledger)

    @property
    def saving_share(self) -> float:
        """What the mix saves against the best single way, as a share of what that way costs. [1]"""
        return self.saving_usd / self.pure_usd if self.pure_usd > 0 else 0.0

    @property
    def differs(self) -> bool:
        """Whether the mix is more than one way: layers of two kinds, each with work."""
        based, held = (completed_share_in_stages(self.plan.setting, self.mix, held) for held in (0, self.reserved))
        return sum((based > 0, held > based, held < 1 - _HOURLESS)) > 1

    @cached_property
    def load(self) -> LoadCurve:
        """How busy each slice of capacity would be."""
        return load_curve(self.plan.setting)

    @cached_property
    def screens(self) -> tuple[Screen, ...]:
        """What an hour of capacity costs each way that has a price."""
        return screening_lines(self.rates, self.plan.setting)

    @property
    def layers(self) -> tuple[Piece, ...]:
        """Which way is the cheapest for capacity that is so busy; spot machines only where all the work may stop."""
        every = all(work.may_stop for work in self.plan.setting.scenario.work)
        return lower_envelope([one for one in self.screens if every or one.name != "spot"])

    @cached_property
    def least_busy(self) -> SolveResult:
        """The share of the time above which a slice is better owned than paid by the hour; or why it never is. [1]"""
        own = next((one for one in self.screens if one.name == "own"), Screen("own", np.inf, 0.0))
        rest = "on_demand" if self.burst == "spot" else self.burst
        return threshold(own, next(one for one in self.screens if one.name == rest))

    @cached_property
    def curve(self) -> tuple[BaseSizeCost, ...]:
        """The cost over the size of the base, reckoned by the ledger; sizes that break a limit are left out."""
        server, most = server_size(self.plan.setting), self.search.most
        step = server * max(-(-most // (server * _CURVE_POINTS)), 1)
        sizes = sorted({*range(0, most, step), most, self.own})
        found = ((size, self.search.at_most_usd(self._at(size))) for size in sizes)
        return tuple(BaseSizeCost(size, usd) for size, usd in found if np.isfinite(usd))

    def _at(self, size: int) -> MixInputs:
        return self.search.resized(self.mix, own_accelerators=size)

    @cached_property
    def flat(self) -> tuple[int, int]:
        """The smallest and the largest base around the best one, up to which it costs no more than a hundredth more."""
        most = self.at_most_usd + FLAT_SHARE * abs(self.at_most_usd)
        sizes = [one.accelerators for one in self.curve]
        near = {one.accelerators for one in self.curve if one.usd <= most} | {self.own}
        low = high = sizes.index(self.own)
        while low > 0 and sizes[low - 1] in near:
            low -= 1
        while high + 1 < len(sizes) and sizes[high + 1] in near:
            high += 1
        return sizes[low], sizes[high]

    @cached_property
    def wait_hours(self) -> SolveResult | None:
        """How long a job that may wait does so on base and reservation; None where nothing waits. [hour]"""
        fleet = self.own + self.reserved
        waits = fleet > 0 and np.any(self.plan.setting.demand.waiting_hours > 0)
        return wait_hours(self.plan.setting, fleet) if waits else None


@dataclass(frozen=True)
class MixUnavailable:
    """Why there is no mix to look for, or none that keeps to the limits."""

    reason: str


def best_mix(plan: Plan) -> BestMix | MixUnavailable:
    """The cheapest mix of a plan within its cash of day one, the cash of each year, and the wait people accept.

    Where an hour that a job waits has a price, the ledger counts that in place of the accepted wait.
    """
    setting = plan.setting
    if setting.resolved is not None and setting.resolved.problems:
        return MixUnavailable("; ".join(setting.resolved.problems))
    pure = _best_single_option(plan)
    if pure is None or alike(setting):
        return MixUnavailable(NO_WAY if pure is None else UNTOLD if _has_peaks(setting) else ALIKE)
    peak = float(np.max(setting.demand.peak))
    if peak > MOST_MIXED:
        return MixUnavailable(TOO_MANY.format(peak=peak, most=MOST_MIXED))
    rates = rates_of(setting)
    enough = least_fleet(setting)
    least = (enough,) if setting.terms.usd_per_waiting_hour is None else tuple({0, enough})
    proposed, refused = _proposed_mixes(setting, rates, least)
    search, mix = _search_mix(setting, rates, proposed)
    if mix is None:
        said = [one.reason for one in refused] or list(rates.missing)
        return MixUnavailable("; ".join(said) or "no mix keeps to the limits")
    found = search.priced(mix)
    return BestMix(plan, mix, found.usd, found.at_most_usd, *pure, rates, search, refused)


def completed_share_in_stages(setting: PlanContext, mix: MixInputs, held: int) -> float:
    """The share of all useful hours that a base does, with so many held above it; ordered is there, here. [1]"""
    if not mix.orders:
        return completed_share(setting, mix.own_accelerators + held)
    month = setting.timeline.month
    there = sum(np.where(month > order.month, order.accelerators, 0) for order in mix.orders) + held
    tops = np.unique(there)
    runs, demand = setting.timeline.runs, setting.usual_demand
    done = sum((demand.done(top, reach(setting, top)) * runs * (there == top)).sum() for top in tops.tolist())
    return float(done / max(float((demand.all_hours * runs).sum()), _HOURLESS))


def _search_mix(
    setting: PlanContext, rates: MixRates, proposed: Sequence[MixInputs]
) -> tuple[MixSearch, MixInputs | None]:
    """The cheapest mix by its ledger, and the search that found it: in stages, somewhat earlier, or all at once."""
    schedule, steps = rates.base.schedule if rates.base else None, _steps(setting, rates)
    search = MixSearch(setting, schedule)
    mix = search.best([search.resized(one) for one in proposed], steps) if proposed else None
    if mix is None or schedule is None:
        return search, mix
    others = [MixSearch(setting, other, search.kept) for other in (schedule.earlier(), None)]
    for other in others:
        again = other.resized(mix)
        if other.at_most_usd(again) < search.at_most_usd(mix):
            search, mix = other, other.best([again], steps) or again
    return search, mix


def _has_peaks(setting: PlanContext) -> bool:
    """Whether a service has a peak above its average, while nothing says when it comes."""
    tasks = [work.serve for work in setting.written.work if work.serve is not None and not work.by_hour]
    return any((one.peak_requests_per_s or 0.0) > one.requests_per_s for one in tasks)


def add_best_mix(plan: Plan) -> Plan:
    """The plan with its best mix as one more way, where the scenario names none and it costs less than every other."""
    setting = plan.setting
    if not can_have_mix(setting):
        return plan
    found = best_mix(plan)
    if isinstance(found, MixUnavailable) or not found.is_cheaper:
        return plan
    if not found.differs:
        return _with_fleet(plan, found.own, found.mix.orders)
    scenario = setting.scenario.model_copy(update={"mix": found.mix})
    there = derive(setting, "demand", "timeline", scenario=scenario)
    made = option(there, "mix", build)
    if not isinstance(made, Option):
        return plan
    return Plan(there, (*plan.options, made), tuple(one for one in plan.absent if one.way != "mix"))


def _with_fleet(plan: Plan, accelerators: int, orders: tuple[PurchaseOrder, ...]) -> Plan:
    """The plan with another fleet, which does all the work for less: where waiting has a price, or prices rise.

    Beside the one that was asked for; in place of it where nobody said how many.
    """
    there = {(int(one.accelerators), one.orders) for one in plan.options if one.way == "own"}
    if not there or accelerators == 0 or (accelerators, orders) in there:
        return plan
    asked = plan.setting.scenario.own.accelerators is not None or bool(plan.setting.scenario.own.orders)
    key = fleet_option_key(accelerators) if asked else "own"
    made = option(plan.setting, "own", fleet_builder(accelerators, orders), key=key)
    if not isinstance(made, Option):
        return plan
    kept = tuple(made if one.key == key else one for one in plan.options)
    return replace(plan, options=(*kept, made) if asked else kept)


def can_have_mix(setting: PlanContext) -> bool:
    """Whether a best mix is looked for: the scenario names none, asks for all ways or for it, and slices differ."""
    asked = setting.scenario.ways
    return setting.scenario.mix is None and (not asked or "mix" in asked) and not alike(setting)


def alike(setting: PlanContext) -> bool:
    """Whether every slice of capacity would be as busy as every other, whole servers included, and money is enough."""
    demand = setting.demand
    if np.any(demand.waiting_hours > 0):
        return False
    wanted = demand.levels.sizes
    server = server_size(setting)
    if len(wanted) != 1:
        return len(wanted) == 0
    limited = limits_of(setting.terms) != Limits()  # then part of the fleet may be all there is money for
    return bool(wanted[0] <= server or (wanted[0] % server == 0 and not limited))


def _proposed_mixes(
    setting: PlanContext, rates: MixRates, least: tuple[int, ...]
) -> tuple[list[MixInputs], tuple[Infeasible, ...]]:
    """A mix for each kind of burst, and nothing owned: what the programme finds, or why there is none."""
    proposed, refused = [], []
    for burst, fleet in product(rates.bursts, least):
        programme = build_program(setting, rates, burst, least_fleet=fleet)
        found = best(programme)
        if isinstance(found, Infeasible):
            refused.append(found)
        else:
            proposed += [MixInputs(peaks=burst), _mix(setting, found, programme.machine, burst)]
    if setting.terms.usd_per_waiting_hour is not None and proposed:
        proposed += _queueing_mixes(setting, rates)
    return proposed, tuple(refused)


def _queueing_mixes(setting: PlanContext, rates: MixRates) -> list[MixInputs]:
    """Fleets that jobs wait for, from small to all: where waiting has a price the programme does not know it, and what
    it costs falls so steeply with the size that no single step leads from renting everything to the best fleet."""
    most, server = MixSearch(setting).most, server_size(setting)
    few = np.geomspace(server, max(most, server), min(_QUEUES, -(-most // server)))
    sizes = {min(-(-int(np.ceil(size)) // server) * server, most) for size in few}
    found = (
        [MixInputs(own_accelerators=size, peaks=burst) for burst in rates.bursts for size in sizes]
        if rates.base
        else []
    )
    if rates.held:
        found += [MixInputs(reserve_accelerators=size, peaks=burst) for burst in rates.bursts for size in sizes]
    return found


def _mix(setting: PlanContext, found: MixSolution, machine: int, burst: Peaks) -> MixInputs:
    most = MixSearch(setting).most
    held = min(found.machines * machine, most)
    return MixInputs(own_accelerators=min(found.accelerators, most), reserve_accelerators=held, peaks=burst)


def _steps(setting: PlanContext, rates: MixRates) -> Sequence[tuple[int, int]]:
    """The steps of base and reservation that are tried: those of the programme, then single servers and machines."""
    machine = rates.held.machine if rates.held else 1
    sizes = rates.base.sizes if rates.base else np.zeros(1)
    coarse = int(sizes[1]) if len(sizes) > 1 else 1
    fine = coarse if setting.scenario.own.capex_usd is not None else min(server_size(setting), coarse)
    return ((coarse, machine),) if fine == coarse else ((coarse, machine), (fine, machine))


def _best_single_option(plan: Plan) -> tuple[Option, float] | None:
    """The cheapest way that is no mix, within the limits; one with a part that nobody prices comes last."""
    limits = limits_of(plan.setting.terms)
    ways = [one for one in plan.options if one.way != "mix"]
    within = [one for one in ways if limits.allows(plan.setting, one.way, one.ledger)] or ways
    costs = [(at_most_usd(plan.setting, one.ledger), one.key, one) for one in within]
    found = min(costs, key=lambda one: one[:2], default=None)
    return None if found is None else (found[2], found[0])
