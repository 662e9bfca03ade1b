"""Today's prices, read from the page: sources are played back here, one is out of order, one lacks its key."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.conftest import WIDE, served
from tests.browser.visit import nothing_left_the_machine, open_page, settle

WAIT_MS = 30_000


def test_prices_are_read_by_one_button_and_put_aside_by_another(browser: Browser, tmp_path: Path) -> None:
    folders = {"RENT_OR_BUY_DATA": str(tmp_path / "data"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    with served(tmp_path, "tests.frozen_live", **folders) as address:
        context = browser.new_context(base_url=address, viewport=WIDE)
        page = context.new_page()
        with nothing_left_the_machine(page):
            open_page(page, "/compare")
            page.get_by_role("button", name="See live prices").click()
            expect(page.get_by_role("tab", name="Live prices")).to_have_attribute("aria-selected", "true")
            page.get_by_role("button", name="Read today's prices").click()
            expect(page.get_by_text("The last refresh.")).to_be_visible(timeout=WAIT_MS)
            settle(page)
            expect(page.get_by_text("RunPod is out of order (500)")).to_be_visible()
            page.get_by_text("1 source not read: no key").click()
            expect(page.get_by_text("LAMBDA_API_KEY")).to_be_visible()
            expect(page.get_by_role("button", name="See live prices")).to_have_count(0)
            page.get_by_role("textbox", name="Who decides").fill("Ada")
            page.keyboard.press("Enter")
            settle(page)
            page.get_by_role("button", name="Undo the last refresh").click()
            expect(page.get_by_text("No live prices were read yet")).to_be_visible(timeout=WAIT_MS)
        context.close()
