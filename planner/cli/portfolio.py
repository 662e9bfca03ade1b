"""`portfolio`: several plans together: what to own and to rent for all, what sharing saves, what each pays."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.common import UsageError, add_form_arguments, day, emit, write_file

if TYPE_CHECKING:
    from planner.scenario.file import PortfolioEntry
    from planner.study.portfolio import PortfolioPlan
    from pricing import Catalogue


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("portfolio", help="several plans that share a fleet: what to own for all, who pays what")
    verb.set_defaults(verb=run)
    about = "kept plans, YAML files, presets, or one file that lists them (docs/plans.md)"
    verb.add_argument("plans", nargs="*", metavar="PLAN", help=about)
    verb.add_argument("--folder", metavar="FOLDER", help="and the kept plans of this folder or cost centre")
    verb.add_argument("--tag", metavar="TAG", help="and the kept plans with this tag")
    verb.add_argument("--by", choices=("hours", "peak"), default="hours",
        help="divide costs by the GPU-hours of each plan, or by its most GPUs at once")  # fmt: skip
    verb.add_argument("--day", type=day, metavar="YYYY-MM-DD", help="the first day of the portfolio; today")
    add_form_arguments(verb, csv="write what each plan pays by month")
    verb.add_argument("--demand", type=Path, metavar="FILE", help="write the GPU-hours of each plan by month, as CSV")
    verb.add_argument("--focus", type=Path, metavar="FILE", help="write the chargeback in FOCUS (CSV, or .parquet)")
    verb.add_argument("--focus-version", choices=("1.2", "1.4"), default="1.4", help="of FOCUS; 1.4")


def run(args: argparse.Namespace) -> int:
    """Read the plans before the engine, then print the portfolio."""
    from pricing.feeds.live import current
    from pricing.stale import as_of

    today = args.day or date.today()
    facts = as_of(current(), today)
    members = [*_members(args, facts)]
    if not members:
        raise UsageError("Name the plans of the portfolio, or --folder or --tag of kept plans")
    from planner.report.files.csv import to_csv
    from planner.report.portfolio_words import portfolio_data, portfolio_report, portfolio_text
    from planner.study.portfolio import portfolio

    fleets = portfolio(facts, members, today)
    report = portfolio_report(fleets, args.by)
    if args.demand:
        write_file(args.demand, to_csv(report.tables["demand"]))
    if args.focus:
        from planner.report.files.focus import chargeback_table, focus_bytes

        write_file(args.focus, focus_bytes(chargeback_table(fleets, args.by, args.focus_version), args.focus.suffix))
    return emit(
        args,
        table=lambda: report.tables["months"],
        data=lambda: portfolio_data(fleets, report, args.by),
        text=lambda: portfolio_text(report),
    )


def _members(args: argparse.Namespace, facts: Catalogue) -> Iterator[PortfolioPlan]:
    from planner.scenario.file import PortfolioEntry, read_portfolio

    for name in args.plans:
        path = Path(name)
        text = path.read_bytes() if path.is_file() and path.suffix in (".yaml", ".yml") else b""
        if text.lstrip().startswith(b"plans:") or b"\nplans:" in text:
            for entry in read_portfolio(text, path.name).plans:
                yield _member(entry, path.parent, facts)
        else:
            yield _member(PortfolioEntry(plan=name), Path(), facts)
    if args.folder or args.tag:
        from planner.store.kept import PlanFilter, PlanStore
        from planner.store.versions import portfolio_plan

        for plan in PlanStore().plans(PlanFilter(folder=args.folder or "", tag=args.tag or "")):
            yield portfolio_plan(plan, facts)


def _member(entry: PortfolioEntry, folder: Path, facts: Catalogue) -> PortfolioPlan:
    from planner.cli.inputs import read_scenario_or_preset
    from planner.scenario.presets import find_preset
    from planner.study.portfolio import PortfolioPlan

    path = folder / entry.plan
    if path.is_file() or path.suffix or find_preset(entry.plan):
        saved, _ = read_scenario_or_preset(str(path) if path.is_file() or path.suffix else entry.plan)
        plan = PortfolioPlan(saved.scenario.name, saved.scenario)
    else:
        from planner.store.kept import PlanStore
        from planner.store.versions import portfolio_plan

        plan = portfolio_plan(PlanStore().find(entry.plan), facts)
    return replace(
        plan, name=entry.name or plan.name, team=entry.team or plan.team, tags=entry.tags or plan.tags,
        starts_in_month=entry.starts_in_month,
    )  # fmt: skip
