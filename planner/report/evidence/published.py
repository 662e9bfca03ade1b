"""Published cases beside ours, as rows and as text for a terminal."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from planner.report.text_table import aligned, cut
from planner.study.cases.check import VERDICTS, Compared, Published, Result, Verdict

_WIDEST = 48
_LARGE, _HUGE = 1e6, 1e15
_HEAD = ("case", "metric", "stated", "ours", "difference", "verdict")
# How many of a verdict there are, in words: one, several.
_COUNTED: dict[Verdict, tuple[str, str]] = {
    "no answer": ("could not be reckoned", "could not be reckoned"),
    "DIFFERS": ("DIFFERS", "DIFFER"),
    "no mapping": ("without a mapping", "without a mapping"),
    "published error": ("published error named", "published errors named"),
    "not comparable": ("not comparable", "not comparable"),
    "reproduced": ("reproduced", "reproduced"),
}


def published_rows(published: Published) -> list[dict[str, Any]]:
    """Every check as plain data, the worst first."""
    return [asdict(row) for row in published.rows]


def published_text(published: Published) -> str:
    """The checks as aligned text, the worst first, and the sum at the end."""
    table = aligned([_HEAD, *(_cells(row) for row in published.rows)], right={2, 3, 4})
    return f"{table}\n\n{summary(published)}"


def summary(published: Published) -> str:
    """How many checks there are of each kind, the worst first."""
    counts = [(published.count(verdict), _COUNTED[verdict]) for verdict in VERDICTS]
    told = ", ".join(f"{count:,} {words[count != 1]}" for count, words in counts if count)
    cases = f"{published.cases:,} {'case' if published.cases == 1 else 'cases'}"
    return f"{cases}, {len(published.rows):,} lines: {told}. In brackets: not stated, recomputed by others."


def _cells(row: Compared) -> tuple[str, ...]:
    stated = shown(row.stated) if row.stated is not None else f"({shown(row.recomputed)})" if row.recomputed else ""
    said = f"{row.verdict}{'; ' if row.verdict == 'reproduced' else ': '}{row.why}" if row.why else row.verdict
    difference = "" if row.rel_diff is None else _difference(row.rel_diff)
    return (row.case, cut(row.metric, _WIDEST), cut(stated, _WIDEST), cut(shown(row.ours), _WIDEST), difference, said)


def shown(number: Result | None) -> str:
    """A number with six digits, or whole where it is large; words as they are."""
    if number is None or isinstance(number, str):
        return number or ""
    return f"{number:,.0f}" if _LARGE <= abs(number) < _HUGE else f"{number:,.6g}"


def _difference(share: float) -> str:
    return f"{share * 100:+,.2f} %" if abs(share) >= 5e-5 else "0 %"
