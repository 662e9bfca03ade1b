"""One more number of a plan: what it is, its value with its unit, and how it follows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.money.lost_hours import LostHours, lost_hours
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.breakeven import BreakEven
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.turns import cheaper_above_break_even, has_constant_demand
from planner.report.futures.counted import format_futures_count
from planner.study.uncertainty.sure_verdict import BreakEvenBand

_SMALL_SHARE = 0.02
_CENT = 0.1  # dollars: of less, cents say too little


@dataclass(frozen=True)
class OtherNumber:
    """A row: what, how much, in what, and how it follows or why there is none."""

    name: str  # for programs
    option: str | None  # the key of the way it is of; None where it is of two
    what: str
    value: float | None
    unit: str
    how: str

    @property
    def said(self) -> str:
        """The value as people write it."""
        if self.value is None:
            return "–"
        if self.unit.startswith("USD"):
            return _usd(self.value)
        if self.unit.startswith("share"):
            return words.percent(self.value, 1 if 0 < abs(self.value) < _SMALL_SHARE else 0)
        return number(self.value)


def number(value: float) -> str:
    """Three figures of a number, never 2e-05."""
    rounded = words.round_significant(value)
    return f"{rounded:,g}" if abs(rounded) >= 1 else np.format_float_positional(rounded, trim="-")


def _usd(value: float) -> str:
    if 0 < abs(value) < _CENT:
        return f"{'-' if value < 0 else ''}${number(abs(value))}"
    return words.usd(value)


_HOURS = "hours a month of one GPU"
FAILS = (
    "It fails where the work grows or comes in peaks, where a reservation is paid busy or not, where idle machines are "
    "let to others, and for other prices, years and places than this plan's."
)


def hours_rule_measures(plan: Plan, found: Answer, turn: BreakEvenBand | None) -> Iterator[OtherNumber]:
    """The break-even in hours, the two ends of the rule, and the rent at which both cost the same."""
    if found.pair is None:
        return
    between = f"{found.pair[0].option.title} and {found.pair[1].option.title} cost the same"
    yield _break_even_hours(plan, found.break_even("busy_share"), between)
    band = None if turn is None else turn.band
    if band is not None:
        low, high = (end * plan.setting.terms.hours_per_month for end in (band.low, band.high))
        for end, hours, than in (("low", low, "fewer"), ("high", high, "more")):
            how = f"of futures in which some use makes both cost the same, one in ten needs {than} hours"
            yield OtherNumber(f"rule_{end}_hours", None, f"Rule of thumb, {end} end", hours, _HOURS, how)
    rent = found.break_even("usd_per_accelerator_hour")
    if rent is not None:
        now = "" if rent.you is None else f"; the plan has {words.usd_per_hour(rent.you)}"
        how = f"there {between}{now}" if rent.value is not None else str(rent.reason)
        name = WAYS[found.pair[1].option.way].price_name
        yield OtherNumber("even_rent_usd", None, f"Indifferent at a {name} of", rent.value, "USD per GPU-hour", how)


def _break_even_hours(plan: Plan, busy: BreakEven | None, between: str) -> OtherNumber:
    hours, what = plan.setting.terms.hours_per_month, "Break-even use"
    if busy is None or busy.value is None:
        reason = "no level of use changes that" if busy is None else str(busy.reason)
        return OtherNumber("break_even_hours", None, what, None, _HOURS, reason)
    you = "" if busy.you is None else f"; the plan has {_written(busy.you * hours)}"
    how = f"there {between}: busy {words.percent(busy.value)} of {hours:g} hours{you}"
    return OtherNumber("break_even_hours", None, what, busy.value * hours, _HOURS, how)


def hours_rule_sentences(plan: Plan, found: Answer, turn: BreakEvenBand | None) -> tuple[str, ...]:
    """The rule of thumb, where it fails, and what of that is so in this plan; nothing where nothing is compared."""
    busy = found.break_even("busy_share")
    if found.pair is None or busy is None:
        return ()
    if busy.value is None:
        return (f"There is no rule of thumb by hours here: {busy.reason.detail or 'no level of use changes that'}.",)
    hours = plan.setting.terms.hours_per_month
    below, above = cheaper_below_and_above(found.pair, cheaper_above_break_even(found, busy))
    band = None if turn is None else turn.band
    low, high = (busy.value, busy.value) if band is None else (band.low, band.high)
    rule = (
        f"Rule of thumb on today's prices: below about {words.count(_about(low * hours), 'hour')} a month of one GPU "
        f"{below} costs less, above about {_about(high * hours)} {above}; between the two it depends on what prices, "
        f"rents and resale turn out to be. At the plan's figures both cost the same at {_written(busy.value * hours)}."
    )
    return (rule, FAILS, *_plan_caveats(plan, found, busy, turn))


def cheaper_below_and_above(pair: tuple[EvaluatedOption, EvaluatedOption], above: EvaluatedOption) -> tuple[str, str]:
    """Who costs less below and who above, by what one does; by their titles where that is the same."""
    below = pair[1] if above is pair[0] else pair[0]
    doing = tuple(WAYS[one.option.way].starting for one in (below, above))
    return (doing[0], doing[1]) if doing[0] != doing[1] else (below.option.title, above.option.title)


def _plan_caveats(plan: Plan, found: Answer, busy: BreakEven, turn: BreakEvenBand | None) -> Iterator[str]:
    """What of this plan makes the rule weaker than it sounds."""
    hours = plan.setting.terms.hours_per_month
    if not has_constant_demand(plan):
        yield "Here the work changes from month to month, so its hours are an average over the plan."
    wanted, bought = (
        plan.setting.demand.all.peak_accelerators,
        0.0 if found.pair is None else found.pair[0].option.accelerators,
    )
    if bought != wanted:
        there = words.count(f"{bought:,.0f}", "is bought", "are bought")
        yield f"Hours are those of one of the {wanted:,} GPUs wanted at once, where {there}."
    if found.pair is not None and WAYS[found.pair[1].option.way].is_bound:
        yield "Here the rival is bound for a term and paid busy or not."
    if busy.is_out_of_reach:
        most = words.count(_about((busy.achievable or 0.0) * hours), "hour")
        yield f"Jobs that come at random keep this fleet busy about {most} a month before they wait too long."
    if turn is not None and turn.share < 1:
        share = format_futures_count(turn.share)
        yield f"Some use makes both cost the same in {share} futures; else one way always wins."


def _about(hours: float) -> str:
    return f"{words.round_significant(hours, 2):,g}"


def _written(hours: float) -> str:
    return f"{words.round_significant(hours):,g}"


TOLD_FROM = 0.01  # of the hours: less is no sentence


def lost_time_sentences(plan: Plan, found: Answer) -> tuple[str, ...]:
    """What failures take, where it is a hundredth of the hours or more."""
    gone = lost_hours(plan.setting)
    ways = [one for one in found.pair or (found.best,) if one is not None and _has_machines(one)]
    if gone is None or gone.share < TOLD_FROM or not ways:
        return ()
    sums = " or ".join(f"{words.usd(gone.share * one.present_usd)} {WAYS[one.option.way].paid_for}" for one in ways)
    share = words.percent(gone.share, 1)
    said = f"take {share} of the hours" if gone.is_counted else f"take about {share} of the hours you state"
    return (f"Failures, restarts and checkpoints {said}: {sums}.",)


def lost_time_measures(plan: Plan, ways: tuple[EvaluatedOption, ...]) -> Iterator[OtherNumber]:
    """The share of the hours, and what they cost each way."""
    gone = lost_hours(plan.setting)
    if gone is None:
        return
    how = f"{_why(gone)}; {'held by' if gone.is_counted else 'taken to be within'} the hours of the plan"
    yield OtherNumber("lost_share", None, "Lost to failures and restarts", gone.share, "share of busy hours", how)
    for one in ways:
        if _has_machines(one):
            what, part = f"Time lost to failures: {one.option.title}", f"{number(gone.hours)} GPU-hours"
            how = f"{part}, at what an hour costs on average: a part of the cost, not on top of it"
            yield OtherNumber("lost_usd", one.option.key, what, gone.share * one.present_usd, "USD", how)


def _has_machines(one: EvaluatedOption) -> bool:
    return WAYS[one.option.way].owns or WAYS[one.option.way].rents_machines


def _why(gone: LostHours) -> str:
    """How often a job stops, and what that costs it."""
    usual = gone.most.usual
    stops, every, writes, again = (
        float(np.asarray(hours))
        for hours in (usual.hours_between_stops, usual.checkpoint_interval_hours, usual.checkpoint_hours,
                      usual.restart_hours)
    )  # fmt: skip
    slow = f", waits {words.percent(usual.straggler_share)} for slow machines" if usual.straggler_share else ""
    return (
        f"a job on {words.count(gone.most.job, 'GPU')} stops every {words.count(number(stops), 'hour')}, writes a "
        f"checkpoint for {words.count(number(writes * 60), 'minute')} every {words.count(number(every), 'hour')}, "
        f"and takes {words.count(number(again * 60), 'minute')} to be at work again{slow}"
    )
