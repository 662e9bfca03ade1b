"""All sources at once, on this machine: a server that answers each host as it is recorded."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote_plus

from pricing.feeds.feed import Feed
from pricing.feeds.sources import feeds
from tests.pricing.feeds.replay import KEYS, index, raw
from tests.pricing.feeds.server import Answer, Asked, Server


class World(Server):
    """Every source that is recorded. `out` names those that answer 500."""

    def __init__(self, out: frozenset[str] = frozenset()) -> None:
        """Read what is recorded."""
        self.out = out
        self._recorded = [(feed, entry) for feed in feeds() for entry in index(feed)]
        super().__init__()

    def hosts(self) -> dict[str, str]:
        """What tells clients that this server stands in for all hosts there are."""
        return self.at(*{host for feed in feeds().values() for host in feed.hosts})

    def answer(self, asked: Asked) -> Answer:
        """As recorded; 404 for all else."""
        self.asked.append(asked)
        question = f"{_said(asked)} {asked.body.decode()} {dict(asked.headers)}"
        for feed, entry in self._recorded:
            if _bare(entry["url"]) == f"{asked.host}{asked.path}" and all(
                word in question for word in entry.get("holds", ())
            ):
                return Answer(status=500) if feed in self.out else Answer(body=raw(feed, entry["file"]))
        return Answer(status=404)


def environ_of(feed: Feed) -> dict[str, str]:
    """The key that its recorded replies want."""
    return {feed.key_name: KEYS.get(feed.name, "a-key")} if feed.key_name else {}


@contextmanager
def the_world(out: frozenset[str] = frozenset()) -> Iterator[World]:
    """For as long as it is wanted."""
    world = World(out)
    try:
        yield world
    finally:
        world.close()


def _bare(url: str) -> str:
    host, _, path = url.removeprefix("https://").partition("/")
    return f"{host.partition(':')[0]}/{path}"


def _said(asked: Asked) -> str:
    return unquote_plus("&".join(f"{name}={value}" for name, value in asked.params.items()))
