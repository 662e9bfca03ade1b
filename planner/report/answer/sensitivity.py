"""The changes that would turn the answer, in sentences: utilization, rent, payback, price by the token, timing."""

from collections.abc import Sequence

import numpy as np

from planner.money.by_token import TokenBreakEven, token_break_even
from planner.money.measures import Payback
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.breakeven import BreakEven, plan_utilization
from planner.money.verdict.contender import EvaluatedOption
from planner.money.verdict.decision import PROBABLE
from planner.money.ways import WAYS
from planner.report import words
from planner.report.forms import scalar
from planner.report.futures.input_words import input_label, value_text
from planner.report.table import Table
from planner.scenario.durations import years_words
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.sure_verdict import likeliest_to_turn, turning_values
from planner.study.uncertainty.tornado import TornadoBar

_INPUTS_TRIED = 2
CARRYING = 5  # inputs that are said to carry an answer


def sensitivity_sentences(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Return everything that would change the answer; empty without two options to compare."""
    if answer.pair is None:
        return ()
    return (
        _utilization_text(plan, answer),
        *_rent_break_even_text(answer),
        *_payback_text(answer),
        *token_price_sentences(plan, answer),
        *_timing_text(plan, answer),
    )


def has_constant_demand(plan: Plan) -> bool:
    """Return True if every month needs as many accelerators, so that one utilization describes the work."""
    return bool(np.ndim(plan.setting.demand.all.accelerators) == 0)


def _utilization_text(plan: Plan, answer: Answer) -> str:
    busy = answer.break_even("busy_share")
    if busy is None or busy.value is None:
        reason = "no level of use changes that" if busy is None else busy.reason.detail
        return f"Within {years_words(plan.setting.scenario.years)} {reason}."
    cap = ""
    if busy.is_out_of_reach:
        most = words.percent(busy.achievable or 0.0)
        cap = f" A queue of your jobs cannot reach that: above about {most} they wait too long."
    name = WAYS[cheaper_above_break_even(answer, busy).option.way].start_text.capitalize()
    if not has_constant_demand(plan) and busy.you:
        return f"{name} costs less from {words.number(busy.value / busy.you)} times this work on.{cap}"
    you = words.percent(plan_utilization(plan.setting, 1.0))
    return f"{name} costs less above {words.percent(busy.value)} utilization; your plan is at {you}.{cap}"


def cheaper_above_break_even(answer: Answer, busy: BreakEven) -> EvaluatedOption:
    """Return the option that costs less with more work: as entered the cheaper one, if you lie above the break-even."""
    assert answer.pair is not None  # there is a break-even
    first, second = answer.pair
    is_above = busy.value is not None and busy.you is not None and busy.you > busy.value
    return first if (first.as_entered_usd <= second.as_entered_usd) == is_above else second


def _rent_break_even_text(answer: Answer) -> tuple[str, ...]:
    rent = answer.break_even("usd_per_accelerator_hour")
    if rent is None or rent.value is None or rent.you is None:
        return ()
    even, now = words.usd_per_hour(rent.value), words.usd_per_hour(rent.you)
    name = WAYS[answer.pair[1].option.way].price_name if answer.pair else "rent"
    return (f"At a {name} of {even} per GPU-hour instead of {now} both would cost the same.",)


def _payback_text(answer: Answer) -> tuple[str, ...]:
    """Return the payback, and how falling rents change it: they destroy long paybacks."""
    if answer.pair is None or not WAYS[answer.pair[0].option.way].owns:
        return ()
    now, name = payback_month_text(answer.payback), words.upper_first(WAYS[answer.pair[0].option.way].start_text)
    if now is None:
        return ()
    text = f"{name} pays back after {now}"
    falling = next((payback for change, payback, _ in answer.payback_by_rent_change if change == -0.2), None)
    if falling is None:
        return (f"{text}.",)
    later = payback_month_text(falling)
    return (f"{text}; if rents fall 20% a year, {'never' if later is None else f'after {later}'}.",)


def payback_month_text(payback: Payback) -> str | None:
    """Return the months until payback in words; None where it never comes."""
    months = scalar(payback.months)
    text = None if months is None else words.count(words.round_significant(months), "month")
    return f"{text}, with its sale" if text and payback.is_by_sale else text


def _timing_text(plan: Plan, answer: Answer) -> tuple[str, ...]:
    if not answer.turned_by_timing:
        return ()
    other = words.listed((words.TIMINGS[timing] for timing in answer.turned_by_timing), "or")
    return (
        f"The answer depends on payment timing: the plan assumes {words.TIMINGS[plan.setting.terms.timing]}; "
        f"at {other} the other option is cheaper.",
    )


def month_text(payback: Payback) -> str:
    """Return the month of a payback that comes, and if only the sale brings it."""
    return f"month {payback.month:.0f}{', with its sale' if payback.is_by_sale else ''}"


def most_likely_change(plan: Plan, answer: Answer, futures: Futures) -> tuple[str, ...]:
    """Return the input that is most likely to change a probable answer, and the value from which it does.

    There the two largest groups hold as many of the futures. Of the two inputs with the largest effect, the one whose
    value lies closer to the typical one in its range counts.
    """
    if answer.verdict not in PROBABLE or answer.pair is None or answer.shares is None:
        return ()
    first, second = (each.option.key for each in answer.pair)
    inputs = likeliest_to_turn(futures, first, second)[:_INPUTS_TRIED]
    turns = zip(turning_values(futures, answer.shares, inputs), inputs, strict=True)
    turning = [(turn, each) for turn, each in turns if turn is not None]
    if not turning:
        return ("No single input changes this answer within its range; several together would.",)
    turn, nearest = min(turning, key=lambda found: found[1].spread.share_to_end(found[0]))
    label, typical = words.lower_first(input_label(nearest.name)), value_text(nearest.name, nearest.spread.typical)
    turned = value_text(nearest.name, turn)
    return (f"Most likely to change this answer: {label}, at {turned} instead of {typical}.",)


def describe_token_price(even: TokenBreakEven, *others: tuple[str, TokenBreakEven], way: str = "renting") -> str:
    """Return the price of a million tokens, and the use from which each option with machines is cheaper."""
    price = f"By the token, {even.vendor} asks {words.usd(even.usd_per_million_output_tokens)} a million tokens written"
    options = "; ".join(_from_which_use(name, option) for name, option in ((way, even), *others))
    return f"{price}, prompts included; {options}."


def _from_which_use(name: str, even: TokenBreakEven) -> str:
    if not even.ever:
        return f"{name} costs more even if it is busy all the time"
    rate, share = words.number(even.requests_per_s), words.percent(even.busy_share)
    return f"{name} is cheaper from {rate} requests/s a replica on, {share} of its capacity"


def token_price_sentences(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Compare renting and owning with a price by the token, undiscounted, for a plan of one service."""
    setting, evens = plan.setting, dict[str, TokenBreakEven]()
    work, hosted = setting.resolved, setting.scenario.hosted
    if work is None or hosted is None or hosted.price is None or len(work.written.work) != 1:
        return ()
    task = work.written.work[0].serve
    if not work.servings or task is None or task.mig_profile is not None:
        return ()
    priced = [way for way in answer.ranked if not way.measures.unpriced]
    rented = next((way for way in priced if WAYS[way.option.way].rents_machines), None)
    owned = next((way for way in priced if way.option.way == "own"), None)
    for name, way in (("renting", rented), ("owning", owned)):
        hours = 0.0 if way is None else _paid_hours(plan, way)
        if way is None or hours <= 0:
            continue
        hour = float(way.measures.bills_usd) / hours
        even = token_break_even(
            setting.catalogue, work.servings[0], task, usd_per_accelerator_hour=hour, door=hosted.price
        )
        if even is not None:
            evens[name] = even
    if not evens:
        return ()
    (name, first), *rest = evens.items()
    return (describe_token_price(first, *rest, way=name),)


def _paid_hours(plan: Plan, way: EvaluatedOption) -> float:
    """Return the accelerator-hours paid for: owned machines always run, rented ones while there is work."""
    if way.option.way == "own":
        return way.option.accelerators * plan.setting.terms.hours_per_month * plan.setting.scenario.months
    return float(way.option.useful_hours.sum())


def carrying_table(bars: Sequence[TornadoBar], side: str = "owning") -> Table:
    """Return the inputs that carry the answer: low, typical and high of each, with the saving at each of them."""
    return Table.of(
        {
            "Input": input_label(bar.input.name),
            "Low": value_text(bar.input.name, bar.input.spread.low),
            "Typical": value_text(bar.input.name, bar.input.spread.typical),
            "High": value_text(bar.input.name, bar.input.spread.high),
            f"{words.upper_first(side)} saves at low, USD": bar.saved_low_usd,
            "At typical, USD": bar.saved_usd,
            "At high, USD": bar.saved_high_usd,
            "Same cost at": "–" if bar.flip is None else value_text(bar.input.name, bar.flip),
        }
        for bar in bars[:CARRYING]
    )
