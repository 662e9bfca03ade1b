"""For how long a figure holds without another look, and which were looked at longer ago."""

import hashlib
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple, TypeVar

from pydantic import BaseModel

from pricing.catalogue import Catalogue, CatalogueFigure, figures
from pricing.figure import Figure, Kind

# Prices move in weeks, quotes in a quarter, judgement in half a year; data sheets hardly move.
ALLOWED_DAYS: dict[Kind, int] = {
    "list_price": 30,
    "reported": 90,
    "quote": 90,
    "derived": 180,
    "assumption": 180,
    "spec": 365,
    "measured": 365,
}
OLDEST_DAYS = max(ALLOWED_DAYS.values())  # no figure holds for longer


class StaleFigure(NamedTuple):
    """A figure, and by how many days it is over what its kind allows."""

    placed: CatalogueFigure
    days_over: int


def limit_days(figure: Figure) -> int:
    """For how many days a figure of its kind holds without another look."""
    return ALLOWED_DAYS[figure.newest.kind]


def days_over(figure: Figure, day: date) -> int:
    """By how many days it is older than that; 0 or less while it still holds."""
    return figure.age_days(day) - limit_days(figure)


def stale(catalogue: Catalogue, day: date) -> Iterator[StaleFigure]:
    """Yield every figure checked longer ago than its kind allows."""
    for placed in figures(catalogue):
        over = days_over(placed.figure, day)
        if over > 0:
            yield StaleFigure(placed, over)


_R = TypeVar("_R", bound=BaseModel)

# Prices are market news: what nobody had seen by then did not exist. The rest is kept from its first value on, since a
# data sheet or an assumption of ours says nothing about the day on which we wrote it down.
_NEWS = ("offers", "series", "hosted")
_LASTING_SECTIONS = ("accelerators", "servers", "hosts", "deliveries", "sites", "places", "providers", "facts")
_PRICES = ("usd_per_accelerator_hour", "input_usd_per_mtoken")  # each piece of news has one of these, or none yet
# A later look at these is no later knowledge.
_LASTING_KINDS = frozenset({"spec", "measured", "derived", "assumption"})


def as_of(catalogue: Catalogue, day: date) -> Catalogue:
    """Return the catalogue as it was on `day`; the same object for its own day and later ones."""
    if day >= catalogue.day:
        return catalogue
    digest = hashlib.sha256(f"{catalogue.digest} as of {day.isoformat()}".encode()).hexdigest()
    then: dict[str, object] = {"digest": digest, "day": day}
    for section in _NEWS:
        seen = {key: record for key, record in getattr(catalogue, section).items() if _seen(record, day)}
        then[section] = {key: _record(record, day, news=True) for key, record in seen.items()}
    for section in _LASTING_SECTIONS:
        records = getattr(catalogue, section)
        then[section] = {key: _record(record, day, news=False) for key, record in records.items()}
    return catalogue.model_copy(update=then)


def _seen(record: BaseModel, day: date) -> bool:
    """Return whether its first price was read by then; true for an offer without a price, which needs a look."""
    prices = [figure for name in _PRICES if (figure := getattr(record, name, None)) is not None]
    return not prices or min(prices[0].values) <= day


def _record(record: _R, day: date, *, news: bool) -> _R:
    late = {name: value for name, value in record if isinstance(value, Figure) and value.checked > day}
    changed: dict[str, Figure | None] = {
        name: None if news and min(figure.values) > day else _figure(figure, day) for name, figure in late.items()
    }
    if "usd_per_accelerator_hour" in changed and hasattr(record, "usd_per_instance_hour"):
        changed["usd_per_instance_hour"] = None  # it belongs to the newest reading
    return record.model_copy(update=changed) if changed else record


def _figure(figure: Figure, day: date) -> Figure:
    first = min(figure.values)
    values = {start: value for start, value in figure.values.items() if start <= max(day, first)}
    newest = max(values)
    looked = min(figure.checked, day) if values[newest].kind in _LASTING_KINDS else newest
    return Figure.model_construct(unit=figure.unit, checked=max(looked, newest), values=values, note=figure.note)
