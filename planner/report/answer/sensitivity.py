"""What would turn the answer, in sentences: how busy, at what rent, when the money is back, by the token."""

from collections.abc import Iterator

import numpy as np

from planner.money.by_token import TokenBreakEven, by_token
from planner.money.plan import Plan
from planner.money.verdict.answer import PROBABLE, Answer
from planner.money.verdict.breakeven import BreakEven, busy_share
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.forms import scalar
from planner.report.futures.input_words import input_label, value_text
from planner.scenario.durations import years_words
from planner.scenario.rent import RentalInputs
from planner.scenario.task import ServingTask
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.tornado import likeliest_flip


def sensitivity_sentences(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Everything that would turn it, or that it would take; nothing where there are no two ways to compare."""
    if answer.pair is None:
        return ()
    return (
        _busy(plan, answer),
        *_rent_break_even_text(answer),
        *_back(plan, answer),
        *token_price_sentences(plan, answer),
        *_timing(plan, answer),
    )


def has_constant_demand(plan: Plan) -> bool:
    """Whether as many accelerators are asked for in every month, so that one busy share describes the work."""
    return bool(np.ndim(plan.setting.demand.all.accelerators) == 0)


def _busy(plan: Plan, answer: Answer) -> str:
    busy = answer.break_even("busy_share")
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
    who = WAYS[cheaper_above_break_even(answer, busy).option.way].starting.capitalize()
    if not has_constant_demand(plan) and busy.you:
        return f"{who} wins from {words.number(busy.value / busy.you)} times this work on.{cap}"
    return f"{who} wins above {words.percent(busy.value)} busy; you are at {you}.{cap}"


def _who(answer: Answer) -> str:
    return "buying" if answer.pair is None else WAYS[answer.pair[0].option.way].starting


def cheaper_above_break_even(answer: Answer, busy: BreakEven) -> EvaluatedOption:
    """Who costs less where there is more work: whoever does today, if today lies above the turn; else the other."""
    assert answer.pair is not None  # there is a break-even
    first, second = answer.pair
    crossed = busy.value is not None and busy.you is not None and busy.you > busy.value
    firsts = (first.present_usd <= second.present_usd) == crossed
    return first if firsts else second


def _rent_break_even_text(answer: Answer) -> tuple[str, ...]:
    rent = answer.break_even("usd_per_accelerator_hour")
    if rent is None or rent.value is None or rent.you is None:
        return ()
    turn, now = words.usd_per_hour(rent.value), words.usd_per_hour(rent.you)
    kind = WAYS[answer.pair[1].option.way].price_name if answer.pair else "rent"
    return (f"At a {kind} of {turn} per GPU-hour instead of {now} both would cost the same.",)


def _back(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """When the money is back, and how a fall of rents changes that: long paybacks are destroyed by it."""
    if answer.pair is None or not WAYS[answer.pair[0].option.way].owns:
        return ()
    own = answer.pair[0]
    falls = next((back for change, back in answer.payback_by_rent_change if change == -0.2), None)
    now, who = payback_month_text(own.measures.simple_payback), _who(answer)
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


def _timing(plan: Plan, answer: Answer) -> tuple[str, ...]:
    if not answer.turned_by_timing:
        return ()
    other = words.listed((words.TIMINGS[timing] for timing in answer.turned_by_timing), "or")
    return (
        f"The convention alone turns this: it reckons with payments at {words.TIMINGS[plan.setting.terms.timing]}; "
        f"at {other} the other way is cheaper.",
    )


def pays_back_only_by_resale(answer: Answer) -> bool:
    """Whether only the sale at the end, which the month of the payback leaves out, makes the first way the cheaper."""
    pair = answer.pair
    return pair is not None and scalar(answer.payback.month) is None and pair[0].present_usd < pair[1].present_usd


def most_likely_change(plan: Plan, answer: Answer, futures: Futures) -> tuple[str, ...]:
    """The one input that is likeliest to turn a probable answer, and by how much."""
    if answer.verdict not in PROBABLE or answer.pair is None:
        return ()
    bar = likeliest_flip(plan, answer.pair[0].option, answer.pair[1].option, futures.inputs)
    if bar is None or bar.flip is None:
        return ("No single figure turns this within its range; several together would.",)
    one = bar.input
    return (
        f"Likeliest to turn this: {words.lower_first(input_label(one.name))}, at {value_text(one.name, bar.flip)} "
        f"instead of {value_text(one.name, one.spread.typical)}.",
    )


def describe_token_price(even: TokenBreakEven, *others: tuple[str, TokenBreakEven], way: str = "renting") -> str:
    """One sentence: what a million tokens cost there, and from how much use each way with machines is cheaper."""
    price = f"By the token, {even.vendor} asks {words.usd(even.usd_per_million_output_tokens)} a million tokens written"
    ways = "; ".join(_from(name, one) for name, one in ((way, even), *others))
    return f"{price}, prompts included; {ways}."


def _from(way: str, even: TokenBreakEven) -> str:
    if not even.ever:
        return f"{way} stays dearer even where it is busy all the time"
    rate, share = words.number(even.requests_per_s), words.percent(even.busy_share)
    return f"{way} is cheaper from {rate} requests/s a replica on, {share} of what it answers in time"


def token_price_sentences(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """For a plan that is one service of a model which somebody sells: renting and owning against it, by plain sums."""
    task = _single_service(plan)
    if task is None:
        return ()
    even = dict(_token_break_evens(plan, answer, task))
    (first, *rest) = even.items() or [None]
    return () if first is None else (describe_token_price(first[1], *rest, way=first[0]),)


def _single_service(plan: Plan) -> ServingTask | None:
    asked, hosted = plan.setting.resolved, plan.setting.scenario.hosted
    if asked is None or hosted is None or hosted.price is None or len(asked.written.work) != 1:
        return None
    task = asked.written.work[0].serve
    return task if asked.servings and task is not None and task.mig_profile is None else None


def _token_break_evens(plan: Plan, answer: Answer, task: ServingTask) -> Iterator[tuple[str, TokenBreakEven]]:
    """Each way with machines that has a price: what an hour of an accelerator costs it, against the tokens."""
    setting = plan.setting
    asked, hosted = setting.resolved, setting.scenario.hosted
    priced = [way for way in answer.ranked if not way.measures.unpriced]
    rented = next((way for way in priced if WAYS[way.option.way].rents_machines), None)
    owned = next((way for way in priced if way.option.way == "own"), None)
    for way, one in (("renting", rented), ("owning", owned)):
        hours = 0.0 if one is None else _hours(plan, one)
        if asked is None or hosted is None or one is None or hours <= 0:
            continue
        hour = float(one.measures.bills_usd) / hours
        even = by_token(setting.catalogue, asked.servings[0], task, usd_per_accelerator_hour=hour, door=hosted.price)
        if even is not None:
            yield way, even


def _hours(plan: Plan, way: EvaluatedOption) -> float:
    """The accelerator-hours that are paid: what is owned runs always, what is rented while there is work."""
    if way.option.way == "own":
        return way.option.accelerators * plan.setting.terms.hours_per_month * plan.setting.scenario.months
    return float(way.option.useful_hours.sum())
