"""The answer: own, rent, or both, from the discounted cash flows of every option, with break-evens.

One function makes the verdict, the totals, the range and the break-evens, so that they cannot contradict each other.
The range takes each option's figures at their low and at their high end, on demand. Where many futures were drawn,
they say how sure it is instead: see planner.study.uncertainty.sure_verdict, through which every shown answer goes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from planner.money.carbon import OptionEmissions, option_emissions
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
from planner.money.verdict.breakeven import NAMES, BreakEven, break_even, cash_payback
from planner.money.verdict.contender import (
    CashLimits,
    ComparedOption,
    EvaluatedOption,
    LimitBreach,
    compared_options,
    evaluate_options,
    plan_limits,
)
from planner.money.ways import WAYS, Side
from planner.scenario.terms import Timing
from pricing.caching import cached_property

# Below this share of the lower cost two options cost the same.
CLOSE_GAP = 0.05
# Yearly changes of rents that are tried beside the plan's own path.
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
    """All results of the Answer page. Break-evens and paths of rents are solved on first use."""

    plan: Plan
    verdict: Verdict
    ranked: tuple[EvaluatedOption, ...]  # cheapest present cost first
    own: EvaluatedOption | None  # the best of the owning options
    rent: EvaluatedOption | None  # the best of the renting options
    requested: EvaluatedOption | None  # buying as many as the scenario says, or as many as the peak
    best: EvaluatedOption | None  # the option of the verdict; None only where nothing at all has a price
    pair: tuple[EvaluatedOption, EvaluatedOption] | None  # shown beside each other; None where only one is left
    gap_share: float | None  # by how much the second of those that were compared costs more than the first
    limit: LimitBreach | None  # the limit that the cheapest option breaks, or that no option keeps to
    payback: Payback  # of the first of the pair against the second, in today's money
    turned_by_timing: tuple[Timing, ...]  # conventions under which the other of the pair is cheaper
    left_out: tuple[SkippedOption, ...]  # options without a price that one might want, each with what to enter
    missing: tuple[str, ...]  # unknown prices, and options that cannot be built
    against: EvaluatedOption | None = None  # the best of the others
    share_cheaper: float | None = None  # of futures in which `best` costs less than `against`; None: not drawn

    @property
    def baseline(self) -> EvaluatedOption | None:
        """The option against which savings, returns and paybacks are counted."""
        return self.best if self.pair is None else self.pair[1]

    @cached_property
    def break_evens(self) -> tuple[BreakEven, ...]:
        """The break-even of every input; none where there are no two options to compare."""
        solved = map(self.break_even, NAMES)
        return tuple(result for result in solved if result is not None)

    def break_even(self, name: str) -> BreakEven | None:
        """Return the value of one input at which both of the pair cost the same."""
        if self.pair is None:
            return None
        if name not in self._break_even_cache:
            self._break_even_cache[name] = break_even(self.plan, self.pair[0].option, self.pair[1].option, name)
        return self._break_even_cache[name]

    def emissions(self, evaluated: EvaluatedOption) -> OptionEmissions:
        """Return the emissions of an option, computed on first use."""
        key = evaluated.option.key
        if key not in self._emissions_cache:
            self._emissions_cache[key] = option_emissions(self.plan.setting, evaluated.option)
        return self._emissions_cache[key]

    @cached_property
    def payback_by_rent_change(self) -> tuple[tuple[float, Payback], ...]:
        """The plain payback of the first of the pair, by a yearly change of rents."""
        if self.pair is None:
            return ()
        columns = InputColumns(self.plan.setting, {"rent_change_per_year": np.array(RENT_CHANGES)}).context()
        first, second = (build_ledger(columns, option_builder(evaluated.option)) for evaluated in self.pair)
        if first is None or second is None:
            return ()
        saved = savings_before_resale_usd(first, second)
        payback = simple_payback(usd=np.broadcast_to(saved, (len(RENT_CHANGES), saved.shape[-1])))
        return tuple((change, payback.at(index)) for index, change in enumerate(RENT_CHANGES))

    @cached_property
    def _emissions_cache(self) -> dict[str, OptionEmissions]:
        return {}

    @cached_property
    def _break_even_cache(self) -> dict[str, BreakEven]:
        return {}


_SIDES: tuple[Side, ...] = ("own", "rent", "keep", "mix")


def build_answer(plan: Plan) -> Answer:
    """Own, rent, keep or mix? Where only one side has a price: which of its options?"""
    setting = plan.setting
    options = [compared for option in plan.options for compared in compared_options(setting, option)]
    decision = decide(options, plan_limits(setting.terms), chosen=bool(setting.scenario.ways))
    baseline = decision.pair[1] if decision.pair else decision.best
    ranked = evaluate_options(setting, list(decision.ranked), baseline.option.ledger) if baseline else ()
    by_key = {evaluated.option.key: evaluated for evaluated in ranked}
    best, own, rent, second = (
        by_key[compared.option.key] if compared else None
        for compared in (decision.best, decision.own, decision.rent, decision.second)
    )
    pair = (decision.pair[0].option, decision.pair[1].option) if decision.pair else None
    no_payback = Payback(float("nan"), float("nan"), np.asarray(ENDINGS.index(NOT_COMPARED)))
    left_out = _excluded_options(plan, decision)
    reasons = (*decision.missing, *(skipped.reason for skipped in left_out), *_unrequested_sides(plan, decision))
    return Answer(
        plan=plan,
        verdict=decision.verdict,
        ranked=ranked,
        own=own,
        rent=rent,
        requested=by_key.get("own"),
        best=best,
        pair=(by_key[pair[0].key], by_key[pair[1].key]) if pair else None,
        gap_share=decision.gap_share,
        limit=decision.limit,
        payback=cash_payback(setting, pair[0].ledger, pair[1].ledger) if pair else no_payback,
        turned_by_timing=_flipping_timings(plan, *pair) if pair else (),
        left_out=left_out,
        missing=tuple(dict.fromkeys(reasons)),
        against=second,
    )


def _best_per_side(options: list[ComparedOption]) -> list[ComparedOption]:
    """Return the cheapest option of each side, the cheapest first; one with an unpriced part comes last.

    For owning it is plain buying, which people mean, unless another option to own is cheaper by more than a close call
    or comes before a side that buying comes after: cash, a loan and a lease rarely differ by more than that.
    """
    cheapest: dict[Side, ComparedOption] = {}
    for side in _SIDES:
        of_side = [compared for compared in options if compared.side == side]
        if of_side:
            cheapest[side] = min(of_side, key=lambda compared: (*_cost_sort_key(compared), compared.option.key))
    own, plain = cheapest.get("own"), next((compared for compared in options if compared.option.key == "own"), None)
    if own is not None and plain is not None and plain.unpriced_inputs <= own.unpriced_inputs:
        others = (_cost_sort_key(compared) for side, compared in cheapest.items() if side != "own")
        between = any(_cost_sort_key(own) < cost <= _cost_sort_key(plain) for cost in others)
        if not between and gap_share(own.present_usd, plain.present_usd) < CLOSE_GAP:
            cheapest["own"] = plain
    return sorted(cheapest.values(), key=_cost_sort_key)


def _cost_sort_key(compared: ComparedOption) -> tuple[float, float]:
    return compared.upper_bound_usd, compared.present_usd


@dataclass(frozen=True)
class Decision:
    """The verdict, and the options that it rests on."""

    verdict: Verdict
    best: ComparedOption | None
    gap_share: float | None = None
    limit: LimitBreach | None = None
    second: ComparedOption | None = None
    ranked: tuple[ComparedOption, ...] = ()  # cheapest present cost first
    own: ComparedOption | None = None
    rent: ComparedOption | None = None
    pair: tuple[ComparedOption, ComparedOption] | None = None  # shown beside each other
    left_out: tuple[ComparedOption, ...] = ()  # that might be the cheapest, but for a part that nobody anywhere prices

    @property
    def missing(self) -> tuple[str, ...]:
        """Lines without a price: those of options that are left out, and of options that are shown all the same."""
        shown = dict.fromkeys(
            option for option in (*self.left_out, self.best, *(self.pair or ())) if option is not None
        )
        return tuple(
            f"{compared.option.title}: no price for {name.lower()}"
            for compared in shown
            for name in compared.option.ledger.unpriced
        )


def decide(options: Iterable[ComparedOption], limits: CashLimits, *, chosen: bool = False) -> Decision:
    """Return the verdict of some options, none of them with several draws, within limits on money.

    `chosen` where somebody named the options: buying and leasing, say, are then a question of their own. Options that
    might win only because nobody prices a part of them are left out. One that cannot win even with that part at zero
    stays: it blocks nothing.
    """
    ranked = sorted(options, key=lambda compared: (compared.present_usd, compared.option.key))
    priced_usd = (option.present_usd for option in ranked if not option.unpriced_inputs and option.side != "mix")
    least = min(priced_usd, default=-np.inf)
    left_out = tuple(option for option in ranked if option.unpriced_inputs and option.present_usd < least)
    priced = [option for option in ranked if option not in left_out]
    decision = _verdict_within_limits(priced, limits, chosen)
    best, by_side = decision.best, {compared.side: compared for compared in _best_per_side(priced)}
    own = best if best and best.side in ("own", "keep") else by_side.get("own") or by_side.get("keep")
    rent = best if best and best.side == "rent" else by_side.get("rent")
    # The two options that the verdict compares, the one that binds more firmly first.
    shown = (best, decision.second, *_options_to_compare(priced, chosen))
    two = list(dict.fromkeys(compared for compared in shown if compared is not None))[:2]
    two.sort(key=lambda compared: (-WAYS[compared.option.way].commitment_rank, WAYS[compared.option.way].place))
    pair = (two[0], two[1]) if len(two) == 2 else None
    return replace(decision, ranked=tuple(ranked), own=own, rent=rent, pair=pair, left_out=left_out)


def _verdict_within_limits(options: list[ComparedOption], limits: CashLimits, chosen: bool) -> Decision:
    """Return the verdict; where the cheapest option breaks a limit, of the cheapest that does not."""
    free = _verdict(options, chosen)
    limit = None if free.best is None else limits.first_breach(free.best)
    if free.best is None or limit is None:
        return free
    affordable = [compared for compared in options if limits.first_breach(compared) is None]
    if not affordable:
        least, limit = limits.smallest_breach(options)
        return replace(free, verdict="limited", best=least, limit=limit, second=None)
    within = _verdict(affordable, chosen)
    if within.best is not None and within.best.side == free.best.side and within.second is not None:
        return replace(within, limit=limit)
    return replace(free, verdict="limited", best=within.best, limit=limit, second=None)


def _verdict(options: list[ComparedOption], chosen: bool) -> Decision:
    """Compare the cheapest with the cheapest of another kind, mixes included: one of them, or neither.

    Certain only where the ranges do not touch.
    """
    cheapest = _options_to_compare(options, chosen)
    if not cheapest:
        return Decision("incomplete", None)
    first = cheapest[0]
    if len(cheapest) == 1:
        return Decision(verdict_for(first.side, certain=True), first)
    second = cheapest[1]
    gap = gap_share(first.present_usd, second.present_usd)
    if gap < CLOSE_GAP:
        return Decision("close", first, gap, None, second)
    certain = first.side == "keep" or first.high_usd < second.low_usd
    return Decision(verdict_for(first.side, certain), first, gap, None, second)


def _options_to_compare(options: list[ComparedOption], chosen: bool) -> list[ComparedOption]:
    """Return the best of each side, the cheapest first; of one side alone its options, each once.

    Where nobody chose the options, how to pay for hardware is no question beside whether to buy.
    """
    best = _best_per_side(options)
    if len(best) == 1 and (chosen or best[0].option.key != "own"):
        only = best[0]
        by_way = {compared.option.way: compared for compared in reversed(options) if compared.side == only.side}
        best = sorted({**by_way, only.option.way: only}.values(), key=_cost_sort_key)
    return best


def gap_share(low_usd: float, high_usd: float) -> float:
    """Return the gap of two costs as a share of the lower one, or of the larger amount where that is not positive."""
    return (high_usd - low_usd) / (low_usd if low_usd > 0 else max(abs(low_usd), abs(high_usd), 1e-9))


def verdict_for(side: Side, certain: bool) -> Verdict:
    """Return the word for the side that leads."""
    return side if certain else _PROBABLY.get(side, side)


def _excluded_options(plan: Plan, decision: Decision) -> tuple[SkippedOption, ...]:
    """Return options without a price: all that were named, else those that stand for a whole side."""
    skipped: dict[str, SkippedOption] = {}
    lacking = [side for side, best in (("own", decision.own), ("rent", decision.rent)) if best is None]
    for absent in plan.absent:
        spec = WAYS[absent.way]
        if plan.setting.scenario.ways:
            skipped.setdefault(absent.reason, absent)
        elif spec.side in lacking and spec.when_empty == "usual":
            skipped.setdefault(spec.side, absent)
    for compared in decision.left_out:
        option = compared.option
        names = " and ".join(name[0].lower() + name[1:] for name in option.ledger.unpriced)
        reason = f"nobody publishes a price for {names}: enter one"
        skipped.setdefault(option.way, SkippedOption(option.way, reason))
    return tuple(skipped.values())


def _unrequested_sides(plan: Plan, decision: Decision) -> tuple[str, ...]:
    """Return a note where the scenario names options of one side only."""
    named = {WAYS[way].owns for way in plan.setting.scenario.ways}
    sides = (("owning", decision.own, True), ("renting", decision.rent, False))
    return tuple(f"{word} was not asked for" for word, best, owns in sides if named and not best and owns not in named)


def npv_by_timing(plan: Plan, own: Option, rent: Option) -> dict[Timing, float]:
    """Return the saving of owning in today's money under each convention of discounting. [USD]"""

    def saved(timing: Timing) -> float:
        terms = plan.setting.terms.model_copy(update={"timing": timing})
        setting = replace(plan.setting, scenario=plan.setting.scenario.model_copy(update={"terms": terms}))
        return float(present_usd(setting, rent.ledger)) - float(present_usd(setting, own.ledger))

    return {timing: saved(timing) for timing in get_args(Timing)}


def _flipping_timings(plan: Plan, own: Option, rent: Option) -> tuple[Timing, ...]:
    saves = {timing: usd > 0 for timing, usd in npv_by_timing(plan, own, rent).items()}
    return tuple(timing for timing in saves if saves[timing] != saves[plan.setting.terms.timing])
