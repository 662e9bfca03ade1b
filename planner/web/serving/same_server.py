"""One of several servers: whoever has been with it comes back to it, as his session, uploads and downloads are there.

The door reads the cookie of the first request of a connection. A proxy may send other people's requests down the same
one: then who belongs elsewhere is sent there, and whose session begins here is told so.
"""

import re

from planner.web.packed import App, Message, Receive, Send, asked_for

COOKIE = b"rent-or-buy-server"  # holds the number of a server
_MARK = re.compile(rb"\b%s=(\d{1,3})\b" % COOKIE)
_OF_A_SESSION = ("/media/", "/_stcore/upload_file/")
_BEGINS = ("http.response.start", "websocket.accept")

_mine: list[bytes] = []  # the number of this server; empty where there is no other


def set_server_index(place: int) -> None:
    """Be one of several servers."""
    _mine[:] = [b"%d" % place]


def server_index_from(cookies: bytes) -> bytes:
    """The server that cookies, or the head of a whole request, ask for; empty where they ask for none."""
    found = _MARK.search(cookies)
    return found[1] if found else b""


class SessionAffinityMiddleware:
    """Lets everybody know which server is his."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve whoever is right here, or begins here."""
        if not _mine or scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        asked = server_index_from(asked_for(scope, b"cookie").encode())
        if asked in (_mine[0], b"") or scope["type"] == "websocket" or not _is_session_path(scope):
            await self.app(scope, receive, send if asked == _mine[0] else _with_affinity_cookie(scope, send))
        else:
            await _elsewhere(scope, send)


def _is_session_path(scope: Message) -> bool:
    return any(part in str(scope["path"]) for part in _OF_A_SESSION)


def _with_affinity_cookie(scope: Message, send: Send) -> Send:
    """The same answer with a cookie; not on files, which others may be given from a cache."""
    is_page = scope["type"] == "websocket" or "." not in str(scope["path"]).rsplit("/", 1)[-1]
    cookie = (b"set-cookie", b"%s=%s; Path=/; HttpOnly; SameSite=Lax" % (COOKIE, _mine[0]))

    async def sent(message: Message) -> None:
        if is_page and message["type"] in _BEGINS:
            message = {**message, "headers": [cookie, *message.get("headers", ())]}
        await send(message)

    return sent


async def _elsewhere(scope: Message, send: Send) -> None:
    """Ask once more on a new connection, which goes to the right server."""
    there = "/" + scope["raw_path"].decode("latin-1").lstrip("/\\")  # of this address, whatever was asked for
    query = scope["query_string"].decode()
    headers = [(b"location", (f"{there}?{query}" if query else there).encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 307, "headers": [*headers, (b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})
