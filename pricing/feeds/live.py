"""The catalogue as a person has it: the facts that ship, with live prices laid over them.

Every page and verb that names a price asks here. Nothing is laid over where there is no data folder.
"""

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

from pricing.catalogue import Catalogue
from pricing.feeds.folder import DATABASE, FILE, live_data_dir
from pricing.load import load_catalogue


@dataclass(frozen=True)
class _CachedLiveCatalogue:
    """The last catalogue with live prices in this process."""

    facts: Catalogue
    state: tuple[object, ...]
    fingerprint: str
    catalogue: Catalogue


_LAST: list[_CachedLiveCatalogue] = []  # one at most; replaced as a whole, since pages are run in threads


def current(environ: Mapping[str, str] | None = None) -> Catalogue:
    """Return the catalogue that ships, with the live prices of this person or team laid over it."""
    environ = os.environ if environ is None else environ
    facts = load_catalogue()
    state = _store_fingerprint(environ)
    if not state:
        return facts
    last = next((cached for cached in _LAST if cached.facts is facts), None)
    if last is not None and last.state == state and None not in state:
        return last.catalogue
    from pricing.feeds.database import open_read_only  # only who has live prices waits for what lays them over
    from pricing.feeds.laid import apply_live_prices, load_overlay
    from pricing.feeds.store import LivePriceStore

    database = open_read_only(environ)
    if database is None:
        return facts
    with closing(database):
        store = LivePriceStore(database)
        fingerprint = f"{database.name} {store.state()}"
        live = last.catalogue if last is not None and last.fingerprint == fingerprint else None
        live = apply_live_prices(facts, load_overlay(facts, store, fingerprint)) if live is None else live
    _LAST[:] = [_CachedLiveCatalogue(facts, state, fingerprint, live)]
    return live


def _store_fingerprint(environ: Mapping[str, str]) -> tuple[object, ...]:
    """Return a value that changes with the store; empty where there is none. A database must be asked: None."""
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
