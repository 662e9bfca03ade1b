"""The figures that are overdue for a look, as rows: what moves the usual plans most stands first."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, get_args

from planner.report import words
from planner.report.table import Table, text_table
from planner.study.uncertainty.futures import OverdueImpact
from pricing import Catalogue
from pricing.figure import Kind
from pricing.stale import limit_days

_HARDLY = 0.0005  # of a plan: not worth a word


def overdue_rows(catalogue: Catalogue, found: Sequence[OverdueImpact], day: date) -> list[dict[str, Any]]:
    """One flat record for each figure."""
    return [_row(catalogue, one, day) for one in found]


def _row(catalogue: Catalogue, one: OverdueImpact, day: date) -> dict[str, Any]:
    figure = one.placed.figure
    source = catalogue.sources[figure.newest.source]
    return {
        "figure": ".".join(one.placed[:3]),
        "age_days": figure.age_days(day),
        "limit_days": limit_days(figure),
        "moves_share": one.weight if one.moves else None,
        "moves": [{"plan": plan, "share": share} for plan, share in one.moves.items()],
        "kind": figure.newest.kind,
        "source": source.title,
        "source_url": source.url,
    }


def overdue_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """The rows as a table for a file; the plans become one text."""
    return Table.of([{**row, "moves": _moves(row)} for row in rows])


def overdue_text(rows: Sequence[Mapping[str, Any]], day: date) -> str:
    """What the plans use, then the rest, then how many of each kind."""
    lines = [
        {
            "Moves": _moves(row) or "no preset",
            "Age, days": row["age_days"],
            "Limit": row["limit_days"],
            "Source": row["source"],
            "Figure": row["figure"],
        }
        for row in rows
    ]
    counts = ", ".join(
        f"{number:,} {kind.replace('_', ' ')}"
        for kind in get_args(Kind)
        if (number := sum(row["kind"] == kind for row in rows))
    )
    used = sum(bool(row["moves"]) for row in rows)
    total = f"{words.count(len(rows), 'figure')} to look at again on {day}: {counts or 'none'}."
    return "\n".join(
        filter(None, (text_table(Table.of(lines)), f"{total} The presets and the default use {used:,}.\n"))
    )


def _moves(row: Mapping[str, Any]) -> str:
    """By how much it moves the plan that it moves most, and how many others it moves."""
    most = sorted((one for one in row["moves"] if one["share"] > _HARDLY), key=lambda one: -one["share"])
    if not most:
        return "hardly anything" if row["moves"] else ""
    others = f", and {len(most) - 1} more" if most[1:] else ""
    return f"{words.percent(most[0]['share'], 1)} of {most[0]['plan']}{others}"
