"""`plan`: one scenario, every way to supply it, and the answer."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.arguments import add_catalog_arguments
from planner.cli.common import OK, to_json, write_file
from planner.cli.terminal import tell

if TYPE_CHECKING:
    from planner.cli.scenarios import LoadedScenario
    from planner.report.answer.plan_report import PlanReport


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("plan", help="rent, buy, or both: ledgers, answer, break-evens of a scenario")
    verb.set_defaults(verb=run)
    verb.add_argument("scenario", metavar="SCENARIO", help="a YAML file (docs/scenario.md), or the name of a preset")
    add_catalog_arguments(verb)
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write every payment, month by month")
    verb.add_argument("--csv-assumptions", type=Path, metavar="FILE", help="write every assumption with its source")
    verb.add_argument("--csv-results", type=Path, metavar="FILE", help="write what each way comes to")
    verb.add_argument(
        "--csv-profit", type=Path, metavar="FILE", help="write profit and loss by year of the ways that sell idle hours"
    )


def run(args: argparse.Namespace) -> int:
    """Refuse what names nothing before the engine loads."""
    from planner.cli.scenarios import scenario_called

    opened = scenario_called(args.scenario, args)
    return _report(opened, args)


def _report(opened: LoadedScenario, args: argparse.Namespace) -> int:
    """One scenario, reckoned and told."""
    from planner.cli.scenarios import evaluate
    from planner.report.answer.other_measures import other_measures
    from planner.report.answer.plan_report import plan_text
    from planner.study.buy_or_wait import BuyOrWaitUnavailable, buy_or_wait_futures, waiting

    it = evaluate(opened)
    waits = waiting(it.plan)
    later = None if isinstance(waits, BuyOrWaitUnavailable) else buy_or_wait_futures(waits)
    it = it._replace(waits=(waits, later), also=other_measures(it.plan, it.answer, it.futures))
    _write(it, args)
    if args.json:
        from planner.report.answer.document import answer_json  # only programs wait for what describes it

        sys.stdout.write(to_json(answer_json(it)) + "\n")
    else:
        sys.stdout.write(plan_text(it))
    if opened.was_made:
        tell(f"{opened.name}: {_today(opened, it)}")
    return OK


def _today(opened: LoadedScenario, then: PlanReport) -> str:
    """What today's prices change in a plan that was made with earlier ones."""
    from planner.cli.scenarios import evaluate
    from planner.report.answer.verdict_line import price_update_text, summarize_verdict
    from pricing.feeds.live import current

    now = evaluate(replace(opened, facts=current(), day=date.today()))
    return price_update_text(summarize_verdict(then.plan, then.answer), summarize_verdict(now.plan, now.answer))


def _write(it: PlanReport, args: argparse.Namespace) -> None:
    from planner.report.answer.profit_words import profit_csv
    from planner.report.files.csv import SIGN, assumptions_table, cash_table, results_table, to_csv

    if args.csv:
        write_file(args.csv, to_csv(cash_table(it.plan)))
    if args.csv_assumptions:
        write_file(args.csv_assumptions, to_csv(assumptions_table(it.plan, SIGN)))
    if args.csv_results:
        write_file(args.csv_results, to_csv(results_table(it.plan, it.answer, it.futures)))
    if args.csv_profit:
        write_file(args.csv_profit, to_csv(profit_csv(it.answer)))
