"""Small answers leave at once.

Streamlit opens its socket without naming the protocol, so asyncio does not know it for TCP and leaves the kernel's wait
in place: the second piece of a small answer (its body, the next message of a run) is held back until the browser has
confirmed the first, up to 40 ms. A first visit fetches some 80 small files.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any


@asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[None]:
    """Whatever listens from now on holds nothing back. The server starts to listen after its app has started."""
    loop = asyncio.get_running_loop()
    vars(loop)["create_server"] = partial(_listen, loop.create_server)
    yield


async def _listen(listen: Any, *what: Any, sock: socket.socket | None = None, **how: Any) -> asyncio.Server:
    if sock is not None and sock.family in (socket.AF_INET, socket.AF_INET6):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a connection has it from the one that listens
    server: asyncio.Server = await listen(*what, sock=sock, **how)
    return server
