"""What every verb of the command line shares: bad input, the catalogue with quotes, days, numbers, JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from planner.cli.terminal import json_codes, tell
from pricing import Catalogue
from pricing.quotes import parse_quotes, with_quotes

OK, FAILED, BAD_INPUT, STOPPED = 0, 1, 2, 130


class BadInput(Exception):
    """Something on the command line cannot be used; the text is the sentence to show."""


def with_own_prices(catalogue: Catalogue, path: Path | None, day: date) -> Catalogue:
    """The catalogue with the quotes of a file laid over it; what is odd about them goes to stderr."""
    if path is None:
        return catalogue
    quotes = parse_quotes(path.read_bytes(), name=path.name, catalogue=catalogue, day=day)
    for problem in (*quotes.problems, *quotes.questions):
        tell(f"{path.name}: {problem}")
    return with_quotes(catalogue, quotes)


def whole(text: str) -> int:
    """An argument that is a whole number of something."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"want a whole number from 1 to 1,000,000, got {text!r}")
    return int(text)


def day(text: str) -> date:
    """An argument that is a day."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"want a day such as 2026-11-21, got {text!r}") from error


VERSION = 1  # of the keys that verbs print; those of answers have their own (planner.report.answer_schema)


def versioned(told: Mapping[str, Any]) -> str:
    """What a verb found as JSON, with the version of its keys."""
    return as_json({"version": VERSION, **told})


def as_json(data: Any) -> str:
    """JSON as we print it."""
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False, default=lambda day: day.isoformat())
    return json_codes(text, sys.stdout)
