"""A real PostgreSQL of the system's packages, for as long as a test wants it."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.browser.chromium import apt_get
from tests.started import free_port


def programs() -> Path:
    """The folder of `initdb` and `pg_ctl`, installed where there is none."""
    if (found := _programs()) is None:
        apt_get("postgresql")
        found = _programs()
    assert found is not None, "these tests need PostgreSQL (Debian: sudo apt install postgresql)"
    return found


def _programs() -> Path | None:
    on_path = shutil.which("initdb")
    every = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return Path(on_path).resolve().parent if on_path else every[-1].parent if every else None


@contextmanager
def postgres() -> Iterator[str]:
    """Start one with an empty database, and give its address."""
    folder, owner = tempfile.mkdtemp(prefix="plans-pg-"), _owner()
    try:
        if owner:
            shutil.chown(folder, owner, owner)
        _run(owner, "initdb", "-D", f"{folder}/data", "-U", "plans", "-A", "trust", "--no-sync", "-E", "UTF8")
        port = free_port()
        setting = f"-p {port} -h 127.0.0.1 -k {folder} -c fsync=off"
        _run(owner, "pg_ctl", "-D", f"{folder}/data", "-w", "-l", f"{folder}/log", "-o", setting, "start")
        try:
            yield f"postgresql://plans@127.0.0.1:{port}/postgres"
        finally:
            _run(owner, "pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _owner() -> str | None:
    """It refuses to run as root."""
    if os.getuid() != 0:
        return None
    return next(name for name in ("postgres", "nobody") if name in {user.pw_name for user in pwd.getpwall()})


def _run(owner: str | None, program: str, *arguments: str) -> None:
    command = [str(programs() / program), *arguments]
    if owner:
        command = ["setpriv", f"--reuid={owner}", f"--regid={owner}", "--clear-groups", *command]
    with tempfile.TemporaryFile() as out:  # the server that pg_ctl starts would keep a pipe open
        done = subprocess.run(
            command, cwd="/", stdin=subprocess.DEVNULL, stdout=out, stderr=out, timeout=120, check=False
        )
        out.seek(0)
        assert done.returncode == 0, out.read().decode()
