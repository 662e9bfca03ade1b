"""A server of this machine that stands in for a source: it answers as it is told, well or badly, and remembers.

server.says("/prices", Answer(json={"items": []}))
server.says("/prices", Answer(status=429, headers={"Retry-After": "1"}), Answer(json=...))  # one after the other
client = Client(feed, at=server.at("prices.example"))
"""

import gzip
import json as to_json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Asked:
    """One question that came in."""

    method: str
    host: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """How to answer."""

    json: Any = None
    body: bytes | None = None
    pieces: Callable[[], Iterator[bytes]] | None = None  # a long body, piece by piece
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    packed: bool = False  # with gzip
    cut_at: int | None = None  # the connection ends after so many bytes, though more were promised
    silent_at: int | None = None  # from so many bytes on nothing comes for `silent_s`
    silent_s: float = 0.0
    drip_s: float = 0.0  # between single bytes

    def content(self) -> bytes:
        raw = to_json.dumps(self.json).encode() if self.body is None else self.body
        return gzip.compress(raw) if self.packed else raw

    def kind(self) -> str:
        """The type that goes with the body."""
        return "application/json" if self.body is None and self.pieces is None else "text/plain"


Says = Answer | Callable[[Asked], Answer]


class Server:
    """Answers by path; the last answer told for a path is said again and again."""

    def __init__(self) -> None:
        """Nothing is told yet: everything is 404."""
        self.asked: list[Asked] = []
        self.over = threading.Event()  # ends every silence
        self._said: dict[str, list[Says]] = {}
        self._lock = threading.Lock()
        self._http = _Quiet(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def says(self, path: str, *answers: Says) -> None:
        self._said[path] = list(answers)

    def at(self, *hosts: str) -> dict[str, str]:
        """What tells a client that this server stands in for these hosts."""
        return dict.fromkeys(hosts, self.url)

    def answer(self, asked: Asked) -> Answer:
        """What to say to a question."""
        with self._lock:
            self.asked.append(asked)
            told = self._said.get(asked.path)
            if not told:
                return Answer(status=404, body=b"nothing here")
            found = told.pop(0) if told[1:] else told[0]
        return found if isinstance(found, Answer) else found(asked)

    def close(self) -> None:
        """Stop answering."""
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


@contextmanager
def serving() -> Iterator[Server]:
    """A server for as long as it is wanted."""
    server = Server()
    try:
        yield server
    finally:
        server.close()


@contextmanager
def raw_server(sent: bytes, drip_s: float) -> Iterator[str]:
    """The address of a server that sends these bytes to whoever connects, one by one."""
    over = threading.Event()

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                for n in range(len(sent)):
                    self.wfile.write(sent[n : n + 1])
                    if over.wait(drip_s):
                        return

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            over.set()
            server.shutdown()
            thread.join()


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # all sources come at once

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    """One connection. `_handler` makes one of these that knows its server."""

    protocol_version = "HTTP/1.1"
    stands_in: Server

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        params = dict(parse_qsl(parts.query, keep_blank_values=True))
        host = self.headers.get("Host", "")
        asked = Asked(self.command, host, parts.path, params, dict(self.headers.items()), body)
        answer = self.stands_in.answer(asked)
        try:
            self._long(answer, answer.pieces) if answer.pieces is not None else self._short(answer)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def do_POST(self) -> None:
        self.do_GET()

    def _long(self, answer: Answer, pieces: Callable[[], Iterator[bytes]]) -> None:
        self.close_connection = True
        self._heads(answer, {"Connection": "close"})
        for piece in pieces():
            self.wfile.write(piece)

    def _short(self, answer: Answer) -> None:
        raw = answer.content()
        self._heads(answer, {"Content-Length": str(len(raw))} | ({"Content-Encoding": "gzip"} if answer.packed else {}))
        if answer.drip_s:
            self._dripped(answer, raw)
            return
        if answer.silent_at is not None:
            self.wfile.write(raw[: answer.silent_at])
            self.stands_in.over.wait(answer.silent_s)
            raw = raw[answer.silent_at :]
        self.wfile.write(raw if answer.cut_at is None else raw[: answer.cut_at])
        if answer.cut_at is not None:
            self.close_connection = True

    def _dripped(self, answer: Answer, raw: bytes) -> None:
        for n in range(len(raw)):
            self.wfile.write(raw[n : n + 1])
            if self.stands_in.over.wait(answer.drip_s):
                return

    def _heads(self, answer: Answer, more: Mapping[str, str]) -> None:
        self.send_response(answer.status)
        for name, value in ({"Content-Type": answer.kind()} | dict(answer.headers) | more).items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    return type("Handler", (_Handler,), {"stands_in": server})
