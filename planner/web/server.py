"""The app behind a web server: what Streamlit serves, told where it stands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

SCRIPT = Path(__file__).resolve().parents[2] / "app.py"
# Without it, the page of a deep link (/compare) first looks for the server below its own path, and finds none there.
_WHERE = b"<script>window.__streamlit = {BACKEND_BASE_URL: location.origin + '%s'}</script>"
_HEAD = b"<head>"


class ToldWhereItStands:
    """Puts the server's address into the page, so that it need not be guessed."""

    def __init__(self, app: Callable[[Message, Receive, Send], Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve a request; of a page, wait for the whole of it."""
        if not _asks_for_page(scope):
            await self.app(scope, receive, send)
            return
        plain = {**scope, "headers": [one for one in scope["headers"] if one[0] != b"accept-encoding"]}
        started: list[Message] = []
        body = bytearray()

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                started.append(message)
            elif started and message["type"] == "http.response.body":
                body.extend(message.get("body", b""))
                if not message.get("more_body"):
                    whole = _told(bytes(body))
                    await send({**started[0], "headers": _with_length(started[0]["headers"], len(whole))})
                    await send({"type": "http.response.body", "body": whole})
            else:
                await send(message)

        await self.app(plain, receive, sent)


def _asks_for_page(scope: Message) -> bool:
    """Whether it is a browser that goes somewhere, rather than one that fetches a part of a page."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    return any(name == b"accept" and b"text/html" in said for name, said in scope["headers"])


def _is_page(start: Message) -> bool:
    return any(name.lower() == b"content-type" and said.startswith(b"text/html") for name, said in start["headers"])


def _told(page: bytes) -> bytes:
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    where = _WHERE % (f"/{path}" if path else "").encode()
    return page.replace(_HEAD, _HEAD + where, 1)


def _with_length(headers: list[tuple[bytes, bytes]], length: int) -> list[tuple[bytes, bytes]]:
    others = [(name, said) for name, said in headers if name.lower() != b"content-length"]
    return [*others, (b"content-length", str(length).encode())]


app = st.App(SCRIPT, middleware=[Middleware(ToldWhereItStands)])
