"""Predicted beside published as tables: one line for each run for CSV and JSON, groups of runs for a reader."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from planner.evidence.checked import CheckedRun, ErrorSummary, doubted, skipped, summary
from planner.report import words
from planner.report.forms import to_plain_record
from planner.report.table import Table, cut, text_table

_GROUPS = {
    "all": "all runs",
    "kind": "kind",
    "source": "source, worst first",
    "accelerator": "accelerator",
    "precision": "precision",
    "engine": "engine",
    "scale": "accelerators at once",
}
_FEWEST = 3  # runs in a group that is worth a line of text; the JSON has all
_WIDEST = 58


def checked_rows(checked: Sequence[CheckedRun]) -> list[dict[str, Any]]:
    """Each run with what is predicted of it, then the band; None where there is nothing to say."""
    return [_row(one) for one in checked]


def _row(one: CheckedRun) -> dict[str, Any]:
    predicted = {f"predicted_{column}": one.predicted.get(column) for column in one.table.predicts}
    said = {"fits": one.fits, "skipped_reason": one.skipped_reason or "", "guessed": one.guessed}
    band = {
        f"{end}_{rate}": value if rate == one.rate_column else None
        for rate in one.table.rates
        for end, value in (("low", one.low), ("high", one.high))
    }
    return to_plain_record({"id": one.id, **predicted, **said, **band, "look_at_again": one.doubt})


def group_rows(groups: Sequence[ErrorSummary]) -> list[dict[str, Any]]:
    """The groups of the summary as plain data."""
    return [to_plain_record(asdict(group)) for group in groups]


def groups_table(groups: Sequence[ErrorSummary], head: str) -> Table:
    """Groups of runs as a table: how many, how far off, how many near, which way, how many skipped."""
    return Table.of(
        [
            {
                head: cut(group.name, _WIDEST),
                "runs": group.n,
                "median error": _percent(group.median_error),
                "within 20 %": _percent(group.within_20),
                "within 25 %": _percent(group.within_25),
                "predicted/published": f"{group.bias:.2f}" if group.n else "–",
                "skipped": group.skipped,
            }
            for group in groups
        ]
    )


def checked_text(checked: Sequence[CheckedRun]) -> str:
    """How far off our predictions are, group by group, and what was skipped and why."""
    groups = summary(checked)
    sections = []
    for by, head in _GROUPS.items():
        shown = [one for one in groups if one.by == by and (one.n >= _FEWEST or by in ("all", "kind"))]
        if shown:
            sections.append(text_table(groups_table(shown, head)))
    told = [
        f"{len(ids):>6,}  {_single_line(f'{reason} ({words.some(ids)})')}" for reason, ids in skipped(checked).items()
    ]
    if told:
        sections.append("\n".join(["skipped", *told]))
    again = [f"        {_single_line(f'{words.some(ids)}: {why}')}" for why, ids in doubted(checked).items()]
    if again:
        sections.append("\n".join(["look at again", *again]))
    return "\n\n".join(sections)


def _single_line(text: str) -> str:
    """Names come from tables of others: one that holds the end of a line must not begin one of ours."""
    return " ".join(text.split())


def check_summary(checked: Sequence[CheckedRun]) -> str:
    """One sentence: how many runs were predicted, compared, guessed, skipped, and said not to fit."""
    predicted = sum(one.skipped_reason is None for one in checked)
    compared = sum(one.error is not None for one in checked)
    not_fitting = sum(one.fits is False for one in checked)
    guessed = sum(one.guessed for one in checked)
    return (
        f"{words.count(len(checked), 'run')}: {predicted:,} predicted, {compared:,} of them beside a published figure, "
        f"{guessed:,} by a shape guessed from the size, {len(checked) - predicted:,} skipped, "
        f"{not_fitting:,} said not to fit."
    )


def _percent(share: float) -> str:
    return "–" if np.isnan(share) else f"{share * 100:.1f} %"
