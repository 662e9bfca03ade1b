"""The app behind a web server: what Streamlit serves, told where it stands, small on the way, closed to strangers."""

import base64
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from streamlit import net_util

from planner.web.packed import STATIC, WAYS, App, Message, Receive, Send, StaticCompressionMiddleware, asked_for, chosen
from planner.web.same_browser import naming
from planner.web.serving.same_server import SessionAffinityMiddleware
from pricing.caching import cached

SCRIPT = Path(__file__).resolve().parents[3] / "app.py"
# Without it, the page of a deep link (/compare) first looks for the server below its own path, and finds none there.
_WHERE = b"<script>window.__streamlit = {BACKEND_BASE_URL: location.origin + '%s'}</script>"
# The library of charts is the largest of all files, and a browser learns only from the first chart that it needs it. It
# is fetched as soon as the page's own scripts are there, while the server makes the words.
_CHARTS = b"""<script>addEventListener("load", () => {
  const charts = document.createElement("link")
  Object.assign(charts, {rel: "modulepreload", fetchPriority: "low", href: "%s/static/js/%s"})
  document.head.append(charts)
})</script>"""
# What makes Streamlit's own parts fit for a screen reader and a keyboard.
_MENDS = b"".join(
    b"<script>%s</script>" % (Path(__file__).parents[1] / name).read_bytes() for name in ("mends.js", "reach.js")
)
_HEAD, _HEAD_ENDS = b"<head>", b"</head>"
_WRITTEN_IN = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_NO_PAGE = ("static", "media", "component", "_stcore")  # below these Streamlit serves parts of a page

EVERYWHERE = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # the address holds the whole plan: no other site is told it
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=()"),
)
# Styles are written into the page by Streamlit and plotly as they draw; scripts are not, but for those that stand here.
# Streamlit's protobuf multiplies large numbers in WebAssembly, which is no script made of text.
_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' {scripts}; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
    "media-src 'self' blob:; manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)


class PageHeadMiddleware:
    """Puts the server's address into the page, so that it need not be guessed, and what the page may do into its head.

    A page is never kept by a browser without asking: it names the files of one version of Streamlit.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve a request; of a page, wait for the whole of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started: list[Message] = []
        body = bytearray()

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *EVERYWHERE]}
                if _may_be_page(scope) and _is_page(message):
                    started.append(message)
                    return
            if not started:
                await send(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body"):
                headers, page = _whole(bytes(body), started[0]["headers"], asked_for(scope, b"accept-encoding"))
                await send({**started[0], "headers": [*headers, *naming(scope)]})
                await send({"type": "http.response.body", "body": page if scope["method"] == "GET" else b""})

        await self.app(_as_plain_request(scope) if _may_be_page(scope) else scope, receive, sent)


def _base() -> str:
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def _may_be_page(scope: Message) -> bool:
    """Whether it may be a browser that goes somewhere, rather than one that fetches a part of a page."""
    first = str(scope["path"]).removeprefix(_base()).strip("/").split("/")[0]
    return scope["method"] in ("GET", "HEAD") and first not in _NO_PAGE


def _as_plain_request(scope: Message) -> Message:
    """The same question for the whole page, as it is on disk."""
    asked = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
    return {**scope, "method": "GET", "headers": [one for one in scope["headers"] if one[0] not in asked]}


def _is_page(start: Message) -> bool:
    return any(name.lower() == b"content-type" and said.startswith(b"text/html") for name, said in start["headers"])


def _whole(
    page: bytes, streamlits: Iterable[tuple[bytes, bytes]], accepted: str
) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """The page and its head, packed as the browser allows."""
    told, policy = _told(page, _base())
    way = chosen(accepted)
    sent = told if way is None else _compress_page(told, WAYS.index(way))
    of_the_file = (b"content-length", b"etag", b"last-modified", b"accept-ranges", b"vary")
    headers = [(name, said) for name, said in streamlits if name.lower() not in of_the_file]
    headers += [(b"content-security-policy", policy), (b"vary", b"Accept-Encoding")]
    headers += [] if way is None else [(b"content-encoding", way.name.encode())]
    return [*headers, (b"content-length", str(len(sent)).encode())], sent


@cached(8)
def _told(page: bytes, base: str) -> tuple[bytes, bytes]:
    """The page told where it stands, and the policy that lets the scripts written into it run, and no others."""
    whole = page.replace(_HEAD, _HEAD + _WHERE % base.encode() + _MENDS, 1)
    for script in sorted(STATIC.glob("static/js/PlotlyChart.*.js")):
        hint = _CHARTS % (base.encode(), script.name.encode())
        whole = whole.replace(_HEAD_ENDS, hint + _HEAD_ENDS, 1)
    digests = (hashlib.sha256(script).digest() for script in _WRITTEN_IN.findall(whole))
    scripts = " ".join(f"'sha256-{base64.b64encode(one).decode()}'" for one in digests)
    return whole, _POLICY.format(scripts=scripts).encode()


@cached(8)
def _compress_page(page: bytes, way: int) -> bytes:
    return WAYS[way].best(page)


def _no_address() -> None:
    """Streamlit compares a foreign Origin with the addresses of this machine, and asks a site elsewhere for them.

    Nothing is lost: a page at such an address has the same Host, and who needs another one names it in the settings.
    """


net_util.get_external_ip = net_util.get_internal_ip = _no_address

app = st.App(
    SCRIPT,
    middleware=[
        Middleware(SessionAffinityMiddleware),
        Middleware(PageHeadMiddleware),
        Middleware(StaticCompressionMiddleware),
    ],
)
