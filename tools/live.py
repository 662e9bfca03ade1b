"""Check that sources of live prices still send replies like the recorded ones. For maintainers, with a network.

    python tools/live.py                # all sources that want no key, and those whose key is in the environment
    python tools/live.py vast runpod
    python tools/live.py --keep FOLDER vast   # keeps what was sent, with an index: a fixture of the tests to come

Each source is read, a few replies of it at most. Said of each: how many prices, which rows are odd, and what moved
against tests/pricing/feeds/recorded: a field that is gone, a new one, one of another type. The exit is 1 where
something is gone, of another type or cannot be read; new fields alone are no fault.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TREE = Path(__file__).parents[1]
sys.path.insert(0, str(TREE))

from pricing.feeds.client import Client  # noqa: E402 - the tree is found first
from pricing.feeds.feed import Feed, FeedError, FeedReply, Fetcher, UnreadableRow  # noqa: E402
from pricing.feeds.sources import feeds  # noqa: E402

RECORDED = TREE / "tests" / "pricing" / "feeds" / "recorded"
MOST_REPLIES = 100  # of Vast there is one for each accelerator
MOST_STREAMED = 100_000_000  # bytes: with one region of AWS it is enough
FIRST_LINES = 40
SHOWN = 8
MOVED = 1
LIKE = 0.5  # so much of their keys two records of one table share
TAG = re.compile(r"<([A-Za-z:]+)((?:\s+[\w:]+=(?:'[^']*'|\"[^\"]*\"))*)")

Shape = dict[str, set[str]]  # what stands at each path: object, list, number, text …


def shape(found: Any, path: str = "") -> Shape:
    """The keys and types of a reply, all items of a list together; tables by name count as lists."""
    if isinstance(found, Mapping):
        inner = [(f"{path}.*" if _is_table(found) else f"{path}.{key}", one) for key, one in found.items()]
        return _joined({path: {"object"}}, *(shape(one, under) for under, one in inner))
    if isinstance(found, list):
        return _joined({path: {"list"}}, *(shape(one, f"{path}[]") for one in found))
    return {path: {_type(found)}}


def moved(recorded: Shape, live: Shape) -> list[str]:
    """Yield the differences: `gone`, `other` and `new`, each with its path; nothing below a gone or new one."""
    gone = [path for path in recorded if path not in live and not _may_be_empty(path, live)]
    new = [path for path in live if path not in recorded and not _may_be_empty(path, recorded)]
    other = [
        f"other {path}: {_or(recorded[path])}, now {_or(live[path])}"
        for path in recorded
        if path in live and not (live[path] - {"nothing"} <= recorded[path] or recorded[path] == {"nothing"})
    ]
    return [f"gone  {path}" for path in _outermost(gone)] + other + [f"new   {path}" for path in _outermost(new)]


def shape_of_bytes(raw: bytes) -> Shape:
    """The shape of a reply of any kind: JSON, a zip of tables, XML, or a table."""
    if raw[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return _joined(*(shape_of_bytes(archive.open(name).read(100_000)) for name in archive.namelist()))
    text = raw.decode("utf-8-sig", errors="replace")
    if text.lstrip()[:1] in ("{", "["):
        return shape(json.loads(text))
    if text.lstrip().startswith("<"):
        tags = ((tag, re.findall(r"([\w:]+)=", more)) for tag, more in TAG.findall(text))
        return {f".{tag}.{name}": {"text"} for tag, names in tags for name in names}
    rows = list(csv.reader(text.splitlines()[:FIRST_LINES]))
    header = max(rows, key=len, default=[])
    return {f".{column}": {"text"} for column in header} if len(header) > 2 else {}


def _is_table(found: Mapping[str, Any]) -> bool:
    """Return whether the keys name things, not fields: values are similar records, or numbers only."""
    values = list(found.values())
    if len(values) < 2:
        return False
    if all(isinstance(one, Mapping) and one for one in values):
        first = set(values[0])
        return all(len(first & set(one)) >= LIKE * min(len(first), len(one)) for one in values)
    return len(values) > 3 and all(_type(one) == "number" for one in values)


def _type(found: Any) -> str:
    if found is None:
        return "nothing"
    if isinstance(found, bool):
        return "yes or no"
    return "number" if isinstance(found, int | float) else "text"


def _joined(*parts: Shape) -> Shape:
    whole: Shape = defaultdict(set)
    for part in parts:
        for path, types in part.items():
            whole[path] |= types
    return dict(whole)


def _may_be_empty(path: str, there: Shape) -> bool:
    """Return whether the other side has an empty list or a missing record in its place."""
    parts = re.split(r"(?=\.|\[\])", path)
    for end in range(len(parts) - 1, 0, -1):
        above = "".join(parts[:end])
        if above in there:
            holds = any(other != above and other.startswith((f"{above}.", f"{above}[]")) for other in there)
            return there[above] == {"nothing"} or (not holds and there[above] <= {"list", "object", "nothing"})
    return False


def _outermost(paths: Sequence[str]) -> list[str]:
    return [path for path in paths if not any(path.startswith((f"{one}.", f"{one}[]")) for one in paths)]


def _or(types: set[str]) -> str:
    return " or ".join(sorted(types))


class ReplyLimitReached(Exception):
    """As many replies as are looked at have come."""


@dataclass
class _ObservedReply:
    """A reply, and what was seen of it."""

    reply: FeedReply
    watched: _RecordingClient
    kept: list[bytes] = field(default_factory=list)

    @property
    def digest(self) -> str:
        return self.reply.digest

    def json(self) -> Any:
        self.kept = [self.reply.content()]
        return self.reply.json()

    def text(self) -> str:
        self.kept = [self.reply.content()]
        return self.reply.text()

    def content(self) -> bytes:
        self.kept = [self.reply.content()]
        return self.kept[0]

    def lines(self) -> Iterator[str]:
        for count, line in enumerate(self.reply.lines()):
            self.watched.streamed += len(line)
            if count < FIRST_LINES:
                self.kept.append(f"{line}\n".encode())
            yield line


@dataclass
class _RecordingClient:
    """Sends the requests that the feed sends, and keeps each of them with its reply."""

    ask: Fetcher
    replies: list[tuple[str, _ObservedReply]] = field(default_factory=list)
    streamed: int = 0
    copies: Path | None = None

    def get(
        self, url: str, *, params: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> _ObservedReply:
        return self._seen(url, self.ask.get(url, params=params, headers=headers))

    def post(self, url: str, body: Any, *, headers: Mapping[str, str] | None = None) -> _ObservedReply:
        return self._seen(url, self.ask.post(url, body, headers=headers))

    def key(self) -> str:
        return self.ask.key()

    def _seen(self, url: str, reply: FeedReply) -> _ObservedReply:
        if len(self.replies) >= MOST_REPLIES or self.streamed > MOST_STREAMED:
            raise ReplyLimitReached
        seen = _ObservedReply(reply, self)
        self.replies.append((url.partition("?")[0], seen))
        return seen


def recorded_shape(name: str, url: str) -> Shape:
    """All that is recorded for an address."""
    entries = json.loads((RECORDED / name / "index.json").read_text(encoding="utf-8"))
    files = sorted({entry["file"] for entry in entries if entry["url"] == url})
    return _joined(*(_recorded(RECORDED / name / file) for file in files))


def _recorded(path: Path) -> Shape:
    if path.suffix == ".zip":  # is packed from a folder
        return _joined(*(shape_of_bytes(one.read_bytes()) for one in sorted(path.with_suffix("").iterdir())))
    return shape_of_bytes(path.read_bytes())


def keep(folder: Path, replies: Sequence[tuple[str, _ObservedReply]]) -> None:
    """Write what was sent, as the folders of tests/pricing/feeds/real have it."""
    folder.mkdir(parents=True, exist_ok=True)
    index = [{"url": url, "file": f"{number}.txt"} for number, (url, _) in enumerate(replies)]
    for entry, (_, seen) in zip(index, replies, strict=True):
        (folder / entry["file"]).write_bytes(b"".join(seen.kept))
    (folder / "index.json").write_text(json.dumps(index, indent=1), encoding="utf-8")


def check_source(feed: Feed, ask: Fetcher, kept_in: Path | None = None) -> tuple[list[str], bool]:
    """Return the report of a source, and whether something is wrong."""
    watched, priced, odd, refused = _RecordingClient(ask), 0, [], ""
    try:
        for _, one in feed.read(watched):
            priced += not isinstance(one, UnreadableRow)
            odd += [one] if isinstance(one, UnreadableRow) else []
    except ReplyLimitReached:
        pass
    except FeedError as error:
        refused = str(error)
    if kept_in is not None:
        keep(kept_in / feed.name, watched.replies)
    live: dict[str, Shape] = {}
    for url, seen in watched.replies:
        live[url] = _joined(live.get(url, {}), shape_of_bytes(b"".join(seen.kept)) if seen.kept else {})
    said = [f"{url}: {line}" for url, found in live.items() for line in moved(recorded_shape(feed.name, url), found)]
    wrong = bool(refused) or any(": new " not in line for line in said)
    rows = [f"odd   {one.what}: {one.why}" for one in odd[:SHOWN]]
    head = f"{feed.name}: {priced:,} prices, {len(odd):,} odd rows, {len(watched.replies)} replies"
    return [head, *(f"  {line}" for line in ([refused] if refused else []) + said + rows)], wrong


def main(names: Sequence[str]) -> int:
    """Look at the sources called `names`, or at all that can be read."""
    wrong, kept_in = False, None
    if names[:1] == ["--keep"]:
        kept_in, names = Path(names[1]), names[2:]
    for name, feed in feeds().items():
        if names and name not in names:
            continue
        if feed.key_name and not feed.key_optional and not os.environ.get(feed.key_name):
            print(f"{name}: wants a key in {feed.key_name}")
            continue
        client = Client(feed)
        try:
            lines, is_wrong = check_source(feed, client, kept_in)
        finally:
            client.close()
        wrong |= is_wrong
        print("\n".join(lines), flush=True)
    return MOVED if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
