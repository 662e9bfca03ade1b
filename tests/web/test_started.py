"""The app as it is really started: what variables change, whom it asks, how it ends."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from planner.web.serving import launcher, settings
from planner.web.serving.web_app import STATIC
from tests.house import ROOT
from tests.started import PATIENCE_S, App, Tab, app, ask, cookie, handshake, refusal, upgrade

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is there on Linux"),
]

FOREIGN = [
    "https://evil.example", "http://evil.example:8501", "null", "http://127.0.0.1.evil.example", "http://[::2]",
    "http://192.0.2.7", "https://checkip.amazonaws.com", "file://", "http://localhost@evil.example", "evil",
]  # fmt: skip


def test_nobody_outside_is_asked_whatever_a_stranger_sends(tmp_path: Path) -> None:
    attempts = tmp_path / "attempts"
    attempts.touch()
    with app(run_by="tests.watched", OUTSIDE=str(attempts)) as running:
        for origin in FOREIGN:
            assert handshake(running.address, origin=origin) == 403
        for host in ("evil.example", "127.0.0.1.evil.example", "[::2]:80", "192.0.2.7"):
            assert handshake(running.address, host=host) == 403
            assert handshake(running.address, host=host, origin=f"http://{host}") == 403
        for origin in ("", running.address, "http://localhost:3000"):
            assert handshake(running.address, origin=origin) == 101
        assert ask(running.address + "/", Origin="https://evil.example", Host="evil.example")[0] == 200
        assert attempts.read_text() == ""
        assert "external IP" not in running.said()


def test_an_attempt_to_reach_the_outside_is_noted(tmp_path: Path) -> None:
    """The test above can fail: `tests.watched` sees what a program attempts."""
    script = tmp_path / "asks.py"
    script.write_text("import socket\nsocket.socket(type=socket.SOCK_DGRAM).connect(('192.0.2.1', 1))\n")
    environ = {**os.environ, "OUTSIDE": str(tmp_path / "attempts")}
    subprocess.run([sys.executable, "-m", "tests.watched", str(script)], cwd=ROOT, env=environ, check=True)
    assert (tmp_path / "attempts").read_text() == "socket.connect ('192.0.2.1', 1)\n"


# Variables

VARIABLES = {
    "STREAMLIT_SERVER_ADDRESS": "127.0.0.2", "STREAMLIT_SERVER_ALLOWED_HOSTS": "plans.corp.example 127.0.0.2",
    "STREAMLIT_SERVER_MAX_UPLOAD_SIZE": "1", "STREAMLIT_SERVER_BASE_URL_PATH": "tools/plans",
}  # fmt: skip


@pytest.fixture(scope="module")
def there() -> Iterator[App]:
    """The app, started with all of them."""
    with app(host="127.0.0.2", path="/tools/plans", **VARIABLES) as running:
        yield running


def test_the_app_listens_where_a_variable_says_and_prints_that(there: App) -> None:
    assert f"Rent, buy, or both?  {there.address}\n" in there.said()
    assert ask(f"{there.address}/")[0] == 200
    with pytest.raises(OSError, match="refused"):
        ask(there.address.replace("127.0.0.2", "127.0.0.1"))
    for name, value in VARIABLES.items():
        assert f"{name} sets " in there.said()
        assert f" to {value}.\n" in there.said()


def test_a_variable_says_under_which_names_people_reach_the_app(there: App) -> None:
    for host in ("plans.corp.example", "plans.corp.example:443", "127.0.0.2"):
        assert handshake(there.address, host=host, origin=f"https://{host}") == 101
    for host in ("127.0.0.1", "localhost", "evil.example", "x.plans.corp.example"):
        assert handshake(there.address, host=host, origin=f"https://{host}") == 403


def test_everything_stands_below_the_path_that_a_variable_names(there: App) -> None:
    script = next(STATIC.glob("static/js/*.js")).name
    root = there.address.removesuffix("/tools/plans")
    assert ask(f"{there.address}/compare")[0] == 200
    for path in ("/_stcore/health", f"/static/js/{script}"):
        assert ask(there.address + path)[0] == 200
        assert ask(root + path)[0] == 404
    assert handshake(root) in (403, 404)


def test_a_variable_limits_uploads(there: App) -> None:
    _, cookies = ask(f"{there.address}/_stcore/health")
    tab = Tab(there.address, cookies)
    tab.ask()
    session = tab.until("new_session").new_session.initialize.session_id
    where = f"{there.address}/_stcore/upload_file/{session}/1"
    for size, status in ((900_000, 204), (1_100_000, 413)):
        head = b"--x\r\nContent-Disposition: form-data; name=a; filename=a.csv\r\n\r\n"
        body = head + b"1" * size + b"\r\n--x--\r\n"
        token = cookie(cookies, "_streamlit_xsrf")
        headers = {"Content-Type": "multipart/form-data; boundary=x", "Cookie": cookies, "X-Xsrftoken": token}
        assert ask(where, "PUT", body, **headers)[0] == status
    assert ask(where, "PUT", b"x", Cookie=cookies)[0] == 403  # without the token
    tab.leave()


@pytest.mark.parametrize(("name", "value", "said"), [
    ("STREAMLIT_SERVER_MAX_UPLOAD_SIZE", "much", "'much' is not a valid integer"),
    ("STREAMLIT_SERVER_MAX_UPLOAD_SIZE", "-1", "megabytes above 0"),
    ("STREAMLIT_SERVER_ENABLE_CORS", "perhaps", "'perhaps' is not a valid boolean"),
    ("STREAMLIT_SERVER_ADDRESS", "192.0.2.7", "is not an address of this machine"),
    ("STREAMLIT_SERVER_ADDRESS", "unix:///tmp/x", "is not an address of this machine"),
    ("STREAMLIT_SERVER_ALLOWED_HOSTS", "https://plans.corp.example", "names without https://"),
    ("STREAMLIT_SERVER_ALLOWED_HOSTS", "a.example,b.example", "with spaces between them"),
    ("STREAMLIT_SERVER_BASE_URL_PATH", "a/../b", "want a path"),
    ("STREAMLIT_SERVER_BASE_URL_PATH", "'</script>", "want a path"),
    ("STREAMLIT_SERVER_SSL_CERT_FILE", "/nowhere.pem", "a file that exists"),
    ("STREAMLIT_SERVER_XSRF_COOKIE_SAME_SITE", "loose", "xsrfCookieSameSite"),
    ("STREAMLIT_SERVER_PORT", "99999", "want a number from 1 to 65535"),
    ("WORKERS", "1", "want one from 2 to 64"),
])  # fmt: skip
def test_a_wrong_variable_is_refused_with_a_sentence_and_2(name: str, value: str, said: str) -> None:
    code, err = refusal(**{name: value})
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_a_protection_that_a_variable_switches_off_is_named_at_the_start() -> None:
    off = {
        "STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION": "false",
        "STREAMLIT_SERVER_ALLOWED_HOSTS": "*",
        "STREAMLIT_CLIENT_SHOW_ERROR_DETAILS": "full",
    }
    with app(**off) as running:
        for name in ("server.enableXsrfProtection is False", "server.allowedHosts is *", "client.showErrorDetails is"):
            assert f"Less protection: {name}" in running.said()
        assert running.said().count("Less protection") == 3


def test_an_address_that_the_app_itself_refuses_is_named() -> None:
    with app(STREAMLIT_SERVER_ALLOWED_HOSTS="plans.corp.example") as running:
        assert f"A page from {running.address} gets no answers: STREAMLIT_SERVER_ALLOWED_HOSTS is" in running.said()


def test_a_name_or_a_path_is_taken_or_refused_and_never_breaks_the_check() -> None:
    chance, parts = (
        random.Random(28),
        ["a", "-", ".", "..", "/", "*", "*.", ":", "::1", " ", "é", "%", "'", "@", "_", "9"],
    )
    hosts, path = (settings._VALID[f"server.{name}"][0] for name in ("allowedHosts", "baseUrlPath"))
    for _ in range(3_000):
        text = "".join(chance.choices(parts, k=chance.randint(1, 30)))
        if hosts([text]):
            assert not set(text) & set(" /'@%")
        if path(text):
            assert ".." not in text.split("/")
            assert not set(text) & set(" *:'@%é")


# Who is next


def test_twenty_plans_of_one_person_cost_another_one_plan(tmp_path: Path) -> None:
    """The order in which plans begin, whatever they take: the only process for long plans is held meanwhile."""
    plans, hold = tmp_path / "plans", tmp_path / "hold"
    plans.touch()
    with app(run_by="tests.watched", PLANS=str(plans), HOLD=str(hold)) as running:
        one, other = (ask(f"{running.address}/_stcore/health")[1] for _ in range(2))
        hold.touch()
        tabs = {gpus: Tab(running.address, one) for gpus in range(31, 51)}
        for gpus, tab in tabs.items():
            tab.ask(long_plan(gpus))
            until(plans, f"{'begins' if gpus == 31 else 'waits'} {gpus}")
        there = Tab(running.address, other)
        there.ask(long_plan(71))
        until(plans, "waits 71")
        for gpus in range(34, 51):  # most leave; one changes the question
            tabs[gpus].leave()
            until(plans, f"leaves {gpus}")
        tabs[33].ask(long_plan(72))
        until(plans, "leaves 33")
        until(plans, "waits 72")
        hold.unlink()
        for tab in (there, *(tabs[gpus] for gpus in (31, 32, 33))):
            tab.until("script_finished")
            tab.leave()
        begun = [line.split()[1] for line in plans.read_text().splitlines() if line.startswith("begins ")]
        assert [gpus for gpus in begun if gpus in {str(one) for one in (*tabs, 71, 72)}] == ["31", "71", "32", "72"]


def long_plan(gpus: int) -> str:
    """A plan that the process for long plans makes, in about half a second."""
    return f"years=10&growth=30&gpus={gpus}"


def until(file: Path, line: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while line not in file.read_text().splitlines():
        assert time.monotonic() < end, f"want {line!r} in {file.read_text()!r}"
        time.sleep(0.02)


# Connections that say nothing

FILES, SILENT, SOON_S = 320, 500, 10.0  # the system takes a connection before the server does: 500 are no more to it


@pytest.fixture(scope="module")
def small() -> Iterator[App]:
    """The app, allowed few open files."""
    with app(files=FILES) as running:
        yield running


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n"], ids=["nothing", "half a head"])
def test_connections_that_say_nothing_shut_nobody_out(small: App, said: bytes) -> None:
    with ExitStack() as silent:
        for _ in range(SILENT):
            silent.enter_context(connection(small)).sendall(said)
        assert_answers(small)
    assert "Too many open files" not in small.said()


def test_websockets_that_ask_nothing_shut_nobody_out(small: App) -> None:
    tab = Tab(small.address)
    tab.ask()
    tab.until("script_finished")
    with ExitStack() as silent:
        for _ in range(SILENT):
            line = silent.enter_context(connection(small))
            line.sendall(upgrade(small.address))
            assert line.recv(100).startswith(b"HTTP/1.1 101")
        assert_answers(small)
    tab.ask("gpus=12")  # who has asked something keeps the connection
    tab.until("script_finished")
    tab.leave()


def test_who_sends_half_a_head_is_closed_after_a_while(small: App) -> None:
    with connection(small) as line:
        line.sendall(b"GET / HTTP/1.1\r\n")
        line.settimeout(2 * launcher._HEAD_WITHIN_S)
        with suppress(ConnectionResetError):
            assert line.recv(100) == b""


def assert_answers(running: App) -> None:
    start = time.monotonic()
    assert ask(f"{running.address}/compare")[0] == 200
    tab = Tab(running.address)
    tab.ask()
    tab.until("script_finished")
    tab.leave()
    assert time.monotonic() - start < SOON_S


def connection(running: App) -> socket.socket:
    at = urlsplit(running.address)
    return socket.create_connection((at.hostname, at.port), SOON_S)


# The end


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


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_the_server_and_its_processes_end_together(sign: signal.Signals) -> None:
    with app() as running:
        assert running.said() == f"\n  Rent, buy, or both?  {running.address}\n\n"  # and no more without variables
        there = under(running.process.pid)
        assert len(there) >= 3
        running.process.send_signal(sign)
        running.process.wait(PATIENCE_S)
        assert_end(there)


def assert_end(pids: set[int]) -> None:
    end = time.monotonic() + PATIENCE_S
    while any(map(is_alive, pids)) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(map(is_alive, pids))


# Ctrl-C


def test_what_runs_in_the_background_is_deaf_to_ctrl_c_and_ends_when_it_is_terminated() -> None:
    with app(deaf=True) as running:
        children = Path(f"/proc/{running.process.pid}/task/{running.process.pid}/children").read_text().split()
        for pid in (str(running.process.pid), *children):
            assert signal.SIGINT in ignored(pid)
        running.process.send_signal(signal.SIGINT)
        assert ask(running.address)[0] == 200
        there = under(running.process.pid)
        running.process.terminate()
        assert running.process.wait(PATIENCE_S) == 128 + signal.SIGTERM
        assert_end(there)


def ignored(pid: str) -> set[int]:
    """The signals that a process ignores."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    mask = int(next(line.split()[1] for line in lines if line.startswith("SigIgn")), 16)
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}
