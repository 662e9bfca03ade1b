"""One reply of a source: measured while it comes, unpacked under a limit, and refused in a sentence.

What is counted is what it unpacks to: a small reply can hold gigabytes of nothing.
"""

import codecs
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import urllib3
from urllib3.exceptions import HTTPError, ReadTimeoutError

from pricing.feeds.feed import FeedError

PIECE_BYTES = 65_536
LONGEST_LINE = 4_000_000
_UNPACK = zlib.MAX_WBITS | 32  # gzip or zlib, told by its head
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})
_PAGE = (b"<!doctype html", b"<html")


class Stopped(Exception):
    """Somebody cancelled the refresh."""


@dataclass
class Meter:
    """What one feed may still read, and what it has read."""

    label: str
    largest_reply_bytes: int
    go_on: Callable[[], None]  # raises where the time is over or somebody cancelled
    read_bytes: int = 0
    reply_bytes: int = 0  # of the reply that is coming
    expected_bytes: int | None = None  # of the reply that is coming, where its length is known

    def refused(self, why: str) -> FeedError:
        """The sentence, with the name of the source in front."""
        return FeedError(f"{self.label} {why}.")


@dataclass
class HttpReply:
    """A reply, read once: as a whole, or line by line."""

    raw: urllib3.BaseHTTPResponse
    meter: Meter
    _seen: Any = field(default_factory=hashlib.sha256)
    _whole: bytes | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes it unpacked to, so far as they were read."""
        found: str = self._seen.hexdigest()
        return found

    def content(self) -> bytes:
        """All of it."""
        if self._whole is None:
            self._whole = b"".join(self._pieces())
        return self._whole

    def text(self) -> str:
        """All of it as text; a web page is refused."""
        raw = self.content()
        self._refuse_page(raw, "a list of prices")
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self.meter.refused(f"sent what is no text, at byte {error.start:,}") from error

    def json(self) -> Any:
        """All of it as JSON."""
        raw = self.content()
        if not raw.strip():
            raise self.meter.refused("sent an empty reply")
        self._refuse_page(raw, "JSON")
        try:
            return json.loads(raw, parse_constant=self._no_number)
        except (ValueError, RecursionError) as error:
            raise self.meter.refused("sent what is no JSON, or only a part of it") from error

    def lines(self) -> Iterator[str]:
        """Line by line as it comes, without the end of the line. Never more than a line in memory."""
        decode = codecs.getincrementaldecoder("utf-8-sig")()
        rest, first = "", True
        try:
            for piece in self._pieces():
                if first:
                    self._refuse_page(piece, "a list of prices")
                first = False
                *whole, rest = (rest + decode.decode(piece)).split("\n")
                yield from (line.removesuffix("\r") for line in whole)
                if len(rest) > LONGEST_LINE:
                    raise self.meter.refused(f"sent a line of more than {LONGEST_LINE:,} letters")
            rest += decode.decode(b"", final=True)
        except UnicodeDecodeError as error:
            raise self.meter.refused("sent what is no text") from error
        if rest:
            yield rest.removesuffix("\r")

    def close(self) -> None:
        """Let go of the connection, read to the end or not."""
        self.raw.close()

    def _pieces(self) -> Iterator[bytes]:
        """What it unpacks to, counted."""
        count = 0
        for piece in self._unpacked():
            count += len(piece)
            self.meter.read_bytes += len(piece)
            self.meter.reply_bytes = count
            if count > self.meter.largest_reply_bytes:
                self.raw.close()
                raise self.meter.refused(f"sent more than the {_size(self.meter.largest_reply_bytes)} we read of it")
            self._seen.update(piece)
            yield piece

    def _unpacked(self) -> Iterator[bytes]:
        how = self.raw.headers.get("Content-Encoding", "identity").strip().casefold()
        if how in ("identity", ""):
            yield from self._received()
        elif how in _PACKED:
            yield from self._unzipped()
        else:
            raise self.meter.refused(f"sent its reply packed as {how[:40]!r}, which nobody asked for")

    def _unzipped(self) -> Iterator[bytes]:
        unpack = zlib.decompressobj(_UNPACK)
        try:
            for piece in self._received():
                yield unpack.decompress(piece, PIECE_BYTES)
                while unpack.unconsumed_tail:
                    yield unpack.decompress(unpack.unconsumed_tail, PIECE_BYTES)
        except zlib.error as error:
            raise self.meter.refused("sent a packed reply that cannot be unpacked") from error
        if not unpack.eof:
            raise self.meter.refused("broke off in the middle of its reply")

    def _received(self) -> Iterator[bytes]:
        """The bytes on the wire. `read1` gives what has come, so that a slow drip is seen as one."""
        try:
            while piece := self.raw.read1(PIECE_BYTES, decode_content=False):
                self.meter.go_on()
                yield piece
        except ReadTimeoutError as error:
            raise self.meter.refused("fell silent in the middle of its reply") from error
        except HTTPError as error:  # fewer bytes than it said, or the connection broke
            raise self.meter.refused("broke off in the middle of its reply") from error
        finally:
            self.raw.release_conn()

    def _refuse_page(self, raw: bytes, wanted: str) -> None:
        if raw[:1_000].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_PAGE):
            raise self.meter.refused(f"sent a web page in place of {wanted}")

    def _no_number(self, word: str) -> float:
        raise ValueError(word)


def _size(count: int) -> str:
    return f"{count / 1e6:,.0f} MB" if count >= 1_000_000 else f"{count:,} bytes"
