"""What goes into a verb and what comes out of it, the same for the command line, Python, HTTP and agents."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pricing.errors import PricingError

if TYPE_CHECKING:
    from datetime import date

    from planner.report.table import Table
    from planner.scenario.scenario import Scenario
    from pricing import Catalogue

RELEASE = "1.0"  # of the program
VERSION = 1  # of the keys of all verbs but `plan` and `compare`, whose answers have their own (answer_schema)


class RequestError(PricingError):
    """A request that cannot be answered; `choices` are what to ask instead, by what each means."""

    status = 422  # of HTTP

    def __init__(self, sentence: str, choices: Mapping[str, str] | None = None) -> None:
        super().__init__(sentence if sentence.endswith((".", "?")) else f"{sentence}.")
        self.choices = dict(choices or {})


class MalformedError(RequestError):
    """A request that does not say what its fields take: its schema is broken."""

    status = 400


class Result(NamedTuple):
    """What a verb calculated. Each form is made on first use."""

    table: Callable[[], Table]
    data: Callable[[], Mapping[str, Any]]
    text: Callable[[], str]

    def document(self) -> dict[str, Any]:
        """Return what `--json` prints, as plain data."""
        plain: dict[str, Any] = json.loads(json.dumps(versioned(self.data()), allow_nan=False, default=iso))
        return plain


def versioned(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result with the version of its keys, unless it names its own."""
    return {"version": VERSION, **data}


def iso(day: Any) -> str:
    """Return a day as JSON holds it."""
    return str(day.isoformat())


def stamp(catalogue: Catalogue, day: date) -> dict[str, Any]:
    """Return the catalogue behind a result, and its day."""
    return {"catalogue_digest": catalogue.digest, "catalogue_day": catalogue.day, "day": day}


@dataclass(frozen=True, eq=False)
class LoadedScenario:
    """A scenario that was read, with its facts and its day."""

    name: str  # of the file or preset
    scenario: Scenario
    facts: Catalogue
    day: date
    about: tuple[str, ...]
    is_dated: bool = False  # its file names an earlier day, whose facts are used
