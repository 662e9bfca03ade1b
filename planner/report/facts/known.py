"""Everything known of an accelerator, provider, place, model or server: each statement a row, with who says so."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from pydantic import BaseModel

from planner.report import words
from planner.report.facts.beside import OFFERS, beside_accelerator, beside_model, beside_provider
from planner.report.facts.fact import Fact, of_figure, of_source
from pricing import Catalogue, Figure, UnknownName
from pricing import names as naming
from pricing.electricity import FIELDS, electricity

_OF_SOURCES = frozenset({"source", "sale_sources", "mig_source"})  # fields that name sources
_FIGURES, _RECORD = "Figures", "Record"
_NEAREST = 6  # names that may have been meant

# Which sections of the catalogue a name is looked up in, by whose finder.
FINDERS: dict[str, Callable[[Catalogue, str], str]] = {
    "accelerators": naming.accelerator,
    "providers": naming.provider,
    "sites": naming.site,
    "models": naming.model,
    "servers": naming.server,
}
CALLED = {"accelerators": "accelerator", "providers": "provider", "sites": "place", "models": "model",
          "servers": "server"}  # fmt: skip
_BESIDE: dict[str, Callable[[Catalogue, str, date], Iterator[Fact]]] = {
    "accelerators": beside_accelerator,
    "providers": beside_provider,
    "models": beside_model,
}


@dataclass(frozen=True)
class Known:
    """One thing of the catalogue with all that is known of it."""

    section: str
    key: str
    label: str
    facts: tuple[Fact, ...]


def known(catalogue: Catalogue, name: str, day: date) -> tuple[Known, ...]:
    """Everything that is called `name`: an accelerator and a place of one name are two answers."""
    found: list[Known] = []
    near: list[str] = []
    for section, find in FINDERS.items():
        try:
            found.append(_known(catalogue, section, find(catalogue, name), day))
        except UnknownName as unknown:
            near += unknown.candidates
    if found:
        return tuple(found)
    candidates = tuple(dict.fromkeys(near))[:_NEAREST]
    hint = f" Did you mean {words.listed(candidates, 'or')}?" if near else ""
    raise UnknownName(f"No {words.listed(CALLED.values(), 'or')} is called {name!r}.{hint}", candidates)


def _known(catalogue: Catalogue, section: str, key: str, day: date) -> Known:
    record = getattr(catalogue, section)[key]
    facts = [*_of_record(catalogue, record, day), *_of_parents(catalogue, section, key, day)]
    if section in _BESIDE:
        facts += _BESIDE[section](catalogue, key, day)
    return Known(section, key, record.label, tuple(sorted(facts, key=lambda one: _order(one.about))))


def _order(about: str) -> int:
    """Where a part stands: the record and its figures first, then what is beside them."""
    parts = (_RECORD, _FIGURES, OFFERS)
    return parts.index(about) if about in parts else len(parts)


def _of_record(catalogue: Catalogue, record: BaseModel, day: date, of: str = "") -> Iterator[Fact]:
    """The fields of a record that say something, one after the other; of records in it, theirs."""
    for name, value in record:
        if value is None or value is False or value in ((), {}):
            continue
        if isinstance(value, Figure):
            yield of_figure(catalogue, _FIGURES, f"{of}{name}", value, day)
        elif name in _OF_SOURCES:
            for source in (value,) if isinstance(value, str) else value:
                yield of_source(catalogue, _RECORD, f"{of}{name}", source)
        elif isinstance(value, tuple) and isinstance(value[0], BaseModel):
            for place, inner in enumerate(value, start=1):
                yield from _of_record(catalogue, inner, day, f"{of}{name} {place}: ")
        else:
            yield Fact(_RECORD, f"{of}{name}", _said(value))


def _of_parents(catalogue: Catalogue, section: str, key: str, day: date) -> Iterator[Fact]:
    """What a place does not know itself and takes from the one that it lies in."""
    if section != "sites":
        return
    classes = {field: customer for customer, field in FIELDS.items()}
    for name in catalogue.sites[key].FIGURE_UNITS:
        if name in classes:
            price = electricity(catalogue, key, classes[name])
            if price is not None and price.stands_in:
                yield of_figure(catalogue, _FIGURES, name, price.figure, day)
            continue
        found = catalogue.site_figure(key, name)
        if found is not None and found[0] != key:
            taken = of_figure(catalogue, _FIGURES, name, found[1], day)
            of = f"taken from {catalogue.sites[found[0]].label}"
            yield replace(taken, note="; ".join(part for part in (of, taken.note) if part))


def _said(value: Any) -> Any:
    """A field that is no figure, as text or number."""
    if isinstance(value, BaseModel):
        return ", ".join(f"{name} {_said(one)}" for name, one in value if one is not None)
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_said(one)}" for name, one in value.items())
    if isinstance(value, tuple):
        return ", ".join(str(_said(one)) for one in value)
    return "yes" if value is True else value if isinstance(value, int | float | str) else str(value)
