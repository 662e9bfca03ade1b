"""The answer in words: a title, sentences that give both totals and what would turn them, four figures."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer, Weighed
from planner.money.verdict.breakeven import BreakEven, busy_share, lead_time_months
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.small_work import plan_needs_no_gpu
from planner.report.answer.turns import is_even, month_words, turning_sentences
from planner.report.evidence.own_runs_words import paces
from planner.report.futures.counted import break_even_range, cash_range, chances, how_sure
from planner.report.futures.what_turns import turns_first
from planner.report.speed.other_work import other_title, run_title
from planner.report.speed.training_words import in_short
from planner.report.tile import Tile
from planner.report.title import title
from planner.scenario.memo import cached_property
from planner.speed.serving import Serving
from planner.speed.work_to_hours import Asked
from planner.study.market.amounts import time_words
from planner.study.plan_any import in_time
from planner.study.uncertainty.futures import Futures

NO_RANGE = "no range"
_FILL_IN = "Under 'Adjust assumptions', set disk and traffic to 0 if they matter little, or choose another GPU."
NOT_COUNTED = "your engineers' time to set things up, data you would have to move, and anything not filled in under tax"


@dataclass(frozen=True)
class AnswerWords:
    """The answer as it is shown."""

    title: str
    sentences: tuple[str, ...]  # what matters most
    figures: tuple[Tile, ...]
    of: tuple[Plan, Answer] | None = field(default=None, compare=False, repr=False)  # where there are ways to compare

    @cached_property
    def turns(self) -> tuple[str, ...]:
        """What would turn the answer. Solved when it is asked for: few look at it, and it takes as long as a plan."""
        return () if self.of is None else turning_sentences(*self.of)


def told(plan: Plan, found: Answer, drawn: Futures | None = None) -> AnswerWords:
    """Title, sentences and figures, all from the one answer and the futures it rests on."""
    if plan.setting.asked is not None and plan.setting.asked.problems:
        problems = tuple(_sentence(problem) for problem in plan.setting.asked.problems)
        return AnswerWords(_not_as_asked(plan.setting.asked), (*problems, *in_time(plan)), ())
    if found.verdict == "incomplete" or found.own is None or found.rent is None:
        reasons = (_sentence(reason) for reason in found.missing)
        return AnswerWords("Not enough to answer yet.", (*speeds(plan), *reasons, *_what_to_do(found)), ())
    own, rent = found.own, found.rent
    return AnswerWords(
        title(found),
        (
            *speeds(plan),
            *plan_needs_no_gpu(plan),
            _totals(plan, own, rent, drawn),
            *how_sure(found),
            *chances(found, drawn),
            *(turns_first(plan, found, drawn) if drawn is not None else ()),
            *_asked(plan, found),
            *_others(found),
            *_close(found),
            *_over_limit(found),
            *_too_late(plan, own),
        ),
        _figures(plan, found, drawn),
        (plan, found),
    )


def _not_as_asked(asked: Asked) -> str:
    """The title where something cannot be done as it was asked: what does not fit, or is late and by how much."""
    if len(asked.problems) == 1:
        for late in asked.late:
            return f"Too late: {time_words(late.days - late.deadline_days)} after the deadline."
        for tight in asked.trainings:
            if not tight.fits:
                cannot = "does not fit on" if tight.can_be_spread else "cannot be spread over"
                return f"{tight.model} {cannot} {tight.accelerators:,} x {tight.accelerator}."
    return "Not as asked."


def _what_to_do(found: Answer) -> tuple[str, ...]:
    """How to get an answer where a disk or traffic without a price may turn it."""
    return (_FILL_IN,) if found.lacks_prices else ()


def _sentence(text: str) -> str:
    end = "" if text.endswith("?") else "."
    return f"{_capital(text).rstrip('.')}{end}"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def not_counted(plan: Plan) -> str:
    """What no line of the plan holds."""
    fits = "" if _names_models(plan) else "whether the work fits into the memory (no model is named), "
    return f"{fits}{NOT_COUNTED}"


def _names_models(plan: Plan) -> bool:
    asked = plan.setting.asked
    return asked is not None and bool(asked.trainings or asked.servings or asked.others)


def speeds(plan: Plan) -> tuple[str, ...]:
    """How fast the models of the plan run on what is asked for, with the band of the prediction."""
    asked = plan.setting.asked
    if asked is None:
        return ()
    label = plan.setting.catalogue.accelerator_label(plan.setting.scenario.accelerator)
    trained = tuple(in_short(one, label) for one in asked.trainings)
    served = tuple(_served(one, label) for one in asked.servings)
    others = tuple(other_title(one, label) for one in asked.others) + tuple(run_title(one, label) for one in asked.runs)
    return trained + served + others + paces(plan)


def _served(one: Serving, label: str) -> str:
    each = one.output_tokens_per_s / max(one.replicas, 1)
    peak = f"{one.accelerators_at_peak:,}" if one.accelerators_at_peak else "no number of them"
    return (
        f"{one.model} needs {one.accelerators_at_average or 0:,} x {label} on average and {peak} at the peak; "
        f"{one.accelerators_per_replica:,} together write {each:,.0f} tokens a second."
    )


def workload(plan: Plan) -> str:
    """How much work, in words: 8 x H100 SXM5 80 GB, busy 60% of the time. Named models have said it before."""
    if _names_models(plan):
        return "the work costs"
    need = plan.setting.demand.all
    most = f"{need.most_accelerators:,} x {plan.setting.catalogue.accelerator_label(need.accelerator)}"
    if is_even(plan):
        return f"{most}, busy {words.percent(busy_share(plan.setting, 1.0))} of the time, cost"
    hours = f"{words.significant(need.busy_accelerator_hours):,.0f}"
    return f"{hours} GPU-hours, on up to {most} at once, cost"


def _totals(plan: Plan, own: Weighed, rent: Weighed, drawn: Futures | None) -> str:
    rate = words.percent(plan.setting.discount_rate_per_year, 1)
    often = "" if drawn is None or NO_RANGE in (_ends(own), _ends(rent)) else "; ranges hold 8 of 10 futures"
    return (
        f"Over {words.years(plan.setting.scenario.years)}, {workload(plan)} {_money(rent)} {_how(plan, rent)}, or "
        f"{_money(own)} {_how(plan, own)}: in today's money, at {rate} a year{often}."
    )


def _money(way: Weighed) -> str:
    least = "at least" if way.measures.unpriced else "about"
    ends = _ends(way)
    return f"{least} {words.usd(way.present_usd)}" + (f" ({ends})" if ends != NO_RANGE else "")


def _ends(way: Weighed) -> str:
    """The range of a cost in words, or that there is none: who enters every figure himself has no range."""
    low, high = words.usd_short(way.low_usd), words.usd_short(way.high_usd)
    return NO_RANGE if low == high else f"{low} to {high}"


def _how(plan: Plan, way: Weighed) -> str:
    option = way.option
    yours = plan.setting.scenario.rent.usd_per_accelerator_hour is not None or plan.setting.taken.on_demand is None
    seller = f"{'at' if yours else 'from'} {option.what}"
    return WAYS[option.way].said.format(count=f"{option.accelerators:,.0f}", what=option.what, seller=seller)


def _others(found: Answer) -> tuple[str, ...]:
    """The cheapest of all ways, where it is neither of the two ways that are compared."""
    best = found.ranked[0]
    named = {one.option.key for one in (found.own, found.rent) if one is not None}
    if best.option.key in named or found.verdict == "limited":
        return ()
    if found.verdict == "mix" and found.best is best:
        pure = min(one.present_usd for one in (found.own, found.rent) if one is not None)
        less = words.percent(1 - best.present_usd / pure) if pure > 0 else "much"
        return (f"The mix costs {_money(best)}: {less} less than the better of the two.",)
    return (f"The cheapest of all {len(found.ranked)} ways is {_money(best)} {_how(found.plan, best)}.",)


def _asked(plan: Plan, found: Answer) -> tuple[str, ...]:
    """What the fleet that was asked for would do, where another number of machines is better."""
    asked, own, rent = found.asked, found.own, found.rent
    if asked is None or own is None or rent is None or own is asked or own.option.way != "own":
        return ()
    number = f"{asked.option.accelerators:,.0f}"
    share = words.percent(float(asked.option.useful_hours.sum()) / _available(plan, asked))
    against = asked.present_usd - rent.present_usd
    beside = f"{words.usd(abs(against))} {'more' if against > 0 else 'less'} than renting"
    back = month_words(asked.measures.simple_payback)
    paid = f"would pay back after {back}, counted plainly" if back else "would not pay back"
    return (f"The {number} you asked for would be busy {share} of the time, {paid}, and cost {beside}.",)


def _available(plan: Plan, way: Weighed) -> float:
    return way.option.accelerators * plan.setting.terms.hours_per_month * plan.setting.scenario.months


def _close(found: Answer) -> tuple[str, ...]:
    if found.verdict != "close" or found.own is None:
        return ()
    today, way = words.usd(float(found.own.measures.cash_today_usd)), WAYS[found.own.option.way].starting
    return (f"So choose on cash and freedom: {way} takes {today} on day one, renting can be stopped.",)


def _over_limit(found: Answer) -> tuple[str, ...]:
    """What breaks a limit on money where the title has no room for it, and what would do."""
    over = found.limit
    if over is None:
        return ()
    if over.is_least:
        return (f"{_capital(over.who)} would do with {over.more}.",)
    left_out = f"The cheapest way is left out: {over.said}. " if found.verdict == "close" else ""
    return (f"{left_out}{_capital(over.who)} would take {over.more}.",)


def _too_late(plan: Plan, own: Weighed) -> tuple[str, ...]:
    """A sentence where what is bought arrives when there is nothing left to do."""
    months = lead_time_months(plan.setting, own.option)
    if not WAYS[own.option.way].waits_for_delivery or months is None:
        return ()
    needed = np.flatnonzero(plan.setting.demand.all.busy_hours > 0)
    if not needed.size or needed[-1] > months:
        return ()
    return (f"What is ordered today arrives after {words.significant(months):g} months, when the work is done.",)


def _figures(plan: Plan, found: Answer, drawn: Futures | None) -> tuple[Tile, ...]:
    own, rent = found.own, found.rent
    assert own is not None and rent is not None  # noqa: PT018 - there is an answer
    back = np.asarray(found.payback.month)
    paid = f"pays back in month {float(back):.0f}" if np.isfinite(back) else "does not pay back"
    who, other = WAYS[own.option.way].starting, WAYS[rent.option.way].starting
    return (
        _total(rent),
        _total(own),
        _break_even(plan, found, drawn),
        Tile(
            "Cash on day one",
            words.usd_short(float(own.measures.cash_today_usd)),
            paid,
            f"What {who} takes today{cash_range(own, drawn)}; {other} takes "
            f"{words.usd_short(float(rent.measures.cash_today_usd))}. Payback is in today's money",
        ),
    )


def _break_even(plan: Plan, found: Answer, drawn: Futures | None) -> Tile:
    """How busy, or, where the work comes and goes, how much more of it makes both cost the same."""
    busy = found.break_even("busy_share")
    value = None if busy is None else busy.value
    detail = f"{_why_busy(busy)}{break_even_range(found, drawn, 'busy_share')}"
    if is_even(plan):
        shown = "none" if value is None else words.percent(value)
        return Tile("Break-even use", shown, f"you: {words.percent(busy_share(plan.setting, 1.0))}", detail)
    times = None if busy is None or value is None or not busy.you else value / busy.you
    shown = "none" if times is None else f"{words.significant(times):,g} times"
    return Tile("Break-even work", shown, "you: once" if times is not None else "not by use alone", detail)


def _why_busy(busy: BreakEven | None) -> str:
    same = "The share of busy hours at which both cost the same"
    return same if busy is None or busy.value is not None else str(busy.reason)


def _total(way: Weighed) -> Tile:
    value = words.usd_short(way.present_usd)
    detail = f"{way.option.title}, {way.option.what}: the whole plan in today's money; 8 of 10 futures lie in the range"
    return Tile(WAYS[way.option.way].name, value, _ends(way), detail)
