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


def best_cheaper_per_100(found: Answer) -> float | None:
    """In how many of a hundred futures the best way costs less than the best of the other sides; None: not drawn."""
    return None if found.share_cheaper is None else words.share_per_100(found.share_cheaper, _STEP)


def first_cheaper_per_100(judged: Judged) -> float | None:
    """In how many of a hundred futures the first way compared (owning) costs less; None where there are no two."""
    keys, drawn = simulated_pair(judged.answer, judged.futures), judged.futures
    return None if keys is None or drawn is None else words.share_per_100(drawn.share_cheaper(*keys), _STEP)


def simulated_pair(found: Answer, drawn: Futures | None) -> tuple[str, str] | None:
    """The keys of the two ways that are compared, where both are reckoned in every future."""
    if found.pair is None or drawn is None:
        return None
    first, second = (one.option.key for one in found.pair)
    return None if None in (drawn.row(first), drawn.row(second)) else (first, second)


def confidence_sentences(found: Answer) -> tuple[str, ...]:
    """In how many futures the answer came out as it says; empty where none were drawn."""
    if found.share_cheaper is None or found.best is None or found.against is None:
        return ()
    best, other = WAYS[found.best.option.way].starting.capitalize(), WAYS[found.against.option.way].starting
    return (f"{best} came out cheaper than {other} in {format_futures_count(found.share_cheaper)} simulated futures.",)


def limit_probability_sentences(found: Answer, drawn: Futures | None) -> tuple[str, ...]:
    """How likely a deadline and a budget are kept, where there is one."""
    if drawn is None:
        return ()
    told = []
    if drawn.deadline_share is not None:
        told.append(f"The deadline is met in {format_futures_count(drawn.deadline_share)} futures.")
    best, terms = found.best, drawn.plan.setting.terms
    if best is None or drawn.row(best.option.key) is None:
        return tuple(told)
    for what, limit, share in (
        ("Day one", terms.cash_on_day_one_usd, drawn.upfront_budget_share(best.option.key)),
        ("Every year", terms.cash_per_year_usd, drawn.yearly_budget_share(best.option.key)),
    ):
        if share is not None and limit is not None:
            told.append(f"{what} stays within {words.usd(limit)} in {format_futures_count(share)} futures.")
    return tuple(told)


def break_even_range(found: Answer, drawn: Futures | None, name: str) -> str:
    """The range of a break-even over all futures, in words; empty where nothing was drawn or nothing turns."""
    there = simulated_break_even(found, drawn, name)
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


def simulated_break_even(found: Answer, drawn: Futures | None, name: str) -> BreakEvenBand | None:
    """A break-even of the two ways compared over the futures; None where nothing was drawn or there are no two."""
    if drawn is None or found.pair is None:
        return None
    return turning(drawn, found.pair[0].option.key, found.pair[1].option.key, name)


def cash_range(way: EvaluatedOption, drawn: Futures | None) -> str:
    """The range of the cash on day one, in words."""
    if drawn is None or drawn.row(way.option.key) is None:
        return ""
    cash = drawn.cash(way.option.key)
    if cash.low == cash.high:
        return ""
    return f"; {words.format_usd_short(cash.low)} to {words.format_usd_short(cash.high)} in eight of ten futures"


def saving_summary(found: Answer, drawn: Futures) -> str:
    """What the dots show: how often buying saves, and how much in the middle and at the ends."""
    keys = simulated_pair(found, drawn)
    if keys is None or found.pair is None:
        return "There are no two ways to compare."
    share, saved = drawn.share_cheaper(*keys), band(drawn.saved_usd(*keys))
    one, other = (WAYS[way.option.way].starting for way in found.pair)
    return (
        f"{one.capitalize()} costs less than {other} in {format_futures_count(share)} futures. "
        f"In eight of ten futures it costs between {_beside(saved.low)} and {_beside(saved.high)}."
    )


def futures_table(found: Answer, drawn: Futures) -> Table:
    """Every way in all futures: how often it is the cheapest, and the range that eight of ten lie in."""
    rows = []
    for way in found.ranked:
        if drawn.row(way.option.key) is None:
            continue
        present, cash = drawn.present(way.option.key), drawn.cash(way.option.key)
        rows.append(
            {
                "Way": way.option.title,
                "Cheapest, of 100 futures": words.share_per_100(drawn.cheapest_share[way.option.key]),
                f"{words.LOW}, USD": present.low,
                "Median, USD": present.middle,
                f"{words.HIGH}, USD": present.high,
                f"Cash on day one, {words.HIGH}, USD": cash.high,
            }
        )
    return Table.of(rows)


def inputs_table(drawn: Futures) -> Table:
    """Everything that is drawn: its range and who says so."""
    return Table.of(
        [
            {
                "Input": one.name,
                words.LOW: one.spread.low,
                "Typical": one.spread.typical,
                words.HIGH: one.spread.high,
                "Unit": one.unit,
                "Kind": one.kind,
                "Source": one.source,
                "Why": one.reason,
            }
            for one in drawn.inputs
        ]
    )


def format_futures_count(share: float) -> str:
    """A share of futures as it is told: 74 of 100; all or none only where it is."""
    return words.format_futures_share(share, _STEP)


def _beside(saved_usd: float) -> str:
    return f"{words.usd(abs(saved_usd))} {'less' if saved_usd >= 0 else 'more'}"


_YEAR, _QUARTER = 12, 3


def buy_or_wait_sentences(
    found: Waiting | BuyOrWaitUnavailable, drawn: BuyOrWaitFutures | None = None
) -> tuple[str, ...]:
    """When to order, what waiting costs and brings, how often it is cheaper, and what that rests on."""
    if isinstance(found, BuyOrWaitUnavailable):
        return (f"There is nothing to put off: {found.reason}.",)
    return (
        _headline(found),
        *_frequency_sentences(found, drawn),
        *_one_year_later_text(found),
        _assumptions_text(found),
        *_fixed_job_text(found),
    )


def _frequency_sentences(found: Waiting, drawn: BuyOrWaitFutures | None) -> tuple[str, ...]:
    """In how many futures ordering later, or never buying, is cheaper than ordering now."""
    if drawn is None:
        return ()
    never = f"never buying in {format_futures_count(drawn.share_never)}"
    if len(found.months) == 1:
        return (f"{never[:1].upper()}{never[1:]} simulated futures is cheaper than ordering now.",)
    at = 1 + int(np.argmin(found.present_usd[1:]))  # of the later months, the one that costs least
    often = format_futures_count(float(drawn.share_cheaper[at]))
    return (f"Cheaper than ordering now: ordering in month {found.months[at]} in {often} simulated futures, {never}.",)


def _headline(found: Waiting) -> str:
    best, now = found.best_month, words.usd(found.now_usd)
    gap = (found.now_usd - found.best_usd) / found.now_usd if found.now_usd > 0 else 0.0
    saved = f"{words.percent(gap)} less than ordering now ({now})"
    if best is None:
        return f"Do not buy: renting all along costs {words.usd(found.never_usd)}, {saved}."
    if best == 0:
        return f"If you buy ({found.title.lower()}), buy now: {now} in today's money. Every later order costs more."
    what = f"{found.title.lower()}, ordered in month {best}, costs {words.usd(found.best_usd)}, {saved}"
    if gap < CLOSE_GAP:
        return f"Waiting changes little: {what}."
    return f"Rent now, buy later: {what}."


def _one_year_later_text(found: Waiting) -> tuple[str, ...]:
    """What a year of waiting brings and costs."""
    at = min(_YEAR, len(found.months) - 1)
    if at == 0:
        return ()
    gain, cost = float(found.gain_usd[at]), float(found.cost_usd[at])
    span = "a year" if at == _YEAR else words.count(at, "month")
    brings = f"brings {words.usd(gain)} on the machines" if gain >= 0 else f"costs {words.usd(-gain)} on the machines"
    costs = f"costs {words.usd(cost)} in rent above running one's own" if cost >= 0 else (
        f"saves {words.usd(-cost)}, rent being less than running one's own"
    )  # fmt: skip
    return (f"Waiting {span} {brings} and {costs}.",)


def _assumptions_text(found: Waiting) -> str:
    change = found.price_change_per_year
    moves = (
        "do not change" if change == 0 else f"{'fall' if change < 0 else 'rise'} {words.percent(abs(change))} a year"
    )
    return (
        f"It takes hardware prices to {moves}, {words.count(found.lead_time_months, 'month')} from order to delivery, "
        "and rents as in the plan."
    )


def _fixed_job_text(found: Waiting) -> tuple[str, ...]:
    least = found.least_work_years
    if not least.found:
        return ()
    years = float(np.asarray(least.value))
    return (
        f"A computation of fixed size ends sooner by waiting for faster machines only if it would take more than "
        f"{words.count(words.round_significant(years, 2), 'year')} today.",
    )


def buy_or_wait_table(found: Waiting, drawn: BuyOrWaitFutures | None = None) -> Table:
    """What the plan costs by month of the order, and in how many futures that month is cheaper than now."""
    table = {
        "Order in month": found.months,
        "Today's money, USD": found.present_usd,
        "Worth of waiting, USD": found.value_usd,
        "On the machines, USD": found.gain_usd,
        "Rent meanwhile, USD": found.cost_usd,
    }
    if drawn is not None:
        table |= {
            f"{words.LOW}, USD": drawn.low_usd,
            f"{words.HIGH}, USD": drawn.high_usd,
            f"Worth, {words.LOW}, USD": drawn.value_low_usd,
            f"Worth, {words.HIGH}, USD": drawn.value_high_usd,
            "Cheaper than now, of 100 futures": [words.share_per_100(share) for share in drawn.share_cheaper.tolist()],
        }
    return Table.from_columns(table)


def buy_or_wait_text(found: Waiting | BuyOrWaitUnavailable, drawn: BuyOrWaitFutures | None) -> str:
    """Waiting as text for a terminal: the sentences, and every third month."""
    said = " ".join(buy_or_wait_sentences(found, drawn))
    if isinstance(found, BuyOrWaitUnavailable):
        return said
    few = buy_or_wait_table(found, drawn).without("On the machines, USD", "Rent meanwhile, USD")
    return f"{said}\n\n{text_table(few.only(month % _QUARTER == 0 for month in few['Order in month']))}"


def buy_or_wait_summary(found: Waiting) -> str:
    """The curve of waiting in a sentence."""
    ends = f"now {words.usd(found.now_usd)}, in month {found.months[-1]} {words.usd(float(found.present_usd[-1]))}"
    return f"{_headline(found)} By month of the order: {ends}; never {words.usd(found.never_usd)}."
