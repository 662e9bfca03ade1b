"""Starts the app: one process that serves it, and worker processes that calculate for it.

Each connection takes one of the files that a process may have open. A browser sends its request at once; a client that
sends none, half of one, or opens a websocket and asks nothing is closed where there are too many of that kind.
"""

import asyncio
import gc
import importlib
import pkgutil
import resource
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import streamlit as st
import uvicorn
from streamlit.runtime import memory_session_storage
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from planner.web import pages, state, workers
from planner.web.run_queue import RUNS
from planner.web.serving import web_app
from planner.web.serving.visitors import VisitorMiddleware

_MOST_FILES = 65_536
_OTHER_FILES = 100  # that the server has open beside its connections
_FILES_EACH = 5  # a connection is one; Streamlit opens three for its session, and keeps those of people who left
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
        """Stop counting a connection: its client has sent a request, or it is closed."""
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
        SILENT.remove(self.transport)
        super().connection_lost(exc)


# Loaded where it is first used, so that a command line need not wait for it. A server loads it before; what only
# calculations need is loaded by `planner.web.preloaded`.
LATER = ("pandas",)
# Kept answers are thousands of objects, of which the garbage collector can collect none: as often as Python looks by
# itself, that was a fifth of a rerun. Now it looks at all of them every few hundred reruns.
_GC_THRESHOLDS = (2_000, 20, 50)
_MEGABYTE = 1_000_000
_XSRF_COOKIE = "_streamlit_xsrf"  # one for all tabs of a browser; its text differs between answers, its token does not


def load_pages() -> None:
    """Load every page with all that it may use."""
    for library in LATER:
        importlib.import_module(library)
    for page in pkgutil.iter_modules(pages.__path__):
        importlib.import_module(f"{pages.__name__}.{page.name}")


class SessionVisitor:
    """The visitor of the session whose run this is."""

    def name(self) -> str:
        """Return one name for all tabs of a browser; for programs without cookies, one for each address."""
        token, _ = decode_xsrf_token_string(st.context.cookies.get(_XSRF_COOKIE, ""))
        return token.hex() if token else f"at {st.context.ip_address}"

    def check(self) -> None:
        """Let Streamlit end the run if its visitor has left, or has changed the question since."""
        _ = "memory" in st.session_state


def listen(port: int) -> socket.socket:
    """Return a socket that listens at the address of the settings."""
    host = str(st.get_option("server.address") or "")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=2_048)
    # Accepted connections inherit this: no small answer waits until the browser has confirmed the last one.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def address(listener: socket.socket) -> str:
    """Return the address to type into a browser on this machine."""
    host, port = listener.getsockname()[:2]
    local = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    return f"{scheme}://{local}:{port}/{str(st.get_option('server.baseUrlPath') or '').strip('/')}".rstrip("/")


def serve(listener: socket.socket, processes: int) -> None:
    """Serve until the process is ended; everything is loaded first, so that no visitor waits for that."""
    workers.branch()
    # A number, a list or a text looks up one key in it: a copy of the whole state for each was a tenth of a run.
    SafeSessionState.filtered_state = property(lambda live: live)  # type: ignore[method-assign, assignment]
    load_pages()
    with workers.running(processes):
        state.precompute_default_answer()
        RUNS.visitor = SessionVisitor()
        _run(listener)


def _run(listener: socket.socket) -> None:
    gc.set_threshold(*_GC_THRESHOLDS)
    settings = uvicorn.Config(
        VisitorMiddleware(web_app.app),
        proxy_headers=False,  # that does it
        http=HttpConnection,
        ws=WebSocketConnection,
        limit_concurrency=allow_open_files(),
        ws_max_size=int(st.get_option("server.maxMessageSize")) * _MEGABYTE,
        ws_per_message_deflate=bool(st.get_option("server.enableWebsocketCompression")),
        ssl_certfile=st.get_option("server.sslCertFile"),
        ssl_keyfile=st.get_option("server.sslKeyFile"),
        access_log=False,
        use_colors=False,
        log_level="warning",
    )
    _Server(settings).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Keeps ignoring Ctrl-C where it was started so, as a shell starts a job in the background."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        is_ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        with super().capture_signals():
            if is_ignored:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            yield
