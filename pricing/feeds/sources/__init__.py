"""One file for each source of live prices. Each ends with its record, `FEED`; nothing lists them besides."""

from importlib import import_module
from pkgutil import iter_modules

from pricing.caching import cached
from pricing.feeds.feed import Feed
from pricing.feeds.parsing import guarded


@cached(None)
def feeds() -> dict[str, Feed]:
    """Every source there is, by name, in the order of names."""
    found: dict[str, Feed] = {}
    for module in iter_modules(__path__, f"{__name__}."):
        feed: Feed = guarded(import_module(module.name).FEED)
        if feed.name in found:
            raise ValueError(f"{module.name}: another source is called {feed.name!r} too")
        found[feed.name] = feed
    return dict(sorted(found.items()))
