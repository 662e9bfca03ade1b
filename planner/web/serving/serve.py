"""Serves the app: by one process, or where a machine has more cores, by several behind one door.

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

from planner.web import pages, parcels, state, visitor, workers
from planner.web.serving import server
from planner.web.serving.desk import Dispatcher, DispatcherAddress, DispatcherClient
from planner.web.serving.door import ConnectionRouter, pair
from planner.web.serving.same_server import set_server_index
from planner.web.turns import TURNS

# What is loaded where it is first used, so that a command line need not wait for it. A server loads it before.
LATER = ("pandas", "scipy.optimize")


def warm_up() -> None:
    """Every page loaded with all that it may use, and the answer to the question that the page opens with."""
    for library in LATER:
        importlib.import_module(library)
    for page in pkgutil.iter_modules(pages.__path__):
        importlib.import_module(f"{pages.__name__}.{page.name}")
    state.precompute_default_answer()


_MOST = 4  # servers; each keeps answers of its own
# Answers that are kept are thousands of objects, of which a round of the garbage collector finds none to collect: as
# often as Python does it by itself, that was a fifth of a rerun. Now all is looked at every few hundred reruns.
_ROUNDS = (2_000, 20, 50)
_PATIENCE_S = 10.0  # for a server that ends
_MEGABYTE = 1_000_000


def usual() -> int:
    """As many as there are cores; one where several cannot share an address."""
    return min(os.cpu_count() or 1, _MOST) if not _single_server_reason() else 1


def _single_server_reason() -> str:
    """Why several servers cannot share an address here; empty where they can."""
    if sys.platform != "linux":
        return "several servers can share an address on Linux only"
    if st.get_option("server.sslCertFile"):
        return "with a certificate of the server's own, the door could not read whose a connection is"
    return ""


def street(port: int) -> socket.socket:
    """A socket that listens where the settings say."""
    address = str(st.get_option("server.address") or "")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listening = socket.create_server((address, port), family=family, backlog=2_048)
    # Connections have it from the one that listens: no small answer waits until the browser has confirmed the last one.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def address(listening: socket.socket) -> str:
    """What to type into a browser on this machine."""
    host, port = listening.getsockname()[:2]
    own = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    return f"{scheme}://{own}:{port}/{str(st.get_option('server.baseUrlPath') or '').strip('/')}".rstrip("/")


def serve(listening: socket.socket, servers: int) -> None:
    """Serve until somebody ends it; loaded first, so that nobody waits for that."""
    if servers > 1 and (why := _single_server_reason()):
        raise SystemExit(f"SERVERS={servers} cannot be done: {why}. Leave it out.")
    workers.branch()
    warm_up()
    TURNS.visitor = visitor
    if servers == 1:
        with _makers() as pools:
            workers.use(pools)
            _run(listening)
    else:
        _run_servers(listening, servers)


@contextmanager
def _makers() -> Iterator[dict[bool, workers.WorkerPool]]:
    pools = workers.start()
    try:
        yield pools
    finally:
        workers.stop(pools)


def _run(listening: socket.socket) -> None:
    gc.set_threshold(*_ROUNDS)
    most_bytes = int(st.get_option("server.maxMessageSize")) * _MEGABYTE
    settings = uvicorn.Config(
        server.app,
        ws="websockets-sansio",
        ws_max_size=most_bytes,
        ws_per_message_deflate=bool(st.get_option("server.enableWebsocketCompression")),
        ssl_certfile=st.get_option("server.sslCertFile"),
        ssl_keyfile=st.get_option("server.sslKeyFile"),
        access_log=False,
        use_colors=False,
        log_level="warning",
    )
    _Server(settings).run(sockets=[listening])


class _Server(uvicorn.Server):
    """Stays deaf to Ctrl-C where it was started so: a shell starts what runs in the background like that."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        is_deaf = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        with super().capture_signals():
            if is_deaf:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            yield


@dataclass(frozen=True)
class _ServerProcess:
    """One of several servers, as the door sees it."""

    outside: socket.socket
    process: BaseProcess


def _run_servers(listening: socket.socket, servers: int) -> None:
    parcels.ready()
    gc.collect()
    gc.freeze()  # what is there now is shared: a round of the collector would copy it
    desk = Dispatcher()
    places: list[_ServerProcess] = []
    try:
        for number in range(servers):
            places.append(_begun(number, listening, [one.outside for one in places], desk.address))
        with _makers() as pools:
            desk.open(pools)
            asyncio.run(_kept(listening, places))
    finally:
        _end(places)
        desk.close()
    raise SystemExit("Every server of the app has ended. What they said stands above.")


def _begun(
    number: int, listening: socket.socket, others: Sequence[socket.socket], desk: DispatcherAddress
) -> _ServerProcess:
    outside, inside = pair()
    process = get_context("fork").Process(target=_one, args=(number, inside, (listening, outside, *others), desk))
    process.start()
    inside.close()
    return _ServerProcess(outside, process)


def _one(number: int, inside: socket.socket, not_mine: Sequence[socket.socket], desk: DispatcherAddress) -> None:
    """One server, in a process of its own."""
    for one in not_mine:
        one.close()
    workers.exit_with_parent()
    workers.use({False: DispatcherClient(desk, is_slow=False), True: DispatcherClient(desk, is_slow=True)})
    set_server_index(number)
    with suppress(KeyboardInterrupt):
        _run(inside)


async def _kept(listening: socket.socket, places: Sequence[_ServerProcess]) -> None:
    door = ConnectionRouter(listening, [one.outside for one in places])
    loop = asyncio.get_running_loop()
    for number, one in enumerate(places):
        loop.add_reader(one.process.sentinel, _lost, loop, door, number, one.process)
    await door.keep()


def _lost(loop: asyncio.AbstractEventLoop, door: ConnectionRouter, number: int, process: BaseProcess) -> None:
    loop.remove_reader(process.sentinel)
    door.lose(number)


def _end(places: Sequence[_ServerProcess]) -> None:
    for one in places:
        one.process.terminate()
    for one in places:
        one.process.join(_PATIENCE_S)
        one.process.kill()
        one.outside.close()
