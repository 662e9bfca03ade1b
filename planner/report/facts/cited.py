"""What a chart rests on: each figure that somebody says, once, with who says so, its day and its link."""

from collections.abc import Iterable, Iterator

import numpy as np

from planner.money.ledger import Ledger, Origin, Used
from planner.report.answer.line_words import input_value, inputs_of
from planner.report.futures.input_words import called
from planner.report.table import Table

HEADS = ("Figure", "Value", "Said by", "Kind", "Day", "Link")
_NOBODY = ("computed", "convention", "input")  # follows from the rest, or is what the plan says


def cited_table(ledgers: Iterable[Ledger]) -> Table:
    """The figures of these ledgers: those with a link first, then what is assumed, entered or quoted."""
    rows = [
        {
            "Figure": called(used.name),
            "Value": input_value(used),
            "Said by": origin.said_by,
            "Kind": origin.kind.replace("_", " "),
            "Day": origin.checked or origin.since,
            "Link": _link(origin.url),
        }
        for used, origin in _said(ledgers)
    ]
    return Table.of(sorted(rows, key=lambda row: (row["Link"] is None, row["Figure"])), HEADS)


def _said(ledgers: Iterable[Ledger]) -> Iterator[tuple[Used, Origin]]:
    told = set[tuple[str, bytes, str]]()
    for used in (used for ledger in ledgers for line in ledger.lines for used in inputs_of(line)):
        origin = used.origin if isinstance(used.origin, Origin) else used.origin(0)
        mark = (used.name, np.asarray(used.value, dtype=np.float64).tobytes(), origin.said_by)
        if origin.kind not in _NOBODY and mark not in told:
            told.add(mark)
            yield used, origin


def _link(url: str | None) -> str | None:
    """An address that a browser may open."""
    return url if url and url.startswith(("http://", "https://")) else None
