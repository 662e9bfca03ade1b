"""Serve many people: several plain servers of the app behind HAProxy.

usage: python tools/team.py [PORT]

SERVERS says how many (default: one for each core, eight at most), TLS_CERTIFICATE names a PEM file with certificate and
key. SIGHUP restarts the servers one after the other, SIGTERM ends all after their people have been moved or have left.
A server that ends is replaced; so is one that does not answer and does not work for ten seconds. One that works on is
busy, not hung, and has a minute: ended with all its people, it would only have to start under the same load.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools import serve as one_server  # noqa: E402

COOKIE = "rent-or-buy-server"
LIMITS = {"MOST_CONNECTIONS": "4000", "MOST_PER_ADDRESS": "200", "MOST_REQUESTS_PER_10S": "600"}
MOST_SERVERS = 8
STARTS_WITHIN_S = 180.0
HUNG_AFTER_S, BUSY_AFTER_S = 10.0, 60.0
WORKS_S = 0.1  # of processor time between two looks; threads that only wait take less
DRAINS_WITHIN_S = 20.0
LOOK_EVERY_S = 0.5
NEEDED = """\
`make team` needs HAProxy, and none is on this machine. Install it (Debian, Ubuntu: sudo apt install haproxy; macOS:
brew install haproxy), or serve fewer people with `make app`."""


@dataclass
class Server:
    """One plain server of the app."""

    name: str
    port: int
    process: subprocess.Popen[bytes]
    down_since: float | None = None
    idle_since: float = 0.0
    processor_s: float = 0.0

    def is_hung(self, now: float) -> bool:
        """Return whether a server that does not answer will not answer any more."""
        worked_s = _processor_seconds(self.process.pid)
        if worked_s - self.processor_s > WORKS_S:
            self.idle_since, self.processor_s = now, worked_s
        down_since = self.down_since or now
        return now - max(down_since, self.idle_since) > HUNG_AFTER_S or now - down_since > BUSY_AFTER_S

    def is_healthy(self) -> bool:
        """Return whether it answers."""
        with suppress(OSError):
            return bool(urllib.request.urlopen(f"http://127.0.0.1:{self.port}/_stcore/health", timeout=2).status == 200)
        return False


@dataclass
class Team:
    """The servers, and the proxy in front of them."""

    folder: Path
    environ: dict[str, str]
    servers: list[Server] = field(default_factory=list)
    restarts: bool = False
    ends: bool = False

    @property
    def admin(self) -> Path:
        """Return the socket that takes commands for the proxy."""
        return self.folder / "admin"

    def start(self, port: int) -> subprocess.Popen[bytes]:
        """Start one server."""
        environment = self.environ | {"STREAMLIT_SERVER_ADDRESS": "127.0.0.1"}
        return subprocess.Popen([*server_command(), str(port)], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)

    def until_healthy(self, server: Server) -> None:
        """Wait until a server answers."""
        end = time.monotonic() + STARTS_WITHIN_S
        while not server.is_healthy():
            if time.monotonic() > end or server.process.poll() is not None:
                raise SystemExit(f"A server did not start within {STARTS_WITHIN_S:.0f} s. Its words stand above.")
            time.sleep(LOOK_EVERY_S)

    def command(self, text: str) -> str:
        """Send a command to the proxy and return its answer."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(5)
            line.connect(str(self.admin))
            line.sendall(f"{text}\n".encode())
            return b"".join(iter(lambda: line.recv(65_536), b"")).decode()

    def until_proxy_answers(self, running: subprocess.Popen[bytes]) -> None:
        """Wait until the proxy listens."""
        while running.poll() is None:
            with suppress(OSError):
                self.command("show info")
                return
            time.sleep(LOOK_EVERY_S)

    def stat(self, server: Server, column: str) -> str:
        """Return what the proxy knows of a server; empty where it knows nothing."""
        head, *rows = (row.split(",") for row in self.command("show stat").removeprefix("# ").splitlines())
        known = (dict(zip(head, row, strict=False)) for row in rows)
        return next((row[column] for row in known if (row["pxname"], row["svname"]) == ("app", server.name)), "")

    def until(self, server: Server, column: str, is_right: Callable[[str], bool], within_s: float) -> None:
        """Wait until what the proxy knows of a server is right, or for as long as that."""
        end = time.monotonic() + within_s
        while not is_right(self.stat(server, column)) and time.monotonic() < end:
            time.sleep(LOOK_EVERY_S)

    def replace(self, server: Server) -> None:
        """Start a server anew on its port."""
        server.process.kill()
        server.process.wait()
        server.process, server.down_since = self.start(server.port), None
        server.idle_since = server.processor_s = 0.0

    def restart_in_turn(self) -> None:
        """Restart every server once the others have its people."""
        for server in self.servers:
            self.command(f"set server app/{server.name} state drain")
            self.command(f"shutdown sessions server app/{server.name}")  # browsers connect again, to another
            self.until(server, "scur", lambda count: not int(count or 0), DRAINS_WITHIN_S)
            server.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.process.wait(DRAINS_WITHIN_S)
            self.replace(server)
            self.until_healthy(server)
            self.command(f"set server app/{server.name} state ready")
            # Until its next check the proxy holds it to be down: with the other drained, nobody would be there.
            self.until(server, "status", lambda status: status.startswith("UP"), STARTS_WITHIN_S)

    def look(self) -> None:
        """Replace what has ended and what hangs."""
        now = time.monotonic()
        for server in self.servers:
            if server.process.poll() is not None:
                print(f"Server {server.name} has ended: starting it again.", file=sys.stderr, flush=True)
                self.replace(server)
            elif server.is_healthy():
                server.down_since = None
            else:
                server.down_since = server.down_since or now
                too_late = now - server.down_since > STARTS_WITHIN_S
                if too_late if self.is_starting(server) else server.is_hung(now):
                    print(f"Server {server.name} does not answer: replacing it.", file=sys.stderr, flush=True)
                    self.replace(server)

    def is_starting(self, server: Server) -> bool:
        """Return whether nobody listens on its port yet."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", server.port)) != 0

    def end(self) -> None:
        """End every server."""
        for server in self.servers:
            server.process.terminate()
        for server in self.servers:
            with suppress(subprocess.TimeoutExpired):
                server.process.wait(DRAINS_WITHIN_S)
            server.process.kill()
            server.process.wait()


def _processor_seconds(pid: int) -> float:
    """Return the processor time that a process has used; zero where the system has no /proc."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def server_command() -> list[str]:
    """Return how one server is started; tests start it on frozen facts."""
    frozen = os.environ.get("RENT_OR_BUY_RUN_BY")
    return [sys.executable, *(["-m", frozen] if frozen else []), "tools/serve.py"]


def backend(servers: Sequence[Server]) -> str:
    """Return the part of the proxy's settings that names the servers."""
    lines = [
        "backend app", "    balance leastconn",
        f"    cookie {COOKIE} insert indirect nocache httponly attr SameSite=Lax",
        "    option httpchk GET /_stcore/health",
        "    default-server check inter 2s fall 3 rise 1 slowstart 20s on-marked-down shutdown-sessions",
        *(f"    server {one.name} 127.0.0.1:{one.port} cookie {one.name}" for one in servers),
    ]  # fmt: skip
    return "\n".join([*lines, ""])


def free_ports(count: int) -> list[int]:
    """Return so many ports that nobody uses."""
    with ExitStack() as held:
        probes = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [int(probe.getsockname()[1]) for probe in probes]


def bind(port: int) -> tuple[str, str]:
    """Return where the proxy listens, and the address to type into a browser."""
    certificate = os.environ.get("TLS_CERTIFICATE", "")
    if certificate and not Path(certificate).is_file():
        raise SystemExit(f"TLS_CERTIFICATE={certificate} is no file: want a PEM file with certificate and key.")
    host = one_server.HOST
    listen = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return (
        (f"{listen} ssl crt {certificate} alpn h2,http/1.1", f"https://{listen}")
        if certificate
        else (listen, f"http://{listen}")
    )


def limits() -> dict[str, str]:
    """Return the limits of the proxy, with those that variables set."""
    values = {name: os.environ.get(name, usual) for name, usual in LIMITS.items()}
    for name, value in values.items():
        if not value.isdecimal() or int(value) < 1:
            raise SystemExit(f"{name}={value} is no limit: want a whole number from 1 up.")
    return values


@contextmanager
def proxy(team: Team, listen: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run the proxy; at the end it lets go of people before it ends."""
    settings = team.folder / "backend.cfg"
    settings.write_text(backend(team.servers), encoding="utf-8")
    command = [
        shutil.which("haproxy") or "haproxy",
        "-W",
        "-db",
        "-f",
        str(ROOT / "deploy/haproxy.cfg"),
        "-f",
        str(settings),
    ]
    environment = os.environ | limits() | {"BIND": listen, "ADMIN_SOCKET": str(team.admin)}
    running = subprocess.Popen(command, env=environment)
    try:
        yield running
    finally:
        running.send_signal(signal.SIGUSR1)
        try:
            running.wait(1)
        except subprocess.TimeoutExpired:
            running.terminate()
            running.wait()


def watch(team: Team, running: subprocess.Popen[bytes]) -> None:
    """Keep the servers at work until somebody ends the team or the proxy ends."""
    while not team.ends and running.poll() is None:
        time.sleep(LOOK_EVERY_S)
        if team.restarts:
            team.restarts = False
            team.restart_in_turn()
        team.look()


def main() -> None:
    """Serve until somebody ends it."""
    with one_server.exit_code(one_server.WRONG):
        if shutil.which("haproxy") is None:
            raise SystemExit(NEEDED)
        listen, address = bind(one_server.chosen("".join(sys.argv[1:])))
        count = one_server.whole_number("SERVERS", "servers", 1, MOST_SERVERS) or min(os.cpu_count() or 1, MOST_SERVERS)
        limits()
    secret = os.environ.get("STREAMLIT_SERVER_COOKIE_SECRET") or secrets.token_hex(32)  # one for all servers
    with tempfile.TemporaryDirectory(prefix="rent-or-buy-") as folder:
        processes = str(max((os.cpu_count() or 1) // count, one_server.FEWEST_PROCESSES))  # that calculate, for each
        environ = {"WORKERS": processes, **os.environ, "STREAMLIT_SERVER_COOKIE_SECRET": secret}
        team = Team(Path(folder), {name: text for name, text in environ.items() if name != "SERVERS"})
        signal.signal(signal.SIGHUP, lambda *_: setattr(team, "restarts", True))
        signal.signal(signal.SIGTERM, lambda *_: setattr(team, "ends", True))
        try:
            for number, port in enumerate(free_ports(count), 1):
                team.servers.append(Server(f"s{number}", port, team.start(port)))
            for server in team.servers:
                team.until_healthy(server)
            with proxy(team, listen) as running:
                team.until_proxy_answers(running)
                print(f"\n  Rent, buy, or both?  {address}\n", flush=True)
                watch(team, running)
        finally:
            team.end()
    raise SystemExit(0 if team.ends else "The proxy has ended. Its words stand above.")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
