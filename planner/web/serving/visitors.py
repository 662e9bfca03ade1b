"""What is known of a visitor, settled where requests come in, so that nobody can say it of themselves.

A visitor is here where the browser is on this machine and nothing stands in between. A name counts only where a proxy
that FORWARDED_ALLOW_IPS trusts sends it (uvicorn's own variable; 127.0.0.1 by default).
"""

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from planner.web.headers import App, Message, Receive, Send, header_value
from planner.web.serving.settings import is_loopback
from planner.web.who import HERE, NAME_HEADER

_HERE = HERE.encode()
_PROXIED = frozenset({b"forwarded", b"via", b"x-real-ip", b"true-client-ip", b"cf-connecting-ip"})
_FORWARDED = b"x-forwarded-"


class VisitorMiddleware:
    """Adds whether a visitor is here, and takes out what only a proxy may say."""

    def __init__(self, app: App, environ: Mapping[str, str] = os.environ) -> None:
        """Take the proxies and the header of the name from the environment."""
        self._app = ProxyHeadersMiddleware(app, environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1"))  # type: ignore[arg-type]
        self._name = environ.get(NAME_HEADER, "").strip().casefold().encode()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] in ("http", "websocket"):
            scope = {**scope, "headers": self._headers(scope)}
        await self._app(scope, receive, send)  # type: ignore[arg-type]

    def _headers(self, scope: Message) -> list[tuple[bytes, bytes]]:
        peer = str((scope.get("client") or ("",))[0])
        untrusted = {_HERE, self._name} if peer not in self._app.trusted_hosts else {_HERE}
        headers = [header for header in scope["headers"] if header[0].lower() not in untrusted]
        return [*headers, (_HERE, b"1")] if is_loopback(peer) and _is_direct({**scope, "headers": headers}) else headers


def _is_direct(scope: Message) -> bool:
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
