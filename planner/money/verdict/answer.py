"""The answer: own, rent, or both, from the discounted cash flows of every way, with what would turn it.

One function makes the verdict, the totals, the range and the break-evens, so that they cannot contradict each other.
The range takes each way's figures at their cheap and at their dear end, if somebody asks for it. Where many futures
were drawn, they say how sure it is instead: see planner.study.uncertainty.sure_verdict, which everything that shows an
answer goes through.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from planner.money.carbon import OptionEmissions, emitted
from planner.money.many_ledgers import InputColumns, build_ledger, option_builder
from planner.money.measures import (
    ENDINGS,
    NOT_COMPARED,
    Payback,
    present_usd,
    savings_before_resale_usd,
    simple_payback,
)
from planner.money.option import Option, SkippedOption
from planner.money.plan import Plan
from planner.money.setting import PlanContext
from planner.money.verdict.breakeven import NAMES, BreakEven, break_even, cash_payback
from planner.money.verdict.contender import ComparedOption, EvaluatedOption, compared_options, evaluate_options
from planner.money.verdict.limits import LimitBreach, Limits, limits_of
from planner.money.ways import WAYS, Side
from planner.scenario.terms import Timing
from pricing.caching import cached_property

# Below this share of the cheaper cost two ways cost the same.
CLOSE_GAP = 0.05
# A year: what rents are tried at, beside the plan's own path.
RENT_CHANGES = (0.0, -0.1, -0.2, -0.3, 0.2)

Verdict = Literal[
    "own", "probably own", "close", "probably rent", "rent", "mix", "probably mix", "limited", "keep", "probably keep",
    "incomplete",
]  # fmt: skip
_PROBABLY: dict[Side, Verdict] = {
    "own": "probably own", "rent": "probably rent", "keep": "probably keep", "mix": "probably mix"
}  # fmt: skip
PROBABLE = frozenset(_PROBABLY.values())


@dataclass(frozen=True, eq=False)
class Answer:
    """Everything the Answer page says. Break-evens and paths of rents are solved when they are asked for, each once."""

    plan: Plan
    verdict: Verdict
    ranked: tuple[EvaluatedOption, ...]  # cheapest present first
    own: EvaluatedOption | None  # the best of the owning ways
    rent: EvaluatedOption | None  # the best of the renting ways
    asked: EvaluatedOption | None  # buying as many as the scenario says, or as are wanted at once
    best: EvaluatedOption | None  # what the verdict is for; None only where nothing at all has a price
    pair: (
        tuple[EvaluatedOption, EvaluatedOption] | None
    )  # the two ways that are told beside each other; None where only one is left
    gap_share: float | None  # by how much the second of those that were compared costs more than the first
    limit: LimitBreach | None  # the limit that the cheapest way breaks, or that no way keeps to
    payback: Payback  # of the first of the pair against the second, in today's money
    turned_by_timing: tuple[Timing, ...]  # conventions under which the other of the pair is cheaper
    left_out: tuple[SkippedOption, ...]  # what one might want to compare and nobody prices, each with what to enter
    missing: tuple[str, ...]  # prices that are not known, and ways that could not be reckoned
    against: EvaluatedOption | None = None  # what `best` was measured against: the best of the others
    share_cheaper: float | None = None  # of futures in which `best` costs less than `against`; None: not drawn

    @property
    def baseline(self) -> EvaluatedOption | None:
        """What savings, returns and paybacks are counted against."""
        return self.best if self.pair is None else self.pair[1]

    @cached_property
    def break_evens(self) -> tuple[BreakEven, ...]:
        """The break-even of every input; none where there are no two ways to compare."""
        found = (self.break_even(name) for name in NAMES)
        return tuple(one for one in found if one is not None)

    def break_even(self, name: str) -> BreakEven | None:
        """The value of one input at which both of the pair cost the same."""
        if self.pair is None:
            return None
        if name not in self._solved:
            self._solved[name] = break_even(self.plan, self.pair[0].option, self.pair[1].option, name)
        return self._solved[name]

    def emitted(self, way: EvaluatedOption) -> OptionEmissions:
        """What a way emits, reckoned when it is asked for, once."""
        if way.option.key not in self._emitted:
            self._emitted[way.option.key] = emitted(self.plan.setting, way.option)
        return self._emitted[way.option.key]

    @cached_property
    def payback_by_rent_change(self) -> tuple[tuple[float, Payback], ...]:
        """When rents change by so much a year: the plain payback of the first of the pair."""
        if self.pair is None:
            return ()
        return _rent_paths(self.plan.setting, self.pair[0].option, self.pair[1].option)

    @cached_property
    def _emitted(self) -> dict[str, OptionEmissions]:
        return {}

    @cached_property
    def _solved(self) -> dict[str, BreakEven]:
        return {}


_SIDES: tuple[Side, ...] = ("own", "rent", "keep", "mix")


def answer(plan: Plan) -> Answer:
    """Own, rent, keep or mix? Where only one side has a price: which of its ways?"""
    setting = plan.setting
    runners = [one for option in plan.options for one in compared_options(setting, option)]
    decided = decide(runners, limits_of(setting.terms), chosen=bool(setting.scenario.ways))
    best, own, rent, runners = decided.best, decided.own, decided.rent, list(decided.ranked)
    baseline = decided.pair[1] if decided.pair else best
    ranked = evaluate_options(setting, runners, baseline.option.ledger) if baseline else ()
    of = {one.option.key: one for one in ranked}
    pair = (decided.pair[0].option, decided.pair[1].option) if decided.pair else None
    left_out = _left_out(plan, decided)
    return Answer(
        plan=plan,
        verdict=decided.verdict,
        ranked=ranked,
        own=of[own.option.key] if own else None,
        rent=of[rent.option.key] if rent else None,
        asked=of.get("own"),
        best=of[best.option.key] if best else None,
        pair=(of[pair[0].key], of[pair[1].key]) if pair else None,
        gap_share=decided.gap_share,
        limit=decided.limit,
        payback=cash_payback(setting, pair[0].ledger, pair[1].ledger) if pair else _no_payback(),
        turned_by_timing=_turned(plan, *pair) if pair else (),
        left_out=left_out,
        missing=tuple(
            dict.fromkeys((*decided.missing, *(one.reason for one in left_out), *_unrequested_sides(plan, decided)))
        ),
        against=of[decided.second.option.key] if decided.second else None,
    )


def _cheapest(runners: Iterable[ComparedOption]) -> ComparedOption | None:
    """The cheapest; one with a part that nobody prices comes last, so that none wins by its silence."""
    return min(runners, key=lambda one: (one.at_most_usd, one.present_usd, one.option.key), default=None)


def _best_per_side(runners: Iterable[ComparedOption]) -> list[ComparedOption]:
    """Who speaks for each side, the cheapest first: its cheapest way.

    For owning it is plain buying, which people mean, unless another way to own is cheaper by more than a close call or
    comes before a side that buying comes after: cash, a loan and a lease rarely differ by more than that.
    """
    priced = list(runners)
    cheapest = {side: _cheapest(one for one in priced if one.side == side) for side in _SIDES}
    found = {side: one for side, one in cheapest.items() if one is not None}
    own, plain = found.get("own"), next((one for one in priced if one.option.key == "own"), None)
    if own is not None and plain is not None and plain.unknown <= own.unknown:
        between = any(_costs(own) < _costs(one) <= _costs(plain) for side, one in found.items() if side != "own")
        if not between and gap_share(own.present_usd, plain.present_usd) < CLOSE_GAP:
            found["own"] = plain
    return sorted(found.values(), key=_costs)


def _costs(one: ComparedOption) -> tuple[float, float]:
    return one.at_most_usd, one.present_usd


@dataclass(frozen=True)
class _VerdictResult:
    """The verdict and what it rests on."""

    verdict: Verdict
    best: ComparedOption | None
    gap_share: float | None = None
    limit: LimitBreach | None = None
    second: ComparedOption | None = None


@dataclass(frozen=True)
class Decision(_VerdictResult):
    """The verdict, and who speaks for owning and for renting."""

    ranked: tuple[ComparedOption, ...] = ()  # cheapest present first
    own: ComparedOption | None = None
    rent: ComparedOption | None = None
    pair: tuple[ComparedOption, ComparedOption] | None = None  # the two that are told beside each other
    left_out: tuple[ComparedOption, ...] = ()  # that might be the cheapest, but for a part that nobody anywhere prices

    @property
    def missing(self) -> tuple[str, ...]:
        """Lines without a price: those of what was left out, and of what is told all the same."""
        told = dict.fromkeys(one for one in (*self.left_out, self.best, *(self.pair or ())) if one is not None)
        return tuple(
            f"{one.option.title}: no price for {name.lower()}" for one in told for name in one.option.ledger.unpriced
        )


def decide(runners: Iterable[ComparedOption], limits: Limits, *, chosen: bool = False) -> Decision:
    """The verdict of some options, none of them with several draws, within limits on money.

    `chosen` where the ways are those that somebody named: buying and leasing, say, are then a question of their own.
    """
    ranked = sorted(runners, key=lambda one: (one.present_usd, one.option.key))
    priced, left_out = _split_unpriced_leaders(ranked)
    found = _decided(priced, limits, chosen)
    best, of_side = found.best, {one.side: one for one in _best_per_side(priced)}
    own = best if best and best.side in ("own", "keep") else of_side.get("own") or of_side.get("keep")
    rent = best if best and best.side == "rent" else of_side.get("rent")
    return Decision(
        verdict=found.verdict,
        best=best,
        gap_share=found.gap_share,
        limit=found.limit,
        second=found.second,
        ranked=tuple(ranked),
        own=own,
        rent=rent,
        pair=_beside(found, _options_to_compare(priced, chosen)),
        left_out=left_out,
    )


def _split_unpriced_leaders(ranked: list[ComparedOption]) -> tuple[list[ComparedOption], tuple[ComparedOption, ...]]:
    """The ways without those that might win only because nobody prices a part of them; and which these are.

    A way that cannot win even with that part at nought stays: it blocks nothing.
    """
    least = min((one.present_usd for one in ranked if not one.unknown and one.side != "mix"), default=None)
    if least is None:
        return ranked, ()
    left_out = tuple(one for one in ranked if one.unknown and one.present_usd < least)
    return [one for one in ranked if one not in left_out], left_out


def _beside(found: _VerdictResult, contenders: list[ComparedOption]) -> tuple[ComparedOption, ComparedOption] | None:
    """The two ways that the verdict compares, the one that binds more firmly first."""
    two = list(dict.fromkeys(one for one in (found.best, found.second, *contenders) if one is not None))[:2]
    two.sort(key=lambda one: (-WAYS[one.option.way].commitment_rank, WAYS[one.option.way].place))
    return (two[0], two[1]) if len(two) == 2 else None


def _decided(runners: list[ComparedOption], limits: Limits, chosen: bool) -> _VerdictResult:
    """The verdict; where the cheapest way needs more money than there is when it is due, the cheapest that does not."""
    free = _verdict(runners, chosen)
    limit = None if free.best is None else limits.broken(free.best)
    if free.best is None or limit is None:
        return free
    paid = [one for one in runners if limits.broken(one) is None]
    if not paid:
        least, limit = limits.least(runners)
        return replace(free, verdict="limited", best=least, limit=limit, second=None)
    within = _verdict(paid, chosen)
    same = within.best is not None and within.best.side == free.best.side and within.second is not None
    if same:
        return replace(within, limit=limit)
    return replace(free, verdict="limited", best=within.best, limit=limit, second=None)


def _verdict(runners: list[ComparedOption], chosen: bool) -> _VerdictResult:
    """The cheapest against the cheapest of another kind, mixes included: one of them, or neither."""
    contenders = _options_to_compare(runners, chosen)
    if not contenders:
        return _VerdictResult("incomplete", None)
    first, second = contenders[0], contenders[1] if len(contenders) > 1 else None
    if second is None:
        return _VerdictResult(verdict_for(first.side, certain=True), first)
    gap = gap_share(first.present_usd, second.present_usd)
    return _VerdictResult("close" if gap < CLOSE_GAP else _verdict_from_ranges(first, second), first, gap, None, second)


def _options_to_compare(runners: list[ComparedOption], chosen: bool) -> list[ComparedOption]:
    """Who is compared, the cheapest first: who speaks for each side; of one side alone its ways, each once.

    Where nobody chose the ways, how to pay for what is bought is no question beside whether to buy.
    """
    speakers = _best_per_side(runners)
    if len(speakers) == 1 and (chosen or speakers[0].option.key != "own"):
        only = speakers[0]
        by_way = {one.option.way: one for one in reversed(runners) if one.side == only.side}
        speakers = sorted({**by_way, only.option.way: only}.values(), key=_costs)
    return speakers


def gap_share(cheaper_usd: float, dearer_usd: float) -> float:
    """By how much the dearer one costs more, as a share of the cheaper one's cost, or of the gap where that is none."""
    return (dearer_usd - cheaper_usd) / (
        cheaper_usd if cheaper_usd > 0 else max(abs(cheaper_usd), abs(dearer_usd), 1e-9)
    )


def _verdict_from_ranges(first: ComparedOption, second: ComparedOption) -> Verdict:
    """Certain only where the ranges do not touch."""
    return verdict_for(first.side, first.side == "keep" or first.high_usd < second.low_usd)


def verdict_for(side: Side, certain: bool) -> Verdict:
    """The word for the side that leads."""
    return side if certain else _PROBABLY.get(side, side)


def _left_out(plan: Plan, decided: Decision) -> tuple[SkippedOption, ...]:
    """What one might want to compare and cannot: of the ways that were named all, else what speaks for a whole side."""
    found: dict[str, SkippedOption] = {}
    lacking = [side for side, one in (("own", decided.own), ("rent", decided.rent)) if one is None]
    for one in plan.absent:
        way = WAYS[one.way]
        if plan.setting.scenario.ways:
            found.setdefault(one.reason, one)
        elif way.side in lacking and way.when_empty == "usual":
            found.setdefault(way.side, one)
    for runner in decided.left_out:
        found.setdefault(runner.option.way, _unpriced(runner.option))
    return tuple(found.values())


def _unpriced(option: Option) -> SkippedOption:
    """Why a way with a part that nobody prices is left out."""
    names = " and ".join(name[0].lower() + name[1:] for name in option.ledger.unpriced)
    return SkippedOption(option.way, f"nobody publishes a price for {names}: enter one")


def _unrequested_sides(plan: Plan, decided: Decision) -> tuple[str, ...]:
    """A whole side of the comparison that was not asked for."""
    named = {WAYS[way].owns for way in plan.setting.scenario.ways}
    lacking = (("owning", decided.own, True), ("renting", decided.rent, False))
    return tuple(f"{word} was not asked for" for word, one, owns in lacking if named and not one and owns not in named)


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


def _rent_paths(setting: PlanContext, own: Option, rent: Option) -> tuple[tuple[float, Payback], ...]:
    """The month in which owning has paid back, plainly summed, when rents change by so much a year instead."""
    there = InputColumns(setting, {"rent_change_per_year": np.array(RENT_CHANGES)}).context()
    ledgers = [build_ledger(there, option_builder(one)) for one in (own, rent)]
    if ledgers[0] is None or ledgers[1] is None:
        return ()
    saved = savings_before_resale_usd(ledgers[0], ledgers[1])
    back = simple_payback(usd=np.broadcast_to(saved, (len(RENT_CHANGES), saved.shape[-1])))
    return tuple((change, back.at(index)) for index, change in enumerate(RENT_CHANGES))


def _no_payback() -> Payback:
    return Payback(float("nan"), float("nan"), np.asarray(ENDINGS.index(NOT_COMPARED)))
