"""The answer: own, rent, or both, from the discounted cash flows of every way, with what would turn it.

One function makes the verdict, the totals, the range and the break-evens, so that they cannot contradict each other.
The range takes each way's figures at their cheap and at their dear end. Where many futures were drawn, they say how
sure it is instead: see planner.study.uncertainty.sure_verdict, which everything that shows an answer goes through.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger
from planner.money.many_ledgers import Columns, builder_of, ledger_at
from planner.money.measures import (
    Measures,
    cumulative,
    measured,
    present_usd,
    rates_of_return,
    worked_usd,
)
from planner.money.option import Option
from planner.money.outcome import Solved
from planner.money.payback import ENDINGS, NOT_COMPARED, Payback, simple_payback
from planner.money.plan import Plan
from planner.money.setting import Setting
from planner.money.verdict.breakeven import NAMES, BreakEven, break_even, paid_back
from planner.money.verdict.contender import Runner, runners_of
from planner.money.verdict.limits import Limits, OverLimit, limits_of
from planner.money.ways import Side, of_side
from planner.scenario.memo import cached_property
from planner.scenario.terms import Timing

# Below this share of the cheaper cost two ways cost the same; a mix must beat both pure ways by as much.
CLOSE_GAP = 0.05
# A year: what rents are tried at, beside the plan's own path.
RENT_CHANGES = (0.0, -0.1, -0.2, -0.3, 0.2)

Verdict = Literal[
    "own", "probably own", "close", "probably rent", "rent", "mix", "limited", "keep", "probably keep", "incomplete"
]  # fmt: skip
_PROBABLY: dict[Side, Verdict] = {"own": "probably own", "rent": "probably rent", "keep": "probably keep"}
PROBABLE = frozenset(_PROBABLY.values())


@dataclass(frozen=True, eq=False)
class Weighed:
    """One option in today's money."""

    option: Option
    present_usd: float
    low_usd: float
    high_usd: float
    cumulative_usd: NDArray[np.float64]  # discounted, by month
    low_cumulative_usd: NDArray[np.float64]
    high_cumulative_usd: NDArray[np.float64]
    measures: Measures


@dataclass(frozen=True, eq=False)
class Answer:
    """Everything the Answer page says. Break-evens and paths of rents are solved when they are asked for, each once."""

    plan: Plan
    verdict: Verdict
    ranked: tuple[Weighed, ...]  # cheapest present first
    own: Weighed | None  # the best of the owning ways
    rent: Weighed | None  # the best of the renting ways
    asked: Weighed | None  # buying as many as the scenario says, or as are wanted at once
    best: Weighed | None  # what the verdict is for; None only where nothing at all has a price
    gap_share: float | None  # by how much the second of own, rent and keep costs more than the first
    limit: OverLimit | None  # the limit that the cheapest way breaks, or that no way keeps to
    payback: Payback  # of own against rent, in today's money
    turned_by_timing: tuple[Timing, ...]  # conventions under which the other of own and rent is cheaper
    missing: tuple[str, ...]  # prices that are not known, and ways that could not be reckoned
    against: Weighed | None = None  # what `best` was measured against: the best of the other sides
    handicap_usd: float = 0.0  # by how much what is not priced may bring `best` nearer to it, at most
    lacks_prices: bool = False  # a price that somebody could fill in would tell more
    share_cheaper: float | None = None  # of futures in which `best` costs less than `against`; None: not drawn

    @cached_property
    def break_evens(self) -> tuple[BreakEven, ...]:
        """The break-even of every input; none where there are no two ways to compare."""
        found = (self.break_even(name) for name in NAMES)
        return tuple(one for one in found if one is not None)

    def break_even(self, name: str) -> BreakEven | None:
        """The value of one input at which owning and renting cost the same."""
        if self.own is None or self.rent is None:
            return None
        if name not in self._solved:
            self._solved[name] = break_even(self.plan, self.own.option, self.rent.option, name)
        return self._solved[name]

    @cached_property
    def turned_by_rent_path(self) -> tuple[tuple[float, Payback], ...]:
        """The plain payback of owning where rents change by so much a year."""
        if self.own is None or self.rent is None:
            return ()
        return _rent_paths(self.plan.setting, self.own.option, self.rent.option)

    @cached_property
    def _solved(self) -> dict[str, BreakEven]:
        return {}


_SIDES: tuple[Side, ...] = ("own", "rent", "keep")  # of one way alone


def answer(plan: Plan) -> Answer:
    """Own, rent, keep or mix?"""
    setting = plan.setting
    runners = [one for option in plan.options for one in runners_of(setting, option)]
    decided = decide(runners, limits_of(setting.terms))
    best, own, rent, runners = decided.best, decided.own, decided.rent, list(decided.ranked)
    baseline = rent or best
    ranked = _all_weighed(setting, runners, baseline.option.ledger) if baseline else ()
    of = {one.option.key: one for one in ranked}
    pair = (own.option, rent.option) if own and rent else None
    return Answer(
        plan=plan,
        verdict=decided.verdict,
        ranked=ranked,
        own=of[own.option.key] if own else None,
        rent=of[rent.option.key] if rent else None,
        asked=of.get("own"),
        best=of[best.option.key] if best else None,
        gap_share=decided.gap_share,
        limit=decided.limit,
        payback=paid_back(setting, pair[0].ledger, pair[1].ledger) if pair else _no_payback(),
        turned_by_timing=_turned(plan, *pair) if pair else (),
        missing=(*decided.missing, *_absent(plan, own is None, rent is None)),
        against=of[decided.second.option.key] if decided.second else None,
        handicap_usd=decided.handicap_usd,
        lacks_prices=bool(decided.missing),
    )


def _cheapest(runners: Iterable[Runner]) -> Runner | None:
    """The cheapest way, what is not priced counting at its dearest, so that none wins by its silence."""
    return min(runners, key=lambda one: (one.at_most_usd, one.present_usd, one.option.key), default=None)


def _speaker(runners: Iterable[Runner], side: Side) -> Runner | None:
    """Who speaks for a side: its cheapest way; for owning plain buying, unless another way beats it by more than that.

    Cash, a loan and a lease rarely differ by more than a close call, and buying is what people
    mean. The cheaper one still stands first among the ways.
    """
    of_side = [one for one in runners if one.side == side]
    best = _cheapest(of_side)
    plain = next((one for one in of_side if one.option.key == "own"), None)
    close = best and plain and gap_share(best.present_usd, plain.at_most_usd) < CLOSE_GAP
    return plain if close else best


def _at_worst(first: Runner, second: Runner) -> float:
    """By how much what is not priced may bring the first nearer to the second, at most. [USD]

    What owning bridges its gaps with is rented on demand, from the same offer: the price that is missing is the same on
    both sides, and only what one of them needs more of it counts.
    """
    same = "on_demand" in (first.option.way, second.option.way)
    also = second.unknown_usd if same else {}
    return sum(usd if np.isinf(usd) else max(usd - also.get(name, 0.0), 0.0) for name, usd in first.unknown_usd.items())


@dataclass(frozen=True)
class _Decided:
    """The verdict and what it rests on."""

    verdict: Verdict
    best: Runner | None
    gap_share: float | None = None
    limit: OverLimit | None = None
    missing: tuple[str, ...] = ()
    second: Runner | None = None
    handicap_usd: float = 0.0


@dataclass(frozen=True)
class Decision(_Decided):
    """The verdict, and who speaks for owning and for renting."""

    ranked: tuple[Runner, ...] = ()  # cheapest present first
    own: Runner | None = None
    rent: Runner | None = None


def decide(runners: Iterable[Runner], limits: Limits) -> Decision:
    """The verdict of some options, none of them with several draws, within limits on money."""
    ranked = sorted(runners, key=lambda one: (one.present_usd, one.option.key))
    found = _decided(ranked, limits)
    best = found.best
    own = best if best and best.side in ("own", "keep") else _speaker(ranked, "own") or _speaker(ranked, "keep")
    rent = best if best and best.side == "rent" else _cheapest(one for one in ranked if one.side == "rent")
    return Decision(
        verdict=found.verdict,
        best=best,
        gap_share=found.gap_share,
        limit=found.limit,
        missing=found.missing,
        second=found.second,
        handicap_usd=found.handicap_usd,
        ranked=tuple(ranked),
        own=own,
        rent=rent,
    )


def _decided(runners: list[Runner], limits: Limits) -> _Decided:
    """The verdict; where the cheapest way needs more money than there is when it is due, the cheapest that does not."""
    free = _verdict(runners)
    limit = None if free.best is None else limits.broken(free.best)
    if free.best is None or free.verdict == "incomplete" or limit is None:
        return free
    paid = [one for one in runners if limits.broken(one) is None]
    if not paid:
        least, limit = limits.least(runners)
        return replace(free, verdict="limited", best=least, limit=limit, second=None)
    within = _verdict(paid)
    same = within.best is not None and within.best.side == free.best.side and within.verdict != "incomplete"
    if same:
        return replace(within, limit=limit)
    best = within.best or _cheapest(paid)
    best = best and (_better_mix(paid, best) or best)
    return replace(free, verdict="limited", best=best, limit=limit, second=None)


def _verdict(runners: list[Runner]) -> _Decided:
    """The wording table, for what money allows: one of the three sides, a mix that beats them, or neither."""
    winners = [_speaker(runners, side) for side in _SIDES]
    pure = sorted((one for one in winners if one), key=lambda one: one.present_usd)
    if len(pure) < 2 or all(one.side != "rent" for one in pure):
        return _Decided("incomplete", pure[0] if pure else _cheapest(runners))
    first, second = pure[:2]
    gap = gap_share(first.present_usd, second.present_usd)
    missing = tuple(
        f"{one.option.title}: no price for {name.lower()}" for one in pure for name in one.option.ledger.unpriced
    )
    mix = _better_mix(runners, first)
    if mix:
        return _Decided("mix", mix, gap, None, missing, first, mix.at_most_usd - mix.present_usd)
    handicap = _at_worst(first, second)
    worst = first.present_usd + handicap
    if worst > second.present_usd and gap_share(second.present_usd, worst) >= CLOSE_GAP:
        return _Decided("incomplete", first, gap, missing=missing)
    verdict = "close" if gap < CLOSE_GAP else _sided(first, second)
    return _Decided(verdict, first, gap, None, missing, second, handicap)


def _better_mix(runners: Iterable[Runner], pure: Runner) -> Runner | None:
    """A mix that beats the best pure way by enough, where there is one."""
    mix = _cheapest(one for one in runners if one.side == "mix")
    least = pure.present_usd - CLOSE_GAP * abs(pure.present_usd)
    return mix if mix and mix.at_most_usd <= least else None


def gap_share(cheaper_usd: float, dearer_usd: float) -> float:
    """By how much the dearer one costs more, as a share of the cheaper one's cost, or of the gap where that is none."""
    return (dearer_usd - cheaper_usd) / (
        cheaper_usd if cheaper_usd > 0 else max(abs(cheaper_usd), abs(dearer_usd), 1e-9)
    )


def _sided(first: Runner, second: Runner) -> Verdict:
    """The word for the leading side: certain only where the ranges do not touch, unpriced parts at their dearest."""
    certain = first.side == "keep" or first.high_usd + _at_worst(first, second) < second.low_usd
    return verdict_for(first.side, certain)


def verdict_for(side: Side, certain: bool) -> Verdict:
    """The word for the side that leads."""
    return side if certain else _PROBABLY.get(side, side)


def _absent(plan: Plan, no_own: bool, no_rent: bool) -> tuple[str, ...]:
    """Why a whole side of the comparison is missing."""
    ways = of_side(*(("own", "keep") if no_own else ()), *(("rent",) if no_rent else ()))
    reasons = tuple(one.reason for one in plan.absent if one.way in ways)
    wanted = plan.setting.scenario.ways
    lacking = [word for word, lacks in (("owning", no_own), ("renting", no_rent)) if lacks and wanted and not reasons]
    return (*dict.fromkeys(reasons), *(f"{word} was not asked for" for word in lacking))


def _all_weighed(setting: Setting, runners: list[Runner], baseline: Ledger) -> tuple[Weighed, ...]:
    rates = rates_of_return(setting, [one.option.ledger for one in runners], baseline)
    return tuple(_weighed(setting, one, baseline, rate) for one, rate in zip(runners, rates, strict=True))


def _weighed(setting: Setting, runner: Runner, baseline: Ledger, rate: Solved) -> Weighed:
    option = runner.option
    return Weighed(
        option=option,
        present_usd=runner.present_usd,
        low_usd=runner.low_usd,
        high_usd=runner.high_usd,
        cumulative_usd=cumulative(setting, option.ledger),
        low_cumulative_usd=cumulative(setting, option.low),
        high_cumulative_usd=cumulative(setting, option.high),
        measures=measured(setting, option.ledger, option.useful_hours, baseline, rate),
    )


def npv_by_timing(plan: Plan, own: Option, rent: Option) -> dict[Timing, float]:
    """What owning saves in today's money under each convention of discounting. [USD]"""

    def saved(timing: Timing) -> float:
        terms = plan.setting.terms.model_copy(update={"timing": timing})
        there = replace(plan.setting, scenario=plan.setting.scenario.model_copy(update={"terms": terms}))
        return float(present_usd(there, rent.ledger)) - float(present_usd(there, own.ledger))

    return {timing: saved(timing) for timing in get_args(Timing)}


def _turned(plan: Plan, own: Option, rent: Option) -> tuple[Timing, ...]:
    """The conventions of discounting under which the other way is cheaper."""

    saves = {timing: usd > 0 for timing, usd in npv_by_timing(plan, own, rent).items()}
    return tuple(timing for timing in saves if saves[timing] != saves[plan.setting.terms.timing])


def _rent_paths(setting: Setting, own: Option, rent: Option) -> tuple[tuple[float, Payback], ...]:
    """The month in which owning has paid back, plainly summed, when rents change by so much a year instead."""
    there = Columns(setting, {"rent_change_per_year": np.array(RENT_CHANGES)}).at()
    ledgers = [ledger_at(there, builder_of(one)) for one in (own, rent)]
    if ledgers[0] is None or ledgers[1] is None:
        return ()
    saved = worked_usd(ledgers[0], ledgers[1])
    back = simple_payback(usd=np.broadcast_to(saved, (len(RENT_CHANGES), saved.shape[-1])))
    return tuple((change, back.at(index)) for index, change in enumerate(RENT_CHANGES))


def _no_payback() -> Payback:
    return Payback(float("nan"), float("nan"), np.asarray(ENDINGS.index(NOT_COMPARED)))
