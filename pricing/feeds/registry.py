"""The sources that somebody asks for by name."""

from collections.abc import Iterable
from difflib import get_close_matches

from pricing.errors import UnknownName
from pricing.feeds.feed import Feed
from pricing.feeds.published import is_folder, source_at
from pricing.feeds.sources import feeds


def asked_for(names: Iterable[str]) -> tuple[Feed, ...]:
    """The sources with these names, and published folders by their address; all sources where none is named."""
    known = feeds()
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in known and not is_folder(name):
            near = get_close_matches(name, known, n=3)
            hint = f" Did you mean {' or '.join(near)}?" if near else f" There are {', '.join(known)}."
            raise UnknownName(f"No source of prices is called {name[:60]!r}.{hint}", near)
    if not wanted:
        return tuple(known.values())
    return tuple(known[name] if name in known else source_at(name) for name in wanted)
