"""What every browser test needs: wait until the page is quiet, and watch what it does behind the visitor's back."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from urllib.parse import urlparse

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Page, TimeoutError

RUNNING = '[data-testid="stApp"]:not([data-test-script-state="notRunning"])'  # at once; the status widget comes late
BUSY = f'{RUNNING}, [data-testid="stStatusWidget"], [data-testid="stSkeleton"]'
TRACEBACK = '[data-testid="stException"]'
FIRST_WORDS_MS = 60_000
THIS_MACHINE = {"127.0.0.1", "localhost", "[::1]", "::1"}
QUIET_LOOKS = 7
LOOK_EVERY_MS = 50
SLIDER_RESTS_MS = 250  # it waits for 200 ms before it says where it was moved to
LONGEST_MS = 60_000
# The looks are taken in the page, so a page that is busy drawing is not looked at meanwhile; a new page starts anew.
_IS_QUIET = """([busy, looks, call]) => {
  if (window.looksOf?.call !== call) window.looksOf = {call, quiet: 0}
  window.looksOf.quiet = document.querySelector(busy) ? 0 : window.looksOf.quiet + 1
  return window.looksOf.quiet >= looks
}"""
_CALLS = count()


def open_page(page: Page, path: str = "/") -> None:
    """Go to `path` and wait until the page has its heading and nothing more happens."""
    page.goto(path)
    page.wait_for_selector("h1", timeout=FIRST_WORDS_MS)
    settle(page)


def settle(page: Page) -> None:
    """Wait until nothing on the page says it is working, for seven looks in a row."""
    asked = [BUSY, QUIET_LOOKS, next(_CALLS)]
    try:
        page.wait_for_function(_IS_QUIET, arg=asked, polling=LOOK_EVERY_MS, timeout=LONGEST_MS).dispose()
    except TimeoutError:
        raise AssertionError(f"still working after {LONGEST_MS / 1000:.0f} s: {page.url}") from None


@contextmanager
def nothing_left_the_machine(page: Page) -> Iterator[list[str]]:
    """Fails at the end of the block if the page asked any other machine for anything."""
    asked: list[str] = []
    seen: list[str] = []

    def note(url: str) -> None:
        seen.append(url)
        where = urlparse(url)
        if where.scheme in {"http", "https", "ws", "wss"} and where.hostname not in THIS_MACHINE:
            asked.append(url)

    page.context.on("request", lambda request: note(request.url))
    page.on("websocket", lambda socket: note(socket.url))
    yield asked
    assert seen, "no request was seen at all: the block opened no page"
    assert not asked, f"requests that left this machine: {asked}"


@contextmanager
def no_console_errors(page: Page) -> Iterator[list[str]]:
    """Fails at the end of the block if the browser's console held an error or the page's script stopped with one."""
    errors: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield errors
    assert not errors, f"errors on the browser's console: {errors}"


def axe_violations(page: Page) -> list[str]:
    """What axe-core finds against the accessibility rules: one sentence for each rule broken."""
    found: list[dict[str, Any]] = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{rule['id']}: {rule['help']} ({'; '.join(_places(rule))})" for rule in found]


def _places(rule: dict[str, Any]) -> list[str]:
    return [" ".join(map(str, node["target"])) + " " + node["html"][:120] for node in rule["nodes"]]
