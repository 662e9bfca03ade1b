"""Several servers behind the real HAProxy: people keep their server, and one that dies or hangs costs them little."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.house import ROOT
from tests.started import Tab, ask, cookie, free_port
from tests.web.provider import Person, provider
from tools.team import Server

pytestmark = pytest.mark.slow

PATIENCE_S = 240
NAME = "rent-or-buy-server"


@dataclass(frozen=True)
class Team:
    """A team at work."""

    process: subprocess.Popen[bytes]
    address: str
    log: Path

    @property
    def pids(self) -> list[int]:
        """The servers, as the system lists the children of the team."""
        found = subprocess.run(
            ["ps", "-o", "pid=,args=", "--ppid", str(self.process.pid)], capture_output=True, text=True, check=False
        )
        return [int(line.split()[0]) for line in found.stdout.splitlines() if "tools/serve.py" in line]

    def until(self, text: str, seconds: float = PATIENCE_S) -> None:
        """Wait until it has printed a text."""
        end = time.monotonic() + seconds
        while text not in self.log.read_text(encoding="utf-8"):
            assert time.monotonic() < end, self.log.read_text(encoding="utf-8")
            assert self.process.poll() is None, self.log.read_text(encoding="utf-8")
            time.sleep(0.2)


@contextmanager
def team(port: int = 0, **environ: str) -> Iterator[Team]:
    """Two servers on frozen facts, until the test is over."""
    port = port or free_port()
    told = os.environ | {"SERVERS": "2", "RENT_OR_BUY_RUN_BY": "tests.frozen"} | environ
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("wb") as out:
        command = [sys.executable, "tools/team.py", str(port)]
        process = subprocess.Popen(
            command, cwd=ROOT, env=told, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        )
        running = Team(process, f"http://127.0.0.1:{port}", Path(out.name))
        try:
            running.until("Rent, buy, or both?")
            yield running
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(60)
            process.kill()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """One team for the tests that leave it whole; people can sign in."""
    port = free_port()
    with provider() as at_work:
        at_work.knows("ada")
        with team(port, **at_work.settings(tmp_path_factory.mktemp("team"), port)) as found:
            yield found


def visitor(address: str) -> str:
    """Open the page as a person does, again where the line was cut, and return the cookie that names a server."""
    try:
        status, cookies = ask(f"{address}/")
    except ConnectionError:  # its server was just found to hang
        time.sleep(1)
        status, cookies = ask(f"{address}/")
    assert status == 200
    return f"{NAME}={cookie(cookies, NAME)}"


def answers(address: str, cookies: str, seconds: float = PATIENCE_S) -> float:
    """Return how long a person waits for the opening answer, connecting again as a browser does."""
    start = time.monotonic()
    while time.monotonic() < start + seconds:
        with suppress(OSError, Exception):
            tab = Tab(address, cookies)
            try:
                tab.ask()
                tab.until("script_finished")
                return time.monotonic() - start
            finally:
                tab.leave()
        time.sleep(0.2)
    raise AssertionError("no answer")


def test_people_stay_with_their_server_and_strangers_are_spread(running: Team) -> None:
    names = {visitor(running.address) for _ in range(6)}
    assert len(names) == 2
    for name in names:
        status, cookies = ask(f"{running.address}/", Cookie=name)
        assert status == 200
        assert NAME not in cookies  # it is kept
        assert answers(running.address, name) < PATIENCE_S


def test_who_signs_in_at_one_server_is_signed_in_at_the_other(running: Team) -> None:
    ada = Person(running.address)
    ada.sign_in("ada")
    pages = [ada.sees(), *(ada.sees(cookies={**ada.cookies, NAME: name}) for name in ("s1", "s2"))]
    assert all(b"signed-in" in page and b"Sign in" not in page for page in pages)
    assert b"Sign in" in Person(running.address).sees()


def test_a_killed_server_is_replaced_and_its_people_go_on(running: Team) -> None:
    before = running.pids
    assert len(before) == 2
    names = {visitor(running.address) for _ in range(6)}
    os.kill(before[0], signal.SIGKILL)
    for name in names:
        assert answers(running.address, name, 30) < 30
    running.until("has ended: starting it again")
    assert before[0] not in running.pids


def test_a_head_that_never_ends_is_closed(running: Team) -> None:
    host, _, port = running.address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), 30) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        start = time.monotonic()
        line.recv(1_000)  # 408, or nothing: closed
        assert time.monotonic() - start < 20


def test_an_address_that_asks_too_often_is_refused_for_a_while() -> None:
    with team(MOST_REQUESTS_PER_10S="40", SERVERS="1") as few:
        found = {ask(f"{few.address}/_stcore/health")[0] for _ in range(80)}
        assert found == {200, 429}


def test_a_server_that_hangs_gets_nobody_and_is_replaced() -> None:
    with team() as two:
        hung = two.pids[0]
        os.kill(hung, signal.SIGSTOP)
        waits = [answers(two.address, visitor(two.address), 60) for _ in range(4)]
        assert max(waits) < 60
        two.until("does not answer: replacing it", 60)
        assert hung not in two.pids


def test_a_server_that_works_is_busy_and_one_that_stands_still_is_hung() -> None:
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        server = Server("s1", 0, busy, down_since=100.0)
        for now in (100.0, 112.0, 124.0, 159.0):
            time.sleep(0.5)
            assert not server.is_hung(now)
        assert server.is_hung(161.0)  # it has had its minute
        server.down_since = 200.0
        os.kill(busy.pid, signal.SIGSTOP)
        assert not server.is_hung(201.0)
        assert server.is_hung(212.0)
    finally:
        busy.kill()
        busy.wait()


def test_all_servers_are_restarted_in_turn_and_nobody_is_refused() -> None:
    with team() as two:
        before, name = set(two.pids), visitor(two.address)
        two.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + PATIENCE_S
        while set(two.pids) & before or len(two.pids) < 2:
            assert time.monotonic() < end
            assert urllib.request.urlopen(f"{two.address}/", timeout=30).status == 200
            assert answers(two.address, name, 60) < 60
        two.process.terminate()
        assert two.process.wait(60) == 0


@pytest.mark.parametrize(("environ", "words"), [
    ({"SERVERS": "many"}, "is no number of servers"),
    ({"TLS_CERTIFICATE": "/nowhere.pem"}, "is no file"),
    ({"MOST_CONNECTIONS": "-1"}, "is no limit"),
])  # fmt: skip
def test_a_setting_that_cannot_be_is_refused_in_a_sentence(environ: dict[str, str], words: str) -> None:
    done = subprocess.run(
        [sys.executable, "tools/team.py"],
        cwd=ROOT, env=os.environ | environ, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert re.search(words, done.stderr)
    assert "Traceback" not in done.stderr
