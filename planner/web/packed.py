"""Streamlit's own files, compressed once and kept: its server sends them as they are, 7 to 9 MB for a first visit.

A file is packed quickly for whoever comes first. A thread packs it as small as can be (brotli takes nine seconds for
plotly, beside Python's own lock and not under it) and keeps the copy in the user's cache folder for the next start.
"""

import asyncio
import gzip
import os
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import brotli
import streamlit as st
from streamlit import file_util

from pricing.caching import cached
from pricing.catalogue import cache_dir

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

STATIC = Path(file_util.get_static_dir())
_PACKED_KINDS = frozenset({".js", ".css", ".svg"})  # fonts and pictures are small already
_KEEP_STARTS = frozenset({b"content-length", b"etag", b"vary", b"accept-ranges"})


class Way(NamedTuple):
    """One way to compress, at two prices."""

    name: str
    quick: Callable[[bytes], bytes]
    best: Callable[[bytes], bytes]
    unpack: Callable[[bytes], bytes]


WAYS = (  # best first
    Way(
        "br",
        lambda plain: bytes(brotli.compress(plain, quality=5)),
        lambda plain: bytes(brotli.compress(plain, quality=11)),
        lambda packed: bytes(brotli.decompress(packed)),
    ),
    Way(
        "gzip",
        lambda plain: gzip.compress(plain, 6, mtime=0),
        lambda plain: gzip.compress(plain, 9, mtime=0),
        gzip.decompress,
    ),
)


def chosen(accepted: str) -> Way | None:
    """The best way that an Accept-Encoding allows; None where it wants the file as it is."""
    weights: dict[str, float] = {}
    for one in accepted.lower().split(","):
        name, *settings = (part.strip() for part in one.split(";"))
        weight = next((said[2:] for said in settings if said.startswith("q=")), "1")
        with suppress(ValueError):
            weights[name] = float(weight)
    others = weights.get("*", 0.0)
    return next((way for way in WAYS if weights.get(way.name, others) > 0), None)


def asked_for(scope: Message, name: bytes) -> str:
    """What a request says under a name of its head."""
    return ",".join(said.decode("latin-1") for known, said in scope["headers"] if known == name)


class StaticCompressionMiddleware:
    """Answers for Streamlit's files with what it keeps of them. What is allowed and what there is Streamlit says."""

    def __init__(self, app: App, folder: Path = STATIC, kept: Path | None = None) -> None:
        self.app = app
        self.files = {
            f"/{path.relative_to(folder).as_posix()}": path
            for path in folder.glob("static/**/*")
            if path.suffix in _PACKED_KINDS
        }
        cache = cache_dir()
        self.kept = kept or (cache and cache / f"static-{st.__version__}")
        self.quick = cached(2 * len(self.files) or 1)(self._compress_fast)
        self.best: dict[tuple[Path, str], bytes] = {}
        self.start()

    def start(self) -> None:
        """Pack from now on, beside all else."""
        threading.Thread(target=self.compress_all, name="packing", daemon=True).start()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve a request. Streamlit is asked for the head of the file only, and the body is the packed one."""
        path, way = self._file_of(scope), None
        if path is not None and not asked_for(scope, b"range"):
            way = chosen(asked_for(scope, b"accept-encoding"))
        if path is None or way is None:
            await self.app(scope, receive, send)
            return
        wants_body = scope["method"] == "GET"

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                there = (path, way.name) in self.best
                packed = self.packed(path, way) if there else await asyncio.to_thread(self.packed, path, way)
                await send({**message, "headers": _headers(message["headers"], way, len(packed))})
                await send({"type": "http.response.body", "body": packed if wants_body else b""})
                scope["packed"] = True
            elif not scope.get("packed"):
                await send(message)

        await self.app({**scope, "method": "HEAD"}, receive, sent)

    def _file_of(self, scope: Message) -> Path | None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return None
        base = str(st.get_option("server.baseUrlPath") or "").strip("/")
        return self.files.get(str(scope["path"]).removeprefix(f"/{base}" if base else ""))

    def packed(self, path: Path, way: Way) -> bytes:
        """A file as small as it has been made so far."""
        return self.best.get((path, way.name)) or self.quick(path, way)

    def _compress_fast(self, path: Path, way: Way) -> bytes:
        return way.quick(path.read_bytes())

    def compress_all(self) -> None:
        """Make of every file the smallest there is, the largest first; nobody waits for it."""
        for path in _largest_first(self.files.values()):
            for way in WAYS:
                self.best[path, way.name] = self._compress_small(path, way)
        self.quick.cache_clear()

    def _compress_small(self, path: Path, way: Way) -> bytes:
        plain = path.read_bytes()
        copy = self.kept and self.kept / f"{path.name}.{way.name}"
        with suppress(OSError, EOFError, ValueError, brotli.error):  # none yet, or a damaged one
            if copy and way.unpack(packed := copy.read_bytes()) == plain:
                return packed
        packed = way.best(plain)
        if copy:
            _keep(copy, packed)
        return packed


def _largest_first(paths: Iterable[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: -path.stat().st_size)


def _keep(copy: Path, packed: bytes) -> None:
    with suppress(OSError):  # a disk that is full or may not be written to: the next start packs again
        copy.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=copy.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(packed)
        Path(name).replace(copy)


def _headers(streamlits: Iterable[tuple[bytes, bytes]], way: Way, length: int) -> list[tuple[bytes, bytes]]:
    """Streamlit's own, which keep a hashed name for good; the tag is a weak one, as the packed bytes are others."""
    tags = [(name, said if said.startswith(b"W/") else b"W/" + said) for name, said in streamlits if name == b"etag"]
    return [
        *((name, said) for name, said in streamlits if name not in _KEEP_STARTS),
        *tags,
        (b"content-length", str(length).encode()),
        (b"content-encoding", way.name.encode()),
        (b"vary", b"Accept-Encoding"),
    ]
