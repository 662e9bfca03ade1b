"""Connections of the server: those that say nothing are closed first, so that they shut nobody out.

Each connection takes one of the files that a process may have open. A browser sends its request at once; a client that
sends none, half of one, or opens a websocket and asks nothing is closed where there are too many of that kind.
"""

import asyncio
import resource
from contextlib import suppress
from functools import partial
from typing import Any

from streamlit.runtime import memory_session_storage
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

_MOST_FILES = 65_536
_OTHER_FILES = 100  # that the server has open beside its connections
_FILES_EACH = (
    5  # a connection is one; Streamlit opens three for its session, and keeps sessions of people who have left
)
_PART = 4  # one in so many connections may be silent, and so many sessions of people who have left are kept
_MOST_LEFT = 128  # sessions
_HEAD_WITHIN_S = 10.0


def allow_open_files() -> int:
    """Let this process have as many files open as the system allows it. Return how many connections that is."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    with suppress(ValueError, OSError):  # macOS allows less than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    connections = (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _OTHER_FILES) // _FILES_EACH
    SILENT.most = connections // _PART
    left = partial(MemorySessionStorage, maxsize=min(connections // _PART, _MOST_LEFT))
    memory_session_storage.MemorySessionStorage = left  # type: ignore[misc, assignment]
    return connections


class SilentConnections:
    """Connections whose client asks for nothing, the oldest first."""

    def __init__(self, most: int) -> None:
        """Allow so many."""
        self.most = most
        self._open: dict[asyncio.BaseTransport, None] = {}

    def add(self, transport: asyncio.BaseTransport) -> None:
        """Count a connection; close the oldest where there are too many."""
        self.remove(transport)
        self._open[transport] = None
        while len(self._open) > self.most:
            oldest = next(iter(self._open))
            self.remove(oldest)
            abort(oldest)

    def remove(self, transport: asyncio.BaseTransport) -> None:
        """Count a connection no more: its client has asked for something, or it is closed."""
        self._open.pop(transport, None)


def abort(transport: asyncio.BaseTransport) -> None:
    """Close a connection without waiting for its client."""
    if isinstance(transport, asyncio.WriteTransport):
        transport.abort()
    else:
        transport.close()


SILENT = SilentConnections(_MOST_LEFT)


class HttpConnection(H11Protocol):
    """A connection that is silent until the head of a request is whole, and again after each answer."""

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first head."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Take what came; it may be a part of a head."""
        super().data_received(data)
        is_upgraded = self.transport.get_protocol() is not self
        if is_upgraded or (self.cycle is not None and not self.cycle.response_complete):
            self._stop_waiting()
            if is_upgraded:
                SILENT.add(self.transport)

    def on_response_complete(self) -> None:
        """Wait for the next head."""
        self._wait_for_head()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        self._stop_waiting()
        SILENT.add(self.transport)
        self._head_timer = self.loop.call_later(_HEAD_WITHIN_S, abort, self.transport)

    def _stop_waiting(self) -> None:
        SILENT.remove(self.transport)
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


class WebSocketConnection(WebSocketsSansIOProtocol):
    """A websocket that is silent until its client sends a message."""

    def handle_connect(self, event: Any) -> None:
        """Take a new client, or close the connection where there are too many: a browser tries again."""
        if len(self.connections) > self.config.limit_concurrency:
            abort(self.transport)
        else:
            super().handle_connect(event)

    def handle_bytes(self, event: Any) -> None:
        """Take a message."""
        SILENT.remove(self.transport)
        super().handle_bytes(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        SILENT.remove(self.transport)
        super().connection_lost(exc)
