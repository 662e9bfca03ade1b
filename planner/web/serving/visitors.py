"""What is known of a visitor, settled where requests come in, so that nobody can say it of themselves; and sign-in.

A visitor is here where the browser is on this machine and nothing stands in between. A name counts only where a proxy
that FORWARDED_ALLOW_IPS trusts sends it (uvicorn's own variable; 127.0.0.1 by default). Around Streamlit's own pages of
sign-in: back to the page that somebody came from, and cookies for TLS only.
"""

import os
import re
from collections.abc import Mapping
from urllib.parse import quote, unquote, urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from planner.web.headers import header_value
from planner.web.serving.settings import is_loopback
from planner.web.sign_in import HERE, NAME_HEADER

_HERE = HERE.encode()
_PROXIED = frozenset({b"forwarded", b"via", b"x-real-ip", b"true-client-ip", b"cf-connecting-ip"})
_FORWARDED = b"x-forwarded-"


class VisitorMiddleware:
    """Adds whether a visitor is here, and takes out what only a proxy may say."""

    def __init__(self, app: ASGIApp, environ: Mapping[str, str] = os.environ) -> None:
        """Take the proxies and the header of the name from the environment."""
        self._app = ProxyHeadersMiddleware(app, environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1"))  # type: ignore[arg-type]
        self._name = environ.get(NAME_HEADER, "").strip().casefold().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] in ("http", "websocket"):
            scope = {**scope, "headers": self._headers(scope)}
        await self._app(scope, receive, send)  # type: ignore[arg-type]

    def _headers(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        peer = str((scope.get("client") or ("",))[0])
        untrusted = {_HERE, self._name} if peer not in self._app.trusted_hosts else {_HERE}
        headers = [header for header in scope["headers"] if header[0].lower() not in untrusted]
        return [*headers, (_HERE, b"1")] if is_loopback(peer) and _is_direct({**scope, "headers": headers}) else headers


def _is_direct(scope: Scope) -> bool:
    """Return whether a request names this machine, and no proxy has passed it on."""
    names = [name.lower() for name, _ in scope["headers"]]
    origin = header_value(scope, b"origin")
    places = [f"//{header_value(scope, b'host')}", *([origin] if origin else [])]
    if any(name in _PROXIED or name.startswith(_FORWARDED) for name in names):
        return False
    try:
        return all(is_loopback(urlsplit(place).hostname) for place in places)
    except ValueError:
        return False


_COOKIE = b"rent-or-buy-return"
_LONGEST = 3_000  # a browser keeps cookies of four kilobytes
_PATH = re.compile(r"/(?![/\\])[^\s\\]*", re.ASCII)  # of this server, never another's


class SignInMiddleware:
    """Keeps the address that a person signs in from, with the plan in it, and goes back to it."""

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self._app, self._login, self._back = app, f"{base_path}/auth/login", f"{base_path}/oauth2callback"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_changed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message["headers"])
                if scope["path"] == self._login and (origin := _came_from(scope)):
                    headers.append(_set(quote(origin, safe="")))
                elif scope["path"] == self._back and message["status"] == 302 and (origin := _kept(scope)):
                    headers = [(name, origin if name == b"location" else text) for name, text in headers]
                    headers.append(_set("", b"; Max-Age=0"))
                if scope["scheme"] == "https":
                    headers = list(map(_for_tls, headers))
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, send_changed)


def _came_from(scope: Scope) -> str:
    came = urlsplit(header_value(scope, b"referer"))
    path = f"{came.path}?{came.query}" if came.query else came.path
    is_here = came.netloc == header_value(scope, b"host")
    return path if is_here and _PATH.fullmatch(path) and len(path) < _LONGEST else ""


def _kept(scope: Scope) -> bytes:
    match = re.search(rf"\b{_COOKIE.decode()}=([^;]+)", header_value(scope, b"cookie"))
    path = unquote(match[1]) if match else ""
    return path.encode() if _PATH.fullmatch(path) else b""


def _set(text: str, end: bytes = b"; Max-Age=600") -> tuple[bytes, bytes]:
    return b"set-cookie", _COOKIE + b"=" + text.encode() + b"; Path=/; HttpOnly; SameSite=Lax" + end


def _for_tls(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    name, text = header
    is_open = name.lower() == b"set-cookie" and b"; secure" not in text.lower()
    return (name, text + b"; Secure") if is_open else header
