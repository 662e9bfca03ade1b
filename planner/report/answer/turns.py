"""What would turn the answer, in sentences: how busy, at what rent, when the money is back, by the token."""

import numpy as np

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.breakeven import BreakEven, busy_share
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.small_work import token_price_sentences
from planner.report.forms import scalar
from planner.scenario.durations import years_words
from planner.scenario.rent import RentalInputs


def sensitivity_sentences(plan: Plan, found: Answer) -> tuple[str, ...]:
    """Everything that would turn it, or that it would take; nothing where there are no two ways to compare."""
    if found.pair is None:
        return ()
    return (
        _busy(plan, found),
        *_rent_break_even_text(found),
        *_back(plan, found),
        *token_price_sentences(plan, found),
        *_timing(plan, found),
    )


def has_constant_demand(plan: Plan) -> bool:
    """Whether as many accelerators are asked for in every month, so that one busy share describes the work."""
    return bool(np.ndim(plan.setting.demand.all.accelerators) == 0)


def _busy(plan: Plan, found: Answer) -> str:
    busy = found.break_even("busy_share")
    you = words.percent(busy_share(plan.setting, 1.0))
    if busy is None or busy.value is None:
        reason = "no level of use changes that" if busy is None else busy.reason.detail
        return f"Within {years_words(plan.setting.scenario.years)} {reason}."
    cap = (
        f" That is more than a queue of your jobs lets you reach: about {words.percent(busy.achievable or 0.0)} before "
        "they wait too long."
        if busy.is_out_of_reach
        else ""
    )
    who = WAYS[cheaper_above_break_even(found, busy).option.way].starting.capitalize()
    if not has_constant_demand(plan) and busy.you:
        return f"{who} wins from {words.round_significant(busy.value / busy.you):,g} times this work on.{cap}"
    return f"{who} wins above {words.percent(busy.value)} busy; you are at {you}.{cap}"


def _who(found: Answer) -> str:
    return "buying" if found.pair is None else WAYS[found.pair[0].option.way].starting


def cheaper_above_break_even(found: Answer, busy: BreakEven) -> EvaluatedOption:
    """Who costs less where there is more work: whoever does today, if today lies above the turn; else the other."""
    assert found.pair is not None  # there is a break-even
    first, second = found.pair
    crossed = busy.value is not None and busy.you is not None and busy.you > busy.value
    firsts = (first.present_usd <= second.present_usd) == crossed
    return first if firsts else second


def _rent_break_even_text(found: Answer) -> tuple[str, ...]:
    rent = found.break_even("usd_per_accelerator_hour")
    if rent is None or rent.value is None or rent.you is None:
        return ()
    turn, now = words.usd_per_hour(rent.value), words.usd_per_hour(rent.you)
    kind = WAYS[found.pair[1].option.way].price_name if found.pair else "rent"
    return (f"At a {kind} of {turn} per GPU-hour instead of {now} both would cost the same.",)


def _back(plan: Plan, found: Answer) -> tuple[str, ...]:
    """When the money is back, and how a fall of rents changes that: long paybacks are destroyed by it."""
    if found.pair is None or not WAYS[found.pair[0].option.way].owns:
        return ()
    own = found.pair[0]
    falls = next((back for change, back in found.payback_by_rent_change if change == -0.2), None)
    now, who = payback_month_text(own.measures.simple_payback), _who(found)
    if falls is None or now is None:
        return (
            () if now is None else (f"Counted plainly, {who} pays back after {now}{_payback_in_sessions(plan, own)}.",)
        )
    then = payback_month_text(falls)
    later = "never" if then is None else f"after {then}"
    return (
        f"Counted plainly, {who} pays back after {now}{_payback_in_sessions(plan, own)}; "
        f"if rents fall 20% a year, {later}.",
    )


def _payback_in_sessions(plan: Plan, own: EvaluatedOption) -> str:
    """The busy share at which both cost the same, in sessions of work (trainings, say) whose length was said."""
    setting = plan.setting
    hours = setting.scenario.rent.hours_per_session
    if hours == RentalInputs().hours_per_session:
        return ""
    months = float(np.asarray(own.measures.simple_payback.months).flat[0])
    done = np.cumsum(np.broadcast_to(own.option.useful_hours, setting.timeline.runs.shape))
    until = float(np.interp(months, np.arange(len(done)), done))
    gpus = setting.demand.job_accelerators
    sessions = words.count(round(until / (gpus * hours)), "session")
    return f", {sessions} of {words.count(hours, 'hour')} on {words.count(gpus, 'GPU')}"


def payback_month_text(back: object) -> str | None:
    """After how many months the money is back, in words; None where it never is."""
    months = scalar(getattr(back, "months", np.nan))
    return None if months is None else words.count(words.round_significant(months), "month")


def _timing(plan: Plan, found: Answer) -> tuple[str, ...]:
    if not found.turned_by_timing:
        return ()
    other = words.listed((words.TIMINGS[one] for one in found.turned_by_timing), "or")
    return (
        f"The convention alone turns this: it reckons with payments at {words.TIMINGS[plan.setting.terms.timing]}; "
        f"at {other} the other way is cheaper.",
    )


def pays_back_only_by_resale(found: Answer) -> bool:
    """Whether only the sale at the end, which the month of the payback leaves out, makes the first way the cheaper."""
    pair = found.pair
    return pair is not None and scalar(found.payback.month) is None and pair[0].present_usd < pair[1].present_usd
