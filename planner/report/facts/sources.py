"""The sources behind every number, how much the catalogue holds, and the figures that are overdue for a check."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, get_args

from planner.report import words
from planner.report.table import Table, text_table
from planner.study.uncertainty.futures import OverdueImpact
from pricing import Catalogue
from pricing.catalogue import cited_sources, figures
from pricing.figure import Kind
from pricing.stale import ALLOWED_DAYS, limit_days, stale

_NEGLIGIBLE = 0.0005  # of a plan
_SECTIONS = {
    "accelerators": "Accelerators",
    "servers": "Servers",
    "hosts": "Machines off the shelf",
    "deliveries": "Delivery",
    "providers": "Providers",
    "offers": "Rental offers",
    "series": "Price histories",
    "sites": "Places",
    "places": "What machines stand in",
    "models": "Model shapes",
    "hosted": "Hosted models' prices",
    "facts": "Other facts",
}


def sources_table(catalogue: Catalogue) -> Table:
    """Return every source: publisher, day read, licence, and how many statements cite it."""
    cited = Counter(source for _, _, source in cited_sources(catalogue))
    return Table.of(
        {
            "Source": source.title,
            "Publisher": source.publisher or "",
            "Cited": cited[key],
            "Read": source.retrieved,
            "Licence": source.licence,
            "Credit": source.attribution or "",
            "Address": source.url if source.url.startswith("http") else None,
        }
        for key, source in sorted(catalogue.sources.items(), key=lambda item: (-cited[item[0]], item[0]))
    )


def required_credits(catalogue: Catalogue) -> list[tuple[str, str, str]]:
    """Return the credit lines that licences require: line, licence, address."""
    sources = catalogue.sources.values()
    return sorted({(str(it.attribution), it.licence, it.url) for it in sources if it.attribution})


def counts_table(catalogue: Catalogue, day: date) -> Table:
    """Return how much the catalogue holds, and how much of it is due for another look."""
    due = Counter(old.placed.section for old in stale(catalogue, day))
    held = Counter(placed.section for placed in figures(catalogue))
    return Table.of(
        {
            "Facts about": label,
            "Records": len(getattr(catalogue, section)),
            "Figures": held[section],
            "Due for another look": due[section],
        }
        for section, label in _SECTIONS.items()
    )


def refresh_limits_text() -> str:
    """Return the age limit of each kind of figure in words."""
    return words.listed(f"{kind.replace('_', ' ')} {days} days" for kind, days in ALLOWED_DAYS.items())


def overdue_rows(catalogue: Catalogue, impacts: Sequence[OverdueImpact], day: date) -> list[dict[str, Any]]:
    """Return one flat record for each overdue figure: those that move the usual plans most first."""
    return [_overdue_row(catalogue, impact, day) for impact in impacts]


def _overdue_row(catalogue: Catalogue, impact: OverdueImpact, day: date) -> dict[str, Any]:
    figure = impact.placed.figure
    source = catalogue.sources[figure.newest.source]
    return {
        "figure": ".".join(impact.placed[:3]),
        "age_days": figure.age_days(day),
        "limit_days": limit_days(figure),
        "moves_share": impact.weight if impact.impact_by_plan else None,
        "moves": [{"plan": plan, "share": share} for plan, share in impact.impact_by_plan.items()],
        "kind": figure.newest.kind,
        "source": source.title,
        "source_url": source.url,
    }


def overdue_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return the rows as a table for a file; the plans become one text."""
    return Table.of({**row, "moves": _moves(row)} for row in rows)


def overdue_text(rows: Sequence[Mapping[str, Any]], day: date) -> str:
    """Return the figures that plans use, then the rest, then the number of each kind."""
    table = Table.of(
        {
            "Moves": _moves(row) or "no preset",
            "Age, days": row["age_days"],
            "Limit": row["limit_days"],
            "Source": row["source"],
            "Figure": row["figure"],
        }
        for row in rows
    )
    kinds = Counter(row["kind"] for row in rows)
    counts = ", ".join(f"{kinds[kind]:,} {kind.replace('_', ' ')}" for kind in get_args(Kind) if kinds[kind])
    used = sum(bool(row["moves"]) for row in rows)
    total = f"{words.count(len(rows), 'figure')} to look at again on {day}: {counts or 'none'}."
    return "\n".join(filter(None, (text_table(table), f"{total} The presets and the default use {used:,}.\n")))


def _moves(row: Mapping[str, Any]) -> str:
    """Return by how much it moves the plan that it moves most, and how many others it moves."""
    moves = sorted((it for it in row["moves"] if it["share"] > _NEGLIGIBLE), key=lambda it: -it["share"])
    if not moves:
        return "hardly anything" if row["moves"] else ""
    others = f", and {len(moves) - 1} more" if moves[1:] else ""
    return f"{words.percent(moves[0]['share'], 1)} of {moves[0]['plan']}{others}"
