"""What a verb found, told in every form that was asked for: a table in a file, and JSON or text."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from planner.cli.common import OK, versioned
from planner.cli.files import write_file
from planner.report.files.csv import BYTE_ORDER_MARK, to_csv
from planner.report.table import Table
from pricing import Catalogue


def stamp(catalogue: Catalogue, day: date) -> dict[str, Any]:
    """The facts that a result rests on, and the day it is of."""
    return {"catalogue_digest": catalogue.digest, "catalogue_day": catalogue.day, "day": day}


def told(
    wanted: argparse.Namespace,
    *,
    table: Callable[[], Table],
    data: Callable[[], Mapping[str, Any]],
    text: Callable[[], str],
    aside: str = "",
    byte_order_mark: bool = True,
) -> int:
    """Write what was asked for; `aside` is said beside JSON, whose reader sees no text."""
    if wanted.csv:
        written = to_csv(table())
        write_file(wanted.csv, written if byte_order_mark else written.removeprefix(BYTE_ORDER_MARK.encode()))
    sys.stdout.write(versioned(data()) + "\n" if wanted.json else text())
    if wanted.json and aside:
        sys.stderr.write(f"{aside}\n")
    return OK
