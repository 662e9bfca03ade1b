"""How sure the answer is, in words and tables: counted futures, ranges, chances of keeping a promise."""

from planner.money.verdict.answer import Answer
from planner.money.verdict.weighed import Weighed
from planner.money.ways import WAYS
from planner.report import words
from planner.report.table import Table
from planner.study.uncertainty.drawn_breakeven import Turning, turning
from planner.study.uncertainty.futures import Futures, band
from planner.study.uncertainty.sure_verdict import STEP, Judged

_STEP = round(100 * STEP)  # of 100: nobody knows a share of futures better


def best_of_100(found: Answer) -> float | None:
    """In how many of a hundred futures the best way costs less than the best of the other sides; None: not drawn."""
    return None if found.share_cheaper is None else words.of_100(found.share_cheaper, _STEP)


def first_of_100(judged: Judged) -> float | None:
    """In how many of a hundred futures the first way compared (owning) costs less; None where there are no two."""
    keys, drawn = drawn_pair(judged.answer, judged.futures), judged.futures
    return None if keys is None or drawn is None else words.of_100(drawn.share_cheaper(*keys), _STEP)


def drawn_pair(found: Answer, drawn: Futures | None) -> tuple[str, str] | None:
    """The keys of the two ways that are compared, where both are reckoned in every future."""
    if found.pair is None or drawn is None:
        return None
    first, second = (one.option.key for one in found.pair)
    return None if None in (drawn.row(first), drawn.row(second)) else (first, second)


def how_sure(found: Answer) -> tuple[str, ...]:
    """In how many futures the answer came out as it says; empty where none were drawn."""
    if found.share_cheaper is None or found.best is None or found.against is None:
        return ()
    best, other = WAYS[found.best.option.way].starting.capitalize(), WAYS[found.against.option.way].starting
    return (f"{best} came out cheaper than {other} in {share_words(found.share_cheaper)} simulated futures.",)


def chances(found: Answer, drawn: Futures | None) -> tuple[str, ...]:
    """How likely a deadline and a budget are kept, where there is one."""
    if drawn is None:
        return ()
    told = []
    if drawn.deadline_share is not None:
        told.append(f"The deadline is met in {share_words(drawn.deadline_share)} futures.")
    best, terms = found.best, drawn.plan.setting.terms
    if best is None or drawn.row(best.option.key) is None:
        return tuple(told)
    for what, limit, share in (
        ("Day one", terms.cash_on_day_one_usd, drawn.within_budget_share(best.option.key)),
        ("Every year", terms.cash_per_year_usd, drawn.within_year_share(best.option.key)),
    ):
        if share is not None and limit is not None:
            told.append(f"{what} stays within {words.usd(limit)} in {share_words(share)} futures.")
    return tuple(told)


def break_even_range(found: Answer, drawn: Futures | None, name: str) -> str:
    """The range of a break-even over all futures, in words; empty where nothing was drawn or nothing turns."""
    there = turning_of(found, drawn, name)
    if there is None:
        return ""
    if there.band is None:
        return f"; there is one in none of the {there.count:,} futures that were tried"
    write = words.percent if name == "busy_share" else words.usd_per_hour
    low, high = write(there.band.low), write(there.band.high)
    tried = (
        f"all {there.count:,} futures that were tried" if there.share >= 1 else f"{share_words(there.share)} futures"
    )
    return f"; there is one in {tried}, in eight of ten of those between {low} and {high}"


def turning_of(found: Answer, drawn: Futures | None, name: str) -> Turning | None:
    """A break-even of the two ways compared over the futures; None where nothing was drawn or there are no two."""
    if drawn is None or found.pair is None:
        return None
    return turning(drawn, found.pair[0].option.key, found.pair[1].option.key, name)


def cash_range(way: Weighed, drawn: Futures | None) -> str:
    """The range of the cash on day one, in words."""
    if drawn is None or drawn.row(way.option.key) is None:
        return ""
    cash = drawn.cash(way.option.key)
    if cash.low == cash.high:
        return ""
    return f"; {words.usd_short(cash.low)} to {words.usd_short(cash.high)} in eight of ten futures"


def saving_finding(found: Answer, drawn: Futures) -> str:
    """What the dots show: how often buying saves, and how much in the middle and at the ends."""
    keys = drawn_pair(found, drawn)
    if keys is None or found.pair is None:
        return "There are no two ways to compare."
    share, saved = drawn.share_cheaper(*keys), band(drawn.saved_usd(*keys))
    one, other = (WAYS[way.option.way].starting for way in found.pair)
    return (
        f"{one.capitalize()} costs less than {other} in {share_words(share)} futures. In eight of ten futures it "
        f"costs between {_beside(saved.low)} and {_beside(saved.high)}."
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
                "Cheapest, of 100 futures": words.of_100(drawn.cheapest_share[way.option.key]),
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


def share_words(share: float) -> str:
    """A share of futures as it is told: 74 of 100; all or none only where it is."""
    return words.times_of_100(share, _STEP)


def _beside(saved_usd: float) -> str:
    return f"{words.usd(abs(saved_usd))} {'less' if saved_usd >= 0 else 'more'}"
