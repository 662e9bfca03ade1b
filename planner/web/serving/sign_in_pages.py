"""Around Streamlit's own pages of sign-in: back to the page that somebody came from, and cookies for TLS only."""

import re
from urllib.parse import quote, unquote, urlsplit

from planner.web.headers import App, Message, Receive, Send, header_value

_COOKIE = b"rent-or-buy-return"
_LONGEST = 3_000  # a browser keeps cookies of four kilobytes
_PATH = re.compile(r"/(?![/\\])[^\s\\]*", re.ASCII)  # of this server, never another's


class SignInMiddleware:
    """Keeps the address that a person signs in from, with the plan in it, and goes back to it."""

    def __init__(self, app: App, base_path: str) -> None:
        self._app, self._login, self._back = app, f"{base_path}/auth/login", f"{base_path}/oauth2callback"

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
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


def _came_from(scope: Message) -> str:
    """Return path and query of the page, where it is one of this server."""
    came = urlsplit(header_value(scope, b"referer"))
    path = f"{came.path}?{came.query}" if came.query else came.path
    is_here = came.netloc == header_value(scope, b"host")
    return path if is_here and _PATH.fullmatch(path) and len(path) < _LONGEST else ""


def _kept(scope: Message) -> bytes:
    found = re.search(rf"\b{_COOKIE.decode()}=([^;]+)", header_value(scope, b"cookie"))
    path = unquote(found[1]) if found else ""
    return path.encode() if _PATH.fullmatch(path) else b""


def _set(text: str, end: bytes = b"; Max-Age=600") -> tuple[bytes, bytes]:
    return b"set-cookie", _COOKIE + b"=" + text.encode() + b"; Path=/; HttpOnly; SameSite=Lax" + end


def _for_tls(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    name, text = header
    is_open = name.lower() == b"set-cookie" and b"; secure" not in text.lower()
    return (name, text + b"; Secure") if is_open else header
