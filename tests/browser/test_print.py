"""What is printed: whole charts on a sheet of A3 on its side, the open view, and nothing that one would press."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visit import open_page

SHEET_PX = (420 - 2 * 8) / 25.4 * 96  # what the margins leave of the width
WIDEST = "() => Math.max(...[...document.querySelectorAll('.js-plotly-plot .main-svg')].map(one => one.clientWidth))"


@pytest.mark.parametrize("path", ["/", "/compare", "/speed?speed=Memory", "/what-if"])
def test_a_chart_on_the_widest_screen_fits_on_the_sheet(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 2560, "height": 1440})
    open_page(page, path)
    page.wait_for_selector(".js-plotly-plot .main-svg")
    page.wait_for_timeout(1_000)
    assert 0 < page.evaluate(WIDEST) <= SHEET_PX


def test_what_one_presses_is_left_out_and_the_open_view_is_not(page: Page) -> None:
    open_page(page, "/?look=Every+way")
    page.emulate_media(media="print")
    expect(page.locator('[data-testid="stHeader"]')).to_be_hidden()
    expect(page.get_by_role("button", name="Explain these numbers")).to_be_hidden()
    expect(page.locator(".stCheckbox").first).to_be_hidden()
    expect(page.locator(".st-key-sentence")).to_be_visible()
    expect(page.locator('[data-testid="stDataFrame"]').first).to_be_visible()


def test_a_long_table_is_whole_where_one_asks_for_that(page: Page) -> None:
    """Ten rows of 35 pixels and a head are what is seen of a longer table."""
    open_page(page, "/compare")
    table = page.locator('[data-testid="stDataFrame"]').first
    expect(table).to_be_visible()
    short = table.bounding_box()
    page.get_by_text("Whole tables, for print").click()
    page.wait_for_url("**whole=true**")
    page.wait_for_timeout(1_000)
    whole = table.bounding_box()
    assert short is not None
    assert whole is not None
    assert short["height"] <= 11.5 * 35 < whole["height"]
