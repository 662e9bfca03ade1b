"""How fast a source sends: one that only drips is given up, in the head of a reply as in its body.

The clock runs while we wait for bytes. It does not run before the first byte of a reply, when a server may still be at
work, nor while we are busy with what has come.
"""

import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool


@dataclass
class Pace:
    """What must come in each stretch of waiting."""

    least_bytes: float
    slow_s: float
    give_up: Callable[[], Exception]
    waited_s: float = 0.0
    bytes: int = 0

    def came(self, count: int, waited_s: float) -> None:
        """Raises where too little came in the whole stretch; enough of it begins the next one."""
        self.waited_s += waited_s
        self.bytes += count
        if self.bytes >= self.least_bytes:
            self.waited_s, self.bytes = 0.0, 0
        elif self.waited_s >= self.slow_s:
            raise self.give_up()


class _Timed(io.RawIOBase):
    """The bytes of one connection, timed."""

    def __init__(self, raw: io.RawIOBase, pace: Pace) -> None:
        self._raw, self._pace, self._began = raw, pace, False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        start = time.monotonic()
        count = self._raw.readinto(buffer)
        if self._began:
            self._pace.came(count or 0, time.monotonic() - start)
        self._began = True
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class PacedAdapter(HTTPAdapter):
    """Connections whose replies keep a pace."""

    def __init__(self, pace: Pace, **how: Any) -> None:
        """As any adapter, with the pace of all its replies together."""
        self._schemes = _pools(pace)
        super().__init__(**how)

    def init_poolmanager(self, *how: Any, **more: Any) -> None:
        """As it is, with our pools."""
        super().init_poolmanager(*how, **more)
        self.poolmanager.pool_classes_by_scheme = self._schemes

    def proxy_manager_for(self, *how: Any, **more: Any) -> Any:
        """As it is, with our pools."""
        manager = super().proxy_manager_for(*how, **more)
        manager.pool_classes_by_scheme = self._schemes
        return manager


def _pools(pace: Pace) -> dict[str, type[HTTPConnectionPool]]:
    class Response(HTTPResponse):
        def __init__(self, *how: Any, **more: Any) -> None:
            super().__init__(*how, **more)
            self.fp = io.BufferedReader(_Timed(self.fp.detach(), pace))

    def paced(pool: type[HTTPConnectionPool]) -> type[HTTPConnectionPool]:
        connection = type("Connection", (pool.ConnectionCls,), {"response_class": Response})
        return type("Pool", (pool,), {"ConnectionCls": connection})

    return {"http": paced(HTTPConnectionPool), "https": paced(HTTPSConnectionPool)}
