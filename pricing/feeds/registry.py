"""The sources there are: each module of `sources` that has a `FEED`, and what is asked for by name."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module

from pricing.errors import UnknownName
from pricing.feeds import sources
from pricing.feeds.feed import Feed


@lru_cache(maxsize=1)
def feeds() -> dict[str, Feed]:
    """Every source, by its name."""
    modules = sorted(one.name for one in pkgutil.iter_modules(sources.__path__) if not one.name.startswith("_"))
    found = [getattr(import_module(f"{sources.__name__}.{name}"), "FEED", None) for name in modules]
    return {feed.name: feed for feed in found if feed is not None}


def asked_for(names: Iterable[str]) -> tuple[Feed, ...]:
    """The sources with these names; all of them where none is named."""
    known = feeds()
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            near = get_close_matches(name, known, n=3)
            hint = f" Did you mean {' or '.join(near)}?" if near else f" There are {', '.join(known)}."
            raise UnknownName(f"No source of prices is called {name[:60]!r}.{hint}", near)
    return tuple(known[name] for name in wanted) if wanted else tuple(known.values())
