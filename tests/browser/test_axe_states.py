"""What a page can look like, for everybody: no rule of axe-core is broken in any state, in both themes, on any screen.

Each state is seen on one screen in one theme, taken in turn. `python -m tests.browser.states` looks at all of them.
"""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.states import LOOKS, STATES, too_wide, visit
from tests.browser.visit import TRACEBACK, axe_violations

# Those that hold a part no other state has, and the start of each page.
SEEN = (
    "first visit", "answer: When it pays back", "answer: What would turn it", "train: Memory", "train: Your own runs",
    "compare: Buy and run it", "compare: Price history", "compare: Your own prices", "what-if: What moves the answer",
    "assumptions", "phrase work (GPU-hours)", "a list open", "the box of assumptions", "the drawer",
    "a scenario refused", "quotes refused", "two plans pinned", "a late plan", "no price", "an old link",
    "a link that is wrong", "help",
)  # fmt: skip
_BY_NAME = {one.name: one for one in STATES}


@pytest.mark.parametrize(("place", "name"), tuple(enumerate(SEEN)))
def test_every_state_can_be_read_by_everybody(browser: Browser, app_address: str, place: int, name: str) -> None:
    with visit(browser, app_address, _BY_NAME[name], *LOOKS[place % len(LOOKS)]) as page:
        expect(page.locator(TRACEBACK)).to_have_count(0)
        violations = axe_violations(page)
        assert not violations, "\n".join(violations)
        assert too_wide(page) <= 0


def test_the_watch_notices_what_is_wrong(browser: Browser, app_address: str) -> None:
    with visit(browser, app_address, STATES[0], "wide", "light") as page:
        page.evaluate("document.querySelector('h1').innerHTML = '<img src=data:,>'")
        assert any(one.startswith("image-alt") for one in axe_violations(page))
