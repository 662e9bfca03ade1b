"""The answer in words: a title, sentences that give both totals and what would turn them, four figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from planner.inputs.rent import Rent
from planner.money.answer import Answer, Weighed
from planner.money.breakeven import BreakEven, busy_share
from planner.money.plan import Plan
from planner.report import words
from planner.report.by_token import by_token_sentences
from planner.report.futures import break_even_range, cash_range, chances, how_sure
from planner.report.futures_turns import turns_first
from planner.report.other_work import other_title, run_title
from planner.report.small_work import plan_needs_no_gpu
from planner.report.title import title
from planner.report.training import training_title
from planner.report.ways import LOOKS
from planner.speed.serving import Serving
from planner.study.futures import Futures

NO_RANGE = "no range: all figures are yours"
NOT_COUNTED = "your engineers' time to set things up, data you would have to move, and anything not filled in under tax"


class Figure(NamedTuple):
    """One of the four figures under the answer."""

    label: str
    value: str
    range: str
    detail: str


@dataclass(frozen=True)
class Told:
    """The answer as it is shown."""

    title: str
    sentences: tuple[str, ...]
    figures: tuple[Figure, ...]


def told(plan: Plan, found: Answer, drawn: Futures | None = None) -> Told:
    """Title, sentences and figures, all from the one answer and the futures it rests on."""
    if plan.setting.asked is not None and plan.setting.asked.problems:
        return Told("Not as asked.", tuple(_sentence(problem) for problem in plan.setting.asked.problems), ())
    if found.verdict == "incomplete" or found.own is None or found.rent is None:
        reasons = (_sentence(reason) for reason in found.missing)
        return Told("Not enough to answer yet.", (*speeds(plan), *reasons), ())
    own, rent = found.own, found.rent
    return Told(
        title(found),
        (
            *speeds(plan),
            *plan_needs_no_gpu(plan),
            _totals(plan, own, rent),
            *how_sure(found),
            *chances(found, drawn),
            *(turns_first(plan, found, drawn) if drawn is not None else ()),
            *_asked(plan, found),
            *_others(found),
            *_close(found),
            _busy(plan, found),
            *_rent_price(found),
            *_back(plan, found),
            *by_token_sentences(plan, found),
            *_timing(plan, found),
        ),
        _figures(plan, found, drawn),
    )


def _sentence(text: str) -> str:
    end = "" if text.endswith("?") else "."
    return f"{text[:1].upper()}{text[1:].rstrip('.')}{end}"


def not_counted(plan: Plan) -> str:
    """What no line of the plan holds."""
    asked = plan.setting.asked
    named = asked is not None and (asked.trainings or asked.servings or asked.others)
    return NOT_COUNTED if named else f"whether the work fits into the memory (no model is named), {NOT_COUNTED}"


def speeds(plan: Plan) -> tuple[str, ...]:
    """How fast the models of the plan run on what is asked for, with the band of the prediction."""
    asked = plan.setting.asked
    if asked is None:
        return ()
    trained = tuple(f"{training_title(one).rstrip('.')}." for one in asked.trainings)
    label = plan.setting.catalogue.accelerator_label(plan.setting.scenario.accelerator)
    served = tuple(_served(one, label) for one in asked.servings)
    others = tuple(other_title(one, label) for one in asked.others) + tuple(run_title(one, label) for one in asked.runs)
    return trained + served + others


def _served(one: Serving, label: str) -> str:
    each = one.output_tokens_per_s / max(one.replicas, 1)
    peak = f"{one.accelerators_at_peak:,}" if one.accelerators_at_peak else "no number of them"
    return (
        f"{one.model} needs {one.accelerators_at_average or 0:,} x {label} on average and {peak} at the peak; "
        f"{one.accelerators_per_replica:,} together write {each:,.0f} tokens a second."
    )


def workload(plan: Plan) -> str:
    """How much work, in words: 8 x H100 SXM5 80 GB busy 60% of the time."""
    need = plan.setting.demand.all
    label = plan.setting.catalogue.accelerator_label(need.accelerator)
    most = f"{need.most_accelerators:,} x {label}"
    often = f"busy {words.percent(busy_share(plan.setting, 1.0))} of the time"
    return f"{most}, {often}" if np.ndim(need.accelerators) == 0 else f"up to {most} at once, {often} on average"


def _totals(plan: Plan, own: Weighed, rent: Weighed) -> str:
    rate = words.percent(plan.setting.discount_rate_per_year, 1)
    return (
        f"Over {words.years(plan.setting.scenario.years)}, {workload(plan)}, cost "
        f"{_money(rent)} {_how(rent)}, or {_money(own)} {_how(own)}: in today's money, at {rate} a year."
    )


def _money(way: Weighed) -> str:
    least = "at least" if way.measures.unpriced else "about"
    ends = _ends(way)
    return f"{least} {words.usd(way.present_usd)}" + (f" ({ends})" if ends != NO_RANGE else "")


def _ends(way: Weighed) -> str:
    """The range, or that there is none: whoever enters every figure himself has none."""
    low, high = words.usd_short(way.low_usd), words.usd_short(way.high_usd)
    return NO_RANGE if low == high else f"{low} to {high}"


def _how(way: Weighed) -> str:
    return {
        "own": f"with {way.option.accelerators:,.0f} bought and run ({way.option.what})",
        "loan": f"bought on credit ({way.option.what})",
        "lease": f"leased ({way.option.what})",
        "rent_to_own": "rented to own",
        "on_demand": f"rented on demand {_whose(way.option.what)}",
        "reserved": f"reserved at {way.option.what}",
        "spot": f"on spot machines of {way.option.what}",
        "hosted": f"with {way.option.what}",
        "keep": f"with {way.option.what}",
        "mix": "as a mix",
    }[way.option.way]


def _whose(what: str) -> str:
    return f"at {what}" if what.startswith("your price") else f"from {what}"


def _others(found: Answer) -> tuple[str, ...]:
    """The cheapest of all ways, where it is neither of the two that are compared."""
    best = found.ranked[0]
    named = {one.option.key for one in (found.own, found.rent) if one is not None}
    if best.option.key in named:
        return ()
    if found.verdict == "mix" and found.best is best:
        pure = min(one.present_usd for one in (found.own, found.rent) if one is not None)
        less = words.percent(1 - best.present_usd / pure) if pure > 0 else "much"
        return (f"The mix costs {_money(best)}: {less} less than the better of the two.",)
    return (f"The cheapest of all {len(found.ranked)} ways is {_money(best)} {_how(best)}.",)


def _asked(plan: Plan, found: Answer) -> tuple[str, ...]:
    """What the fleet that was asked for would do, where another number of machines is better."""
    asked, own, rent = found.asked, found.own, found.rent
    if asked is None or own is None or rent is None or own is asked or own.option.way != "own":
        return ()
    number = f"{asked.option.accelerators:,.0f}"
    share = words.percent(float(asked.option.useful_hours.sum()) / _available(plan, asked))
    against = asked.present_usd - rent.present_usd
    beside = f"{words.usd(abs(against))} {'more' if against > 0 else 'less'} than renting"
    back = _month(asked.measures.simple_payback)
    paid = f"would pay back after {back}, counted plainly" if back else "would not pay back"
    return (f"The {number} you asked for would be busy {share} of the time, {paid}, and cost {beside}.",)


def _available(plan: Plan, way: Weighed) -> float:
    return way.option.accelerators * plan.setting.terms.hours_per_month * plan.setting.scenario.months


def _close(found: Answer) -> tuple[str, ...]:
    if found.verdict != "close" or found.own is None:
        return ()
    today = words.usd(float(found.own.measures.cash_today_usd))
    return (f"So choose on cash and freedom: buying takes {today} on day one, renting can be stopped.",)


def _busy(plan: Plan, found: Answer) -> str:
    busy = found.break_even("busy_share")
    you = words.percent(busy_share(plan.setting, 1.0))
    if busy is None or busy.value is None:
        reason = "no level of use changes that" if busy is None else busy.reason.partition(": ")[2] or busy.reason
        return f"Within {words.years(plan.setting.scenario.years)} {reason}."
    capped = busy.achievable is not None and busy.value > busy.achievable
    cap = (
        f" That is more than a queue of your jobs lets you reach: about {words.percent(busy.achievable or 0.0)} before "
        "they wait too long."
        if capped
        else ""
    )
    return f"Buying wins above {words.percent(busy.value)} busy; you are at {you}.{cap}"


def _rent_price(found: Answer) -> tuple[str, ...]:
    rent = found.break_even("usd_per_accelerator_hour")
    if rent is None or rent.value is None or rent.you is None:
        return ()
    turn, now = words.usd_per_hour(rent.value), words.usd_per_hour(rent.you)
    kind = {"spot": "spot price", "reserved": "reserved price"}.get(found.rent.option.way if found.rent else "", "rent")
    return (f"At a {kind} of {turn} per GPU-hour instead of {now} both would cost the same.",)


def _back(plan: Plan, found: Answer) -> tuple[str, ...]:
    """When the money is back, and how a fall of rents changes that: long paybacks are destroyed by it."""
    if found.own is None:
        return ()
    falls = next((back for change, back in found.turned_by_rent_path if change == -0.2), None)
    now = _month(found.own.measures.simple_payback)
    if falls is None or now is None:
        return () if now is None else (f"Counted plainly, buying pays back after {now}{_sessions(plan, found.own)}.",)
    then = _month(falls)
    later = "never" if then is None else f"after {then}"
    return (
        f"Counted plainly, buying pays back after {now}{_sessions(plan, found.own)}; "
        f"if rents fall 20% a year, {later}.",
    )


def _sessions(plan: Plan, own: Weighed) -> str:
    """The same in sessions of work (trainings, say), where their length was said."""
    setting = plan.setting
    hours = setting.scenario.rent.hours_per_session
    if hours == Rent().hours_per_session:
        return ""
    months = float(np.asarray(own.measures.simple_payback.months).flat[0])
    done = np.cumsum(np.broadcast_to(own.option.useful_hours, setting.timeline.runs.shape))
    until = float(np.interp(months, np.arange(len(done)), done))
    gpus = setting.demand.job_accelerators
    return f", {until / (gpus * hours):,.0f} sessions of {hours:g} hours on {words.count(gpus, 'GPU')}"


def _month(back: object) -> str | None:
    months = float(np.asarray(getattr(back, "months", np.nan)).flat[0])
    return f"{words.significant(months):g} months" if np.isfinite(months) else None


def _timing(plan: Plan, found: Answer) -> tuple[str, ...]:
    if not found.turned_by_timing:
        return ()
    other = words.listed((words.TIMINGS[one] for one in found.turned_by_timing), "or")
    return (
        f"The convention alone turns this: it reckons with payments at {words.TIMINGS[plan.setting.terms.timing]}; "
        f"at {other} the other way is cheaper.",
    )


def _figures(plan: Plan, found: Answer, drawn: Futures | None) -> tuple[Figure, ...]:
    own, rent = found.own, found.rent
    assert own is not None and rent is not None  # noqa: PT018 - there is an answer
    busy = found.break_even("busy_share")
    back = np.asarray(found.payback.month)
    paid = f"pays back in month {float(back):.0f}" if np.isfinite(back) else "does not pay back"
    value = None if busy is None else busy.value
    return (
        _total(rent),
        _total(own),
        Figure(
            "Break-even use",
            "none" if value is None else words.percent(value),
            f"you: {words.percent(busy_share(plan.setting, 1.0))}",
            f"{_why_busy(busy)}{break_even_range(found, drawn, 'busy_share')}",
        ),
        Figure(
            "Cash on day one",
            words.usd_short(float(own.measures.cash_today_usd)),
            paid,
            f"What buying takes today{cash_range(own, drawn)}. Renting takes little. Payback is in today's money",
        ),
    )


def _why_busy(busy: BreakEven | None) -> str:
    same = "The share of busy hours at which both cost the same"
    return same if busy is None or busy.value is not None else busy.reason


def _total(way: Weighed) -> Figure:
    value = words.usd_short(way.present_usd)
    detail = f"{way.option.title}, {way.option.what}: the whole plan in today's money; 8 of 10 futures lie in the range"
    return Figure(LOOKS[way.option.way].name, value, _ends(way), detail)
