"""The ASGI app: Streamlit's answers with compressed files, the page's own address in its head, and a strict policy.

Streamlit's server sends its files as they are, 7 to 9 MB for a first visit. A file is compressed quickly for the first
browser that asks. A thread compresses it as small as can be (brotli takes nine seconds for plotly, beside Python's own
lock and not under it) and keeps the copy in the user's cache folder for the next start.
"""

import asyncio
import base64
import gzip
import hashlib
import json
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import brotli
import streamlit as st
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import file_util, net_util

from planner.web import style
from planner.web.headers import header_value, naming_headers
from planner.web.serving import http_api
from planner.web.serving.settings import frame_ancestors
from planner.web.serving.visitors import SignInMiddleware
from pricing.caching import cached
from pricing.catalogue import cache_dir

Headers = Iterable[tuple[bytes, bytes]]
SCRIPT = Path(__file__).resolve().parents[3] / "app.py"
PARTS = Path(__file__).parents[1] / "plotly_parts.json"  # of charts that the app draws: `python -m tools.plotly_parts`
STATIC = Path(file_util.get_static_dir())
# The part of Streamlit's font of icons that is used, and the font that it is a part of (`python -m tools.symbols`).
SYMBOLS, SYMBOLS_OF = Path(__file__).parents[1] / "symbols.woff2", "MaterialSymbols-Rounded.nEdyypZU.woff2"
_COMPRESSED_KINDS = frozenset({".js", ".css", ".svg"})  # fonts and pictures are small already
_KEEPING = frozenset({b"etag", b"cache-control", b"last-modified"})
_REPLACED = frozenset({b"content-length", b"etag", b"vary", b"accept-ranges"})


class Codec(NamedTuple):
    """A compression, quick or as small as can be."""

    name: str
    quick: Callable[[bytes], bytes]
    best: Callable[[bytes], bytes]
    decompress: Callable[[bytes], bytes]


CODECS = (  # best first
    Codec(
        "br",
        lambda plain: bytes(brotli.compress(plain, quality=5)),
        lambda plain: bytes(brotli.compress(plain, quality=11)),
        lambda packed: bytes(brotli.decompress(packed)),
    ),
    Codec(
        "gzip",
        lambda plain: gzip.compress(plain, 6, mtime=0),
        lambda plain: gzip.compress(plain, 9, mtime=0),
        gzip.decompress,
    ),
)


def negotiate_codec(accepted: str) -> Codec | None:
    """Return the best codec that an Accept-Encoding allows; None where it wants the file as it is."""
    weights: dict[str, float] = {}
    for part in accepted.lower().split(","):
        name, *settings = (word.strip() for word in part.split(";"))
        weight = next((setting[2:] for setting in settings if setting.startswith("q=")), "1")
        with suppress(ValueError):
            weights[name] = float(weight)
    others = weights.get("*", 0.0)
    return next((codec for codec in CODECS if weights.get(codec.name, others) > 0), None)


def _base_path() -> str:
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


class SymbolsMiddleware:
    """Sends the icons that are used in the place of Streamlit's whole font of icons.

    A browser asks each time whether it has changed: its name does not.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.font = SYMBOLS.read_bytes()
        self.tag = b'"%s"' % hashlib.sha256(self.font).hexdigest().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        path = f"{_base_path()}/static/media/{SYMBOLS_OF}"
        if scope["type"] != "http" or scope["path"] != path or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        has_it = self.tag.decode() in header_value(scope, b"if-none-match")
        body = b"" if has_it or scope["method"] == "HEAD" else self.font
        headers = [(b"etag", self.tag), (b"cache-control", b"no-cache"), (b"content-type", b"font/woff2")]
        headers += [] if has_it else [(b"content-length", str(len(self.font)).encode())]
        await send({"type": "http.response.start", "status": 304 if has_it else 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class StaticCompressionMiddleware:
    """Sends Streamlit's files compressed. Streamlit itself decides which files there are and who may have them."""

    def __init__(self, app: ASGIApp, folder: Path = STATIC, copies: Path | None = None) -> None:
        self.app = app
        self.files = {
            f"/{path.relative_to(folder).as_posix()}": path
            for path in folder.glob("static/**/*")
            if path.suffix in _COMPRESSED_KINDS
        }
        cache = cache_dir()
        self.copies = copies or (cache and cache / f"static-{st.__version__}")
        self.quick = cached(2 * len(self.files) or 1)(lambda path, codec: codec.quick(needed_part(path)))
        self.best: dict[tuple[Path, str], bytes] = {}
        self.tags = {path: _own_tag(path) for path in self.files.values() if path.name.startswith("PlotlyChart.")}
        self.start()

    def start(self) -> None:
        """Compress from now on, in a thread."""
        threading.Thread(target=self.compress_all, name="packing", daemon=True).start()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request. Streamlit gives the headers of the file only; the body is the compressed one."""
        path, codec = self._file_of(scope), None
        if path is not None and not header_value(scope, b"range"):
            codec = negotiate_codec(header_value(scope, b"accept-encoding"))
        if path is None or codec is None:
            await self.app(scope, receive, send)
            return
        wants_body, tag = scope["method"] == "GET", self.tags.get(path)
        if tag and tag.decode() in header_value(scope, b"if-none-match"):
            headers = [(b"etag", tag), (b"cache-control", b"no-cache")]
            await send({"type": "http.response.start", "status": 304, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return

        async def send_compressed(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                is_ready = (path, codec.name) in self.best
                packed = self.packed(path, codec) if is_ready else await asyncio.to_thread(self.packed, path, codec)
                await send({**message, "headers": _file_headers(message["headers"], codec, len(packed), tag)})
                await send({"type": "http.response.body", "body": packed if wants_body else b""})
                scope["packed"] = True
            elif not scope.get("packed"):
                await send(message)

        await self.app({**scope, "method": "HEAD"}, receive, send_compressed)

    def _file_of(self, scope: Scope) -> Path | None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return None
        return self.files.get(str(scope["path"]).removeprefix(_base_path()))

    def packed(self, path: Path, codec: Codec) -> bytes:
        """Return a file as small as it has been made so far."""
        return self.best.get((path, codec.name)) or self.quick(path, codec)

    def compress_all(self) -> None:
        """Make the smallest copy of every file, the largest first; no request waits for it."""
        for path in sorted(self.files.values(), key=lambda path: -path.stat().st_size):
            for codec in CODECS:
                self.best[path, codec.name] = self._smallest(path, codec)
        self.quick.cache_clear()

    def _smallest(self, path: Path, codec: Codec) -> bytes:
        plain = needed_part(path)
        copy = self.copies and self.copies / f"{path.name}.{codec.name}"
        with suppress(OSError, EOFError, ValueError, brotli.error):  # none yet, or a damaged one
            if copy and codec.decompress(packed := copy.read_bytes()) == plain:
                return packed
        packed = codec.best(plain)
        if copy:
            _write_copy(copy, packed)
        return packed


def _write_copy(copy: Path, packed: bytes) -> None:
    with suppress(OSError):  # a full or read-only disk: the next start compresses again
        copy.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=copy.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(packed)
        Path(name).replace(copy)


def _own_tag(path: Path) -> bytes:
    """Return the tag of a file of which a part is sent; empty where all of it is."""
    part = needed_part(path)
    return b"" if len(part) == path.stat().st_size else b'W/"%s"' % hashlib.sha256(part).hexdigest().encode()


def _file_headers(originals: Headers, codec: Codec, length: int, own_tag: bytes | None) -> list[tuple[bytes, bytes]]:
    """Keep Streamlit's own headers, which cache a hashed name for good; weaken the tag, as the bytes are others.

    Of a file of which a part is sent, a browser asks each time whether it has changed: its name does not.
    """
    if own_tag:
        originals = [(name, text) for name, text in originals if name not in _KEEPING]
        originals += [(b"etag", own_tag), (b"cache-control", b"no-cache")]
    tags = [(name, text if text.startswith(b"W/") else b"W/" + text) for name, text in originals if name == b"etag"]
    return [
        *((name, text) for name, text in originals if name not in _REPLACED),
        *tags,
        (b"content-length", str(length).encode()),
        (b"content-encoding", codec.name.encode()),
        (b"vary", b"Accept-Encoding"),
    ]


# The page

# Without it, the page of a deep link (/compare) first looks for the server below its own path, and finds none there.
_BASE_URL = b"<script>window.__streamlit = {BACKEND_BASE_URL: location.origin + '%s'}</script>"
# The library of charts is the largest of all files, and a browser learns only from the first chart that it needs it. It
# is fetched as soon as the page's own scripts are there, while the server makes the words.
_PRELOAD_CHARTS = b"""<script>addEventListener("load", () => {
  const charts = document.createElement("link")
  Object.assign(charts, {rel: "modulepreload", fetchPriority: "low", href: "%s/static/js/%s"})
  document.head.append(charts)
})</script>"""
# Make Streamlit's own parts work with a screen reader and a keyboard; give every chart as a file.
_OWN_SCRIPTS = b"".join(
    b"<script>%s</script>" % (Path(__file__).parents[1] / name).read_bytes()
    for name in ("accessibility.js", "focus_order.js", "chart_files.js")
)
_HEAD, _HEAD_ENDS, _BODY_ENDS = b"<head>", b"</head>", b"</body>"
_INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_NO_PAGE = ("static", "media", "component", "_stcore", "api")  # below these Streamlit serves parts of a page
_REQUEST_HEADERS = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
_FILE_HEADERS = (b"content-length", b"etag", b"last-modified", b"accept-ranges", b"vary")

EVERYWHERE = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # the address holds the whole plan: no other site gets it
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=()"),
)
# Styles are written into the page by Streamlit and plotly as they draw; scripts are not, but for those above.
# Streamlit's protobuf multiplies large numbers in WebAssembly, which is no script made of text.
_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' {scripts}; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
    "media-src 'self' blob:; manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)


_NO_FRAME = b"frame-ancestors 'none'"
FRAMED_BY = frame_ancestors()


class PageHeadMiddleware:
    """Writes the server's address and our scripts into the head of the page, and what the page may do into a header.

    A page is never kept by a browser without asking: it names the files of one version of Streamlit.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; of a page, wait for the whole of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        may_be_page = _may_be_page(scope)
        started: list[Message] = []
        body = bytearray()

        async def send_page(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *EVERYWHERE]}
                if may_be_page and any(
                    name.lower() == b"content-type" and text.startswith(b"text/html")
                    for name, text in message["headers"]
                ):
                    started.append(message)
                    return
            if not started:
                await send(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body"):
                codec = negotiate_codec(header_value(scope, b"accept-encoding"))
                headers, page = _finished_page(bytes(body), started[0]["headers"], codec)
                await send({**started[0], "headers": [*_framed(scope, headers), *naming_headers(scope)]})
                await send({"type": "http.response.body", "body": page if scope["method"] == "GET" else b""})

        if may_be_page:  # ask for the whole page, as it is on disk
            headers = [header for header in scope["headers"] if header[0] not in _REQUEST_HEADERS]
            await self.app({**scope, "method": "GET", "headers": headers}, receive, send_page)
        else:
            await self.app(scope, receive, send_page)


def _may_be_page(scope: Scope) -> bool:
    """Return whether a browser may be opening a page, rather than fetching a part of one."""
    first = str(scope["path"]).removeprefix(_base_path()).strip("/").split("/")[0]
    return scope["method"] in ("GET", "HEAD") and first not in _NO_PAGE


def _finished_page(page: bytes, originals: Headers, codec: Codec | None) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Return the headers and the body of a page, compressed as the browser allows."""
    whole, policy = _with_scripts(page, _base_path())
    body = whole if codec is None else _compress_page(whole, CODECS.index(codec))
    headers = [(name, text) for name, text in originals if name.lower() not in _FILE_HEADERS]
    headers += [(b"content-security-policy", policy), (b"vary", b"Accept-Encoding")]
    headers += [] if codec is None else [(b"content-encoding", codec.name.encode())]
    return [*headers, (b"content-length", str(len(body)).encode())], body


def _framed(scope: Scope, headers: Headers) -> Iterator[tuple[bytes, bytes]]:
    """Return the headers of a page, which sites of the setting may show in a frame where its address asks for that."""
    is_framed = bool(FRAMED_BY) and b"embed=true" in scope["query_string"].split(b"&")
    for name, text in headers:
        if not is_framed or name != b"x-frame-options":
            yield name, text.replace(_NO_FRAME, b"frame-ancestors " + FRAMED_BY.encode()) if is_framed else text


@cached(8)
def _with_scripts(page: bytes, base: str) -> tuple[bytes, bytes]:
    """Return the page with its address and our scripts, and the policy that lets these scripts run and no others."""
    whole = page.replace(_HEAD, _HEAD + _BASE_URL % base.encode() + _OWN_SCRIPTS, 1)
    whole = whole.replace(_BODY_ENDS, style.RULES.encode() + _BODY_ENDS, 1)  # after all others: it wins
    for script in sorted(STATIC.glob("static/js/PlotlyChart.*.js")):
        whole = whole.replace(_HEAD_ENDS, _PRELOAD_CHARTS % (base.encode(), script.name.encode()) + _HEAD_ENDS, 1)
    digests = (hashlib.sha256(script).digest() for script in _INLINE_SCRIPT.findall(whole))
    scripts = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return whole, _POLICY.format(scripts=scripts).encode()


@cached(8)
def _compress_page(page: bytes, codec: int) -> bytes:
    return CODECS[codec].best(page)


def _no_address() -> None:
    """Replace Streamlit's look-up of this machine's addresses, for which it asks a site elsewhere.

    It only compares a foreign Origin with them: a page at such an address has the same Host, and a server that needs
    another one names it in the settings.
    """


net_util.get_external_ip = net_util.get_internal_ip = _no_address
style.is_in_page = True

app = st.App(
    SCRIPT,
    routes=http_api.routes(_base_path()),
    middleware=[
        Middleware(SignInMiddleware, _base_path()),
        Middleware(PageHeadMiddleware),
        Middleware(SymbolsMiddleware),
        Middleware(StaticCompressionMiddleware),
    ],
)


def needed_part(file: Path) -> bytes:
    """Return a file of Streamlit's; of the library of charts the part that is needed, if it is the known one."""
    whole, record = file.read_bytes(), json.loads(PARTS.read_text(encoding="utf-8"))
    if file.name != record["file"] or hashlib.sha256(whole).hexdigest() != record["sha256"]:
        return whole
    ends = [0, *(end for _, end in record["cuts"])]
    starts = [*(start for start, _ in record["cuts"]), len(whole)]
    return b"".join(whole[end:start] for end, start in zip(ends, starts, strict=True))
