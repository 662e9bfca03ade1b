"""Sources of live prices. Each module ends with its record, `FEED`, or with several, `FEEDS`; no list names them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any
from urllib.parse import urlsplit

from pricing.caching import cached
from pricing.feeds.feed import AnyObservation, Feed, FeedReply, Fetcher
from pricing.feeds.parsing import Following, Observations, ReplyRows, Row, day, guarded, lowest, pages


@cached(None)
def feeds() -> dict[str, Feed]:
    """Return every source by name, in the order of names."""
    known: dict[str, Feed] = {}
    for module in iter_modules(__path__, f"{__name__}."):
        loaded = import_module(module.name)
        for feed in getattr(loaded, "FEEDS", None) or (loaded.FEED,):
            if feed.name in known:
                raise ValueError(f"{module.name}: another source is called {feed.name!r} too")
            known[feed.name] = guarded(feed)
    return dict(sorted(known.items()))


@dataclass(frozen=True)
class PriceList:
    """A list: its address, the path of its rows, the fields each row needs, and the parser of a row."""

    url: str
    path: tuple[str, ...]
    needed: tuple[str, ...]
    parse: Callable[..., Iterable[AnyObservation]]
    body: Any = None  # of a POST
    key_header: tuple[str, str] | None = None  # the header that carries the key, and its text
    dated: str = ""  # the field of the page that says its day, which the parser gets too
    market: bool = False  # the lowest of like listings counts
    inner: str = ""  # the field that holds the rows of each entry
    params: Mapping[str, str] = field(default_factory=dict)  # of the first page
    following: Following = lambda page, params: None  # the parameters of the page after one
    wanted: Callable[[Row], object] = lambda row: True  # which rows are of accelerators

    def read(self, label: str, ask: Fetcher) -> Observations:
        rows = ReplyRows(label)
        key = ask.key() if self.key_header else ""
        headers = {self.key_header[0]: self.key_header[1].format(key=key)} if self.key_header and key else None
        observations = (it for reply, page in self._pages(ask, headers) for it in self._observations(rows, reply, page))
        yield from lowest(observations) if self.market else observations
        rows.check()

    def _pages(self, ask: Fetcher, headers: Mapping[str, str] | None) -> Iterator[tuple[FeedReply, Any]]:
        if self.body is None:
            return pages(ask, self.url, self.params, self.following, headers=headers)
        reply = ask.post(self.url, self.body)
        return iter([(reply, reply.json())])

    def _observations(self, rows: ReplyRows, reply: FeedReply, page: Any) -> Observations:
        more = (day(rows.at(page, self.dated)),) if self.dated else ()
        records = rows.list_at(page, *self.path)
        if self.inner:
            records = [{**row, "outer": outer} for outer in records for row in rows.list_at(outer, self.inner)]
        return rows.read(reply, filter(self.wanted, records), self.needed, self.parse, *more)


def numbered(has_more: Callable[[Row, int], object]) -> Following:
    """Return the rule of pages by number: whether a page says that there is another."""

    def following(page: Row, params: Mapping[str, str]) -> Mapping[str, str] | None:
        number = int(params["page"])
        return {**params, "page": str(number + 1)} if has_more(page, number) else None

    return following


def list_feed(name: str, label: str, page: str, prices: PriceList, **more: Any) -> Feed:
    """Return the feed of a list; its host is that of the list's address."""
    host = urlsplit(prices.url).netloc
    fields: dict[str, Any] = {"licence": "public API; facts cited", **more}
    return Feed(name, label, page, (host,), read=partial(prices.read, label), **fields)


def nested(row: Row, *path: str) -> Any:
    """Return the value under a path of keys; None where it is missing."""
    value: Any = row
    for key in path:
        value = (value or {}).get(key)
    return value
