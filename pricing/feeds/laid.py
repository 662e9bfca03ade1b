"""A catalogue with live prices laid over it.

A price becomes a dated value of kind "list_price", appended to what the catalogue knows of the same thing, so that
older answers can be had again; the digest says what was laid over.
"""

import gc
import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import Any, TypeVar

from pydantic import BaseModel

from pricing.catalogue import Catalogue, cache_dir, read_cached, write_cached
from pricing.feeds.given import seller
from pricing.feeds.overlay import SHAPE, LivePriceOverlay, Row
from pricing.feeds.store import LivePriceStore
from pricing.feeds.written import SourceInfo, source
from pricing.figure import Figure, FigureValue, Source, Unit
from pricing.records import HostedPrice, Offer

PREFIX = "live-"  # of the ids of sources
_FORM = 2  # of the copy; another form is another copy
_PASS = frozenset({"old", "converted"})  # doubts that a fresh price takes away
_R = TypeVar("_R", bound=BaseModel)
_PER_HOUR: Unit = "USD/accelerator-hour"
_PER_TOKEN: Unit = "USD/Mtoken"


def load_overlay(facts: Catalogue, store: LivePriceStore, told: str) -> LivePriceOverlay:
    """What is laid over, from its copy where there is one."""
    name = hashlib.sha256(f"{_FORM} {facts.digest} {told}".encode()).hexdigest()[:32]
    folder = cache_dir()
    copy = None if folder is None else folder / f"live-{name}.json"
    body = None if copy is None else read_cached(copy)
    if body is not None:
        return LivePriceOverlay(**json.loads(body))
    from pricing.feeds.overlay import build_overlay  # what is kept is read without it

    made = build_overlay(facts, store)
    if copy is not None:
        write_cached(copy, json.dumps(vars(made), separators=(",", ":")).encode())
    return made


def apply_live_prices(facts: Catalogue, overlay: LivePriceOverlay) -> Catalogue:
    """The catalogue with an overlay; the very same object where that is empty."""
    if not (overlay.offers or overlay.hosted or overlay.rates):
        return facts
    days = {text: date.fromisoformat(text) for text in _days(overlay)}
    with _gc_disabled():
        return _laid(facts, overlay, days)


@contextmanager
def _gc_disabled() -> Iterator[None]:
    """Without rounds of the garbage collector: they would look through all that is being made, again and again."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def _laid(facts: Catalogue, overlay: LivePriceOverlay, days: Mapping[str, date]) -> Catalogue:
    update = {
        "digest": hashlib.sha256(f"{facts.digest}\n{overlay.digest}".encode()).hexdigest(),
        "day": max(facts.day, *days.values()),
        "sources": facts.sources | {f"{PREFIX}{name}": _source(*told) for name, told in overlay.sources.items()},
        "providers": facts.providers | {key: seller(*told) for key, told in overlay.sellers.items()},
        "offers": facts.offers | {row[0]: _offer(facts, row, days) for row in overlay.offers},
        "hosted": facts.hosted | {row[0]: _hosted(facts, row, days) for row in overlay.hosted},
        "facts": facts.facts | {row[0]: _rate(facts, row, days) for row in overlay.rates},
    }
    return facts.model_copy(update=update)


def _days(overlay: LivePriceOverlay) -> set[str]:
    found = {day for row in overlay.offers for day in (*row[2], row[4])}
    found |= {day for row in overlay.hosted for day in (row[2], row[6])}
    return found | {row[2] for row in overlay.rates}


def _source(label: str, page: str, licence: str, via: str, day: str) -> Source:
    return source(SourceInfo(label, page, licence, via), date.fromisoformat(day))


def _offer(facts: Catalogue, row: Row, days: Mapping[str, date]) -> Offer:
    key, source, read, prices, last, shape = row
    new = {days[day]: _value(usd, source) for day, usd in zip(read, prices, strict=True)}
    if shape is None:
        old = facts.offers[key]
        figure = _appended(old.usd_per_accelerator_hour, _PER_HOUR, new, days[last])
        doubts = tuple(word for word in old.doubts if word not in _PASS)
        return _changed(old, usd_per_accelerator_hour=figure, usd_per_instance_hour=None, doubts=doubts)
    told: dict[str, Any] = _OFFER | dict(zip(SHAPE, shape, strict=True))
    told["countries"], told["doubts"] = tuple(told["countries"]), tuple(told["doubts"])
    told["usd_per_accelerator_hour"] = _appended(None, _PER_HOUR, new, days[last])
    return _made(Offer, told)


def _hosted(facts: Catalogue, row: Row, days: Mapping[str, date]) -> HostedPrice:
    key, source, since, sent, written, cached, last, named = row
    old = None if named else facts.hosted[key]
    asked = {"input_usd_per_mtoken": sent, "output_usd_per_mtoken": written, "cached_input_usd_per_mtoken": cached}
    found: dict[str, Figure | None] = {}
    for name, usd in asked.items():
        before: Figure | None = getattr(old, name, None)
        if usd is not None:
            found[name] = _appended(before, _PER_TOKEN, {days[since]: _value(usd, source)}, days[last])
        else:
            found[name] = before
    if old is not None:
        return _changed(old, **found)
    vendor, model = named
    return _made(HostedPrice, {**_HOSTED, "label": model, "vendor": vendor, "model": model, **found})


def _rate(facts: Catalogue, row: Row, days: Mapping[str, date]) -> BaseModel:
    key, source, day, usd = row
    old = facts.facts[key]
    return _changed(old, figure=_appended(old.figure, "USD/unit", {days[day]: _value(usd, source)}, days[day]))


# Made without being validated again: what stands in an overlay was, when it was made.


def _value(usd: float, source: str) -> FigureValue:
    return _made(FigureValue, {**_VALUE, "typical": usd, "source": f"{PREFIX}{source}"})


def _appended(old: Figure | None, unit: Unit, new: dict[date, FigureValue], checked: date) -> Figure:
    if old is None:
        return _made(Figure, {"unit": unit, "checked": checked, "values": new, "note": None})
    later = max(checked, old.checked)
    return _made(Figure, {"unit": old.unit, "checked": later, "values": {**old.values, **new}, "note": old.note})


def _changed(record: _R, **changes: Any) -> _R:
    return record.model_copy(update=changes)


def _made(kind: type[_R], fields: dict[str, Any]) -> _R:
    """What `model_construct` does, in a quarter of the time."""
    made = kind.__new__(kind)
    put = object.__setattr__
    put(made, "__dict__", fields)
    put(made, "__pydantic_fields_set__", _ALL[kind])
    put(made, "__pydantic_extra__", None)
    put(made, "__pydantic_private__", None)
    return made


_ALL: dict[type[BaseModel], set[str]] = {
    kind: set(kind.model_fields) for kind in (FigureValue, Figure, Offer, HostedPrice)
}
_OFFER, _HOSTED = (
    {name: None if field.is_required() else field.default for name, field in kind.model_fields.items()}
    for kind in (Offer, HostedPrice)
)
_VALUE: dict[str, Any] = {
    "typical": 0.0, "low": None, "high": None, "kind": "list_price", "source": "", "locator": None, "note": None,
}  # fmt: skip
