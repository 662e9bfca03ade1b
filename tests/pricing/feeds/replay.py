"""Recorded replies, played back: ours, made from the documented shapes, small.

Each folder of `recorded/` has an `index.json`: a list of replies in the order in which they are tried, each with the
`url` it answers (without what stands behind its question mark), the words that the question, its body or its headers
`holds`, and its `file`.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus, urlencode

from pricing.feeds.feed import AnyObservation, Feed, FeedError, Observation, UnreadableRow
from pricing.feeds.sources import feeds

KEYS = {"hot-aisle": "my-team:a-token"}  # what the recorded replies want; all others: `a-key`
FOLDER = Path(__file__).parent / "recorded"


@dataclass(frozen=True)
class Recorded:
    """One recorded reply."""

    raw: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.raw).hexdigest()

    def json(self) -> Any:
        return json.loads(self.raw)

    def text(self) -> str:
        return self.raw.decode()

    def content(self) -> bytes:
        return self.raw

    def lines(self) -> Iterator[str]:
        yield from self.raw.decode().splitlines()


def raw(feed: str, file: str, folder: Path = FOLDER) -> bytes:
    """A recorded file as its source sends it: what ends in `.zip` is packed from the folder of that name."""
    path = folder / feed / file
    if not file.endswith(".zip"):
        return path.read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in sorted(path.with_suffix("").iterdir()):
            archive.writestr(zipfile.ZipInfo(one.name), one.read_bytes())
    return packed.getvalue()


def index(feed: str, folder: Path = FOLDER) -> list[dict[str, Any]]:
    """Which reply answers what."""
    found: list[dict[str, Any]] = json.loads((folder / feed / "index.json").read_text())
    return found


@dataclass
class Replay:
    """Answers as recorded; `changed` puts other replies in the place of files."""

    feed: str
    changed: Mapping[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    secret: str = ""
    keyless: bool = False
    folder: Path = FOLDER
    copies: Path | None = None

    def get(
        self, url: str, *, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> Recorded:
        return self._reply(f"{url}{'&' if '?' in url else '?'}{urlencode(params)}" if params else url, headers)

    def post(self, url: str, body: Any, *, headers: Mapping[str, str] | None = None) -> Recorded:
        return self._reply(url, headers, json.dumps(body))

    def key(self) -> str:
        return "" if self.keyless else self.secret or KEYS.get(self.feed, "a-key")

    def _reply(self, url: str, headers: Mapping[str, str] | None, body: str = "") -> Recorded:
        self.asked.append(url)
        bare, _, query = url.partition("?")
        question = f"{unquote_plus(query)} {body} {dict(headers or {})}"
        for entry in index(self.feed, self.folder):
            if entry["url"] == bare and all(word in question for word in entry.get("holds", ())):
                self.given.add(entry["file"])
                return Recorded(self.changed.get(entry["file"]) or raw(self.feed, entry["file"], self.folder))
        raise FeedError(f"nothing recorded for {url}")


def read(feed: Feed, changed: Mapping[str, bytes] | None = None) -> list[AnyObservation]:
    """All that a feed says of its recorded replies."""
    return [one for _, one in feed.read(Replay(feed.name, changed or {}))]


def said(name: str) -> dict[tuple[str, int, str, str, str], Observation]:
    """What a feed says, by accelerator, count, purchase, region and what the seller calls it."""
    found = [one for one in read(feeds()[name]) if isinstance(one, Observation)]
    told = {(one.accelerator, one.count, one.purchase, one.region, one.sku): one for one in found}
    assert len(told) == len(found), "nothing is said twice"
    return told


def prices(name: str) -> dict[tuple[str, int, str, str, str], float]:
    return {key: one.price for key, one in said(name).items()}


def odd(name: str) -> list[str]:
    return [one.what for one in read(feeds()[name]) if isinstance(one, UnreadableRow)]
