"""`ask`: a question in one line becomes a plan; what was understood, what was not, and the answer."""

import argparse
from datetime import date
from typing import Any

from planner.cli.common import BAD_INPUT, OK, day, write_result


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("ask", help="a question in one line: what was understood of it, and the answer")
    verb.set_defaults(verb=run)
    verb.add_argument(
        "line", nargs="+", metavar="LINE", help='what you want, in your words: "64 h100 in europe for 3 months"'
    )
    verb.add_argument("--day", type=day, default=None, metavar="YYYY-MM-DD", help="the day of the plan; today")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--link", action="store_true", help="print what a link to the plan holds, and no answer")


def run(args: argparse.Namespace) -> int:
    """Read the line, then print the plan; a question that is open is printed with its choices."""
    from planner.api.plans import ask, line_result
    from pricing.feeds.live import current
    from pricing.stale import as_of

    on = args.day or date.today()
    answer = ask(as_of(current(), on), " ".join(args.line), on, with_answer=not args.link)
    write_result(args, line_result(answer))
    return BAD_INPUT if answer.loaded is None else OK
