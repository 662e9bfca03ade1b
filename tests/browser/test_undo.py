"""Undo and redo: after a reload, after other sessions of the same browser, and for what Compare shows besides."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.sentence import leave, spin
from tests.browser.visit import open_page, settle


def press(page: Page, key: str) -> None:
    page.locator(f".st-key-{key} button").click()
    page.wait_for_timeout(200)
    settle(page)


def ask_for(page: Page, gpus: str) -> None:
    """Type another number of GPUs."""
    count = spin(page, "gpus", "How many at once?")
    count.fill(gpus)
    count.press("Enter")
    page.wait_for_url(re.compile(rf"gpus={gpus}\b"))
    settle(page)
    leave(page)


def reload(page: Page) -> None:
    page.reload()
    page.wait_for_selector("h1")
    settle(page)


def test_undo_and_redo_work_after_a_reload_and_belong_to_one_browser(page: Page, browser: Browser) -> None:
    open_page(page)
    for said in ("16", "24", "32"):
        ask_for(page, said)
    link = page.url
    reload(page)
    expect(page.get_by_text("Last edit").first).to_be_visible()
    for said in ("24", "16"):
        press(page, "undo")
        assert f"gpus={said}" in page.url
    reload(page)
    press(page, "undo")
    assert "gpus=" not in page.url
    expect(page.locator(".st-key-undo button")).to_be_disabled()
    for said in ("16", "24", "32"):
        press(page, "redo")
        assert f"gpus={said}" in page.url
    expect(page.locator(".st-key-redo button")).to_be_disabled()
    other = browser.new_context().new_page()
    try:
        open_page(other, link)
        expect(other.locator(".st-key-undo button")).to_be_disabled()
        expect(other.locator(".st-key-redo button")).to_be_disabled()
    finally:
        other.context.close()


def test_show_them_keeps_the_filters_and_can_be_undone(page: Page) -> None:
    open_page(page, "/compare?terms=Spot&area=Europe&age=60+days")
    shown = page.get_by_text(re.compile(r"offers? of this GPU"))
    expect(shown).to_contain_text("hidden")
    press(page, "show-hidden")
    kept = ("terms=Spot", "area=Europe", "age=60")
    assert all(one in page.url for one in (*kept, "hidden=true"))
    expect(shown).to_contain_text("listed although the filters leave them out")
    press(page, "undo")
    assert all(one in page.url for one in kept)
    assert "hidden" not in page.url
    expect(shown).to_contain_text("hidden")
    press(page, "redo")
    assert "hidden=true" in page.url
    press(page, "show-hidden")
    assert "hidden" not in page.url
