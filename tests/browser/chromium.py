"""Which Chromium the browser tests drive, and where to get one.

`python -m tests.browser.chromium` prints its path, after installing one where none is found and that is possible.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

SYSTEM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MACOS = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
DOWNLOAD_SECONDS = 600
ANSWER_SECONDS = 60

NONE_HERE = """\
The browser tests need a Chromium, none is on this machine, and none could be installed from here. Install one
(Debian: sudo apt install chromium; macOS: brew install --cask chromium; any system with a free network:
.venv/bin/python -m playwright install --with-deps chromium) and run this again. `make quick` needs none."""


class NoChromium(Exception):
    """There is none; the text says what to install."""


def find() -> str | None:
    """The path of a Chromium that answers: the system's, else the one Playwright has downloaded."""
    return next(filter(answers, _system()), None) or next(filter(answers, _downloaded()), None)


def obtain() -> str:
    """Like `find`, but fetches one where there is none and that is allowed."""
    for fetch in (_nothing, _download, _apt_get):
        fetch()
        if (path := find()) is not None:
            return path
    raise NoChromium(NONE_HERE)


def answers(path: str) -> bool:
    """Whether it starts at all: some systems keep a stub under this name that only says how to install it."""
    try:
        asked = subprocess.run([path, "--version"], capture_output=True, timeout=ANSWER_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def _system() -> Iterator[str]:
    yield from filter(None, map(shutil.which, SYSTEM_NAMES))
    if MACOS.exists():
        yield str(MACOS)


def _downloaded() -> Iterator[str]:
    from playwright.sync_api import sync_playwright  # starts a process of its own: only where nothing else is found

    with sync_playwright() as playwright:
        yield playwright.chromium.executable_path


def _nothing() -> None:
    return


def _download() -> None:
    _try([sys.executable, "-m", "playwright", "install", "chromium"])


def _apt_get() -> None:
    apt_get("chromium", "fonts-dejavu-core")


def apt_get(*packages: str) -> None:
    """Install packages of the system, where that is allowed without a password."""
    prefix = _as_root()
    if shutil.which("apt-get") is None or prefix is None:
        return
    quietly = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    _try([*quietly, "update"])
    _try([*quietly, "install", "-y", "--no-install-recommends", *packages])


def _as_root() -> list[str] | None:
    if os.geteuid() == 0:
        return []
    without_password = ["sudo", "--non-interactive"]
    return without_password if shutil.which("sudo") and _try([*without_password, "true"]) else None


def _try(command: Sequence[str], run: Callable[..., subprocess.CompletedProcess[bytes]] = subprocess.run) -> bool:
    """Whether `command` came to a good end. What it says is of no interest: the next way is tried, or none is left."""
    try:
        done = run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=DOWNLOAD_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def main() -> int:
    """Print the path, or say what to install."""
    try:
        print(f"Chromium: {obtain()}")
    except NoChromium as none:
        print(none, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
