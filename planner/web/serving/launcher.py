"""Starts the app: as one process, or where a machine has more cores, as several behind one connection router.

Python does one thing at a time in a process, and most of a rerun is Streamlit's own: one process serves some thirty a
second. Several of them branch off from one that has everything loaded, so they share most of their memory.
"""

import asyncio
import gc
import importlib
import os
import pkgutil
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.process import BaseProcess

import streamlit as st
import uvicorn
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string

from planner.web import messages, pages, state, workers
from planner.web.headers import set_server_index
from planner.web.run_queue import RUNS
from planner.web.serving import web_app
from planner.web.serving.dispatcher import Dispatcher, DispatcherAddress, DispatcherClient
from planner.web.serving.router import ConnectionRouter, pair

# Loaded where it is first used, so that a command line need not wait for it. A server loads it before.
LATER = ("pandas", "scipy.optimize")
_MOST_SERVERS = 4  # each keeps answers of its own
# Kept answers are thousands of objects, of which the garbage collector can collect none: as often as Python looks by
# itself, that was a fifth of a rerun. Now it looks at all of them every few hundred reruns.
_GC_THRESHOLDS = (2_000, 20, 50)
_PATIENCE_S = 10.0  # for a server that ends
_MEGABYTE = 1_000_000
_XSRF_COOKIE = "_streamlit_xsrf"  # one for all tabs of a browser; its text differs between answers, its token does not


def warm_up() -> None:
    """Load every page with all that it may use, and calculate the answer that the page opens with."""
    for library in LATER:
        importlib.import_module(library)
    for page in pkgutil.iter_modules(pages.__path__):
        importlib.import_module(f"{pages.__name__}.{page.name}")
    state.precompute_default_answer()


class SessionVisitor:
    """The visitor of the session whose run this is."""

    def name(self) -> str:
        """Return one name for all tabs of a browser; for programs without cookies, one for each address."""
        token, _ = decode_xsrf_token_string(st.context.cookies.get(_XSRF_COOKIE, ""))
        return token.hex() if token else f"at {st.context.ip_address}"

    def check(self) -> None:
        """Let Streamlit end the run if its visitor has left, or has changed the question since."""
        _ = "scenario" in st.session_state


def default_servers() -> int:
    """Return the number of servers: one for each core, or one where several cannot share an address."""
    return min(os.cpu_count() or 1, _MOST_SERVERS) if not _single_server_reason() else 1


def _single_server_reason() -> str:
    """Return why several servers cannot share an address here; empty where they can."""
    if sys.platform != "linux":
        return "several servers can share an address on Linux only"
    if st.get_option("server.sslCertFile"):
        return "with a certificate of the server's own, the router could not read the cookie of a connection"
    return ""


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


def serve(listener: socket.socket, servers: int) -> None:
    """Serve until the process is ended; everything is loaded first, so that no visitor waits for that."""
    if servers > 1 and (reason := _single_server_reason()):
        raise SystemExit(f"SERVERS={servers} cannot be done: {reason}. Leave it out.")
    workers.branch()
    warm_up()
    RUNS.visitor = SessionVisitor()
    if servers == 1:
        with _worker_pools() as pools:
            workers.use_runners(pools)
            _run(listener)
    else:
        _run_servers(listener, servers)


@contextmanager
def _worker_pools() -> Iterator[dict[bool, workers.WorkerPool]]:
    pools = workers.start()
    try:
        yield pools
    finally:
        workers.stop(pools)


def _run(listener: socket.socket) -> None:
    gc.set_threshold(*_GC_THRESHOLDS)
    settings = uvicorn.Config(
        web_app.app,
        ws="websockets-sansio",
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


@dataclass(frozen=True)
class _ServerProcess:
    """One of several servers, as the router sees it."""

    channel: socket.socket
    process: BaseProcess


def _run_servers(listener: socket.socket, servers: int) -> None:
    messages.ready()
    gc.collect()
    gc.freeze()  # the present objects are shared: a round of the collector would copy them
    dispatcher = Dispatcher()
    processes: list[_ServerProcess] = []
    try:
        for index in range(servers):
            channels = [other.channel for other in processes]
            processes.append(_start_server(index, listener, channels, dispatcher.address))
        with _worker_pools() as pools:
            dispatcher.open(pools)
            asyncio.run(_route(listener, processes))
    finally:
        for server in processes:
            server.process.terminate()
        for server in processes:
            server.process.join(_PATIENCE_S)
            server.process.kill()
            server.channel.close()
        dispatcher.close()
    raise SystemExit("All servers of the app have ended. See their messages above.")


def _start_server(
    index: int, listener: socket.socket, others: Sequence[socket.socket], dispatcher: DispatcherAddress
) -> _ServerProcess:
    channel, server_end = pair()
    process = get_context("fork").Process(
        target=_run_server, args=(index, server_end, (listener, channel, *others), dispatcher)
    )
    process.start()
    server_end.close()
    return _ServerProcess(channel, process)


def _run_server(
    index: int, channel: socket.socket, not_mine: Sequence[socket.socket], dispatcher: DispatcherAddress
) -> None:
    """Run one server, in a process of its own."""
    for other in not_mine:
        other.close()
    workers.exit_with_parent()
    workers.use_runners({slow: DispatcherClient(dispatcher, is_slow=slow) for slow in (False, True)})
    set_server_index(index)
    with suppress(KeyboardInterrupt):
        _run(channel)


async def _route(listener: socket.socket, processes: Sequence[_ServerProcess]) -> None:
    router = ConnectionRouter(listener, [server.channel for server in processes])
    loop = asyncio.get_running_loop()

    def lose(index: int, process: BaseProcess) -> None:
        loop.remove_reader(process.sentinel)
        router.remove(index)

    for index, server in enumerate(processes):
        loop.add_reader(server.process.sentinel, lose, index, server.process)
    await router.run()
