"""How sure the answer is, in words and tables: counted futures, ranges, chances of keeping a promise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner.money.answer import Answer, Weighed
from planner.report import words
from planner.report.table import Table
from planner.report.ways import doing
from planner.study.futures import Band, Futures, band
from planner.study.futures_breakeven import Turning, turning
from planner.study.verdict import Judged, rounded

_HUNDRED = 100


def of_100(found: Answer) -> int:
    """In how many of a hundred futures the best way costs less than the best of the other sides."""
    return round(_HUNDRED * (found.share_cheaper or 0.0))


def owning_of_100(judged: Judged) -> int | None:
    """In how many of a hundred futures owning costs less than renting; None where there are no two such ways."""
    own, rent, drawn = judged.answer.own, judged.answer.rent, judged.futures
    if own is None or rent is None or drawn is None or None in (drawn.row(own.option.key), drawn.row(rent.option.key)):
        return None
    return round(_HUNDRED * rounded(drawn.share_cheaper(own.option.key, rent.option.key)))


def how_sure(found: Answer) -> tuple[str, ...]:
    """In how many futures it came out as the answer says; nothing where none were drawn."""
    if found.share_cheaper is None or found.best is None or found.against is None:
        return ()
    count = of_100(found)
    if count >= _HUNDRED:
        times = "in all simulated futures"
    else:
        times = f"in {count} of 100 simulated futures" if count else "in hardly any of 100 simulated futures"
    best, other = doing(found.best.option.way), doing(found.against.option.way).lower()
    return (f"{best} came out cheaper than {other} {times}.",)


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
    there = _turning(found, drawn, name)
    if there is None:
        return ""
    if there.band is None:
        return "; in no future is there one"
    write = words.percent if name == "busy_share" else words.usd_per_hour
    low, high = write(there.band.low), write(there.band.high)
    return f"; there is one in {share_words(there.share)} futures, in eight of ten of those between {low} and {high}"


def _turning(found: Answer, drawn: Futures | None, name: str) -> Turning | None:
    own, rent = found.own, found.rent
    if drawn is None or own is None or rent is None:
        return None
    return turning(drawn, own.option.key, rent.option.key, name)


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
    own, rent = found.own, found.rent
    if own is None or rent is None or drawn.row(own.option.key) is None or drawn.row(rent.option.key) is None:
        return "There are no two ways to compare."
    keys = own.option.key, rent.option.key
    share, saved = drawn.share_cheaper(*keys), band(drawn.saved_usd(*keys))
    one, other = doing(own.option.way), doing(rent.option.way).lower()
    return (
        f"{one} costs less than {other} in {share_words(share)} futures. In eight of ten futures it "
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
                "Cheapest, of 100 futures": _HUNDRED * drawn.cheapest_share[way.option.key],
                "A tenth are below, USD": present.low,
                "Half are below, USD": present.middle,
                "A tenth are above, USD": present.high,
                "Cash on day one, a tenth above, USD": cash.high,
            }
        )
    return Table.of(rows)


def inputs_table(drawn: Futures) -> Table:
    """Everything that is drawn: its range and who says so."""
    return Table.of(
        [
            {
                "Input": one.name,
                "A tenth below": one.spread.low,
                "Typical": one.spread.typical,
                "A tenth above": one.spread.high,
                "Unit": one.unit,
                "Kind": one.kind,
                "Source": one.source,
                "Why": one.reason,
            }
            for one in drawn.inputs
        ]
    )


def futures_data(found: Answer, drawn: Futures) -> dict[str, Any]:
    """The same for JSON."""
    own, rent = found.own, found.rent
    pair = [one.option.key for one in (own, rent) if one is not None and drawn.row(one.option.key) is not None]
    return {
        "count": drawn.count,
        "seed": drawn.plan.setting.scenario.seed,
        "cheapest_share": drawn.cheapest_share,
        "present_usd": {one.key: _band(drawn.present(one.key)) for one in drawn.options},
        "cash_today_usd": {one.key: _band(drawn.cash(one.key)) for one in drawn.options},
        "own_cheaper_than_rent_share": drawn.share_cheaper(pair[0], pair[1]) if len(pair) == 2 else None,
        "own_saves_usd_dots": drawn.dots(pair[0], pair[1]).tolist() if len(pair) == 2 else [],
        "break_even": {
            name: {
                "share_with_one": there.share,
                **(dict.fromkeys(("p10", "p50", "p90")) if there.band is None else _band(there.band)),
            }
            for name in ("busy_share", "usd_per_accelerator_hour")
            if (there := _turning(found, drawn, name)) is not None
        },
        "deadline_met_share": drawn.deadline_share,
        "within_budget_share": _shares(drawn, drawn.within_budget_share),
        "within_year_share": _shares(drawn, drawn.within_year_share),
        "inputs": [
            {
                "name": one.name, "unit": one.unit, "low": one.spread.low, "typical": one.spread.typical,
                "high": one.spread.high, "kind": one.kind, "source": one.source, "reason": one.reason,
            }
            for one in drawn.inputs
        ],
    }  # fmt: skip


def _shares(drawn: Futures, of: Callable[[str], float | None]) -> dict[str, float]:
    """A share for each option that has one."""
    return {one.key: share for one in drawn.options if (share := of(one.key)) is not None}


def _band(band: Band) -> dict[str, float]:
    return {"p10": band.low, "p50": band.middle, "p90": band.high}


def share_words(share: float) -> str:
    """A share of futures as it is told: 74 of 100."""
    count = round(_HUNDRED * rounded(share))
    return "all" if count >= _HUNDRED else f"{count} of 100"  # in steps of 2: nobody knows it better


def _beside(saved_usd: float) -> str:
    return f"{words.usd(abs(saved_usd))} {'less' if saved_usd >= 0 else 'more'}"
