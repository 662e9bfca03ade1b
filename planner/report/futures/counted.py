"""How sure the answer is, in words and tables: counted futures, ranges, chances of keeping a promise."""

import numpy as np

from planner.money.verdict.answer import CLOSE_GAP, Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.table import Table, text_table
from planner.study.buy_or_wait import BuyOrWaitFutures, BuyOrWaitUnavailable, Waiting
from planner.study.uncertainty.futures import Futures, band
from planner.study.uncertainty.sure_verdict import STEP, BreakEvenBand, Judged, turning

_STEP = round(100 * STEP)  # of 100: nobody knows a share of futures better


def best_cheaper_per_100(answer: Answer) -> float | None:
    """In how many of a hundred futures the best way costs less than the best of the other sides; None: not drawn."""
    return None if answer.share_cheaper is None else words.share_per_100(answer.share_cheaper, _STEP)


def first_cheaper_per_100(judged: Judged) -> float | None:
    """In how many of a hundred futures the first way compared (owning) costs less; None where there are no two."""
    keys, drawn = simulated_pair(judged.answer, judged.futures), judged.futures
    return None if keys is None or drawn is None else words.share_per_100(drawn.share_cheaper(*keys), _STEP)


def simulated_pair(answer: Answer, futures: Futures | None) -> tuple[str, str] | None:
    """The keys of the two ways that are compared, where both are reckoned in every future."""
    if answer.pair is None or futures is None:
        return None
    first, second = (way.option.key for way in answer.pair)
    return None if None in (futures.row(first), futures.row(second)) else (first, second)


def confidence_sentences(answer: Answer) -> tuple[str, ...]:
    """In how many futures the answer came out as it says; empty where none were drawn."""
    if answer.share_cheaper is None or answer.best is None or answer.against is None:
        return ()
    best, other = WAYS[answer.best.option.way].starting.capitalize(), WAYS[answer.against.option.way].starting
    return (f"{best} came out cheaper than {other} in {format_futures_count(answer.share_cheaper)} simulated futures.",)


def limit_probability_sentences(answer: Answer, futures: Futures | None) -> tuple[str, ...]:
    """How likely a deadline and a budget are kept, where there is one."""
    if futures is None:
        return ()
    told = []
    if futures.deadline_share is not None:
        told.append(f"The deadline is met in {format_futures_count(futures.deadline_share)} futures.")
    best, terms = answer.best, futures.plan.setting.terms
    if best is None or futures.row(best.option.key) is None:
        return tuple(told)
    for what, limit, share in (
        ("Day one", terms.cash_on_day_one_usd, futures.upfront_budget_share(best.option.key)),
        ("Every year", terms.cash_per_year_usd, futures.yearly_budget_share(best.option.key)),
    ):
        if share is not None and limit is not None:
            told.append(f"{what} stays within {words.usd(limit)} in {format_futures_count(share)} futures.")
    return tuple(told)


def break_even_range(answer: Answer, futures: Futures | None, name: str) -> str:
    """The range of a break-even over all futures, in words; empty where nothing was drawn or nothing turns."""
    there = simulated_break_even(answer, futures, name)
    if there is None:
        return ""
    if there.band is None:
        return f"; there is one in none of the {there.count:,} futures that were tried"
    write = words.percent if name == "busy_share" else words.usd_per_hour
    low, high = write(there.band.low), write(there.band.high)
    tried = (
        f"all {there.count:,} futures that were tried"
        if there.share >= 1
        else f"{format_futures_count(there.share)} futures"
    )
    return f"; there is one in {tried}, in eight of ten of those between {low} and {high}"


def simulated_break_even(answer: Answer, futures: Futures | None, name: str) -> BreakEvenBand | None:
    """A break-even of the two ways compared over the futures; None where nothing was drawn or there are no two."""
    if futures is None or answer.pair is None:
        return None
    return turning(futures, answer.pair[0].option.key, answer.pair[1].option.key, name)


def cash_range(way: EvaluatedOption, futures: Futures | None) -> str:
    """The range of the cash on day one, in words."""
    if futures is None or futures.row(way.option.key) is None:
        return ""
    cash = futures.cash(way.option.key)
    if cash.low == cash.high:
        return ""
    return f"; {words.format_usd_short(cash.low)} to {words.format_usd_short(cash.high)} in eight of ten futures"


def saving_summary(answer: Answer, futures: Futures) -> str:
    """What the dots show: how often buying saves, and how much in the middle and at the ends."""
    keys = simulated_pair(answer, futures)
    if keys is None or answer.pair is None:
        return "There are no two ways to compare."
    share, saved = futures.share_cheaper(*keys), band(futures.saved_usd(*keys))
    one, other = (WAYS[way.option.way].starting for way in answer.pair)
    return (
        f"{one.capitalize()} costs less than {other} in {format_futures_count(share)} futures. "
        f"In eight of ten futures it costs between {_beside(saved.low)} and {_beside(saved.high)}."
    )


def futures_table(answer: Answer, futures: Futures) -> Table:
    """Every way in all futures: how often it is the cheapest, and the range that eight of ten lie in."""
    rows = []
    for way in answer.ranked:
        if futures.row(way.option.key) is None:
            continue
        present, cash = futures.present(way.option.key), futures.cash(way.option.key)
        rows.append(
            {
                "Way": way.option.title,
                "Cheapest, of 100 futures": words.share_per_100(futures.cheapest_share[way.option.key]),
                f"{words.LOW}, USD": present.low,
                "Median, USD": present.middle,
                f"{words.HIGH}, USD": present.high,
                f"Cash on day one, {words.HIGH}, USD": cash.high,
            }
        )
    return Table.of(rows)


def inputs_table(futures: Futures) -> Table:
    """Everything that is drawn: its range and who says so."""
    return Table.of(
        [
            {
                "Input": parameter.name,
                words.LOW: parameter.spread.low,
                "Typical": parameter.spread.typical,
                words.HIGH: parameter.spread.high,
                "Unit": parameter.unit,
                "Kind": parameter.kind,
                "Source": parameter.source,
                "Why": parameter.reason,
            }
            for parameter in futures.inputs
        ]
    )


def format_futures_count(share: float) -> str:
    """A share of futures as it is told: 74 of 100; all or none only where it is."""
    return words.format_futures_share(share, _STEP)


def _beside(saved_usd: float) -> str:
    return f"{words.usd(abs(saved_usd))} {'less' if saved_usd >= 0 else 'more'}"


_YEAR, _QUARTER = 12, 3


def buy_or_wait_sentences(
    result: Waiting | BuyOrWaitUnavailable, futures: BuyOrWaitFutures | None = None
) -> tuple[str, ...]:
    """When to order, what waiting costs and brings, how often it is cheaper, and what that rests on."""
    if isinstance(result, BuyOrWaitUnavailable):
        return (f"There is nothing to put off: {result.reason}.",)
    return (
        _headline(result),
        *_frequency_sentences(result, futures),
        *_one_year_later_text(result),
        _assumptions_text(result),
        *_fixed_job_text(result),
    )


def _frequency_sentences(result: Waiting, futures: BuyOrWaitFutures | None) -> tuple[str, ...]:
    """In how many futures ordering later, or never buying, is cheaper than ordering now."""
    if futures is None:
        return ()
    never = f"never buying in {format_futures_count(futures.never_buy_share)}"
    if len(result.months) == 1:
        return (f"{words.upper_first(never)} simulated futures is cheaper than ordering now.",)
    at = 1 + int(np.argmin(result.present_usd[1:]))  # of the later months, the one that costs least
    often = format_futures_count(float(futures.share_cheaper[at]))
    return (f"Cheaper than ordering now: ordering in month {result.months[at]} in {often} simulated futures, {never}.",)


def _headline(result: Waiting) -> str:
    best, now = result.best_month, words.usd(result.now_usd)
    gap = (result.now_usd - result.best_usd) / result.now_usd if result.now_usd > 0 else 0.0
    saved = f"{words.percent(gap)} less than ordering now ({now})"
    if best is None:
        return f"Do not buy: renting all along costs {words.usd(result.never_usd)}, {saved}."
    if best == 0:
        return f"If you buy ({result.title.lower()}), buy now: {now} in today's money. Every later order costs more."
    what = f"{result.title.lower()}, ordered in month {best}, costs {words.usd(result.best_usd)}, {saved}"
    if gap < CLOSE_GAP:
        return f"Waiting changes little: {what}."
    return f"Rent now, buy later: {what}."


def _one_year_later_text(result: Waiting) -> tuple[str, ...]:
    """What a year of waiting brings and costs."""
    at = min(_YEAR, len(result.months) - 1)
    if at == 0:
        return ()
    gain, cost = float(result.gain_usd[at]), float(result.cost_usd[at])
    span = "a year" if at == _YEAR else words.count(at, "month")
    brings = f"brings {words.usd(gain)} on the machines" if gain >= 0 else f"costs {words.usd(-gain)} on the machines"
    costs = f"costs {words.usd(cost)} in rent above running one's own" if cost >= 0 else (
        f"saves {words.usd(-cost)}, rent being less than running one's own"
    )  # fmt: skip
    return (f"Waiting {span} {brings} and {costs}.",)


def _assumptions_text(result: Waiting) -> str:
    change = result.price_change_per_year
    moves = (
        "do not change" if change == 0 else f"{'fall' if change < 0 else 'rise'} {words.percent(abs(change))} a year"
    )
    return (
        f"It takes hardware prices to {moves}, {words.count(result.lead_time_months, 'month')} from order to delivery, "
        "and rents as in the plan."
    )


def _fixed_job_text(result: Waiting) -> tuple[str, ...]:
    least = result.least_work_years
    if not least.is_found:
        return ()
    years = float(np.asarray(least.value))
    return (
        f"A computation of fixed size ends sooner by waiting for faster machines only if it would take more than "
        f"{words.count(words.round_significant(years, 2), 'year')} today.",
    )


def buy_or_wait_table(result: Waiting, futures: BuyOrWaitFutures | None = None) -> Table:
    """What the plan costs by month of the order, and in how many futures that month is cheaper than now."""
    table = {
        "Order in month": result.months,
        "Today's money, USD": result.present_usd,
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
    """Waiting as text for a terminal: the sentences, and every third month."""
    said = " ".join(buy_or_wait_sentences(result, futures))
    if isinstance(result, BuyOrWaitUnavailable):
        return said
    few = buy_or_wait_table(result, futures).without("On the machines, USD", "Rent meanwhile, USD")
    return f"{said}\n\n{text_table(few.only(month % _QUARTER == 0 for month in few['Order in month']))}"


def buy_or_wait_summary(result: Waiting) -> str:
    """The curve of waiting in a sentence."""
    ends = f"now {words.usd(result.now_usd)}, in month {result.months[-1]} {words.usd(float(result.present_usd[-1]))}"
    return f"{_headline(result)} By month of the order: {ends}; never {words.usd(result.never_usd)}."
