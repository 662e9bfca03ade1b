"""`plan`: one scenario, every way to supply it, and the answer."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from datetime import date

from planner.cli.common import OK, as_json
from planner.cli.files import write_file
from planner.cli.reckoned import reckoned
from planner.cli.scenarios import Opened
from planner.cli.terminal import tell
from planner.report.answer.also import also
from planner.report.answer.plan_text import Reckoned, plan_text
from planner.report.answer.profit_words import profit_csv
from planner.report.answer.today_words import today_words
from planner.report.answer.verdict_line import verdict
from planner.report.files.assumptions_csv import assumptions_table, results_table
from planner.report.files.cash_csv import SIGN, cash_table
from planner.report.files.csv import to_csv
from planner.study.buy_or_wait import NoWaiting, waiting, waiting_futures
from pricing.feeds.live import current


def run(opened: Opened, wanted: argparse.Namespace) -> int:
    """One scenario, reckoned and told."""
    it = reckoned(opened)
    waits = waiting(it.plan)
    later = None if isinstance(waits, NoWaiting) else waiting_futures(waits)
    it = it._replace(waits=(waits, later), also=also(it.plan, it.found, it.futures))
    _write(it, wanted)
    if wanted.json:
        from planner.report.answer.document import answer_data  # only programs wait for what describes it

        sys.stdout.write(as_json(answer_data(it)) + "\n")
    else:
        sys.stdout.write(plan_text(it))
    if opened.was_made:
        tell(f"{opened.name}: {_today(opened, it)}")
    return OK


def _today(opened: Opened, then: Reckoned) -> str:
    """What today's prices change in a plan that was made with earlier ones."""
    now = reckoned(replace(opened, facts=current(), day=date.today()))
    return today_words(verdict(then.plan, then.found), verdict(now.plan, now.found))


def _write(it: Reckoned, wanted: argparse.Namespace) -> None:
    if wanted.csv:
        write_file(wanted.csv, to_csv(cash_table(it.plan)))
    if wanted.csv_assumptions:
        write_file(wanted.csv_assumptions, to_csv(assumptions_table(it.plan, SIGN)))
    if wanted.csv_results:
        write_file(wanted.csv_results, to_csv(results_table(it.plan, it.found, it.futures)))
    if wanted.csv_profit:
        write_file(wanted.csv_profit, to_csv(profit_csv(it.found)))
