"""What `train` and `serve` share: counts with suffixes, a job from arguments, the offer that is cheapest for it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import pydantic

from planner.cli.common import BadInput
from planner.cli.common import day as day_of
from planner.inputs.amounts import read_amount
from planner.inputs.base import Inputs
from pricing.wishes import first_wish

J = TypeVar("J", bound=Inputs)


def amount(text: str) -> float:
    """An argument that counts tokens: 15e12, 300B or 15T."""
    found = read_amount(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"want a number of tokens such as 300B, 15T or 2e12, got {text!r}")
    return found


def number(text: str) -> float:
    """An argument that is a number."""
    try:
        return float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"want a number, got {text!r}") from error


def share(text: str) -> float:
    """An argument that is a share, such as 0.6."""
    value = number(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"want a share above 0 and up to 1, such as 0.6, got {text!r}")
    return value


def add_output(verb: Any, *, csv: str) -> None:
    """The arguments about prices and about where the answer goes."""
    verb.add_argument("--quotes", type=Path, metavar="FILE", help="your own prices, CSV or YAML; they win")
    verb.add_argument("--day", type=day_of, metavar="YYYY-MM-DD", help="the day of prices; today")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help=csv)


def job_of(kind: type[J], said: Mapping[str, Any], flags: Mapping[str, str]) -> J:
    """The job somebody typed; what is outside its bounds is told by the argument's own name."""
    try:
        return kind(**{name: value for name, value in said.items() if value is not None})
    except pydantic.ValidationError as error:
        place, wish, _ = first_wish(error)
        if not place:
            raise BadInput(f"{wish}.") from error
        name = str(place[0])
        flag = flags.get(name, f"--{name.replace('_', '-')}")
        raise BadInput(f"{flag}: {wish}.") from error


def decimal_year(day: date) -> float:
    """2026-11-21 as 2026.88: the middle of its month."""
    return day.year + (day.month - 0.5) / 12
