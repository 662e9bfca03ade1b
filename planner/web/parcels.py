"""What travels between the server and its processes: facts by their digest, their records by where they stand.

A plan holds the catalogue and hundreds of its figures. Both sides have them already, so neither is sent: what comes
back holds the very same objects, small on the way and in memory.
"""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import date
from multiprocessing.reduction import ForkingPickler
from typing import Any

from pricing import Catalogue, load_catalogue
from pricing.catalogue import SECTIONS
from pricing.feeds.folder import StoreError
from pricing.feeds.live import current
from pricing.figure import Figure, StrictModel
from pricing.quotes import Quotes, with_quotes
from pricing.stale import as_of

MOST_FACTS = 8  # kept at once, those of last use; the bundled ones always


@dataclass(frozen=True)
class CatalogSpec:
    """How facts are made of the bundled ones with live prices: as of a day, with somebody's quotes laid over them."""

    day: date | None = None
    quotes: Quotes | None = None

    def made(self) -> Catalogue:
        """The facts, as the store of live prices has them now."""
        try:
            facts = current() if self.day is None else as_of(current(), self.day)
        except StoreError:
            raise CatalogMismatchError from None
        return facts if self.quotes is None else with_quotes(facts, self.quotes)


Place = tuple[str, str, str]  # section, key, and the name of a figure; empty for the record


class CatalogMismatchError(Exception):
    """The process has other facts than the server: live prices that came meanwhile, or files that changed."""


@dataclass(frozen=True)
class _RegisteredCatalogue:
    facts: Catalogue
    recipe: CatalogSpec
    places: dict[int, Place]  # by address: the facts hold their records, so addresses stay theirs


_KNOWN: OrderedDict[str, _RegisteredCatalogue] = OrderedDict()


def register_catalogue(facts: Catalogue, recipe: CatalogSpec) -> None:
    """Let these facts travel by their digest."""
    if facts.digest in _KNOWN:
        _KNOWN.move_to_end(facts.digest)
        return
    _KNOWN[facts.digest] = _RegisteredCatalogue(facts, recipe, _places(facts))
    always = load_catalogue().digest
    for digest in [one for one in tuple(_KNOWN) if one != always][: -(MOST_FACTS - 1)]:
        _KNOWN.pop(digest, None)


def _places(facts: Catalogue) -> dict[int, Place]:
    found: dict[int, Place] = {}
    for section in SECTIONS:
        for key, record in getattr(facts, section).items():
            found[id(record)] = section, key, ""
            found |= {id(one): (section, key, name) for name, one in record if isinstance(one, Figure)}
    return found


def packed(what: object) -> bytes:
    """Anything made of plain classes, as bytes."""
    return bytes(ForkingPickler.dumps(what))


def unpacked(sent: bytes) -> Any:
    """What was packed by this program, in another process of this server. Never for what came from anywhere else."""
    return ForkingPickler.loads(sent)


def _facts(digest: str, recipe: CatalogSpec) -> Catalogue:
    if digest not in _KNOWN:
        made = recipe.made()
        if made.digest != digest:
            raise CatalogMismatchError
        register_catalogue(made, recipe)
    return _KNOWN[digest].facts


def _placed(digest: str, recipe: CatalogSpec, place: Place) -> object:
    section, key, name = place
    record = getattr(_facts(digest, recipe), section)[key]
    return getattr(record, name) if name else record


def _reduce_catalogue(facts: Catalogue) -> tuple[Any, ...]:
    known = _KNOWN.get(facts.digest)
    return facts.__reduce_ex__(4) if known is None else (_facts, (facts.digest, known.recipe))  # type: ignore[return-value]


def _reduce_record(record: StrictModel) -> tuple[Any, ...]:
    for digest, known in tuple(_KNOWN.items()):  # others may come to know more meanwhile
        place = known.places.get(id(record))
        if place is not None:
            return _placed, (digest, known.recipe, place)
    return record.__reduce_ex__(4)  # type: ignore[return-value]


def _register() -> None:
    ForkingPickler.register(Catalogue, _reduce_catalogue)
    kinds = {type(record) for section in SECTIONS for record in getattr(load_catalogue(), section).values()}
    for kind in (Figure, *kinds):
        ForkingPickler.register(kind, _reduce_record)


def ready() -> None:
    """Load the facts and let them travel. Once on each side."""
    _register()
    register_catalogue(load_catalogue(), CatalogSpec())
    register_catalogue(latest(), CatalogSpec())


def latest() -> Catalogue:
    """The bundled facts with live prices; without these where they cannot be read."""
    try:
        return current()
    except StoreError:
        return load_catalogue()
