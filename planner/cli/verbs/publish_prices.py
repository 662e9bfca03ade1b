"""`publish-prices`: its words."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("publish-prices", help="write believed live prices into a folder that others can read")
    verb.set_defaults(verb=_begin)
    verb.add_argument("folder", type=Path, metavar="DIR", help="where to write; files of other days stay")
    verb.add_argument("--json", action="store_true", help="print JSON")


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.publish_prices import run  # only once the words are understood

    return run(wanted)
