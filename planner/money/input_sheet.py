"""The inputs a ledger rests on: each taken once, from what is tried out, from you, or from the catalogue.

What is tried out wins over everything (a break-even, a draw, a stress test), then what you entered, then the catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from planner.money.formula import Num, formula
from planner.money.ledger import YOUR_INPUT, LedgerInput, Line, Origin, Part, Treatment
from planner.scenario.base import EnteredAmount
from pricing import Catalogue, Figure
from pricing.caching import arguments, cached
from pricing.figure import FigureValue


@cached(2_000, same=arguments)  # a plan asks for the same one in every way, and at both ends
def origin(catalogue: Catalogue, figure: Figure) -> Origin:
    """The origin of the figure's newest value."""
    value = figure.newest
    source = catalogue.sources[value.source]
    said_by = "your quote" if source.via == "yours" else source.title
    where = ". ".join(part for part in (value.locator, value.note) if part)
    return Origin(
        said_by,
        value.kind,
        since=figure.since,
        checked=figure.checked,
        url=source.url,
        note=where or None,
        figure=figure,
    )


def judged(note: str) -> Origin:
    """A number nobody published; `note` says why this one."""
    return Origin("assumption", "assumption", note=note)


Case = Literal["low", "typical", "high"]  # of cost: "low" takes the cheap end of each figure

NOT_PUBLISHED = Origin("not published: not priced", "unknown")
TRIED = Origin("tried out", "tried")
Tried = Mapping[str, Num]  # by the name the formulas use; one number, or one for each draw as (draws, 1)


@dataclass
class InputSheet:
    """Named inputs of one case, each with its origin."""

    catalogue: Catalogue
    case: Case = "typical"
    tried: Tried = field(default_factory=dict)
    used: dict[str, LedgerInput] = field(default_factory=dict)
    typed: tuple[EnteredAmount, ...] = ()  # of your own amounts, those that were typed in another currency

    def copy(self) -> InputSheet:
        """Another sheet with the same inputs."""
        return InputSheet(self.catalogue, self.case, self.tried, dict(self.used), self.typed)

    def say(self, name: str, value: Num, unit: str, where: Origin) -> None:
        """An input with a value and an origin; a value that is tried out takes its place."""
        tried = self.tried.get(name)
        if self.typed and where is YOUR_INPUT and tried is None:
            where = self._entered_origin(value, unit)
        self.used[name] = (
            LedgerInput(name, value, unit, where) if tried is None else LedgerInput(name, tried, unit, TRIED)
        )

    def _entered_origin(self, value: Num, unit: str) -> Origin:
        """Your input, with how it was typed where that was in another currency."""
        is_usd = unit.startswith("USD") and isinstance(value, float) and value != 0
        said = next((one for one in self.typed if is_usd and one.usd == value), None)
        return YOUR_INPUT if said is None else replace(YOUR_INPUT, since=said.day, note=said.words)

    def figure(self, name: str, figure: Figure | None, unit: str, yours: Num | None = None) -> None:
        """Your number, or the figure's end for this case; not-a-number where there is neither."""
        if yours is not None:
            self.say(name, yours, unit, YOUR_INPUT)
        elif figure is not None:
            self.say(name, end(figure.newest, self.case), figure.unit, origin(self.catalogue, figure))
        else:
            self.say(name, float("nan"), unit, NOT_PUBLISHED)

    def fact(self, name: str, fact: str, yours: Num | None = None) -> None:
        """Your number, or a fact of the catalogue."""
        figure = self.catalogue.facts[fact].figure
        self.figure(name, figure, figure.unit, yours)

    def flags(self, flags: tuple[LedgerInput, ...]) -> None:
        """Put down inputs that come with their origin, such as the flags of a timeline."""
        self.used.update({flag.name: flag for flag in flags})

    def line(self, name: str, part: Part, how: str, note: str | None = None, treatment: Treatment = "expense") -> Line:
        """A line whose inputs are looked up here by the names in its formula."""
        return Line(name, part, how, tuple(map(self.used.__getitem__, formula(how).names)), note, treatment)


def end(value: FigureValue, case: Case) -> float:
    """The end of a range that a case takes; the typical value where there is no such end."""
    found = {"low": value.low, "typical": value.typical, "high": value.high}[case]
    return value.typical if found is None else found
