"""Buy now or wait, in words and as a table."""

import numpy as np

from planner.money.verdict.answer import CLOSE_GAP
from planner.report import words
from planner.report.futures.counted import share_words
from planner.report.table import Table
from planner.report.text_table import text_table
from planner.study.buy_or_wait import NoWaiting, Waiting, WaitingFutures

_YEAR, _QUARTER = 12, 3


def waiting_sentences(found: Waiting | NoWaiting, drawn: WaitingFutures | None = None) -> tuple[str, ...]:
    """When to order, what waiting costs and brings, how often it is cheaper, and what that rests on."""
    if isinstance(found, NoWaiting):
        return (f"There is nothing to put off: {found.reason}.",)
    return (_headline(found), *_how_often(found, drawn), *_a_year(found), _rests_on(found), *_computation(found))


def _how_often(found: Waiting, drawn: WaitingFutures | None) -> tuple[str, ...]:
    """In how many futures ordering later, or never buying, is cheaper than ordering now."""
    if drawn is None:
        return ()
    never = f"never buying in {share_words(drawn.share_never)}"
    if len(found.months) == 1:
        return (f"{never[:1].upper()}{never[1:]} simulated futures is cheaper than ordering now.",)
    at = 1 + int(np.argmin(found.present_usd[1:]))  # of the later months, the one that costs least
    often = share_words(float(drawn.share_cheaper[at]))
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


def _a_year(found: Waiting) -> tuple[str, ...]:
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


def _rests_on(found: Waiting) -> str:
    change = found.price_change_per_year
    moves = (
        "do not change" if change == 0 else f"{'fall' if change < 0 else 'rise'} {words.percent(abs(change))} a year"
    )
    return (
        f"It takes hardware prices to {moves}, {words.count(found.lead_time_months, 'month')} from order to delivery, "
        "and rents as in the plan."
    )


def _computation(found: Waiting) -> tuple[str, ...]:
    least = found.least_work_years
    if not least.found:
        return ()
    years = float(np.asarray(least.value))
    return (
        f"A computation of fixed size ends sooner by waiting for faster machines only if it would take more than "
        f"{words.count(words.significant(years, 2), 'year')} today.",
    )


def waiting_table(found: Waiting, drawn: WaitingFutures | None = None) -> Table:
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
            "Cheaper than now, of 100 futures": [words.of_100(share) for share in drawn.share_cheaper.tolist()],
        }
    return Table.by_column(table)


def waiting_text(found: Waiting | NoWaiting, drawn: WaitingFutures | None) -> str:
    """Waiting as text for a terminal: the sentences, and every third month."""
    said = " ".join(waiting_sentences(found, drawn))
    if isinstance(found, NoWaiting):
        return said
    few = waiting_table(found, drawn).without("On the machines, USD", "Rent meanwhile, USD")
    return f"{said}\n\n{text_table(few.only(month % _QUARTER == 0 for month in few['Order in month']))}"


def waiting_finding(found: Waiting) -> str:
    """The curve of waiting in a sentence."""
    ends = f"now {words.usd(found.now_usd)}, in month {found.months[-1]} {words.usd(float(found.present_usd[-1]))}"
    return f"{_headline(found)} By month of the order: {ends}; never {words.usd(found.never_usd)}."
