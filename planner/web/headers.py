"""Request headers and two cookies: the browser's random name, and the server that holds its session.

The browser's name lets a reload continue what the same browser did before. It says nothing about a person, no script on
the page can read it, and the browser drops it when it ends. The server's cookie brings a browser back to the server
that holds its session, uploads and downloads. A proxy may send other people's requests down one connection: a request
that belongs to another server is redirected there, and a session that begins here is given the cookie.
"""

import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

BROWSER_COOKIE = "rent-or-buy-browser"
_NAME = re.compile(r"[\w-]{22}", re.ASCII)  # 128 bits
SERVER_COOKIE = b"rent-or-buy-server"  # holds the number of a server
_INDEX = re.compile(rb"\b%s=(\d{1,3})\b" % SERVER_COOKIE)
_SESSION_PATHS = ("/media/", "/_stcore/upload_file/")
_RESPONSE_STARTS = ("http.response.start", "websocket.accept")

_server_index: list[bytes] = []  # the number of this server; empty where there is no other


def header_value(scope: Message, name: bytes) -> str:
    """Return a header of a request; its values joined where it stands there several times."""
    return ",".join(value.decode("latin-1") for key, value in scope["headers"] if key == name)


def browser_name(cookies: Mapping[str, str]) -> str | None:
    """Return the browser's name; None where it has none of ours."""
    name = cookies.get(BROWSER_COOKIE)
    return name if isinstance(name, str) and _NAME.fullmatch(name) else None


def naming_headers(scope: Message) -> list[tuple[bytes, bytes]]:
    """Return the header that names a browser which has no name yet."""
    if re.search(rf"\b{BROWSER_COOKIE}={_NAME.pattern}(;|$)", header_value(scope, b"cookie"), re.ASCII):
        return []
    cookie = f"{BROWSER_COOKIE}={secrets.token_urlsafe(16)}; Path=/; HttpOnly; SameSite=Lax"
    return [(b"set-cookie", cookie.encode())]


def set_server_index(index: int) -> None:
    """Be one of several servers."""
    _server_index[:] = [b"%d" % index]


def server_index_from(cookies: bytes) -> bytes:
    """Return the server that cookies, or the head of a whole request, name; empty where they name none."""
    match = _INDEX.search(cookies)
    return match[1] if match else b""


class SessionAffinityMiddleware:
    """Keeps each browser with the server that holds its session."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve a request that belongs here or begins here; redirect one that belongs to another server."""
        if not _server_index or scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        index = server_index_from(header_value(scope, b"cookie").encode())
        needs_session = any(part in str(scope["path"]) for part in _SESSION_PATHS)
        if index in (_server_index[0], b"") or scope["type"] == "websocket" or not needs_session:
            await self.app(scope, receive, send if index == _server_index[0] else _with_server_cookie(scope, send))
        else:
            await _redirect(scope, send)


def _with_server_cookie(scope: Message, send: Send) -> Send:
    """Add the server's cookie to an answer; not to files, which a cache may give to others."""
    is_page = scope["type"] == "websocket" or "." not in str(scope["path"]).rsplit("/", 1)[-1]
    cookie = (b"set-cookie", b"%s=%s; Path=/; HttpOnly; SameSite=Lax" % (SERVER_COOKIE, _server_index[0]))

    async def send_with_cookie(message: Message) -> None:
        if is_page and message["type"] in _RESPONSE_STARTS:
            message = {**message, "headers": [cookie, *message.get("headers", ())]}
        await send(message)

    return send_with_cookie


async def _redirect(scope: Message, send: Send) -> None:
    """Have the browser ask again on a new connection, which goes to the right server."""
    path = "/" + scope["raw_path"].decode("latin-1").lstrip("/\\")  # of this host, whatever was asked for
    query = scope["query_string"].decode()
    headers = [(b"location", (f"{path}?{query}" if query else path).encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 307, "headers": [*headers, (b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})
