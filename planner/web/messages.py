"""Messages between the server and its worker processes: facts travel by their digest, their records by their keys.

A plan holds the catalogue and hundreds of its figures. Both sides have them already, so neither is sent: a result
comes back with the very same objects, small on the way and in memory.
"""

import copyreg
from collections import OrderedDict
from dataclasses import dataclass
from datetime import date
from functools import reduce
from io import BytesIO
from multiprocessing.reduction import ForkingPickler
from typing import Any

from pricing import Catalogue, load_catalogue
from pricing.catalogue import SECTIONS
from pricing.feeds.folder import StoreError
from pricing.feeds.live import current
from pricing.figure import Figure, StrictModel
from pricing.quotes import Quotes, with_quotes
from pricing.stale import as_of

MOST_CATALOGUES = 8  # registered at once, those of last use; the bundled one always
RecordKey = tuple[str, str, str]  # section, key, and the name of a figure; empty for the record


class CatalogMismatchError(Exception):
    """The process has other facts than the server: live prices that came meanwhile, or files that changed."""

    def __init__(self, digest: str) -> None:
        """Name the facts that it lacks."""
        super().__init__(digest)
        self.digest = digest


@dataclass(frozen=True)
class CatalogSpec:
    """Instructions to rebuild a catalogue: bundled facts with live prices, as of a day, with quotes over them."""

    day: date | None = None
    quotes: tuple[Quotes, ...] = ()

    def build(self) -> Catalogue:
        """Return the facts, as the store of live prices has them now."""
        facts = current() if self.day is None else as_of(current(), self.day)
        return reduce(with_quotes, self.quotes, facts)


@dataclass(frozen=True)
class _RegisteredCatalogue:
    facts: Catalogue
    spec: CatalogSpec
    keys: dict[int, RecordKey]  # by memory address: the facts hold their records, so addresses stay theirs


_REGISTERED: OrderedDict[str, _RegisteredCatalogue] = OrderedDict()


def register_catalogue(facts: Catalogue, spec: CatalogSpec) -> None:
    """Let these facts travel by their digest."""
    if facts.digest in _REGISTERED:
        _REGISTERED.move_to_end(facts.digest)
        return
    keys: dict[int, RecordKey] = {}
    for section in SECTIONS:
        for key, record in getattr(facts, section).items():
            keys[id(record)] = section, key, ""
            keys |= {id(figure): (section, key, name) for name, figure in record if isinstance(figure, Figure)}
    _REGISTERED[facts.digest] = _RegisteredCatalogue(facts, spec, keys)
    bundled = load_catalogue().digest
    for digest in [digest for digest in tuple(_REGISTERED) if digest != bundled][: -(MOST_CATALOGUES - 1)]:
        _REGISTERED.pop(digest, None)


def dumps(message: object) -> bytes:
    """Return a message of plain classes as bytes."""
    return bytes(ForkingPickler.dumps(message))


def loads(data: bytes) -> Any:
    """Return a message that another process of this server made. Never call it on bytes from anywhere else."""
    return ForkingPickler.loads(data)


def whole_facts(digest: str) -> tuple[bytes, CatalogSpec]:
    """Return registered facts as bytes that a process can read which has others, and how they are named."""
    entry, facts = _REGISTERED[digest], BytesIO()
    pickler = ForkingPickler(facts)
    pickler.dispatch_table = copyreg.dispatch_table  # type: ignore[assignment] # nothing in them by its digest or key
    pickler.dump(entry.facts)
    return facts.getvalue(), entry.spec


def with_facts(facts: bytes, spec: CatalogSpec, call: bytes) -> Any:
    """Register facts that this process could not build, and return the result of a packed call."""
    register_catalogue(loads(facts), spec)
    function, args, named = loads(call)
    return function(*args, **named)


def _resolve_catalogue(digest: str, spec: CatalogSpec) -> Catalogue:
    if digest not in _REGISTERED:
        try:
            facts = spec.build()
        except StoreError:
            raise CatalogMismatchError(digest) from None
        if facts.digest != digest:
            raise CatalogMismatchError(digest)
        register_catalogue(facts, spec)
    return _REGISTERED[digest].facts


def _resolve_record(digest: str, spec: CatalogSpec, record_key: RecordKey) -> object:
    section, key, name = record_key
    record = getattr(_resolve_catalogue(digest, spec), section)[key]
    return getattr(record, name) if name else record


def _reduce_catalogue(facts: Catalogue) -> tuple[Any, ...]:
    entry = _REGISTERED.get(facts.digest)
    if entry is None:
        return facts.__reduce_ex__(4)  # type: ignore[return-value]
    return _resolve_catalogue, (facts.digest, entry.spec)


def _reduce_record(record: StrictModel) -> tuple[Any, ...]:
    for digest, entry in tuple(_REGISTERED.items()):  # other threads may register more meanwhile
        record_key = entry.keys.get(id(record))
        if record_key is not None:
            return _resolve_record, (digest, entry.spec, record_key)
    return record.__reduce_ex__(4)  # type: ignore[return-value]


def ready() -> None:
    """Load the facts and let them travel. Call it once on each side."""
    ForkingPickler.register(Catalogue, _reduce_catalogue)
    kinds = {type(record) for section in SECTIONS for record in getattr(load_catalogue(), section).values()}
    for kind in (Figure, *kinds):
        ForkingPickler.register(kind, _reduce_record)
    register_catalogue(load_catalogue(), CatalogSpec())
    register_catalogue(latest_catalogue(), CatalogSpec())


def latest_catalogue() -> Catalogue:
    """Return the bundled facts with live prices; without these where they cannot be read."""
    try:
        return current()
    except StoreError:
        return load_catalogue()
