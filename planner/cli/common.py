"""What every verb of the command line shares: bad input, the catalogue with quotes, JSON. Loaded for every word."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.terminal import json_codes, tell

if TYPE_CHECKING:
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


def versioned(told: Mapping[str, Any]) -> str:
    """What a verb found as JSON, with the version of its keys."""
    return as_json({"version": VERSION, **told})


def as_json(data: Any) -> str:
    """JSON as we print it."""
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False, default=lambda day: day.isoformat())
    return json_codes(text, sys.stdout)
