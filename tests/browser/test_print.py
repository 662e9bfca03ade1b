"""What is printed: on A4 and Letter every chart and every column, the open view, and nothing that one would press."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.sheets import printed, unspaced
from tests.browser.visit import open_page, settle

_IN_A_CHART = """() => [...document.querySelectorAll('.js-plotly-plot .main-svg text')]
    .filter(one => one.getBoundingClientRect().width && getComputedStyle(one).opacity !== '0')
    .map(one => one.textContent)"""
_ROWS = "() => [...document.querySelectorAll('.whole-table tr')].map(row => row.textContent)"
_CUT = ".whole-table table { width: 9000px !important; }"


@pytest.mark.parametrize("path", ["/", "/compare", "/speed?speed=Memory", "/what-if"])
def test_a_chart_of_the_widest_screen_stands_whole_on_one_sheet(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 2560, "height": 1440})
    open_page(page, path)
    page.wait_for_selector(".js-plotly-plot .main-svg")
    page.wait_for_timeout(1_000)
    said = [unspaced(one) for one in page.evaluate(_IN_A_CHART)]
    assert said
    sheets = printed(page)
    most = max(sheets, key=lambda sheet: sum(one in sheet for one in said))
    assert [one for one in said if one not in most] == []


def test_what_one_presses_is_left_out_and_the_open_view_is_not(page: Page) -> None:
    open_page(page, "/?look=Every+way")
    page.emulate_media(media="print")
    expect(page.locator('[data-testid="stHeader"]')).to_be_hidden()
    expect(page.get_by_role("button", name="Explain these numbers")).to_be_hidden()
    expect(page.locator(".stCheckbox").first).to_be_hidden()
    expect(page.locator(".st-key-sentence")).to_be_visible()
    expect(page.locator('[data-testid="stDataFrame"]').first).to_be_visible()


@pytest.mark.parametrize(("path", "paper"), [("/compare?", "A4"), ("/?look=Every+way&", "Letter")])
def test_a_wide_table_is_printed_with_every_row_and_every_column(page: Page, path: str, paper: str) -> None:
    open_page(page, f"{path}whole=true")
    rows = [unspaced(one) for one in page.evaluate(_ROWS)]
    assert len(rows) > 5
    sheets = "".join(printed(page, paper))
    assert [row for row in rows if row not in sheets] == []
    page.add_style_tag(content=_CUT)
    assert [row for row in rows if row not in "".join(printed(page, paper))], "a table that is cut is seen to be"


def test_a_long_table_is_whole_where_one_asks_for_that(page: Page) -> None:
    open_page(page, "/compare")
    expect(page.locator('[data-testid="stDataFrame"]').first).to_be_visible()
    page.get_by_text("Whole tables, for print").click()
    page.wait_for_url("**whole=true**")
    settle(page)
    expect(page.locator('[data-testid="stDataFrame"]')).to_have_count(0)
    assert page.locator(".whole-table tbody tr").count() > 11


def test_of_the_tabs_only_the_open_one_is_named(page: Page) -> None:
    open_page(page, "/?look=Every+way")
    page.emulate_media(media="print")
    expect(page.get_by_role("tab", name="Every way")).to_be_visible()
    expect(page.get_by_role("tab", name="Cash by year", include_hidden=True)).to_be_hidden()
