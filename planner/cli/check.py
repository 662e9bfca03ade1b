"""`check`: published or own runs beside the predictions of the engine."""

import argparse
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from planner.cli.common import add_form_arguments, day, emit


def add(verbs: Any) -> None:
    """Add the verb and its kinds."""
    check = verbs.add_parser("check", help="published results beside those of this engine")
    kinds = check.add_subparsers(required=True, metavar="KIND", parser_class=type(check))
    for kind, about in (
        ("training", "published training runs compared with predictions"),
        ("serving", "the same for serving"),
    ):
        verb = kinds.add_parser(kind, help=about)
        verb.set_defaults(verb=_run_check, kind=kind)
        runs = "your runs (docs/published-runs.md); without it, ours"
        verb.add_argument("runs", type=Path, nargs="?", metavar="RUNS.csv", help=runs)
        verb.add_argument("--day", type=day, default=None, metavar="YYYY-MM-DD", help="written beside factors; today")
        add_form_arguments(verb, csv="write id and predictions of every run")


_FACTORS = "A scenario uses them with these lines, or `plan`, `compare`, `cheapest` and `sweep` with --runs:"


def _run_check(args: argparse.Namespace) -> int:
    """Print every run beside its prediction; of your own runs also their factors together."""
    from planner.cli.inputs import load_runs
    from planner.evidence.checked import skip_counts, summary
    from planner.evidence.constants_file import KINDS, factors_from_rows
    from planner.report import words
    from planner.report.forms import to_plain_data
    from planner.report.speed.runs import check_summary, checked_row, checked_text, own_runs_finding
    from planner.report.table import Table
    from planner.scenario.file import format_part
    from pricing import load_catalogue

    catalogue, runs = load_catalogue(), load_runs(args.kind, args.runs)
    checked = KINDS[args.kind].check(catalogue, runs)
    rows, measured = list(map(checked_row, checked)), tuple[dict[str, Any], ...]()
    note = " Most were fitted: errors on new runs are larger (docs/speed.md).\n"
    if args.runs is not None:
        note, day = "\n", args.day or date.today()
        factors = factors_from_rows(catalogue, args.kind, runs, source=args.runs.name, day=day)
        measured = tuple(factor.model_dump(exclude_defaults=True) for factor in factors.scenario_factors())
        if factors.factors:
            lines = format_part({"measured": measured})
            note = f"\n\n{own_runs_finding(catalogue, factors)}.\n{_FACTORS}\n\n{lines}"
    return emit(
        args,
        table=lambda: Table.from_raw_rows(rows),
        data=lambda: {
            "catalogue_digest": catalogue.digest,
            "catalogue_day": catalogue.day,
            "summary": [to_plain_data(asdict(group)) for group in summary(checked)],
            "skipped": words.counted(skip_counts(checked), "reason", "runs"),
            "runs": rows,
            "measured": measured,
        },
        text=lambda: f"{checked_text(checked)}\n\n{check_summary(checked)}{note}",
        aside=check_summary(checked),
        byte_order_mark=False,  # the table goes back to programs, which do not expect one
    )
