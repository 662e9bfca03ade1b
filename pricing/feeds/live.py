"""The catalogue with live prices laid over it: what every page and verb reads that names a price.

Nothing is laid over where there is no data folder. A price becomes a dated value of kind "list_price", appended to what
the catalogue knows of the same thing, so that older answers can be had again; the digest says what was laid over.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, TypeVar

from pydantic import BaseModel

from pricing.catalogue import Catalogue
from pricing.copies import cache_folder, read_copy, write_copy
from pricing.feeds.database import DATABASE, FILE, data_folder, opened_to_read
from pricing.feeds.overlay import Overlay, Row, overlay_of
from pricing.feeds.store import Store
from pricing.figure import Figure, Source, Unit, Value
from pricing.load import load_catalogue
from pricing.records import HostedPrice, Offer

PREFIX = "live-"  # of the ids of sources
_FORM = 1  # of the copy; another form is another copy
_PASS = frozenset({"old", "converted"})  # doubts that a fresh price takes away
_R = TypeVar("_R", bound=BaseModel)
_PER_HOUR: Unit = "USD/accelerator-hour"
_PER_TOKEN: Unit = "USD/Mtoken"


@dataclass
class _Last:
    """What was laid over last, in this process."""

    facts: Catalogue | None = None
    state: tuple[object, ...] = ()
    told: str = ""
    catalogue: Catalogue | None = None


_LAST = _Last()


def current(environ: Mapping[str, str] | None = None) -> Catalogue:
    """The catalogue that ships, with the live prices of this person or team laid over it."""
    environ = os.environ if environ is None else environ
    facts = load_catalogue()
    state = _looked_at(environ)
    if not state:
        return facts
    if _LAST.facts is facts and _LAST.state == state and _LAST.catalogue is not None and None not in state:
        return _LAST.catalogue
    database = opened_to_read(environ)
    if database is None:
        return facts
    with closing(database):
        store = Store(database)
        told = f"{database.name} {store.state()}"
        if _LAST.facts is not facts or _LAST.told != told or _LAST.catalogue is None:
            _LAST.catalogue = with_live(facts, _kept(facts, store, told))
        _LAST.facts, _LAST.told, _LAST.state = facts, told, state
        return _LAST.catalogue


def _looked_at(environ: Mapping[str, str]) -> tuple[object, ...]:
    """What changes when the store does; empty where there is none. Of a database one has to ask: None."""
    if environ.get(DATABASE):
        return (environ[DATABASE], None)
    folder = data_folder(environ)
    if folder is None:
        return ()
    try:
        there = (folder / FILE).stat()
    except OSError:
        return ()
    try:
        beside = (folder / f"{FILE}-wal").stat()
    except OSError:
        return (str(folder), there.st_mtime_ns, there.st_size)
    return (str(folder), there.st_mtime_ns, there.st_size, beside.st_mtime_ns, beside.st_size)


def _kept(facts: Catalogue, store: Store, told: str) -> Overlay:
    """What is laid over, from its copy where there is one."""
    name = hashlib.sha256(f"{_FORM} {facts.digest} {told}".encode()).hexdigest()[:32]
    folder = cache_folder()
    copy = None if folder is None else folder / f"live-{name}.json"
    body = None if copy is None else read_copy(copy)
    if body is not None:
        return Overlay(**json.loads(body))
    made = overlay_of(facts, store)
    if copy is not None:
        write_copy(copy, json.dumps(asdict(made), separators=(",", ":")).encode())
    return made


def with_live(facts: Catalogue, overlay: Overlay) -> Catalogue:
    """The catalogue with an overlay; the very same object where that is empty."""
    if not (overlay.offers or overlay.hosted or overlay.rates):
        return facts
    days = {text: date.fromisoformat(text) for text in _days(overlay)}
    canonical = json.dumps(asdict(overlay), separators=(",", ":"), sort_keys=True)
    update = {
        "digest": hashlib.sha256(f"{facts.digest}\n{canonical}".encode()).hexdigest(),
        "day": max(facts.day, *days.values()),
        "sources": facts.sources | {f"{PREFIX}{name}": _source(*told) for name, told in overlay.sources.items()},
        "offers": facts.offers | {row[0]: _offer(facts, row, days) for row in overlay.offers},
        "hosted": facts.hosted | {row[0]: _hosted(facts, row, days) for row in overlay.hosted},
        "facts": facts.facts | {row[0]: _rate(facts, row, days) for row in overlay.rates},
    }
    return facts.model_copy(update=update)


def _days(overlay: Overlay) -> set[str]:
    found = {day for row in overlay.offers for day in (*row[2], row[4])}
    found |= {day for row in overlay.hosted for day in (row[2], row[6])}
    return found | {row[2] for row in overlay.rates}


def _source(label: str, page: str, licence: str, via: Any, day: str) -> Source:
    read = date.fromisoformat(day)
    return Source(title=label, url=page, publisher=label, retrieved=read, via=via, licence=licence or "facts cited")


def _offer(facts: Catalogue, row: Row, days: Mapping[str, date]) -> Offer:
    key, source, read, prices, last, shape = row
    new = {days[day]: _value(usd, source) for day, usd in zip(read, prices, strict=True)}
    if shape is None:
        old = facts.offers[key]
        figure = _appended(old.usd_per_accelerator_hour, _PER_HOUR, new, days[last])
        doubts = tuple(word for word in old.doubts if word not in _PASS)
        return _changed(old, usd_per_accelerator_hour=figure, usd_per_instance_hour=None, doubts=doubts)
    (provider, accelerator, count, region, area, purchase, sku, vcpus, ram_gb, countries, doubts, fabric) = shape
    return _made(
        Offer,
        {
            **_OFFER, "provider": provider, "accelerator": accelerator, "accelerators_per_instance": count,
            "region": region, "area": area, "purchase": purchase, "sku": sku, "vcpus": vcpus, "ram_gb": ram_gb,
            "countries": tuple(countries), "doubts": tuple(doubts), "fabric": fabric,
            "usd_per_accelerator_hour": _appended(None, _PER_HOUR, new, days[last]),
        },
    )  # fmt: skip


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
    return _made(HostedPrice, {"label": model, "vendor": vendor, "model": model, "note": None, **found})


def _rate(facts: Catalogue, row: Row, days: Mapping[str, date]) -> BaseModel:
    key, source, day, usd = row
    old = facts.facts[key]
    return _changed(old, figure=_appended(old.figure, "USD/unit", {days[day]: _value(usd, source)}, days[day]))


# Made without being validated again: what stands in an overlay was, when it was made.


def _value(usd: float, source: str) -> Value:
    return _made(Value, {**_VALUE, "typical": usd, "source": f"{PREFIX}{source}"})


def _appended(old: Figure | None, unit: Unit, new: dict[date, Value], checked: date) -> Figure:
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
    put(made, "__pydantic_fields_set__", set(fields))
    put(made, "__pydantic_extra__", None)
    put(made, "__pydantic_private__", None)
    return made


_OFFER: dict[str, Any] = {
    name: None if field.is_required() else field.default for name, field in Offer.model_fields.items()
}
_VALUE: dict[str, Any] = {
    "typical": 0.0, "low": None, "high": None, "kind": "list_price", "source": "", "locator": None, "note": None,
}  # fmt: skip
