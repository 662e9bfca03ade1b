"""What comes with a link or a file is text: no address in it becomes a link, and nothing in it is markup."""

import json
from contextlib import suppress
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Error, Page, expect

from tests.browser.states import unfold
from tests.browser.visit import TRACEBACK, no_console_errors, nothing_left_the_machine, open_page, settle

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
        unfold(page)
        assert page.locator('[href*="bait"]').count() == 0
    if path == "/":
        page.get_by_role("button", name="Explain").click()
        settle(page)
        assert page.locator('[href*="bait"]').count() == 0


@pytest.mark.parametrize(("path", "theme"), [
    ("/", "light"), ("/", "dark"), ("/compare", "dark"), ("/speed?train=Llama-3-8B&tokens=1e12&gpus=64", "light"),
    ("/what-if", "dark"), ("/assumptions", "light"),
], indirect=["theme"])  # fmt: skip
def test_every_page_stays_on_this_machine_and_does_without_what_its_policy_forbids(page: Page, path: str) -> None:
    page.add_init_script("addEventListener('securitypolicyviolation', event => console.error(event.violatedDirective))")
    with nothing_left_the_machine(page), no_console_errors(page):
        answer = page.request.get(path)
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        open_page(page, path)
    expect(page.locator("h1").first).not_to_be_empty()
    expect(page.locator(TRACEBACK)).to_have_count(0)


def test_the_policy_keeps_a_script_from_elsewhere_out(page: Page) -> None:
    open_page(page)
    ran = page.evaluate(
        "() => { const one = document.createElement('script'); one.textContent = 'window.strange = 1';"
        " document.body.append(one); return window.strange === 1 }"
    )
    assert not ran


def test_the_watch_notices_a_request_that_leaves(page: Page) -> None:
    page.route("https://example.invalid/**", lambda route: route.abort())
    with pytest.raises(AssertionError, match=r"left this machine.*example\.invalid"):
        _visit_and_tell(page)


def _visit_and_tell(page: Page) -> None:
    with nothing_left_the_machine(page):
        open_page(page)
        with suppress(Error):  # a page that is no other: the policy keeps all else from leaving
            page.goto("https://example.invalid/x")
