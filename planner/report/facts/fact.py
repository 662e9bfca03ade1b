"""One statement of the catalogue as a row: what, how much, how old, who says so."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from pricing import Catalogue, Figure
from pricing.stale import limit_days


@dataclass(frozen=True)
class Fact:
    """One statement. What is no figure has no day and no source of its own."""

    about: str  # which part it stands in: Figures, Offers, Servers ...
    name: str
    value: Any
    unit: str | None = None
    low: float | None = None
    high: float | None = None
    kind: str | None = None
    since: date | None = None
    checked: date | None = None
    age_days: int | None = None
    limit_days: int | None = None  # for how long such a figure holds without another look
    source: str | None = None
    source_url: str | None = None
    note: str | None = None

    @property
    def overdue(self) -> bool:
        """Whether it is older than its limit."""
        return self.age_days is not None and self.limit_days is not None and self.age_days > self.limit_days


def of_figure(catalogue: Catalogue, about: str, name: str, figure: Figure, day: date, note: str | None = None) -> Fact:
    """A figure: its newest value with its range, its age, and what it was before."""
    value = figure.newest
    source = catalogue.sources[value.source]
    before = "; ".join(f"{when}: {figure.values[when].typical:,.10g}" for when in sorted(figure.values)[:-1])
    parts = (note, value.locator, value.note, figure.note, f"before, {before}" if before else None)
    return Fact(
        about, name, value.typical, figure.unit, value.low, value.high, value.kind, figure.since, figure.checked,
        figure.age_days(day), limit_days(figure), source.title, source.url, "; ".join(filter(None, parts)) or None,
    )  # fmt: skip


def of_source(catalogue: Catalogue, about: str, name: str, key: str) -> Fact:
    """Who says what a record says without a figure."""
    source = catalogue.sources[key]
    return Fact(about, name, source.title, checked=source.retrieved, source=source.title, source_url=source.url)
