"""The first visit: it works, it is readable for everybody, and nothing is told to anybody else."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visit import TRACEBACK, axe_violations, no_console_errors, nothing_left_the_machine, open_page

BOTH_THEMES = pytest.mark.parametrize("theme", ["light", "dark"], indirect=True)


@BOTH_THEMES
def test_a_visit_works_and_stays_between_browser_and_server(page: Page) -> None:
    with nothing_left_the_machine(page), no_console_errors(page):
        open_page(page)
    expect(page.locator("h1").first).not_to_be_empty()
    expect(page.locator(TRACEBACK)).to_have_count(0)


@BOTH_THEMES
def test_everybody_can_read_the_first_page(page: Page) -> None:
    open_page(page)
    violations = axe_violations(page)
    assert not violations, "\n".join(violations)


def test_the_watch_notices_a_request_that_leaves(page: Page) -> None:
    page.route("https://example.invalid/**", lambda route: route.abort())
    with pytest.raises(AssertionError, match=r"left this machine.*example\.invalid"):
        _visit_and_tell(page)


def _visit_and_tell(page: Page) -> None:
    with nothing_left_the_machine(page):
        open_page(page)
        page.evaluate("fetch('https://example.invalid/x').catch(() => 0)")
