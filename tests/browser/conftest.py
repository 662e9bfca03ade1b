"""One real server and one real browser for all browser tests of a worker, which run one after the other."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.browser import chromium
from tests.daily import of_today
from tests.started import free_port

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
PARTS = 2
START_SECONDS = 60
USUAL_PATIENCE_MS = 30_000  # as Playwright has it
WIDE: ViewportSize = {"width": 1440, "height": 900}
QUIET_START = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.hookimpl(tryfirst=True)  # before anybody chooses by mark
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is in this folder, and of a whole run keep the part of today: they take half of its time."""
    mine = [item for item in items if HERE in item.path.parents]
    for item in mine:
        item.add_marker(pytest.mark.browser)
    if os.environ.get("CI") and mine != items:
        dropped = {*mine} - {*of_today(mine, PARTS)}
        config.hook.pytest_deselected(items=list(dropped))
        items[:] = [item for item in items if item not in dropped]


@contextmanager
def served(folder: Path, *how: str, **environ: str) -> Iterator[str]:
    """A server of its own on a free port, for as long as it is wanted; its address."""
    port = free_port()
    address, log = f"http://127.0.0.1:{port}", folder / "log.txt"
    command = [sys.executable, "-m", *how, str(port)]
    told = {**os.environ, **environ}
    with log.open("wb") as out:
        server = subprocess.Popen(
            command, cwd=ROOT, env=told, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        _wait_until_healthy(server, address, log)
        yield address
    finally:
        server.terminate()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@pytest.fixture(scope="session")
def app_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the real app on the frozen catalogue, started as `make app` starts it, on a free port."""
    with served(tmp_path_factory.mktemp("server"), "tests.frozen", "tools/serve.py") as address:
        yield address


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    path = chromium.find()
    if path is None:
        pytest.fail(chromium.NONE_HERE, pytrace=False)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=QUIET_START)
        yield started
        started.close()


@pytest.fixture(params=["light"])
def theme(request: pytest.FixtureRequest) -> Literal["light", "dark"]:
    """Light, unless a test is parametrised over both."""
    return "dark" if request.param == "dark" else "light"


@pytest.fixture(scope="package")
def visitor(browser: Browser, app_address: str) -> Callable[..., Page]:
    """Return the page of somebody who was never here: `page.goto("/compare")` opens a page of the app.

    It is the last page of the same screen and theme, emptied: the browser need not read and compile the scripts again.
    """
    pages: dict[str, Page] = {}

    def visit(**how: Any) -> Page:
        page = pages.get(repr(how))
        if page is None or page.is_closed():
            context = browser.new_context(base_url=app_address, accept_downloads=True, **how)
            page = pages[repr(how)] = context.new_page()
        else:
            _empty(page, how["viewport"])
        return page

    return visit


def _empty(page: Page, screen: ViewportSize) -> None:
    """Take from a page whatever a test left: other pages, cookies, history, what it changed of the screen."""
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.unroute_all()
    page.goto("/_stcore/health")  # of this server: the browser keeps the process that compiled the scripts
    page.context.clear_cookies()
    page.context.new_cdp_session(page).send("Page.resetNavigationHistory")
    page.emulate_media(media="null", reduced_motion="null")
    page.set_default_timeout(USUAL_PATIENCE_MS)
    page.set_viewport_size(screen)


@pytest.fixture
def page(visitor: Callable[..., Page], theme: Literal["light", "dark"]) -> Page:
    """A visitor who was never here, on a wide screen."""
    return visitor(viewport=WIDE, color_scheme=theme)


def _wait_until_healthy(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urlopen(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"the app did not start:\n{log.read_text(errors='replace')[-3000:]}", pytrace=False)
