"""Seven people with a question, in a real browser on the served app: their clicks, their waits and their answers.

A step is timed from the press to the page at rest. A change of one phrase is one edit, and the click that opens it one
click. The rows are a Markdown table.
"""

import importlib.util
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
LOOK_S, LOOKS, START_S, STILL_MS = 0.05, 1_200, 60.0, 60_000
BUSY = (
    '[data-testid="stApp"]:not([data-test-script-state="notRunning"]), '
    '[data-testid="stStatusWidget"], [data-testid="stSkeleton"]'
)
# The words in sight, without those that only a screen reader says.
WORDS = """() => {
  const walk = document.createTreeWalker(document.querySelector('.stApp'), NodeFilter.SHOW_TEXT), range = new Range()
  let count = 0
  while (walk.nextNode()) {
    const node = walk.currentNode, part = node.parentElement
    range.selectNodeContents(node)
    const box = range.getBoundingClientRect()
    const isUnseen = part.closest('[data-testid=stIconMaterial], [class*=SkipLink], style, script, .chart-files') ||
      box.width <= 1 || box.height <= 1 || box.top >= innerHeight || box.bottom <= 0 ||
      part.checkVisibility({opacityProperty: true, visibilityProperty: true}) === false ||
      ['inset(50%)', 'inset(100%)'].includes(getComputedStyle(part).clipPath) ||
      part.closest('[class*=VisuallyHidden]') || getComputedStyle(part).clip !== 'auto'
    count += isUnseen ? 0 : node.textContent.trim().split(/\\s+/).filter(Boolean).length
  }
  return count
}"""
HEADS = (
    "Journey",
    "Edits",
    "Clicks",
    "Words in sight",
    "First page, s",
    "A step, s (middle, longest)",
    "What the screen says",
)


@dataclass
class BrowserUser:
    """Somebody at a browser, with what was done and waited for."""

    page: Any
    edits: int = 0
    clicks: int = 0
    first_s: float = 0.0
    waits_s: list[float] = field(default_factory=list)

    def opens(self, address: str) -> None:
        """Go to an address as somebody who was never here."""
        start = time.monotonic()
        self.page.goto(address)
        self.page.wait_for_selector("h1", timeout=STILL_MS)
        self.first_s = self._wait_until_idle(start)

    def clicks_on(self, one: Any) -> None:
        """Press something and wait."""
        self.clicks += 1
        self._timed(one.click)

    def edit_phrase(self, phrase: str, change: Callable[[Any], None]) -> None:
        """Open a phrase, change what stands behind it, and close it."""
        self.clicks += 1
        box, one = self.page.get_by_test_id("stPopoverBody"), self.page.locator(f".st-key-phrase-{phrase} button").first
        while not box.count():  # a press that falls into a run of the page may be lost
            one.click()
            self._wait_until_idle(0.0)
        box.locator("label").first.wait_for()
        self.edits += 1
        self._timed(lambda: change(box))
        self.page.keyboard.press("Escape")

    def edit_field(self, label: str, text: str) -> None:
        """Type into a field that is on the screen."""
        self.edits += 1
        one = self.page.get_by_label(label).and_(self.page.locator("input")).first
        one.fill(text)
        self._timed(lambda: one.press("Enter"))

    def says(self, text: str) -> None:
        """Type the question into the line of a first visit."""
        self.edits += 1
        one = self.page.get_by_placeholder("In your words").first
        one.fill(text)
        self._timed(lambda: one.press("Enter"))

    def words(self) -> int:
        """The words in sight."""
        return int(self.page.evaluate(WORDS))

    def takes(self, name: str) -> str:
        """Press a button that gives a file; what the file is called."""
        self.clicks += 1
        with self.page.expect_download(timeout=STILL_MS) as caught:
            self.page.get_by_role("button", name=name).first.click()
        return str(caught.value.suggested_filename)

    def turns_to(self, title: str) -> None:
        """Press a page in the navigation."""
        self.clicks_on(self.page.get_by_test_id("stTopNavLink").filter(has_text=title).first)

    def title(self) -> str:
        """The largest words on the page."""
        return str(self.page.locator("h1").first.inner_text())

    def verdict(self) -> str:
        """The line that stays in sight."""
        return " ".join(str(self.page.locator(".st-key-strip p").last.inner_text()).split())

    def tiles(self) -> str:
        """The figures with their names."""
        tiles = self.page.get_by_test_id("stMetric").all_inner_texts()
        return ", ".join(_two(one) for one in tiles)

    def _timed(self, act: Callable[[], object]) -> None:
        start = time.monotonic()
        act()
        self.waits_s.append(self._wait_until_idle(start))

    def _wait_until_idle(self, start: float) -> float:
        """Wait until nothing works for three looks in a row; how long it took to the first of them."""
        since, quiet = time.monotonic(), 0
        for _ in range(LOOKS):
            if self.page.locator(BUSY).count():
                quiet = 0
            else:
                since = since if quiet else time.monotonic()
                quiet += 1
            if quiet == 3:
                break
            self.page.wait_for_timeout(1000 * LOOK_S)
        return since - start


def _two(tile: str) -> str:
    """The name of a tile and its value."""
    return ": ".join([line for line in tile.splitlines() if line.strip()][:2])


def typed(text: str) -> Callable[[Any], None]:
    """Replace what a field behind a phrase holds."""

    def change(box: Any) -> None:
        one = box.get_by_role("spinbutton").or_(box.get_by_role("textbox")).first
        one.fill(text)
        one.press("Enter")

    return change


def chosen(text: str) -> Callable[[Any], None]:
    """Choose from a list by typing."""

    def change(box: Any) -> None:
        one = box.get_by_role("combobox").first
        one.click()
        one.press("ControlOrMeta+a")
        one.press_sequentially(text)
        one.page.get_by_role("option").first.wait_for()
        one.press("Enter")

    return change


def moved(key: str) -> Callable[[Any], None]:
    """Move a slider."""
    return lambda box: box.get_by_role("slider").first.press(key)


def pressed(name: str) -> Callable[[Any], None]:
    """Press one of several."""
    return lambda box: box.get_by_role("radio", name=name, exact=True).click()


def manager(one: BrowserUser, at: str) -> str:
    """16 H100 for three years in Europe."""
    one.opens(at)
    one.edit_phrase("gpus", typed("16"))
    one.edit_phrase("site", chosen("European Union"))
    return f"{one.title()} {one.verdict()}"


def finance(one: BrowserUser, at: str) -> str:
    """The manager's link: another discount rate, cash by year, files, the two plans side by side, and a reload."""
    one.opens(f"{at}/?gpus=16&site=EU")
    one.clicks_on(one.page.get_by_role("button", name="Pin"))
    one.clicks_on(one.page.get_by_text("Adjust assumptions", exact=True))
    one.edit_field("Discount rate, % a year", "12")
    one.clicks_on(one.page.get_by_role("tab", name="Payback"))
    one.turns_to("Compare")
    one.turns_to("Answer")
    one.page.reload()
    one.page.wait_for_selector("h1", timeout=STILL_MS)
    kept = "12 % is kept in the link" if "rate=12" in one.page.url else "the link lost the 12 %"
    beside = "both plans side by side" if one.page.get_by_text("Side by side").count() else "one plan only"
    one.clicks_on(one.page.get_by_role("button", name="Share"))
    file = one.takes("Results (CSV)")
    return f"{one.verdict()} {kept}, {beside}, {file} arrived"


def founder(one: BrowserUser, at: str) -> str:
    """Eight H100 for three months in Europe, spot."""
    one.opens(at)
    one.edit_phrase("years", typed("0.25"))
    one.edit_phrase("site", chosen("European Union"))
    said = one.title()
    one.turns_to("Compare")
    one.edits += 1
    one.clicks_on(one.page.get_by_role("button", name="Spot").or_(one.page.get_by_role("radio", name="Spot")).first)
    return f"Answer: {said} Compare: {one.title()}"


def engineer(one: BrowserUser, at: str) -> str:
    """A model of 70 billion parameters on 64 H100."""
    one.opens(f"{at}/speed")
    one.edit_phrase("work", pressed("Train"))
    one.edit_phrase("train", chosen("Llama-3-70B"))
    one.edit_phrase("gpus", typed("64"))
    return f"{one.title()} ({one.tiles()})"


def newcomer(one: BrowserUser, at: str) -> str:
    """One GPU for a desk."""
    one.opens(at)
    one.edit_phrase("gpus", typed("1"))
    one.edit_phrase("gpu", chosen("RTX-4090-24GB"))
    one.edit_phrase("busy", moved("ArrowLeft"))
    return f"{one.title()} {one.verdict()}"


def payer(one: BrowserUser, at: str) -> str:
    """A bill for an API, typed as a sentence."""
    one.opens(at)
    one.says("we pay openai 6000 a month")
    return f"{one.title()} {one.tiles()}"


def board(one: BrowserUser, at: str) -> str:
    """A link from a colleague: the memo, and the chart for a slide."""
    one.opens(f"{at}/?gpus=16&site=EU&name=Fleet")
    one.clicks_on(one.page.get_by_role("button", name="Share"))
    memo = one.takes("Memo (PDF)")
    one.page.keyboard.press("Escape")
    chart = one.takes("Save this chart as PNG")
    return f"{one.title()} {memo} and {chart} arrived"


WALKS = {
    "Manager": manager, "Finance": finance, "Founder": founder, "Engineer": engineer, "One GPU": newcomer,
    "Payer of a bill": payer, "Board": board,
}  # fmt: skip


def row(name: str, one: BrowserUser, answer: str) -> str:
    """Return the times of one journey, as a row of a Markdown table."""
    waits = f"{statistics.median(one.waits_s):.1f}, {max(one.waits_s):.1f}"
    cells = (
        name,
        str(one.edits),
        str(one.clicks),
        str(one.words()),
        f"{one.first_s:.1f}",
        waits,
        answer.replace("|", "/"),
    )
    return f"| {' | '.join(cells)} |"


def main() -> Iterator[str]:
    """The table, row by row."""
    path = _browser()
    if path is None:
        yield "no browser here: python -m tests.browser.chromium fetches one"
        return
    from playwright.sync_api import sync_playwright

    yield f"| {' | '.join(HEADS)} |"
    yield "|---" * len(HEADS) + "|"
    with served() as at, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for name, walk in WALKS.items():
            page = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True).new_page()
            one = BrowserUser(page)
            yield row(name, one, walk(one, at))
            page.context.close()
        browser.close()


def _browser() -> str | None:
    if importlib.util.find_spec("playwright") is None:
        return None
    from tests.browser import chromium

    return chromium.find()


@contextmanager
def served() -> Iterator[str]:
    """The app on a free port, as `make app` starts it."""
    from tools.serve import HOST, first_free

    at = f"http://{HOST}:{(port := first_free(8600))}"
    command = [sys.executable, str(ROOT / "tools" / "serve.py"), str(port)]
    server = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + START_S
        while not _is_serving(at) and time.monotonic() < deadline:
            time.sleep(0.1)
        yield at
    finally:
        server.terminate()
        server.wait()


def _is_serving(at: str) -> bool:
    try:
        with urlopen(f"{at}/_stcore/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
