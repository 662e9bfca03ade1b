"""`facts`: everything known of one thing."""

import argparse
from datetime import date
from typing import Any

from planner.api.records import stamp
from planner.cli.common import add_output_arguments, emit, with_quote_file


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("facts", help="everything known of an accelerator, provider, place, model or server")
    verb.set_defaults(verb=run)
    verb.add_argument("name", metavar="NAME", help="as you would type it: rtx 4090, runpod, germany, llama-3-8b")
    add_output_arguments(verb, csv="write one row for each statement")


def run(args: argparse.Namespace) -> int:
    """Print every statement about the things of that name."""
    from planner.report.facts.facts import facts_records, facts_text, find_entries
    from planner.report.table import Table
    from pricing.feeds.live import current
    from pricing.stale import as_of

    day = args.day or date.today()
    catalogue = with_quote_file(as_of(current(), day), args.quotes, day)
    entries = find_entries(catalogue, args.name, day)
    return emit(
        args,
        table=lambda: Table.from_raw_rows(facts_records(entries)),
        data=lambda: stamp(catalogue, day) | {"facts": facts_records(entries)},
        text=lambda: facts_text(entries),
    )
