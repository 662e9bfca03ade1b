"""The answer: own, rent, or both, from what every option costs in many futures, with break-evens.

One table decides (planner.money.verdict.shares): in each future one option is the cheapest. Whether to own anything at
all comes first, which option of the leading group second. Where no futures were drawn, as in a sweep without verdicts,
the inputs as entered count as the only one, and no word is plain.
"""

from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from planner.money.many_ledgers import InputColumns, build_ledger, option_builder
from planner.money.measures import (
    ENDINGS,
    NOT_COMPARED,
    Payback,
    monthly_discount_factors,
    payback_against,
    present_usd,
)
from planner.money.option import Option, SkippedOption
from planner.money.plan import Plan
from planner.money.verdict.breakeven import NAMES, BreakEven, break_even
from planner.money.verdict.contender import (
    EvaluatedOption,
    LimitBreach,
    compared_options,
    evaluate_options,
    plan_limits,
)
from planner.money.verdict.decision import Decision, Verdict, decide, group, independent_prices
from planner.money.verdict.shares import Group, SimulatedCosts, VerdictShares
from planner.money.ways import WAYS
from planner.scenario.terms import Timing
from pricing.caching import cached_property

_GROUPS: tuple[Group, ...] = ("now", "rent", "own", "hosted")  # in the order of their cards
# Yearly changes of rents that are tried beside the plan's own path.
RENT_CHANGES = (0.0, -0.1, -0.2, -0.3, 0.2)


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
    payback: Payback  # of the first of the pair against the second, discounted to today
    turned_by_timing: tuple[Timing, ...]  # conventions under which the other of the pair is cheaper
    left_out: tuple[SkippedOption, ...]  # options without a price that one might want, each with what to enter
    missing: tuple[str, ...]  # unknown prices, and options that cannot be built
    against: EvaluatedOption | None = None  # the best of the others
    share_cheaper: float | None = None  # of futures in which the leading group is the cheapest; None: not drawn
    shares: VerdictShares | None = None  # the table that the verdict is read from
    alternatives: tuple[EvaluatedOption, ...] = ()  # of the leading group, those that share its lead with `best`

    def named(self, group: Group) -> tuple[EvaluatedOption, ...]:
        """Return the option that stands for a group, or the two that share its lead."""
        by_key = {evaluated.option.key: evaluated for evaluated in self.ranked}
        return () if self.shares is None else tuple(by_key[key] for key in self.shares.named(group))

    @property
    def cards(self) -> dict[str, EvaluatedOption]:
        """Return by place the lowest median of each group; by its key, what has a card of its own or is named."""
        best: dict[str, EvaluatedOption] = {}
        setting = self.plan.setting
        named = {setting.scenario.rent.offer, setting.scenario.reserve.offer} - {None}
        first = [self.best] if self.limit and self.best else []  # the cheapest may break the limit
        for evaluated in (*first, *(each for each in self.ranked if not each.option.is_beside)):
            spec, of = WAYS[evaluated.option.way], group(evaluated.option)
            place = spec.key if spec.is_current and of != "now" else of
            now = best.get("now")  # what costs no less than what is paid now is no way out
            is_less = now is None or evaluated.present_usd < now.present_usd
            is_beside = (spec.has_own_card and is_less) or spec.offer(setting.offers) in named
            if best.setdefault(place, evaluated) is not evaluated and is_beside:
                best[spec.key] = evaluated
        return {place: best[place] for place in sorted(best, key=lambda place: (*_GROUPS, place).index(place))}

    @property
    def baseline(self) -> EvaluatedOption | None:
        """The option against which savings, returns and paybacks are counted."""
        return self.best if self.pair is None else self.pair[1]

    @cached_property
    def break_evens(self) -> tuple[BreakEven, ...]:
        """The break-even of every input; none where there are no two options to compare."""
        return tuple(result for result in map(self.break_even, NAMES) if result is not None)

    def break_even(self, name: str) -> BreakEven | None:
        """Return the value of one input at which both of the pair cost the same."""
        if self.pair is None:
            return None
        if name not in self._break_even_cache:
            self._break_even_cache[name] = break_even(self.plan, self.pair[0].option, self.pair[1].option, name)
        return self._break_even_cache[name]

    @cached_property
    def payback_by_rent_change(self) -> tuple[tuple[float, Payback, Payback], ...]:
        """The payback of the first of the pair by a yearly change of rents: discounted, and counted plainly."""
        if self.pair is None:
            return ()
        columns = InputColumns(self.plan.setting, {"rent_change_per_year": np.array(RENT_CHANGES)}).context()
        first, second = (build_ledger(columns, option_builder(evaluated.option)) for evaluated in self.pair)
        if first is None or second is None:
            return ()
        ones = np.ones((len(RENT_CHANGES), 1))
        worths = (ones * monthly_discount_factors(self.plan.setting), ones)
        today, plain = (payback_against(first, second, worth) for worth in worths)
        return tuple((change, today.at(index), plain.at(index)) for index, change in enumerate(RENT_CHANGES))

    @cached_property
    def _break_even_cache(self) -> dict[str, BreakEven]:
        return {}


def build_answer(plan: Plan, simulated: SimulatedCosts | None = None) -> Answer:
    """Own, rent, keep or mix? Where only one side has a price: which of its options?"""
    setting = plan.setting
    options = [compared for option in plan.options for compared in compared_options(setting, option)]
    decision = decide(
        options, plan_limits(setting.terms), chosen=bool(setting.scenario.ways), simulated=simulated,
        prices=independent_prices(setting),
    )  # fmt: skip
    baseline = decision.pair[1] if decision.pair else decision.best
    ranked = evaluate_options(setting, list(decision.ranked), baseline.option.ledger, simulated) if baseline else ()
    by_key = {evaluated.option.key: evaluated for evaluated in ranked}
    best, own, rent, second = (
        by_key[compared.option.key] if compared else None
        for compared in (decision.best, decision.own, decision.rent, decision.second)
    )
    pair = (decision.pair[0].option, decision.pair[1].option) if decision.pair else None
    payback = Payback(float("nan"), float("nan"), np.asarray(ENDINGS.index(NOT_COMPARED)))
    if pair:
        payback = payback_against(pair[0].ledger, pair[1].ledger, monthly_discount_factors(setting))
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
        payback=payback,
        turned_by_timing=_flipping_timings(plan, *pair) if pair else (),
        left_out=left_out,
        missing=tuple(dict.fromkeys(reasons)),
        against=second,
        share_cheaper=decision.share if simulated else None,
        shares=decision.shares if simulated else None,
        alternatives=tuple(by_key[compared.option.key] for compared in decision.alternatives),
    )


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
        reason = f"no published price for {names}: enter one"
        skipped.setdefault(option.way, SkippedOption(option.way, reason))
    return tuple(skipped.values())


def _unrequested_sides(plan: Plan, decision: Decision) -> tuple[str, ...]:
    """Return a note where the scenario names options of one side only."""
    named = {WAYS[way].owns for way in plan.setting.scenario.ways}
    sides = (("owning", decision.own, True), ("renting", decision.rent, False))
    return tuple(f"{word} was not chosen" for word, best, owns in sides if named and not best and owns not in named)


def _flipping_timings(plan: Plan, own: Option, rent: Option) -> tuple[Timing, ...]:
    """Return the conventions of discounting under which the other one of the two is cheaper."""

    def saves(timing: Timing) -> bool:
        terms = plan.setting.terms.model_copy(update={"timing": timing})
        setting = replace(plan.setting, scenario=plan.setting.scenario.model_copy(update={"terms": terms}))
        return float(present_usd(setting, rent.ledger)) > float(present_usd(setting, own.ledger))

    today = saves(plan.setting.terms.timing)
    return tuple(timing for timing in get_args(Timing) if saves(timing) != today)
