"""`plan`: one scenario, every option to supply it, and the answer."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.common import OK, UsageError, add_catalog_arguments, to_versioned_json, write_file
from planner.cli.terminal import tell
from planner.report.files.csv_style import DECIMALS, ENCODINGS, SEPARATORS, CsvStyle

if TYPE_CHECKING:
    from planner.api.records import LoadedScenario, Result
    from planner.report.answer.plan_report import PlanReport


_STUDIES = "what carries the answer, to buy now or wait, and the answer in other numbers"
_FILES = {
    "--csv": "write every payment, month by month",
    "--csv-assumptions": "write every assumption with its source",
    "--memo": "write the answer on two pages, as .pdf or .md",
    "--csv-results": "write the measures of each option",
    "--csv-profit": "write profit and loss by year of every option",
    "--accounting": "write cash, profit and loss, and leases (IFRS 16, ASC 842) of every option by month and period",
    "--focus": "write the charges as FOCUS rows, marked as a forecast: CSV, or Parquet where FILE ends in .parquet",
    "--xlsx": "write a workbook: every line of every option as a formula of its inputs, returns, checks, sources",
    "--pack": "write a zip for finance: cash flow, formulas, assumptions by month, profit and loss, results, the plan",
    "--actuals": "set a bill in FOCUS (CSV, Parquet) beside the plan: variances, and what the plan comes to",
    "--rest": "write the months after the bill as a plan of their own, with work and prices as billed: YAML",
}


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("plan", help="rent, buy, or both: ledgers, answer, break-evens of a scenario")
    verb.set_defaults(verb=run)
    verb.add_argument(
        "scenario",
        metavar="SCENARIO",
        help="a YAML file (docs/scenario.md), a pack or its plan.csv, or the name of a preset",
    )
    add_catalog_arguments(verb)
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--full", action="store_true", help=f"print {_STUDIES} too")
    for flag, what in _FILES.items():
        verb.add_argument(flag, type=Path, metavar="FILE", help=what)
    change = "take fields of the plan from a CSV: its assumptions with a few rows plan.… (docs/plans.md)"
    verb.add_argument("--change", type=Path, metavar="FILE", help=change)
    verb.add_argument("--focus-version", choices=("1.2", "1.4"), default="1.4", help="of FOCUS (default: 1.4)")
    machines = "that a machine of the bill has which is billed by the hour (default: as the plan rents them)"
    verb.add_argument("--gpus-per-machine", type=int, metavar="N", help=machines)
    verb.add_argument("--csv-separator", choices=tuple(SEPARATORS), default="comma", help="of CSV files (comma)")
    verb.add_argument("--csv-decimal", choices=tuple(DECIMALS), default="point", help="of CSV files (point)")
    verb.add_argument("--csv-encoding", choices=ENCODINGS, default=ENCODINGS[0], help=f"of CSV files ({ENCODINGS[0]})")


def run(args: argparse.Namespace) -> int:
    """Load the scenario before the engine, then print the plan."""
    from planner.cli.inputs import load_scenario

    loaded = load_scenario(args.scenario, args)
    from planner.api.plans import evaluate, plan_result, with_studies

    report = evaluate(loaded)
    report = with_studies(report) if args.full or args.json else report  # they take as long as all else
    _write_csv_files(report, args)
    if args.focus:
        from planner.report.files.focus import focus_bytes, focus_table

        write_file(args.focus, focus_bytes(focus_table(report.plan, args.focus_version), args.focus.suffix))
    if args.xlsx:
        from planner.report.files.workbook import workbook

        summary = report.summary
        write_file(args.xlsx, workbook(report.plan, report.answer, report.futures, (summary.title, *summary.sentences)))
    result = plan_result(report)
    if args.actuals:
        result = _with_actuals(report, result, args)
    more = "" if args.full else f"\nWith --full: {_STUDIES}.\n"
    sys.stdout.write(to_versioned_json(result.data()) + "\n" if args.json else result.text() + more)
    if loaded.is_dated:
        tell(f"{loaded.name}: {_price_changes(loaded, report)}")
    return OK


def _with_actuals(report: PlanReport, result: Result, args: argparse.Namespace) -> Result:
    from planner.api.plans import with_actuals
    from planner.report.accounting.bill_file import read_bill
    from pricing.exchange import rates

    bill = read_bill(args.actuals.read_bytes(), args.actuals.name, rates(report.plan.setting.catalogue))
    both = with_actuals(report, result, bill._replace(each=args.gpus_per_machine))
    if args.rest:
        rest = both.data()["actuals"]["rest"]
        if rest is None:
            raise UsageError("--rest: too few months of the plan are left after the bill, want 3 or more.")
        write_file(args.rest, rest["file"].encode())
    return both


def _price_changes(loaded: LoadedScenario, before: PlanReport) -> str:
    """Return what today's prices change in a plan that was made with earlier ones."""
    from planner.api.plans import evaluate
    from planner.report.answer.plan_report import price_update_text, summarize_verdict
    from pricing.feeds.live import current

    now = evaluate(replace(loaded, facts=current(), day=date.today()))
    return price_update_text(summarize_verdict(before.plan, before.answer), summarize_verdict(now.plan, now.answer))


def _write_csv_files(report: PlanReport, args: argparse.Namespace) -> None:
    from planner.api.plans import plan_tables
    from planner.report.files.csv import to_csv
    from planner.report.handouts import write_pack

    style = CsvStyle(args.csv_separator, args.csv_decimal, args.csv_encoding)
    paths = {"payments": args.csv, "assumptions": args.csv_assumptions, "results": args.csv_results,
             "profit": args.csv_profit, "accounting": args.accounting}  # fmt: skip
    for name, table in plan_tables(report).items():
        if paths[name]:
            write_file(paths[name], to_csv(table(), style))
    if args.pack:
        write_file(args.pack, write_pack(report.plan, report.answer, report.futures, report.summary.title, style))
    if args.memo:
        from planner.report.handouts import memo_data, write_memo
        from planner.study.uncertainty.tornado import tornado

        pair = report.answer.pair
        bars = () if pair is None else tornado(report.plan, pair[0].option, pair[1].option)
        write_file(args.memo, write_memo(memo_data(report, bars), args.memo.suffix))
