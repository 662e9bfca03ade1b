"""Uncertainty in words and tables: counted futures, ranges, probabilities of keeping a limit, buy or wait."""

from collections.abc import Sequence

import numpy as np

from planner.money.setting import BUSY_FACTOR
from planner.money.verdict.answer import Answer
from planner.money.verdict.breakeven import plan_utilization
from planner.money.verdict.contender import EvaluatedOption
from planner.money.verdict.decision import CLOSE_GAP
from planner.money.ways import WAYS
from planner.report import words
from planner.report.futures.input_words import input_label
from planner.report.table import Table, text_table
from planner.report.title import GERUNDS
from planner.scenario.budget import FEWER_FUTURES
from planner.study.buy_or_wait import BuyOrWaitFutures, BuyOrWaitUnavailable, Waiting
from planner.study.uncertainty.futures import Futures, percentile_band
from planner.study.uncertainty.sure_verdict import BreakEvenBand, Judged, MedianShift, break_even_band

_STEP = 1  # of 100: a share of futures is no more precise
_YEAR, _QUARTER = 12, 3
_ALWAYS_USED = 0.9  # of the hours: more work can hardly come


def format_futures_count(share: float) -> str:
    """Return a share of futures as 74 of 100; all or none only where it is."""
    return words.format_futures_share(share, _STEP)


def best_cheaper_per_100(answer: Answer) -> float | None:
    """Return in how many of 100 futures the leading group is the cheapest."""
    return None if answer.share_cheaper is None else words.share_per_100(answer.share_cheaper, _STEP)


def first_cheaper_per_100(judged: Judged) -> float | None:
    """Return in how many of 100 futures the first compared option (owning) costs less; None without two."""
    keys, futures = simulated_pair(judged.answer, judged.futures), judged.futures
    return None if keys is None or futures is None else words.share_per_100(futures.share_cheaper(*keys), _STEP)


def simulated_pair(answer: Answer, futures: Futures | None) -> tuple[str, str] | None:
    """Return the keys of the two compared options, where every future has both."""
    if answer.pair is None or futures is None:
        return None
    first, second = (way.option.key for way in answer.pair)
    return None if None in (futures.row(first), futures.row(second)) else (first, second)


def confidence_sentences(answer: Answer) -> tuple[str, ...]:
    """Return in how many futures the answer holds, and which option costs least in the middle, if it is another."""
    shares, best = answer.shares, answer.best
    if answer.share_cheaper is None or shares is None or best is None or not (shares.second or answer.pair):
        return ()
    count, name = format_futures_count(answer.share_cheaper), WAYS[best.option.way].start_text
    if shares.second is not None:
        name = GERUNDS[shares.lead]
    least, named = answer.ranked[0], (best, *answer.alternatives)
    middle = ""
    if least not in named and answer.verdict != "limited":
        middle = f"; {WAYS[least.option.way].start_text} costs least in the median of all"
    return (f"{words.upper_first(name)} is the cheapest in {count} simulated futures{middle}.",)


def limit_probability_sentences(answer: Answer, futures: Futures | None) -> tuple[str, ...]:
    """Return the probability of keeping a deadline and a budget, where there is one."""
    if futures is None:
        return ()
    sentences = []
    if futures.count == FEWER_FUTURES:
        sentences.append(f"So large a plan is counted over {futures.count:,} futures: a share may be off by 1 of 100.")
    if futures.deadline_share is not None:
        sentences.append(f"The deadline is met in {format_futures_count(futures.deadline_share)} futures.")
    best, terms = answer.best, futures.plan.setting.terms
    if best is None or futures.row(best.option.key) is None:
        return tuple(sentences)
    for name, limit, share in (
        ("Day one", terms.cash_on_day_one_usd, futures.upfront_budget_share(best.option.key)),
        ("Every year", terms.cash_per_year_usd, futures.yearly_budget_share(best.option.key)),
    ):
        if share is not None and limit is not None:
            sentences.append(f"{name} stays within {words.usd(limit)} in {format_futures_count(share)} futures.")
    return tuple(sentences)


def simulated_break_even(answer: Answer, futures: Futures | None, name: str) -> BreakEvenBand | None:
    """Return a break-even of the two compared options over the futures; None without either."""
    if futures is None or answer.pair is None:
        return None
    return break_even_band(futures, answer.pair[0].option.key, answer.pair[1].option.key, name)


def cash_range(way: EvaluatedOption, futures: Futures | None) -> str:
    """Return the range of the cash on day one; empty where it is certain."""
    if futures is None or futures.row(way.option.key) is None:
        return ""
    low, high = map(
        words.format_usd_short,
        (futures.cash_today_band(way.option.key).low, futures.cash_today_band(way.option.key).high),
    )
    is_certain = futures.cash_today_band(way.option.key).low == futures.cash_today_band(way.option.key).high
    return "" if is_certain else f"; {low} to {high} in eight of ten futures"


def saving_summary(answer: Answer, futures: Futures) -> str:
    """Return the dots in words: how often owning saves, and the range of its saving."""
    keys = simulated_pair(answer, futures)
    if keys is None or answer.pair is None:
        return "There are no two options to compare."
    saved, (first, other) = (
        percentile_band(futures.saved_usd(*keys)),
        (WAYS[way.option.way].start_text for way in answer.pair),
    )
    low, high = (f"{words.usd(abs(usd))} {'less' if usd >= 0 else 'more'}" for usd in (saved.low, saved.high))
    return (
        f"{first.capitalize()} costs less than {other} in {format_futures_count(futures.share_cheaper(*keys))} "
        f"futures. In eight of ten futures it costs between {low} and {high}."
    )


def futures_table(answer: Answer, futures: Futures) -> Table:
    """Return each option over all futures: how often it is the cheapest, and the range of eight of ten."""
    rows = []
    for way in answer.ranked:
        if futures.row(way.option.key) is None:
            continue
        present, cash = futures.present(way.option.key), futures.cash_today_band(way.option.key)
        rows.append({
            "Option": way.option.title,
            "Cheapest, of 100 futures": words.share_per_100(futures.cheapest_share[way.option.key]),
            f"{words.LOW}, USD": present.low,
            "Median, USD": present.middle,
            f"{words.HIGH}, USD": present.high,
            f"Cash on day one, {words.HIGH}, USD": cash.high,
        })  # fmt: skip
    return Table.of(rows)


def medians_table(answer: Answer, shifts: Sequence[MedianShift]) -> Table:
    """Return the options whose median is not their cost as entered, with the input that moves it most."""
    return Table.of([
        {"Option": shift.title, "As entered, USD": shift.as_entered_usd, "Median, USD": shift.median_usd,
         "Why": _shift_reason(answer, shift)}
        for shift in shifts
    ])  # fmt: skip


def _shift_reason(answer: Answer, shift: MedianShift) -> str:
    name, spread = shift.input.name, shift.input.spread
    up, down = spread.high - spread.typical, spread.typical - spread.low
    side = "up than down" if up > down else "down than up"
    reason = f"{input_label(name)}: its range reaches farther {side}" if up != down else input_label(name)
    if name == BUSY_FACTOR and plan_utilization(answer.plan.setting, 1.0) > _ALWAYS_USED:
        reason = "Use cannot exceed 100 %: it can only fall"
    elif name == "lead_time_months":
        reason = "Delivery may take much longer than is typical, and hardly be sooner"
    return f"{reason}. With that at its typical value the median would be {words.usd(shift.without_usd)}."


def inputs_table(futures: Futures) -> Table:
    """Return every uncertain input with its range and source."""
    columns = ("Input", words.LOW, "Typical", words.HIGH, "Unit", "Kind", "Source", "Why")
    rows = [
        (it.name, it.spread.low, it.spread.typical, it.spread.high, it.unit, it.kind, it.source, it.reason)
        for it in futures.inputs
    ]
    return Table.listed(columns, rows) if rows else Table.of([])


def buy_or_wait_sentences(
    result: Waiting | BuyOrWaitUnavailable, futures: BuyOrWaitFutures | None = None
) -> tuple[str, ...]:
    """Return when to order, the cost and gain of waiting, how often it is cheaper, and the assumptions."""
    if isinstance(result, BuyOrWaitUnavailable):
        return (f"There is nothing to put off: {result.reason}.",)
    change = result.price_change_per_year
    moves = f"{'fall' if change < 0 else 'rise'} {words.percent(abs(change))} a year" if change else "do not change"
    lead = words.count(result.lead_time_months, "month")
    return (
        _headline(result),
        *_frequency_sentences(result, futures),
        *_one_year_later_text(result),
        f"Assumptions: inputs and rents as in the plan, prices of hardware {moves}, and {lead} until delivery.",
        *_fixed_job_text(result),
    )


def _headline(result: Waiting) -> str:
    best, now = result.best_month, words.usd(result.now_usd)
    gap = (result.now_usd - result.best_usd) / result.now_usd if result.now_usd > 0 else 0.0
    saved = f"{words.percent(gap)} less than ordering now ({now})"
    if best is None:
        return f"Do not buy: renting throughout costs {words.usd(result.never_usd)}, {saved}."
    if best == 0:
        return f"If you buy ({result.title.lower()}), buy now: {now} as planned. Every later order costs more."
    order = f"{result.title.lower()}, ordered in month {best}, costs {words.usd(result.best_usd)}, {saved}"
    return f"{'Waiting changes little' if gap < CLOSE_GAP else 'Rent now, buy later'}: {order}."


def _frequency_sentences(result: Waiting, futures: BuyOrWaitFutures | None) -> tuple[str, ...]:
    """Return in how many futures ordering later, or never buying, is cheaper than ordering now."""
    if futures is None:
        return ()
    never = f"never buying in {format_futures_count(futures.never_buy_share)}"
    if len(result.months) == 1:
        return (f"{words.upper_first(never)} simulated futures is cheaper than ordering now.",)
    at = 1 + int(np.argmin(result.present_usd[1:]))  # of the later months, the cheapest
    often = format_futures_count(float(futures.share_cheaper[at]))
    return (f"Cheaper than ordering now: ordering in month {result.months[at]} in {often} simulated futures, {never}.",)


def _one_year_later_text(result: Waiting) -> tuple[str, ...]:
    at = min(_YEAR, len(result.months) - 1)
    if at == 0:
        return ()
    gain, cost = float(result.gain_usd[at]), float(result.cost_usd[at])
    span = "a year" if at == _YEAR else words.count(at, "month")
    machines = f"{'saves' if gain >= 0 else 'costs'} {words.usd(abs(gain))} on the machines"
    rent = f"costs {words.usd(cost)} in rent above running your own"
    if cost < 0:
        rent = f"saves {words.usd(-cost)}, since rent is below running your own"
    return (f"Waiting {span} {machines} and {rent}.",)


def _fixed_job_text(result: Waiting) -> tuple[str, ...]:
    if not result.least_work_years.is_found:
        return ()
    years = words.round_significant(float(np.asarray(result.least_work_years.value)), 2)
    return (
        "A computation of fixed size ends sooner by waiting only if it would take more than "
        f"{words.count(years, 'year')} today.",
    )


def buy_or_wait_table(result: Waiting, futures: BuyOrWaitFutures | None = None) -> Table:
    """Return the cost of the plan by month of the order, and in how many futures that month is cheaper than now."""
    table = {
        "Order in month": result.months,
        "Net present cost, USD": result.present_usd,
        "Worth of waiting, USD": result.value_usd,
        "On the machines, USD": result.gain_usd,
        "Rent meanwhile, USD": result.cost_usd,
    }
    if futures is not None:
        table |= {
            f"{words.LOW}, USD": futures.low_usd,
            f"{words.HIGH}, USD": futures.high_usd,
            f"Worth, {words.LOW}, USD": futures.value_low_usd,
            f"Worth, {words.HIGH}, USD": futures.value_high_usd,
            "Cheaper than now, of 100 futures": [
                words.share_per_100(share) for share in futures.share_cheaper.tolist()
            ],
        }
    return Table.from_columns(table)


def buy_or_wait_text(result: Waiting | BuyOrWaitUnavailable, futures: BuyOrWaitFutures | None) -> str:
    """Return the sentences, and every third month, for a terminal."""
    sentences = " ".join(buy_or_wait_sentences(result, futures))
    if isinstance(result, BuyOrWaitUnavailable):
        return sentences
    few = buy_or_wait_table(result, futures).without("On the machines, USD", "Rent meanwhile, USD")
    return f"{sentences}\n\n{text_table(few.only(month % _QUARTER == 0 for month in few['Order in month']))}"


def buy_or_wait_summary(result: Waiting) -> str:
    """Return the curve of waiting in a sentence."""
    ends = f"now {words.usd(result.now_usd)}, in month {result.months[-1]} {words.usd(float(result.present_usd[-1]))}"
    return f"{_headline(result)} By month of the order: {ends}; never {words.usd(result.never_usd)}."
