"""Somebody who wants to know what would change the answer, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visit import TRACEBACK, axe_violations, open_page, settle

CHART = ".js-plotly-plot .main-svg"
LONG_MS = 30_000


@pytest.mark.parametrize("theme", ["dark"], indirect=True)
def test_a_stress_test_changes_the_words_for_everybody(page: Page) -> None:
    open_page(page, "/what-if")
    expect(page.locator("h1").first).to_contain_text("matters most", timeout=LONG_MS)
    expect(page.locator(CHART).first).to_be_visible(timeout=LONG_MS)
    settle(page)
    assert not axe_violations(page)
    page.get_by_role("tab", name="Try it").click()
    said = page.locator("h2").first
    expect(said).to_contain_text("As entered: ", timeout=LONG_MS)
    entered = said.inner_text().removeprefix("As entered: ").partition(".")[0]
    page.get_by_text("Rents rise", exact=True).click()
    expect(said).to_contain_text(f"{entered} becomes: ", timeout=LONG_MS)
    page.wait_for_url(lambda address: "stress=Rents+rise" in address)
    settle(page)
    assert not axe_violations(page)
    expect(page.locator(TRACEBACK)).to_have_count(0)


def test_a_click_on_the_map_is_the_plan_and_back_restores(page: Page) -> None:
    open_page(page, "/what-if?turn=Where+buying+wins")
    inside = page.locator(".js-plotly-plot .nsewdrag").first
    expect(inside).to_be_visible(timeout=LONG_MS)
    settle(page)
    assert not axe_violations(page)
    before = page.locator("h1").first.inner_text()
    inside.scroll_into_view_if_needed()
    box = inside.bounding_box()
    assert box is not None
    right, up = 17.5 / 20, 8.5 / 13  # busy 90 % of the shares 5, 10 ... 100; five years of 1, 1.5 ... 7
    inside.hover(position={"x": box["width"] * right, "y": box["height"] * (1 - up)})
    expect(page.locator(".hoverlayer")).to_contain_text("Utilization 90%")
    inside.click(position={"x": box["width"] * right, "y": box["height"] * (1 - up)})
    page.wait_for_url(lambda address: "busy=90" in address and "years=5" in address)
    expect(page.locator("h1").first).not_to_have_text(before, timeout=LONG_MS)
    settle(page)
    for _ in range(2):  # one step for each input
        page.go_back()
        settle(page)
    assert "busy=" not in page.url
    assert "years=" not in page.url
    expect(page.locator("h1").first).to_have_text(before, timeout=LONG_MS)


def test_on_a_phone_all_three_views_stay_within_the_screen(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, "/what-if")
    for view in ("What moves the answer", "Where buying wins", "Try it"):
        page.get_by_role("tab", name=view).click()
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    page.get_by_role("link", name="Next: where every number is from").click()
    expect(page.locator("h1").first).to_contain_text("Every number", timeout=LONG_MS)
