"""Three people with a browser each, and a real OpenID provider: saved, shared to view, to edit, ended, signed out."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import started
from tests.browser import chromium
from tests.browser.conftest import QUIET_START, WIDE
from tests.browser.test_kept import PATIENCE_MS, save
from tests.browser.visit import open_page, settle
from tests.web.provider import provider


@pytest.fixture
def people(browser: Browser, tmp_path: Path) -> Iterator[list[Page]]:
    """Ada, Bob and Eve before one server; Bob's Chromium is a process of its own."""
    with ExitStack() as ends:
        at_work = ends.enter_context(provider())
        for name in ("ada", "bob", "eve"):
            at_work.knows(name)
        port = started.free_port()
        app = ends.enter_context(started.app(port=port, **at_work.settings(tmp_path, port)))
        other = browser.browser_type.launch(executable_path=chromium.find(), args=QUIET_START)
        ends.callback(other.close)
        pages = []
        for chosen in (browser, other, browser):
            context = chosen.new_context(base_url=app.address, viewport=WIDE)
            ends.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(PATIENCE_MS)
            pages.append(page)
        yield pages


def sign_in(page: Page, name: str) -> None:
    """Press Sign in, and do as the provider asks."""
    page.locator(".st-key-sign-in button").click()
    page.locator("input[name=sub]").fill(name)
    page.get_by_role("button", name="Authorize").click()
    sees(page, f"{name}@example.org")


def sees(page: Page, text: str) -> None:
    expect(page.get_by_text(text).first).to_be_visible(timeout=PATIENCE_MS)


def share(page: Page, name: str, right: str) -> None:
    """Open the box, type who, choose what they may do."""
    open_page(page, "/plans?plans=Versions")
    page.locator(".st-key-share-with summary").first.click()
    settle(page)
    page.get_by_label("E-mail address, @group or everyone").fill(name)
    if right != "View":
        page.locator(".st-key-share-right input").first.click()
        page.get_by_role("option", name=right).click()
    page.get_by_role("button", name="Share", exact=True).last.click()
    expect(page.locator("[class*='st-key-shared-']")).to_contain_text(f"may {right.lower()}", timeout=PATIENCE_MS)


def test_saved_shared_changed_and_ended(people: list[Page]) -> None:
    ada, bob, eve = people
    for page, name in zip(people, ("ada", "bob", "eve"), strict=True):
        page.goto("/?gpus=16")
        sign_in(page, name)
    _two_versions(ada)
    share(ada, "bob@example.org", "View")
    _views(bob)
    _learns_nothing(eve)
    share(ada, "bob@example.org", "Edit")
    save(bob, "Lab")
    sees(bob, "Version 3 of “Lab”")
    _unshares(ada)
    save(bob, "Lab")
    sees(bob, "There is no such plan, or it is not shared with you.")
    bob.goto("/?saved=1.3")
    sees(bob, "bob@example.org")
    expect(bob.get_by_text("Lab")).to_have_count(0)
    _signs_out(ada)


def _two_versions(ada: Page) -> None:
    ada.goto("/?gpus=16")
    save(ada, "Lab")
    sees(ada, "Version 1 of “Lab”")
    ada.goto("/?gpus=24&saved=1.1")
    sees(ada, "Version 1 of “Lab”")
    save(ada, "Lab")
    sees(ada, "Version 2 of “Lab”")


def _views(bob: Page) -> None:
    """See it in the list and open it; no button, and no save under its name."""
    bob.goto("/plans")
    sees(bob, "shared by ada@example.org, to view")
    expect(bob.locator(".st-key-kept-archive-1")).to_have_count(0)
    expect(bob.locator(".st-key-share-with")).to_have_count(0)
    bob.goto("/?gpus=32&saved=1.2")
    sees(bob, "Version 2 of “Lab”")
    save(bob, "Lab")
    sees(bob, "You may see “Lab” and no more")


def _learns_nothing(eve: Page) -> None:
    """By a link, by a guess, by the list."""
    for address in ("/?gpus=24&saved=1.2", "/?saved=1.1", "/plans"):
        eve.goto(address)
        sees(eve, "eve@example.org")
        expect(eve.get_by_text("Lab")).to_have_count(0)
        expect(eve.get_by_text("ada@example.org")).to_have_count(0)


def _unshares(ada: Page) -> None:
    """See who saved, and take the right away."""
    ada.goto("/plans")
    expect(ada.get_by_text(re.compile("version 3, .*, bob@example.org")).first).to_be_visible(timeout=PATIENCE_MS)
    ada.goto("/plans?plans=Versions")
    ada.locator(".st-key-share-with summary").first.click()
    ada.get_by_role("button", name="Remove").click()
    expect(ada.get_by_role("button", name="Remove")).to_have_count(0, timeout=PATIENCE_MS)


def _signs_out(ada: Page) -> None:
    """No other tab goes on, and no copy of the cookie."""
    second = ada.context.new_page()
    second.goto("/plans")
    sees(second, "version 3")
    cookies = ada.context.cookies()
    ada.locator(".st-key-signed-in button").first.click()
    ada.locator(".st-key-sign-out button").click()
    ada.get_by_role("button", name="End session").click()
    expect(ada.locator(".st-key-sign-in button").first).to_be_visible(timeout=PATIENCE_MS)
    field = second.get_by_role("textbox", name="Search")
    field.fill("Lab")
    field.press("Enter")
    expect(second.locator(".st-key-sign-in button").first).to_be_visible(timeout=PATIENCE_MS)
    expect(second.get_by_text("Lab")).to_have_count(0)
    ada.context.add_cookies(cookies)  # type: ignore[arg-type]
    ada.goto("/plans")
    expect(ada.locator(".st-key-sign-in button").first).to_be_visible(timeout=PATIENCE_MS)
    expect(ada.get_by_text("Lab")).to_have_count(0)
