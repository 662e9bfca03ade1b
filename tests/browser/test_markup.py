"""What comes with a link or a file is text: no address in it becomes a link, and nothing in it is markup."""

import json
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visit import TRACEBACK, open_page, settle

BAIT = "http://bait.example [x](https://bait.example) www.bait.example me@bait.example <a href='//bait.example'>y</a>"
ALSO = {
    "work": [{"label": BAIT, "jobs": [{"label": BAIT, "accelerators": 4, "hours": 40}]}],
    "kept": {"label": BAIT, "accelerators": 4},
    "mix": {"own_accelerators": 4},
}


@pytest.mark.parametrize("path", ["/", "/speed", "/compare", "/what-if", "/assumptions"])
def test_no_text_of_a_link_becomes_a_link(page: Page, path: str) -> None:
    open_page(page, f"{path}?{urlencode({'name': BAIT, 'bussy': BAIT, 'gpu': BAIT, 'also': json.dumps(ALSO)})}")
    expect(page.locator(TRACEBACK)).to_have_count(0)
    tabs = page.get_by_role("tab")
    for number in range(tabs.count() or 1):
        if tabs.count():
            tabs.nth(number).click()
            settle(page)
        _unfold(page)
        assert page.locator('[href*="bait"]').count() == 0
    if path == "/":
        page.get_by_role("button", name="Explain these numbers").click()
        settle(page)
        assert page.locator('[href*="bait"]').count() == 0


def _unfold(page: Page) -> None:
    for _ in range(12):
        closed = page.locator('[data-testid="stMain"] details:not([open]) > summary')
        if not closed.count():
            return
        closed.first.click()
        settle(page)
