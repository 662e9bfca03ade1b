"""`watch`: its words."""

from __future__ import annotations

import argparse
from typing import Any

from planner.cli.verbs.arguments import dollars


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("watch", help="say when a plan's answer turns or a price falls; for cron")
    verb.set_defaults(verb=_begin)
    verb.add_argument("scenario", metavar="SCENARIO", help="a YAML file (docs/scenario.md), or the name of a preset")
    verb.add_argument(
        "--below", type=dollars, metavar="USD_PER_HOUR",
        help="say when a posted price of its GPU, read in the last 30 days, falls below this for one GPU-hour",
    )  # fmt: skip
    verb.add_argument("--turns", action="store_true", help="say when its answer turns; so it is without --below")
    verb.add_argument("--json", action="store_true", help="print JSON, also where there is no news")


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.watch import run  # only once the words are understood

    return run(wanted)
