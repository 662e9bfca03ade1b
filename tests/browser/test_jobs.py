"""Journeys of somebody who arrives with a piece of work, in a real browser on the running app."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.sentence import WORK, leave, reach, spin
from tests.browser.visit import TRACEBACK, axe_violations, open_page, settle


def ask(page: Page, question: str) -> None:
    """Press one of the pills."""
    reach(page, WORK)
    page.get_by_role("radio", name=question, exact=True).click()
    page.wait_for_url(lambda address: ("work=" in address) == (question != "GPU-hours"))
    settle(page)
    leave(page)


def verdict_is_on_the_first_screen(page: Page) -> bool:
    """Whether one sees the title without scrolling."""
    box, screen = page.locator("h1").first.bounding_box(), page.viewport_size
    return box is not None and screen is not None and box["y"] + box["height"] < screen["height"]


def test_each_question_keeps_what_was_typed_and_the_link_tells_it_elsewhere(page: Page) -> None:
    """Serve → another rate → Train → back to Serve → the same elsewhere → who serves it for the least."""
    page.set_viewport_size({"width": 1366, "height": 768})
    open_page(page)
    ask(page, "Serve")
    assert "serve=" in page.url
    assert "gpus=" not in page.url
    assert verdict_is_on_the_first_screen(page)
    spin(page, "rps", "Requests a second, on average").fill("9")
    page.keyboard.press("Enter")
    page.wait_for_url("**rps=9**")
    ask(page, "Train")
    assert ("serve=" in page.url, "rps=" in page.url, "train=" in page.url) == (False, False, True)
    ask(page, "Serve")
    expect(spin(page, "rps", "Requests a second, on average")).to_have_value("9")
    said = page.locator("h1").first.inner_text()
    assert "rps=9" in page.url

    other = page.context.new_page()
    open_page(other, page.url)
    expect(other.locator("h1").first).to_have_text(said)
    other.get_by_role("link", name="Compare", exact=True).first.click()
    expect(other.locator("h1").first).to_contain_text("serves it for the least", timeout=30_000)
    settle(other)
    assert "rps=9" in other.url


def test_a_gpu_that_is_chosen_is_named_and_a_toggle_in_a_link_holds(page: Page) -> None:
    open_page(page, "/?train=llama+2+7b&tokens=1e12&due=30&gpu=any&choose=1")
    expect(page.get_by_text("the cheapest that is done in 30 days")).to_be_visible()
    expect(spin(page, "gpus", "How many at once?")).to_have_count(0)
    assert "choose=1" in page.url
    assert "train=Llama-2-7B" in page.url


@pytest.mark.parametrize("theme", ["light", "dark"], indirect=True)
def test_a_question_can_be_read_by_everybody_also_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, "/compare?work=Fine-tune&train=Llama-3.3-70B&method=lora&runs=8&tokens=1e8")
    expect(page.locator(TRACEBACK)).to_have_count(0)
    violations = axe_violations(page)
    assert not violations, "\n".join(violations)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
