"""A kept plan in a real browser: saved, listed first at the next visit, opened, edited, saved again, compared."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import WIDE, served

PATIENCE_MS = 60_000


@pytest.fixture
def keeper(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """A visitor of a server with a data folder of its own."""
    (tmp_path / "data").mkdir()
    with served(tmp_path, "tests.frozen", "tools/serve.py", RENT_OR_BUY_DATA=str(tmp_path / "data")) as address:
        context = browser.new_context(base_url=address, viewport=WIDE)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        yield page
        context.close()


def save(page: Page, name: str) -> None:
    """Open the Share box and save."""
    if not page.get_by_label("Name", exact=True).is_visible():
        page.locator(".st-key-share button").first.click()
    field = page.get_by_label("Name", exact=True)
    field.fill(name)
    field.press("Enter")
    page.locator(".st-key-kept-save button").click()


def test_saved_found_again_edited_and_compared(keeper: Page) -> None:
    page = keeper
    page.goto("/?gpus=16")
    expect(page.locator("h1").first).to_be_visible(timeout=PATIENCE_MS)
    save(page, "Lab")
    expect(page.get_by_text("Version 1 of “Lab”")).to_be_visible(timeout=PATIENCE_MS)
    assert "saved=1.1" in page.url
    page.reload()
    expect(page.get_by_text("Version 1 of “Lab”")).to_be_visible(timeout=PATIENCE_MS)
    page.goto("/?gpus=24&saved=1.1")  # an edit
    expect(page.get_by_text("Version 1 of “Lab”")).to_be_visible(timeout=PATIENCE_MS)
    save(page, "Lab")
    expect(page.get_by_text("Version 2 of “Lab”")).to_be_visible(timeout=PATIENCE_MS)
    page.goto("/")
    page.locator(".st-key-kept-open-1 button").click()
    page.wait_for_url(re.compile("saved=1.2"), timeout=PATIENCE_MS)
    assert "gpus=24" in page.url
    page.goto("/plans?plans=Versions")
    expect(page.get_by_text("How many at once")).to_have_count(0)  # it stands in a canvas
    expect(page.get_by_text("Fields", exact=True)).to_be_visible(timeout=PATIENCE_MS)
    page.get_by_role("tab", name="List").click()
    page.locator(".st-key-kept-show-1 button").click()
    page.wait_for_url(re.compile("saved=1.2"), timeout=PATIENCE_MS)
    expect(page.get_by_text("Version 2 of “Lab”")).to_be_visible(timeout=PATIENCE_MS)
