"""Several fine-tuning jobs on one accelerator, in words, as a table and as data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from planner.money.renting.job_hour import Hired
from planner.report import words
from planner.report.forms import bullets, hired_words, in_sections, plain_data, usd_data
from planner.report.table import Table
from planner.report.text_table import text_table
from planner.scenario.durations import hours_words
from planner.speed.training.packing import Together
from planner.speed.training.result import Range

_WAYS = {"in_turn": "one after the other", "shared_base": "side by side on one base"}


def way_words(found: Together) -> str:
    """One after the other; side by side on one base; slices 1g.10gb."""
    return f"slices {found.profile}" if found.profile else _WAYS[found.way]


def together_text(ways: tuple[Together, ...], cost: Hired | None) -> str:
    """A sentence for the cheapest way, all ways side by side, and what is assumed; empty where one does not fit."""
    if not ways or ways[0].pace is None:
        return ""
    offer = "" if cost is None else f"A run is paid at {hired_words(cost)}; the accelerator is rented whole."
    parts = (_sentence(ways, cost), text_table(together_table(ways, cost)), offer, bullets(_notes(ways)))
    return "\n" + in_sections([("Several at once", "\n\n".join(part for part in parts if part))])


def together_table(ways: tuple[Together, ...], cost: Hired | None) -> Table:
    """One row for each way that fits: how many at once, how fast, hours of one run and what it pays."""
    return Table.as_they_are([_row(way, cost) for way in ways if way.pace is not None])


def together_data(ways: tuple[Together, ...], cost: Hired | None) -> list[dict[str, Any]]:
    """Every way as data; what a run costs is in `usd_per_run`."""
    paid = [usd_data(None if way.pace is None else way.pace.accelerator_hours_per_run, cost) for way in ways]
    return [
        {**plain_data(asdict(way)), "words": way_words(way), "usd_per_run": usd}
        for way, usd in zip(ways, paid, strict=True)
    ]


def _row(way: Together, cost: Hired | None) -> dict[str, Any]:
    pace = way.pace
    assert pace is not None  # only ways that fit have a row
    hours = pace.accelerator_hours_per_run
    return {
        "way": way_words(way),
        "at once": way.at_once,
        "GB": f"{way.needs_gb:,.1f} of {way.memory_gb:,.1f}",
        "tokens/s each": pace.tokens_per_s_each.typical,
        "tokens/s all": _ends(pace.tokens_per_s_all),
        "h a run takes": pace.hours_each.typical,
        "h a run pays": _ends(hours),
        "USD a run": None if cost is None else _ends(hours, cost.usd_per_accelerator_hour),
    }


def _ends(range_: Range, times: float = 1.0) -> str:
    low, typical, high = (f"{words.significant(end * times):,g}" for end in (range_.low, range_.typical, range_.high))
    return f"{typical} ({low} to {high})"


def _sentence(ways: tuple[Together, ...], cost: Hired | None) -> str:
    """Which way is the cheapest for each run, against one after the other."""
    alone = ways[0].pace
    assert alone is not None  # the caller looked
    fitting = [(way, way.pace.accelerator_hours_per_run.typical) for way in ways if way.pace is not None]
    best, hours = min(fitting, key=lambda one: one[1])
    turn = alone.accelerator_hours_per_run.typical
    paid = "" if cost is None else f", {words.usd(hours * cost.usd_per_accelerator_hour)}"
    if best.way == "in_turn":
        return f"One after the other is the cheapest: a run takes and pays {hours_words(hours)}{paid}."
    # A gain that lies within what is assumed of the loss is none.
    sure = best.pace is not None and best.pace.accelerator_hours_per_run.high < turn
    doubt = "" if sure else ", but the ranges overlap"
    return (
        f"{way_words(best).capitalize()}, {best.at_once} at once, is the cheapest: a run pays "
        f"{hours_words(hours)} of the accelerator{paid} (one after the other "
        f"{hours_words(turn)}){doubt}."
    )


def _notes(ways: tuple[Together, ...]) -> list[str]:
    """What is assumed of each kind of way, once; and which ways do not fit."""
    assumed = {("slices" if way.profile else way_words(way)): way.assumed for way in ways if way.pace is not None}
    notes = [f"Assumed, {name}: {what}." for name, what in assumed.items()]
    return notes + [f"{way_words(way).capitalize()}: {way.reason}." for way in ways if way.reason is not None]
