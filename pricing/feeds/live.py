"""The catalogue as a person has it: the facts that ship, with live prices laid over them.

Every page and verb that names a price asks here. Nothing is laid over where there is no data folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from pricing.caching import cached
from pricing.catalogue import Catalogue
from pricing.feeds.folder import DATABASE, FILE, live_data_dir
from pricing.load import load_catalogue

if TYPE_CHECKING:
    from pricing.feeds.store import LivePriceStore


def current(environ: Mapping[str, str] | None = None) -> Catalogue:
    """Return the catalogue that ships, with the live prices of this person or team laid over it."""
    environ = os.environ if environ is None else environ
    facts, state = load_catalogue(), _store_fingerprint(environ)
    return _stored(facts, state, environ) if state else facts


@cached(1, same=lambda facts, *_: (facts,), equal=lambda _, state, __: object() if None in state else state)
def _stored(facts: Catalogue, state: tuple[object, ...], environ: Mapping[str, str]) -> Catalogue:
    """Return the facts with the prices of a store in this state; a database is read each time."""
    from pricing.feeds.database import open_read_only  # only who has live prices waits for what lays them over
    from pricing.feeds.store import LivePriceStore

    with closing(open_read_only(environ)) as database:
        store = LivePriceStore(database)
        return _with_live_prices(facts, f"{database.name} {store.state()}", store)


@cached(1, same=lambda facts, *_: (facts,), equal=lambda _, fingerprint, __: fingerprint)
def _with_live_prices(facts: Catalogue, fingerprint: str, store: LivePriceStore) -> Catalogue:
    from pricing.feeds.laid import apply_live_prices, load_overlay

    return apply_live_prices(facts, load_overlay(facts, store, fingerprint))


def _store_fingerprint(environ: Mapping[str, str]) -> tuple[object, ...]:
    """Return a value that changes with the store; empty where there is none; None for a database, always read."""
    if environ.get(DATABASE):
        return (environ[DATABASE], None)
    folder = live_data_dir(environ)
    if folder is None:
        return ()
    try:
        status = (folder / FILE).stat()
    except OSError:
        return ()
    try:
        beside = (folder / f"{FILE}-wal").stat()
    except OSError:
        return (str(folder), status.st_mtime_ns, status.st_size)
    if not beside.st_size:  # readers make an empty one
        return (str(folder), status.st_mtime_ns, status.st_size)
    return (str(folder), status.st_mtime_ns, status.st_size, beside.st_mtime_ns, beside.st_size)
