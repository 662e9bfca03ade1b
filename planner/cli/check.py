"""`check`: what was published, or measured by a user, beside what the engine gives."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.arguments import day
from planner.cli.common import UsageError, emit

if TYPE_CHECKING:
    from planner.evidence.checked import FactorTable
    from pricing import Catalogue


def add(verbs: Any) -> None:
    """The verb and its kinds."""
    check = verbs.add_parser("check", help="what was published beside what this engine gives")
    kinds = check.add_subparsers(required=True, metavar="KIND", parser_class=type(check))
    for kind in _PARSERS:
        kind(kinds)


def _add_training(kinds: Any) -> None:
    """`check training`."""
    _add_runs(kinds, "training", "how fast published training runs were, and how fast we say they are")


def _add_serving(kinds: Any) -> None:
    """`check serving`."""
    _add_runs(kinds, "serving", "the same for serving")


def _add_runs(kinds: Any, kind: str, about: str) -> None:
    verb = kinds.add_parser(kind, help=about)
    verb.set_defaults(verb=_runs, kind=kind)
    verb.add_argument(
        "runs",
        type=Path,
        nargs="?",
        metavar="RUNS.csv",
        help="your runs (docs/published-runs.md); without it, ours",
    )
    verb.add_argument("--day", type=day, default=None, metavar="YYYY-MM-DD", help="written beside factors; today")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write id and predictions of every run")


def _add_tco(kinds: Any) -> None:
    """`check tco`: the cases are tests now."""
    verb = kinds.add_parser("tco", help="published comparisons of buying and renting: where they stand now")
    verb.set_defaults(verb=_run_tco)
    verb.add_argument("--json", action="store_true", help="the same sentence")


_PARSERS: tuple[Callable[[Any], None], ...] = (_add_training, _add_serving, _add_tco)


def _run_tco(args: argparse.Namespace) -> int:
    """Refuse with the place of the published cases."""
    raise UsageError(
        "check tco: the published cases are tests now. docs/published-cases.md lists each with its verdict; "
        "`python -m pytest tests/published` runs them."
    )


def _runs(args: argparse.Namespace) -> int:
    """Every run beside what is predicted of it."""
    from planner.cli.runs import load_runs
    from planner.evidence.checked import skip_counts, summary
    from planner.evidence.constants_file import KINDS
    from planner.report import words
    from planner.report.speed.runs import check_summary, checked_rows, checked_text, group_rows, own_runs_finding
    from planner.report.table import Table
    from planner.scenario.file import format_part
    from pricing import load_catalogue

    catalogue = load_catalogue()
    checked = KINDS[args.kind].check(catalogue, load_runs(args.kind, args.runs))
    rows, found = checked_rows(checked), _factors(catalogue, args)
    said = tuple(one.model_dump(exclude_defaults=True) for one in (found.scenario_factors() if found else ()))
    flattered = "" if args.runs else " Most were fitted: errors on new runs are larger (docs/speed.md)."
    yours = ""
    if found is not None and found.factors:
        yours = f"\n{own_runs_finding(catalogue, found)}.\n{_FOR_A_SCENARIO}\n\n{format_part({'measured': said})}"
    return emit(
        args,
        table=lambda: Table.from_raw_rows(rows),
        data=lambda: {
            "catalogue_digest": catalogue.digest,
            "catalogue_day": catalogue.day,
            "summary": group_rows(summary(checked)),
            "skipped": words.counted(skip_counts(checked), "reason", "runs"),
            "runs": rows,
            "measured": said,
        },
        text=lambda: f"{checked_text(checked)}\n\n{check_summary(checked)}{flattered}\n{yours}",
        aside=check_summary(checked),
        byte_order_mark=False,  # the table goes back to programs, which do not expect one
    )


_FOR_A_SCENARIO = "A scenario goes by them with these lines, or `plan`, `compare`, `cheapest` and `sweep` with --runs:"


def _factors(catalogue: Catalogue, args: argparse.Namespace) -> FactorTable | None:
    """What a table of somebody's own runs says together; None for ours, which the constants were fitted to."""
    from planner.cli.runs import load_runs
    from planner.evidence.constants_file import factors_from_rows

    if args.runs is None:
        return None
    rows = load_runs(args.kind, args.runs)
    return factors_from_rows(catalogue, args.kind, rows, source=args.runs.name, day=args.day or date.today())
