"""What a page can look like, for everybody: no rule of axe-core is broken in any state, in both themes, on any screen.

Each state is seen on one screen in one theme, taken in turn. `python -m tests.browser.states` looks at all of them.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.states import (
    LATE,
    LOOKS,
    PINS,
    SCREENS,
    SERVES,
    STATES,
    TRAINS,
    arrive,
    cut_off,
    look,
    nameless,
    too_small,
    too_wide,
    unfold,
)
from tests.browser.visit import TRACEBACK, axe_violations, open_page, settle

# Those that hold a part no other state has, and the start of each page.
SEEN = (
    "first visit", "answer: Payback", "answer: How sure", "train: Memory", "train: How far to trust it",
    "compare: Where the money goes", "compare: Price history", "compare: Live prices", "what-if: What moves the answer",
    "assumptions", "phrase work (GPU-hours)", "a list open", "the box of assumptions", "the drawer",
    "a scenario refused", "quotes refused", "two plans pinned", "a late plan", "no price", "an old link",
    "a link that is wrong", "help",
)  # fmt: skip
_BY_NAME = {state.name: state for state in STATES}


@pytest.mark.parametrize(("place", "name"), tuple(enumerate(SEEN)))
def test_every_state_can_be_read_by_everybody(visitor: Callable[..., Page], place: int, name: str) -> None:
    page = arrive(visitor(**look(*LOOKS[place % len(LOOKS)])), _BY_NAME[name])
    expect(page.locator(TRACEBACK)).to_have_count(0)
    violations = axe_violations(page)
    assert not violations, "\n".join(violations)
    assert too_wide(page) <= 0


def test_the_watch_notices_what_is_wrong(page: Page) -> None:
    arrive(page, STATES[0])
    page.evaluate("document.querySelector('h1').innerHTML = '<img src=data:,>'")
    assert any(rule.startswith("image-alt") for rule in axe_violations(page))


_NAMES = "() => [...document.querySelectorAll('.stPlotlyChart')].map(one => one.ariaLabel)"
# What moves longer than a hundredth of a second, from now on, and what the page glides to.
_WATCH = """() => {
  window.moved = []
  const look = () => {
    for (const one of document.getAnimations()) {
      const lasts = one.effect.getComputedTiming().endTime
      if (lasts > 10) moved.push(`${one.effect.target?.outerHTML.slice(0, 120)} ${one.animationName ?? ''} ${lasts}`)
    }
    requestAnimationFrame(look)
  }
  look()
}"""

_GLIDES = (
    "() => [...document.querySelectorAll('*')].filter(one => getComputedStyle(one).scrollBehavior !== 'auto').length"
)


@pytest.mark.parametrize("path", ["/?gpus=16", f"/speed?{TRAINS}", f"/speed?{SERVES}", "/compare", "/what-if"])
def test_on_a_phone_every_view_fits_a_finger_and_every_chart_is_told(page: Page, path: str) -> None:
    page.set_viewport_size({"width": SCREENS["phone"].width, "height": SCREENS["phone"].height})
    open_page(page, path)
    tabs, told = page.get_by_role("tab"), 0
    for number in range(tabs.count()):
        tabs.nth(number).click()
        settle(page)
        view = tabs.nth(number).inner_text()
        assert too_wide(page) <= 0, view
        assert not too_small(page), view
        assert not cut_off(page), view
        assert not nameless(page), view
        for name in page.evaluate(_NAMES):
            told += 1
            assert len(name.split()) > 4, view
    assert told >= 3


@pytest.mark.parametrize("path", ["/assumptions", f"/?{PINS}", f"/?{LATE}", "/?gpus=99999999&busy=abc"])
def test_on_a_phone_nothing_is_cut_or_too_small(page: Page, path: str) -> None:
    page.set_viewport_size({"width": SCREENS["phone"].width, "height": SCREENS["phone"].height})
    open_page(page, path)
    unfold(page)
    assert too_wide(page) <= 0
    assert not too_small(page)
    assert not nameless(page)


def test_nothing_moves_for_those_who_ask_for_that(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    open_page(page, "/?gpus=16")
    page.evaluate(_WATCH)
    page.locator(".st-key-phrase-busy button").click()
    page.get_by_role("slider").first.press("ArrowRight")
    settle(page)
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Every option").click()
    settle(page)
    page.get_by_role("button", name="Explain").click()
    page.get_by_role("dialog").get_by_text("Useful hours").first.click()
    settle(page)
    page.keyboard.press("Escape")
    page.wait_for_timeout(500)
    assert sorted(set(page.evaluate("moved"))) == []
    assert page.evaluate(_GLIDES) == 0
