"""Programs that tests start: the app as `make app` starts it, and what a browser sends to it."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.house import ROOT

PATIENCE_S = 60


@contextmanager
def ctrl_c(*, heard: bool = True) -> Iterator[None]:
    """What starts in here hears Ctrl-C, also where the tests themselves run in the background; or it is deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler if heard else signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass(frozen=True)
class App:
    """The app at work."""

    process: subprocess.Popen[bytes]
    address: str
    log: Path

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")


def free_port(host: str = "127.0.0.1") -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


@contextmanager
def app(
    *, host: str = "127.0.0.1", path: str = "", run_by: str = "tests.frozen", deaf: bool = False, files: int = 0,
    port: int = 0, **environ: str,
) -> Iterator[App]:  # fmt: skip
    """The app as it is served, on the frozen catalogue, until the test is over; with at most so many open files."""
    port = port or free_port(host)
    command = [sys.executable, "-m", run_by, "tools/serve.py", str(port)]
    command = ["sh", "-c", 'ulimit -n "$0" && exec "$@"', str(files), *command] if files else command
    told = {**os.environ, **environ}
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("wb") as out:
        with ctrl_c(heard=not deaf):
            process = subprocess.Popen(
                command, cwd=ROOT, env=told, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
            )
        running = App(process, f"http://{host}:{port}{path}", Path(out.name))
        try:
            until_answers(f"{running.address}/_stcore/health", process)
            yield running
        finally:
            process.kill()
            process.wait()


def until_answers(address: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until a program answers there."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError):
            if urllib.request.urlopen(address, timeout=5).status == 200:
                return
        time.sleep(0.1)


class Tab:
    """One tab of a browser: a session of its own, with the cookies of the browser."""

    def __init__(self, address: str, cookies: str = "", **headers: str) -> None:
        """Opened, with nothing asked yet."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named |= {"Cookie": cookies} if cookies else {}
        stream = f"{address}/_stcore/stream".replace("http", "ws", 1)
        opened = connect(stream, subprotocols=[Subprotocol("streamlit")], additional_headers=named, max_size=None)
        self._open = ExitStack()
        self._line = self._open.enter_context(opened)

    def ask(self, question: str = "") -> None:
        """Go to an address of the app, as by Back or Forward: a run that is going on is cut short."""
        run = ClientState(query_string=question, is_history_navigation=True)
        self._line.send(BackMsg(rerun_script=run).SerializeToString())

    def until(self, kind: str) -> ForwardMsg:
        """The next message of a kind."""
        while True:
            found = ForwardMsg.FromString(bytes(self._line.recv(PATIENCE_S)))
            if found.WhichOneof("type") == kind:
                return found

    def leave(self) -> None:
        self._open.close()


def refusal(**environ: str) -> tuple[int, str]:
    """How a start ends that the program refuses: its exit code and what it says."""
    command = [sys.executable, "tools/serve.py"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert not done.stdout
    return done.returncode, done.stderr


def upgrade(address: str, *, host: str = "", origin: str = "") -> bytes:
    """A request for a websocket that names this Host and Origin."""
    at = urlsplit(address)
    lines = [
        f"GET {at.path}/_stcore/stream HTTP/1.1", f"Host: {host or at.netloc}", "Connection: Upgrade",
        "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol: streamlit", *([f"Origin: {origin}"] if origin else []),
    ]  # fmt: skip
    return "\r\n".join([*lines, "", ""]).encode()


def handshake(address: str, *, host: str = "", origin: str = "") -> int:
    """The status that it gets."""
    at = urlsplit(address)
    with socket.create_connection((at.hostname, at.port), PATIENCE_S) as line:
        line.sendall(upgrade(address, host=host, origin=origin))
        return int(line.recv(100).split()[1])


def ask(address: str, method: str = "GET", body: bytes | None = None, **headers: str) -> tuple[int, str]:
    """The status of an answer, and the cookies that it sets."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        answer = urllib.request.urlopen(urllib.request.Request(address, body, named, method=method), timeout=PATIENCE_S)
    except urllib.error.HTTPError as refused:
        answer = refused
    with answer:
        cookies = [one.split(";")[0] for one in answer.headers.get_all("Set-Cookie", [])]
        return answer.status, "; ".join(cookies)


def cookie(cookies: str, name: str) -> str:
    result = re.search(rf"\b{re.escape(name)}=([^;]*)", cookies)
    assert result, cookies
    return result[1]
