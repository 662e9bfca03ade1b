"""A catalogue with live prices laid over it.

A price becomes a dated value of kind "list_price", appended to what the catalogue knows of the same thing, so that
older answers can be repeated; the digest says what was laid over.
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
from pricing.feeds.overlay import ANY_INTERRUPTIONS, INTERRUPTIONS, SHAPE, LivePriceOverlay, Row
from pricing.feeds.store import LivePriceStore
from pricing.feeds.written import SourceInfo, source
from pricing.figure import Figure, FigureValue, Unit
from pricing.records import HostedPrice, Offer

PREFIX = "live-"  # of the ids of sources
_FORM = 5  # of the copy; another form is another copy
_PASS = frozenset({"old", "converted"})  # doubts that a fresh price takes away
_R = TypeVar("_R", bound=BaseModel)
_PER_HOUR: Unit = "USD/accelerator-hour"
_PER_TOKEN: Unit = "USD/Mtoken"


def load_overlay(facts: Catalogue, store: LivePriceStore, state: str) -> LivePriceOverlay:
    name = hashlib.sha256(f"{_FORM} {facts.digest} {state}".encode()).hexdigest()[:32]
    folder = cache_dir()
    copy = None if folder is None else folder / f"live-{name}.json"
    body = None if copy is None else read_cached(copy)
    if body is not None:
        return LivePriceOverlay(**json.loads(body))
    from pricing.feeds.overlay import build_overlay  # what is kept is read without it

    overlay = build_overlay(facts, store)
    if copy is not None:
        write_cached(copy, json.dumps(vars(overlay), separators=(",", ":")).encode())
    return overlay


def apply_live_prices(facts: Catalogue, overlay: LivePriceOverlay) -> Catalogue:
    """Return the catalogue with an overlay; the very same object where that is empty."""
    if not (overlay.offers or overlay.hosted or overlay.rates):
        return facts
    stamps = {day for row in overlay.offers for day in (*row[2], row[4])}
    stamps |= {day for row in overlay.hosted for day in (row[2], row[6])} | {row[2] for row in overlay.rates}
    days = {text: date.fromisoformat(text) for text in stamps}
    with _gc_disabled():
        sources = {
            f"{PREFIX}{name}": source(SourceInfo(*about), date.fromisoformat(day))
            for name, (*about, day) in overlay.sources.items()
        }
        update = {
            "digest": hashlib.sha256(f"{facts.digest}\n{overlay.digest}".encode()).hexdigest(),
            "day": max(facts.day, *days.values()),
            "sources": facts.sources | sources,
            "providers": facts.providers | {key: seller(*fields) for key, fields in overlay.sellers.items()},
            "offers": facts.offers | {row[0]: _offer(facts, row, days) for row in overlay.offers},
            "hosted": facts.hosted | {row[0]: _hosted(facts, row, days) for row in overlay.hosted},
            "facts": facts.facts | {row[0]: _rate(facts, row, days) for row in overlay.rates},
        }
        return facts.model_copy(update=update)


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


def _offer(facts: Catalogue, row: Row, days: Mapping[str, date]) -> Offer:
    key, source, read, prices, last, lasting, free, shape = row
    new = {days[day]: _value(usd, source) for day, usd in zip(read, prices, strict=True)}
    if shape is None:
        old = facts.offers[key]
        figure = _appended(old.usd_per_accelerator_hour, _PER_HOUR, new, days[last])
        doubts = tuple(dict.fromkeys((*(word for word in old.doubts if word not in _PASS), *lasting)))
        return old.model_copy(
            update={
                "usd_per_accelerator_hour": figure,
                "usd_per_instance_hour": None,
                "doubts": doubts,
                "free_machines": free,
            }
        )
    fields: dict[str, Any] = _OFFER | dict(zip(SHAPE, shape, strict=True))
    fields["countries"], fields["doubts"] = tuple(fields["countries"]), tuple(fields["doubts"])
    fields["free_machines"] = free
    fields["usd_per_accelerator_hour"] = _appended(None, _PER_HOUR, new, days[last])
    return _build_record(Offer, fields)


def _hosted(facts: Catalogue, row: Row, days: Mapping[str, date]) -> HostedPrice:
    key, source, since, sent, written, cached, last, named = row
    old = None if named else facts.hosted[key]
    prices = {"input_usd_per_mtoken": sent, "output_usd_per_mtoken": written, "cached_input_usd_per_mtoken": cached}
    figures: dict[str, Figure | None] = {}
    for name, usd in prices.items():
        before: Figure | None = getattr(old, name, None)
        if usd is not None:
            figures[name] = _appended(before, _PER_TOKEN, {days[since]: _value(usd, source)}, days[last])
        else:
            figures[name] = before
    if old is not None:
        return old.model_copy(update=figures)
    vendor, model, tier = named
    label = f"{model}, {tier}" if tier else model
    known = {"label": label, "vendor": vendor, "model": model, "tier": tier}
    return _build_record(HostedPrice, {**_HOSTED, **known, **figures})


def _rate(facts: Catalogue, row: Row, days: Mapping[str, date]) -> BaseModel:
    key, source, day, low, typical, high = row
    label = f"Interruptions of a spot instance, {key.removeprefix(INTERRUPTIONS).upper()}"
    old = facts.facts.get(key) or facts.facts[ANY_INTERRUPTIONS].model_copy(update={"label": label})
    figure = _appended(old.figure, "USD/unit", {days[day]: _value(typical, source, low, high)}, days[day])
    return old.model_copy(update={"figure": figure})


# Made without being validated again: what stands in an overlay was, when it was made.


def _value(typical: float, source: str, low: float | None = None, high: float | None = None) -> FigureValue:
    kind = "list_price" if low is None else "derived"
    fields = {"typical": typical, "low": low, "high": high, "kind": kind, "source": f"{PREFIX}{source}"}
    return _build_record(FigureValue, {**_VALUE, **fields})


def _appended(old: Figure | None, unit: Unit, new: dict[date, FigureValue], checked: date) -> Figure:
    if old is None:
        return _build_record(Figure, {"unit": unit, "checked": checked, "values": new, "note": None})
    later = max(checked, old.checked)
    return _build_record(
        Figure, {"unit": old.unit, "checked": later, "values": {**old.values, **new}, "note": old.note}
    )


def _build_record(kind: type[_R], fields: dict[str, Any]) -> _R:
    """Do as `model_construct`, in a quarter of the time."""
    record = kind.__new__(kind)
    put = object.__setattr__
    put(record, "__dict__", fields)
    put(record, "__pydantic_fields_set__", _ALL[kind])
    put(record, "__pydantic_extra__", None)
    put(record, "__pydantic_private__", None)
    return record


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
