"""People's decisions about unknown names: the catalogue's id that each stands for, a new seller, or nothing wanted.

The newest decision about a name counts. It holds for every price under the name, those to come too; the rows of the
store keep the name as the source wrote it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pricing import names
from pricing.catalogue import Catalogue
from pricing.errors import AmbiguousNameError, UnknownNameError
from pricing.feeds.folder import StoreError
from pricing.names import plain
from pricing.records import Provider

What = Literal["accelerator", "seller", "vendor"]  # a vendor sells tokens
NEW, UNWANTED = "new", "none"
_NO_LETTER = re.compile("[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Name:
    """One decision about a name."""

    what: What
    called: str  # as the store's reasons have it
    means: str  # an id of the catalogue, a vendor, NEW, UNWANTED; empty: taken back
    person: str
    at: datetime
    refresh: int  # that found the name


class NameDecisions:
    """All decisions about names; of several about one name the newest counts."""

    def __init__(self, oldest_first: Iterable[Name] = ()) -> None:
        newest = {(name.what, plain(name.called)): name for name in oldest_first}
        self._names = {key: name for key, name in newest.items() if name.means}

    @property
    def every(self) -> tuple[Name, ...]:
        """Each name that has a meaning now."""
        return tuple(self._names.values())

    def means(self, what: What, called: str) -> str | None:
        """Return the meaning of a name. None: there is no decision."""
        name = self._names.get((what, plain(called))) if self._names else None
        return None if name is None else name.means

    def sellers(self) -> dict[str, Provider]:
        """Return the new sellers, by the ids they get."""
        return {
            f"named/{_NO_LETTER.sub('-', name.called.casefold()).strip('-')}": seller(
                name.called, f"Not in the catalogue that ships: {name.person} took it in on {name.at:%Y-%m-%d}."
            )
            for name in self.every
            if (name.what, name.means) == ("seller", NEW)
        }

    def add_new_providers(self, catalogue: Catalogue) -> Catalogue:
        """Return the catalogue with the new sellers; the very same object where it lacks none."""
        new = {key: record for key, record in self.sellers().items() if _is_unknown(catalogue, record.label)}
        return catalogue.model_copy(update={"providers": catalogue.providers | new}) if new else catalogue


def meaning(catalogue: Catalogue, what: What, typed: str) -> str:
    """Return the id that a person's word stands for; raise a sentence where it stands for nothing."""
    typed = typed.strip()
    unwanted = f"{UNWANTED!r} wants none of its prices."
    hint = f"{NEW!r} takes it as a new seller under its own name, {unwanted}"
    if typed in ("", UNWANTED) or (typed == NEW and what != "accelerator"):
        return typed
    if what == "vendor":
        vendors = {plain(hosted.vendor): hosted.vendor for hosted in catalogue.hosted.values()}
        if plain(typed) not in vendors:
            raise StoreError(f"No vendor of tokens is called {typed[:60]!r}. {hint}")
        return vendors[plain(typed)]
    try:
        return (names.accelerator if what == "accelerator" else names.provider)(catalogue, typed)
    except UnknownNameError as error:
        raise StoreError(f"{error} {unwanted if what == 'accelerator' else hint}") from error


def seller(label: str, note: str) -> Provider:
    """Return a provider of whom nothing is known but the prices."""
    return Provider(label=label, kind="neocloud", note=note)


def _is_unknown(catalogue: Catalogue, called: str) -> bool:
    try:
        names.provider(catalogue, called)
    except (UnknownNameError, AmbiguousNameError) as error:
        return isinstance(error, UnknownNameError)
    return False
