"""Arguments that several verbs take: numbers, days, the facts to reckon with, where the answer goes."""

import argparse
from datetime import date
from pathlib import Path
from typing import Any

from planner.scenario.amounts import parse_amount


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


def amount(text: str) -> float:
    """An argument that counts tokens: 15e12, 300B or 15T."""
    found = parse_amount(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"want a number of tokens such as 300B, 15T or 2e12, got {text!r}")
    return found


def length(text: str) -> int:
    """An argument that counts the tokens of one text: 4096, 128k or 1,048,576. As everywhere, 1M is 1,000,000."""
    found = parse_amount(text)
    if found is None or not found.is_integer() or found < 1:
        raise argparse.ArgumentTypeError(f"want a whole number of tokens such as 4096, 128k or 1,048,576, got {text!r}")
    return int(found)


def add_model_arguments(verb: argparse.ArgumentParser, told: str) -> None:
    """Which model: by name, or by the configuration of one's own."""
    verb.add_argument("--model", metavar="NAME", help=told)
    verb.add_argument("--config", type=Path, metavar="FILE", help="a config.json of a model that is not on record")
    verb.add_argument("--memory-gb", type=number, metavar="GB", help="of a server, for each of its processors; 256")


def add_location_argument(verb: argparse.ArgumentParser) -> None:
    """Where the machines must stand."""
    verb.add_argument("--stay", metavar="WHERE", help="where it must stay: eu, or countries by two letters: DE,FR")


def number(text: str) -> float:
    """An argument that is a number."""
    try:
        return float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"want a number, got {text!r}") from error


def dollars(text: str) -> float:
    """An argument that is a price of one hour."""
    value = number(text)
    if not 0 < value <= _MOST_USD_PER_HOUR:
        raise argparse.ArgumentTypeError(f"want dollars above 0 and up to {_MOST_USD_PER_HOUR:,}, got {text!r}")
    return value


_MOST_USD_PER_HOUR = 1_000


def share(text: str) -> float:
    """An argument that is a share, such as 0.6."""
    value = number(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"want a share above 0 and up to 1, such as 0.6, got {text!r}")
    return value


def add_runs_argument(verb: Any) -> None:
    """The argument that brings runs of one's own into scenarios."""
    verb.add_argument(
        "--runs", type=Path, action="append", default=[], metavar="MINE.csv",
        help="your own measured runs (docs/published-runs.md), training or serving: speed goes by them",
    )  # fmt: skip


def add_catalog_arguments(verb: Any) -> None:
    """The arguments that say which facts a scenario is reckoned with."""
    verb.add_argument("--quotes", type=Path, metavar="FILE", help="your own prices, CSV or YAML; they win")
    add_runs_argument(verb)
    verb.add_argument(
        "--day", type=day, default=None, metavar="YYYY-MM-DD", help="the day to reckon for; the file's, else today"
    )


def add_output_arguments(verb: Any, *, csv: str) -> None:
    """The arguments about prices and about where the answer goes."""
    verb.add_argument("--quotes", type=Path, metavar="FILE", help="your own prices, CSV or YAML; they win")
    verb.add_argument("--day", type=day, metavar="YYYY-MM-DD", help="the day of prices; today")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help=csv)


def keep_flags(verb: argparse.ArgumentParser) -> None:
    """Keep the flag of each field, for the sentence that refuses its value."""
    verb.set_defaults(flags={one.dest: one.option_strings[0] for one in verb._actions if one.option_strings})


def decimal_year(text: str) -> float:
    """A day as a year: 2026-11-21 is 2026.88, the middle of its month."""
    read = day(text)
    return read.year + (read.month - 0.5) / 12
