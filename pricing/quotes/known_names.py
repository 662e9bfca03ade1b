"""The names in a quote file, placed in the catalogue: each looked up once, so that a long file stays quick to read."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches

from pricing import names
from pricing.catalogue import Catalogue
from pricing.errors import AmbiguousNameError, UnknownNameError
from pricing.quotes.records import loose, user_record_id

_HINTS = 100  # comparing a misspelt name with all others takes milliseconds, so a file gets this many hints
_NEARLY = 0.8

_LOOK_UP: dict[str, Callable[[Catalogue, str], str]] = {
    "accelerator": names.accelerator,
    "server": names.server,
    "provider": names.provider,
}


class KnownNames:
    """The names of one catalogue, and the user's own providers as they turn up."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._hints_left = _HINTS
        self._placed: dict[tuple[str, str], str | AmbiguousNameError | UnknownNameError] = {}
        self._own: dict[str, tuple[str, str]] = {}
        chips = [(key, one.label, *one.aliases) for key, one in catalogue.accelerators.items()]
        chips += [(key, one.label, *one.aliases) for key, one in catalogue.ambiguous.items()]
        servers = [(key, one.label) for key, one in catalogue.servers.items()]
        providers = [(key, one.label, *one.aliases) for key, one in catalogue.providers.items()]
        self._spellings = {"accelerator": _plain(chips), "server": _plain(servers), "provider": _plain(providers)}

    def find(self, what: str, name: str) -> str | AmbiguousNameError | UnknownNameError:
        """The id of the one record called `name`, or why there is none."""
        key = (what, names.plain(name))
        if key not in self._placed:
            self._placed[key] = self._look_up(what, name)
        return self._placed[key]

    def provider(self, name: str) -> tuple[str, str]:
        """Id and label of a provider: the catalogue's, or else one of the user's own."""
        known = self._spellings["provider"].get(names.plain(name))
        if known is not None:
            return known, self._catalogue.providers[known].label
        return self._own.setdefault(loose(name), (user_record_id(name), name))

    def similar_provider(self, name: str) -> str | None:
        """The catalogue provider that a name of the user's own nearly spells."""
        spellings = self._spellings["provider"]
        if names.plain(name) in spellings or self._hints_left <= 0:
            return None
        self._hints_left -= 1
        near = get_close_matches(names.plain(name), spellings, n=1, cutoff=_NEARLY)
        return self._catalogue.providers[spellings[near[0]]].label if near else None

    def _look_up(self, what: str, name: str) -> str | AmbiguousNameError | UnknownNameError:
        if names.plain(name) not in self._spellings[what]:
            self._hints_left -= 1
            if self._hints_left < 0:
                return UnknownNameError(f"No {what} is called {name!r}.", ())
        try:
            return _LOOK_UP[what](self._catalogue, name)
        except (AmbiguousNameError, UnknownNameError) as error:
            return error


def _plain(named: Iterable[tuple[str, ...]]) -> dict[str, str]:
    """Every spelling, plain, to its id; ids win, as they do in `pricing.names`."""
    spellings = {names.plain(spelling): key for key, *others in named for spelling in others}
    ids = {names.plain(key): key for key, *_ in named}
    return {plain: key for plain, key in (spellings | ids).items() if plain}
