"""Exit codes, the catalogue with quotes, results as text, JSON or CSV. Every verb loads it: nothing heavy here."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.files import write_file
from planner.cli.terminal import json_codes, tell

if TYPE_CHECKING:
    from planner.report.table import Table
    from pricing import Catalogue

OK, FAILED, BAD_INPUT, NEWS, STOPPED = 0, 1, 2, 3, 130


class BadInput(Exception):
    """Something on the command line cannot be used; the text is the sentence to show."""


def with_own_prices(catalogue: Catalogue, path: Path | None, day: date) -> Catalogue:
    """The catalogue with the quotes of a file laid over it; what is odd about them goes to stderr."""
    if path is None:
        return catalogue
    from pricing.quotes import parse_quotes, with_quotes  # only who brings prices waits for it

    quotes = parse_quotes(path.read_bytes(), name=path.name, catalogue=catalogue, day=day)
    for problem in (*quotes.problems, *quotes.questions):
        tell(f"{path.name}: {problem}")
    return with_quotes(catalogue, quotes)


VERSION = 1  # of the keys that verbs print; those of answers have their own (planner.report.files.answer_schema)


def versioned(data: Mapping[str, Any]) -> str:
    """Return a result as JSON, with the version of its keys."""
    return as_json({"version": VERSION, **data})


def as_json(data: Any) -> str:
    """JSON as we print it."""
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False, default=lambda day: day.isoformat())
    return json_codes(text, sys.stdout)


def stamp(catalogue: Catalogue, day: date) -> dict[str, Any]:
    """The facts that a result rests on, and the day it is of."""
    return {"catalogue_digest": catalogue.digest, "catalogue_day": catalogue.day, "day": day}


def emit(
    args: argparse.Namespace,
    *,
    table: Callable[[], Table],
    data: Callable[[], Mapping[str, Any]],
    text: Callable[[], str],
    aside: str = "",
    byte_order_mark: bool = True,
) -> int:
    """Write a result in each form the arguments ask for; `aside` goes to stderr beside JSON."""
    if args.csv:
        from planner.report.files.csv import BYTE_ORDER_MARK, to_csv  # only for a file

        written = to_csv(table())
        write_file(args.csv, written if byte_order_mark else written.removeprefix(BYTE_ORDER_MARK.encode()))
    sys.stdout.write(versioned(data()) + "\n" if args.json else text())
    if args.json and aside:
        sys.stderr.write(f"{aside}\n")
    return OK
