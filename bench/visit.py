"""A first visit to each page over a slow line: when its words stand there, when its first chart does, and how many MB.

A browser with an empty cache, at 10 Mbit/s and 40 ms there and back, visits the app as `make app` serves it.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("answer", "speed", "compare", "what-if", "assumptions")
BYTES_PER_S, LATENCY_MS = 10e6 / 8, 40
WORDS_S, CHART_S, MEGABYTES = 2.0, 3.0, 1.3  # what is aimed at
PATIENCE_S = 60


class FirstVisit(NamedTuple):
    """One first visit. Seconds since the address was entered; no chart on a page that has none."""

    words_s: float
    chart_s: float | None
    megabytes: float


def main() -> Iterator[str]:
    """One line for each page."""
    yield f"aims: words {WORDS_S:g} s, first chart {CHART_S:g} s, {MEGABYTES:g} MB, at 10 Mbit/s and {LATENCY_MS} ms"
    with served() as address:
        for page in PAGES:
            found = visit(f"{address}/{page}")
            chart = "no chart" if found.chart_s is None else f"chart {found.chart_s:.1f} s"
            yield f"{page}: words {found.words_s:.1f} s, {chart}, {found.megabytes:.2f} MB"


@contextmanager
def served() -> Iterator[str]:
    """The app on a free port, as long as it is needed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "tools/serve.py", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + PATIENCE_S
        while not _is_there(address) and time.monotonic() < end:
            time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait()


def _is_there(address: str) -> bool:
    try:
        with urlopen(f"{address}/_stcore/health", timeout=5) as reply:
            return bool(reply.status == 200)
    except (URLError, OSError):
        return False


def visit(address: str) -> FirstVisit:
    """Open a page for the first time."""
    # Only now: who measures something else needs no browser.
    from playwright.sync_api import TimeoutError as TooLong
    from playwright.sync_api import sync_playwright

    from tests.browser import chromium

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        line = page.context.new_cdp_session(page)
        line.send("Network.enable")
        line.send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": LATENCY_MS,
                "downloadThroughput": BYTES_PER_S,
                "uploadThroughput": BYTES_PER_S,
            },
        )
        moved: list[float] = []
        line.on("Network.loadingFinished", lambda one: moved.append(one["encodedDataLength"]))
        start = time.monotonic()
        page.goto(address, wait_until="commit")
        page.wait_for_selector("h1", timeout=PATIENCE_S * 1000)
        words_s = time.monotonic() - start
        try:
            page.wait_for_selector(".js-plotly-plot .main-svg", timeout=20_000)
            chart_s: float | None = time.monotonic() - start
        except TooLong:
            chart_s = None
        page.wait_for_timeout(1_000)
        browser.close()
    return FirstVisit(words_s, chart_s, sum(moved) / 1e6)
