"""Starts the app: one process that serves it, and worker processes that calculate for it."""

import gc
import importlib
import pkgutil
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
import uvicorn
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string

from planner.web import pages, state, workers
from planner.web.run_queue import RUNS
from planner.web.serving import connections, web_app
from planner.web.serving.visitors import VisitorMiddleware

# Loaded where it is first used, so that a command line need not wait for it. A server loads it before; what only
# calculations need is loaded by `planner.web.preloaded`.
LATER = ("pandas",)
# Kept answers are thousands of objects, of which the garbage collector can collect none: as often as Python looks by
# itself, that was a fifth of a rerun. Now it looks at all of them every few hundred reruns.
_GC_THRESHOLDS = (2_000, 20, 50)
_MEGABYTE = 1_000_000
_XSRF_COOKIE = "_streamlit_xsrf"  # one for all tabs of a browser; its text differs between answers, its token does not


def warm_up() -> None:
    """Load every page with all that it may use, and calculate the answer that the page opens with."""
    load_pages()
    state.precompute_default_answer()


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
        _ = "scenario" in st.session_state


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
        http=connections.HttpConnection,
        ws=connections.WebSocketConnection,
        limit_concurrency=connections.allow_open_files(),
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
