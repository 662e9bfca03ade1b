"""One reply of a source: measured while it comes, unpacked under a limit, and refused in a sentence.

What is counted is what it unpacks to: a small reply can hold gigabytes of nothing.
"""

import codecs
import hashlib
import io
import json
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.client import HTTPResponse
from typing import Any

import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError, ReadTimeoutError

from pricing.feeds.feed import AnyPriced, FeedError, FeedReply

PIECE_BYTES = 65_536
LONGEST_LINE = 4_000_000
_UNPACK = zlib.MAX_WBITS | 32  # gzip or zlib, known by its head
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})
_PAGE = (b"<!doctype html", b"<html")


class RefreshCancelled(Exception):
    """Somebody cancelled the refresh."""


@dataclass
class TransferMeter:
    """The bytes that one feed has read, and may still read."""

    label: str
    largest_reply_bytes: int
    go_on: Callable[[], None]  # raises where the time is over or somebody cancelled
    read_bytes: int = 0
    reply_bytes: int = 0  # of the reply that is coming
    expected_bytes: int | None = None  # of the reply that is coming, where its length is known

    def refused(self, why: str) -> FeedError:
        """Return the sentence, with the name of the source in front."""
        return FeedError(f"{self.label} {why}.")


@dataclass
class HttpReply:
    """A reply, read once: as a whole, or line by line."""

    raw: urllib3.BaseHTTPResponse
    meter: TransferMeter
    _seen: Any = field(default_factory=hashlib.sha256)
    _whole: bytes | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes it unpacked to, so far as they were read."""
        digest: str = self._seen.hexdigest()
        return digest

    def content(self) -> bytes:
        if self._whole is None:
            self._whole = b"".join(self._chunks())
        return self._whole

    def text(self) -> str:
        """Return all of it as text; a web page is refused."""
        raw = self.content()
        self._refuse_page(raw, "a list of prices")
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self.meter.refused(f"sent what is no text, at byte {error.start:,}") from error

    def json(self) -> Any:
        raw = self.content()
        if not raw.strip():
            raise self.meter.refused("sent an empty reply")
        self._refuse_page(raw, "JSON")
        try:
            return json.loads(raw, parse_constant=self._reject_constant)
        except (ValueError, RecursionError) as error:
            raise self.meter.refused("sent what is no JSON, or only a part of it") from error

    def lines(self) -> Iterator[str]:
        """Line by line as it comes, without the end of the line. Never more than a line in memory."""
        decode = codecs.getincrementaldecoder("utf-8-sig")()
        rest, first = "", True
        try:
            for piece in self._chunks():
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

    def _chunks(self) -> Iterator[bytes]:
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
            raise self.meter.refused(f"sent its reply packed as {how[:40]!r}, which was not requested")

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
        """Yield the bytes on the wire. `read1` gives what has come, so that a slow drip is seen as one."""
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

    def _refuse_page(self, raw: bytes, expected: str) -> None:
        if raw[:1_000].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_PAGE):
            raise self.meter.refused(f"sent a web page in place of {expected}")

    def _reject_constant(self, word: str) -> float:
        raise ValueError(word)


def _size(count: int) -> str:
    return f"{count / 1e6:,.0f} MB" if count >= 1_000_000 else f"{count:,} bytes"


@dataclass
class TransferPace:
    """The least bytes in each stretch of waiting."""

    least_bytes: float
    slow_s: float
    give_up: Callable[[], Exception]
    waited_s: float = 0.0
    bytes: int = 0

    def came(self, count: int, waited_s: float) -> None:
        """Raises where too little came in the whole stretch; enough of it begins the next one."""
        self.waited_s += waited_s
        self.bytes += count
        if self.bytes >= self.least_bytes:
            self.waited_s, self.bytes = 0.0, 0
        elif self.waited_s >= self.slow_s:
            raise self.give_up()


class _Timed(io.RawIOBase):
    """The bytes of one connection, timed."""

    def __init__(self, raw: io.RawIOBase, pace: TransferPace) -> None:
        self._raw, self._pace, self._began = raw, pace, False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        start = time.monotonic()
        count = self._raw.readinto(buffer)
        if self._began:
            self._pace.came(count or 0, time.monotonic() - start)
        self._began = True
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class PacedAdapter(HTTPAdapter):
    """Connections whose replies keep a pace."""

    def __init__(self, pace: TransferPace, **how: Any) -> None:
        """As any adapter, with the pace of all its replies together."""
        self._schemes = _pools(pace)
        super().__init__(**how)

    def init_poolmanager(self, *how: Any, **more: Any) -> None:
        """As it is, with our pools."""
        super().init_poolmanager(*how, **more)
        self.poolmanager.pool_classes_by_scheme = self._schemes

    def proxy_manager_for(self, *how: Any, **more: Any) -> Any:
        """As it is, with our pools."""
        manager = super().proxy_manager_for(*how, **more)
        manager.pool_classes_by_scheme = self._schemes
        return manager


def _pools(pace: TransferPace) -> dict[str, type[HTTPConnectionPool]]:
    class Response(HTTPResponse):
        def __init__(self, *how: Any, **more: Any) -> None:
            super().__init__(*how, **more)
            self.fp = io.BufferedReader(_Timed(self.fp.detach(), pace))

    def paced(pool: type[HTTPConnectionPool]) -> type[HTTPConnectionPool]:
        connection = type("Connection", (pool.ConnectionCls,), {"response_class": Response})
        return type("Pool", (pool,), {"ConnectionCls": connection})

    return {"http": paced(HTTPConnectionPool), "https": paced(HTTPSConnectionPool)}


@dataclass
class DigestCollector:
    """Rows with the digest of their reply, which is known once the reply was read to its end."""

    rows: list[tuple[AnyPriced, str]] = field(default_factory=list)
    open_from: int = 0
    reply: FeedReply | None = None

    def add(self, reply: FeedReply, row: AnyPriced) -> None:
        if reply is not self.reply:
            self.close()
            self.reply = reply
        self.rows.append((row, ""))

    def close(self) -> None:
        if self.reply is not None:
            digest = self.reply.digest
            self.rows[self.open_from :] = [(row, digest) for row, _ in self.rows[self.open_from :]]
        self.open_from = len(self.rows)
