"""Connection router: each browser comes back to its server, and no connection is lost."""

import asyncio
import os
import re
import signal
import socket
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from planner.web import headers
from planner.web.headers import Message
from planner.web.serving import launcher, router
from planner.web.serving.router import ConnectionRouter, HandoffSocket, pair
from tests.started import PATIENCE_S, app


class Server:
    """Answers every request with its number and what it was asked."""

    def __init__(self, number: int, inside: HandoffSocket) -> None:
        self.number, self.inside = number, inside

    async def begin(self) -> asyncio.AbstractServer:
        return await asyncio.get_running_loop().create_server(lambda: Answering(self.number), sock=self.inside)


class Answering(asyncio.Protocol):
    def __init__(self, number: int) -> None:
        self.number, self.heard = number, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.heard += data
        if b"\r\n\r\n" in self.heard:
            assert isinstance(self.transport, asyncio.WriteTransport)
            self.transport.write(b"%d " % self.number + self.heard)
            self.transport.close()


@asynccontextmanager
async def open_router(servers: int) -> AsyncIterator[tuple[int, list[asyncio.AbstractServer]]]:
    """A router with so many servers behind it: its port, and these."""
    ends = [pair() for _ in range(servers)]
    listener = socket.create_server(("127.0.0.1", 0))
    running = [await Server(number, inside).begin() for number, (_, inside) in enumerate(ends)]
    its_router = ConnectionRouter(listener, [outside for outside, _ in ends])
    keeping = asyncio.create_task(its_router.run())
    try:
        yield listener.getsockname()[1], running
    finally:
        keeping.cancel()
        for one in running:
            one.close()
        for outside, inside in ends:
            outside.close()
            inside.close()
        listener.close()


async def answer(port: int, *parts: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for part in parts:
        writer.write(part)
        await writer.drain()
        await asyncio.sleep(0.05)
    async with asyncio.timeout(PATIENCE_S):
        said = await reader.read()
    writer.close()
    await writer.wait_closed()
    return said


def request(cookie: bytes = b"", more: bytes = b"") -> bytes:
    line = b"Cookie: a=b; %s=%s; c=d\r\n" % (headers.SERVER_COOKIE, cookie) if cookie else b""
    return b"GET / HTTP/1.1\r\nHost: x\r\n" + more + line + b"\r\n"


def test_strangers_are_spread_and_everybody_else_comes_back() -> None:
    async def visits() -> None:
        async with open_router(3) as (port, _):
            new = Counter([(await answer(port, request()))[:1] for _ in range(9)])
            assert new == {b"0": 3, b"1": 3, b"2": 3}
            for number in (b"2", b"0", b"2", b"1"):
                assert await answer(port, request(number)) == number + b" " + request(number)

    asyncio.run(visits())


@pytest.mark.parametrize("cookie", [b"7", b"999", b"-1", b"x", b"1234", b"\xff"])
def test_who_asks_for_a_server_that_is_not_there_gets_another(cookie: bytes) -> None:
    async def visits() -> None:
        async with open_router(2) as (port, _):
            assert (await answer(port, request(cookie)))[:1] in b"01"

    asyncio.run(visits())


def test_a_head_may_come_in_pieces_and_be_long() -> None:
    async def visits() -> None:
        async with open_router(3) as (port, _):
            whole = request(b"2", b"X-Plan: " + b"p" * 30_000 + b"\r\n")
            assert await answer(port, whole[:10], whole[10:20_000], whole[20_000:]) == b"2 " + whole

    asyncio.run(visits())


def test_what_is_no_cookie_is_none() -> None:
    async def visits() -> None:
        async with open_router(2) as (port, _):
            said = b"X-Cookie: %s=1\r\nReferer: %s=1\r\n" % (headers.SERVER_COOKIE, headers.SERVER_COOKIE)
            assert Counter([(await answer(port, request(b"", said)))[:1] for _ in range(4)]) == {b"0": 2, b"1": 2}

    asyncio.run(visits())


def test_a_lost_server_costs_nobody_the_way_in() -> None:
    async def visits() -> None:
        async with open_router(2) as (port, servers):
            servers[1].close()
            assert (await answer(port, request(b"1")))[:1] == b"0"
            assert [(await answer(port, request()))[:1] for _ in range(3)] == [b"0"] * 3

    asyncio.run(visits())


def test_the_door_is_kept_until_no_server_is_left() -> None:
    async def visits() -> None:
        outside, inside = pair()
        with socket.create_server(("127.0.0.1", 0)) as listener, outside, inside:
            its_router = ConnectionRouter(listener, [outside])
            keeping = asyncio.create_task(its_router.run())
            await asyncio.sleep(0)
            assert not keeping.done()
            its_router.remove(0)
            async with asyncio.timeout(PATIENCE_S):
                await keeping

    asyncio.run(visits())


def test_no_small_answer_is_held_back() -> None:
    """The kernel would keep the second piece of an answer until the browser has confirmed the first, up to 40 ms."""
    outside, inside = pair()
    with launcher.listen(0) as listener, outside, inside:
        with socket.create_connection(listener.getsockname()):
            taken, _ = listener.accept()
            socket.send_fds(outside, [b"1"], [taken.fileno()])
            handed, _ = inside.accept()
        with taken, handed:
            assert handed.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_who_says_nothing_or_leaves_keeps_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(router, "_LONGEST_WAIT_S", 0.2)

    async def visits() -> None:
        async with open_router(1) as (port, _):
            silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(5)]
            half = await asyncio.open_connection("127.0.0.1", port)
            half[1].write(b"GET / HT")
            half[1].close()
            assert (await answer(port, request()))[:1] == b"0"
            async with asyncio.timeout(PATIENCE_S):
                assert [await reader.read() for reader, _ in silent] == [b""] * 5  # closed by the router
            for _, writer in (*silent, half):
                writer.close()
                await writer.wait_closed()

    asyncio.run(visits())


# Whose a request is, seen by the server


def asked_of(place: int, scope: Message) -> list[Message]:
    """What the server with that number answers."""
    sent: list[Message] = []

    async def app(_scope: Message, _accept_loop: object, send: headers.Send) -> None:
        begins = "websocket.accept" if scope["type"] == "websocket" else "http.response.start"
        await send({"type": begins, "status": 200, "headers": []})

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {}

    headers.set_server_index(place)
    asyncio.run(headers.SessionAffinityMiddleware(app)(scope, receive, send))
    return sent


@pytest.fixture(autouse=True)
def _alone_again() -> Iterator[None]:
    yield
    headers._server_index.clear()


def scope(path: str, cookie: str = "", kind: str = "http", query: str = "") -> Message:
    lines = [(b"cookie", f"x=1; {headers.SERVER_COOKIE.decode()}={cookie}".encode())] if cookie else []
    return {
        "type": kind, "path": path, "raw_path": path.encode(), "query_string": query.encode(), "headers": lines,
    }  # fmt: skip


def cookie_in(sent: list[Message]) -> str:
    return "".join(said.decode() for name, said in sent[0]["headers"] if name == b"set-cookie").split(";")[0]


@pytest.mark.parametrize(("asked", "told"), [
    (scope("/compare"), True), (scope("/compare", "0"), True), (scope("/compare", "1"), False),
    (scope("/_stcore/stream", "0", "websocket"), True), (scope("/_stcore/stream", "1", "websocket"), False),
    (scope("/static/js/index.1234.js"), False),
])  # fmt: skip
def test_a_cookie_says_where_the_session_is(asked: Message, told: bool) -> None:
    assert (cookie_in(asked_of(1, asked)) == "rent-or-buy-server=1") is told


def test_a_download_that_came_to_the_wrong_server_is_sent_to_the_right_one() -> None:
    start, _ = asked_of(0, scope("/media/1234.csv", "1", query="title=a%20b"))
    told = dict(start["headers"])
    assert (start["status"], told[b"location"], told[b"connection"]) == (307, b"/media/1234.csv?title=a%20b", b"close")
    assert asked_of(1, scope("/media/1234.csv", "1"))[0]["status"] == 200
    assert asked_of(0, scope("/media/1234.csv"))[0]["status"] == 200


def test_nobody_is_sent_to_another_site() -> None:
    start, _ = asked_of(0, scope("//elsewhere.example/media/1", "1"))
    assert dict(start["headers"])[b"location"] == b"/elsewhere.example/media/1"


# The whole app


def test_the_address_is_the_one_to_type() -> None:
    with launcher.listen(0) as listener:
        assert launcher.address(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_what_cannot_share_an_address_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert launcher.default_servers() == 1
    with launcher.listen(0) as listener, pytest.raises(SystemExit, match=r"SERVERS=2 cannot be done: .* on Linux only"):
        launcher.serve(listener, 2)


def place(address: str, cookie: str = "") -> str:
    """The server that a page comes from, by the cookie that it has from now on."""
    asked = urllib.request.Request(f"{address}/compare", headers={"Cookie": cookie} if cookie else {})
    with urllib.request.urlopen(asked, timeout=PATIENCE_S) as said:
        assert said.status == 200
        told = re.search(r"rent-or-buy-server=\d+", said.headers.get("Set-Cookie") or "")
    return told[0] if told else cookie


def under(pid: int) -> set[int]:
    """All processes that a process has started, and theirs."""
    rows = [one.read_text().rsplit(") ", 1) for one in Path("/proc").glob("[0-9]*/stat") if one.exists()]
    parents = {int(head.split()[0]): int(rest.split()[1]) for head, rest in rows}
    found = {pid}
    while more := {one for one, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except FileNotFoundError:
        return False


def threads(pid: int) -> list[Path]:
    with suppress(FileNotFoundError):
        return list(Path(f"/proc/{pid}/task").iterdir())
    return []


def gone(pids: set[int]) -> bool:
    end = time.monotonic() + PATIENCE_S
    while any(is_alive(one) for one in pids) and time.monotonic() < end:
        time.sleep(0.1)
    return not any(is_alive(one) for one in pids)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="servers branch off on Linux")
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_the_app_is_served_by_several_and_they_end_together(sign: signal.Signals) -> None:
    with app(2) as running:
        first, second = sorted({place(running.address) for _ in range(4)})
        assert (first, second) == ("rent-or-buy-server=0", "rent-or-buy-server=1")
        assert {place(running.address, second) for _ in range(3)} == {second}
        there = under(running.process.pid)
        assert len(there) >= 4
        running.process.send_signal(sign)
        running.process.wait(PATIENCE_S)
        assert gone(there)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="servers branch off on Linux")
def test_one_that_is_lost_leaves_its_people_to_the_others() -> None:
    with app(2) as running:
        children = Path(f"/proc/{running.process.pid}/task/{running.process.pid}/children").read_text().split()
        servers = [int(one) for one in children if b"forkserver" not in Path(f"/proc/{one}/cmdline").read_bytes()]
        servers = [one for one in servers if b"resource_tracker" not in Path(f"/proc/{one}/cmdline").read_bytes()]
        assert len(servers) == 2
        os.kill(servers[0], signal.SIGKILL)
        assert gone({servers[0]})
        while len(threads(servers[0])) > 1:
            time.sleep(0.05)  # what it holds is let go with its last thread
        assert {place(running.address, "rent-or-buy-server=0") for _ in range(3)} == {"rent-or-buy-server=1"}
        os.kill(servers[1], signal.SIGKILL)
        assert running.process.wait(PATIENCE_S) == 1
