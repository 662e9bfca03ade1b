"""What a person said of names that nobody knew: which of the catalogue's each is, a new seller, or nothing wanted.

The newest word about a name counts. It holds for every price under the name, those to come too; the rows of the store
keep the name as the source wrote it.
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
    """One word about a name."""

    what: What
    called: str  # as the store's reasons have it
    means: str  # an id of the catalogue, a vendor, NEW, UNWANTED; empty: taken back
    person: str
    at: datetime
    refresh: int  # that had asked about it


class NameDecisions:
    """All that was said of names, the oldest first; an empty one where nothing was."""

    def __init__(self, said: Iterable[Name] = ()) -> None:
        """The newest word about each name is kept."""
        newest = {(one.what, plain(one.called)): one for one in said}
        self._said = {key: one for key, one in newest.items() if one.means}

    @property
    def every(self) -> tuple[Name, ...]:
        """Each name that has a meaning now."""
        return tuple(self._said.values())

    def means(self, what: What, called: str) -> str | None:
        """What a name means. None: nobody said."""
        if not self._said:
            return None
        found = self._said.get((what, plain(called)))
        return None if found is None else found.means

    def sellers(self) -> dict[str, Provider]:
        """The new sellers, by the ids they get."""
        new = (one for one in self.every if (one.what, one.means) == ("seller", NEW))
        return {seller_id(one.called): _seller(one) for one in new}

    def add_new_providers(self, catalogue: Catalogue) -> Catalogue:
        """The catalogue with the new sellers; the very same object where there is none that it has not."""
        new = {key: one for key, one in self.sellers().items() if _is_unknown(catalogue, one.label)}
        return catalogue.model_copy(update={"providers": catalogue.providers | new}) if new else catalogue


def meaning(catalogue: Catalogue, what: What, said: str) -> str:
    """The id that a person's word stands for; a refusal in a sentence where it stands for nothing."""
    said = said.strip()
    if said in ("", UNWANTED) or (said == NEW and what != "accelerator"):
        return said
    if what == "vendor":
        vendors = {plain(one.vendor): one.vendor for one in catalogue.hosted.values()}
        if plain(said) not in vendors:
            raise StoreError(f"No vendor of tokens is called {said[:60]!r}. {_WANTED}")
        return vendors[plain(said)]
    try:
        return (names.accelerator if what == "accelerator" else names.provider)(catalogue, said)
    except UnknownNameError as error:
        raise StoreError(f"{error} {_UNWANTED if what == 'accelerator' else _WANTED}") from error


_WANTED = f"{NEW!r} takes it as a new seller under its own name, {UNWANTED!r} wants none of its prices."
_UNWANTED = f"{UNWANTED!r} wants none of its prices."


def seller_id(called: str) -> str:
    """The id of a new seller."""
    return f"named/{_NO_LETTER.sub('-', called.casefold()).strip('-')}"


def _seller(one: Name) -> Provider:
    return seller(one.called, f"Not in the catalogue that ships: {one.person} took it in on {one.at:%Y-%m-%d}.")


def seller(label: str, note: str) -> Provider:
    """Somebody of whom nothing is known but the prices."""
    return Provider(label=label, kind="neocloud", note=note)


def _is_unknown(catalogue: Catalogue, called: str) -> bool:
    try:
        names.provider(catalogue, called)
    except UnknownNameError:
        return True
    except AmbiguousNameError:
        return False
    return False
