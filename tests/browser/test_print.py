"""What is printed: on A4 and Letter every chart and every column, the open view, and nothing that one would press."""

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from planner.cli import main
from tests.browser.sheets import printed, unspaced
from tests.browser.states import unfold
from tests.browser.visit import open_page, settle

_IN_A_CHART = """() => [...document.querySelectorAll('.js-plotly-plot .main-svg text')]
    .filter(one => one.getBoundingClientRect().width && getComputedStyle(one).opacity !== '0')
    .map(one => one.textContent)"""
_DAY = re.compile(r"-\d{4}-\d\d-\d\d(?=\.)")  # of the prices, in the name of each file
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
    open_page(page, "/?look=Every+option")
    page.emulate_media(media="print")
    expect(page.locator('[data-testid="stHeader"]')).to_be_hidden()
    expect(page.get_by_role("button", name="Explain")).to_be_hidden()
    expect(page.locator(".stCheckbox").first).to_be_hidden()
    expect(page.locator(".st-key-sentence")).to_be_visible()
    expect(page.locator('[data-testid="stDataFrame"]').first).to_be_visible()
    expect(page.get_by_role("tab", name="Every option")).to_be_visible()
    expect(page.get_by_role("tab", name="Payback", include_hidden=True)).to_be_hidden()


@pytest.mark.parametrize(("path", "paper"), [("/compare?", "A4"), ("/?look=Every+option&", "Letter")])
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
    page.get_by_text("Full tables").click()
    page.wait_for_url("**whole=true**")
    settle(page)
    expect(page.locator('[data-testid="stDataFrame"]')).to_have_count(0)
    assert page.locator(".whole-table tbody tr").count() > 11


FAILED = '[data-testid="stDownloadButtonError"]'
SERVES = "serve=Llama-3-70B&rps=2"
TRAINS = "train=Llama-2-7B&tokens=1e12&gpus=64"


def _bytes(page: Page, button: Locator) -> tuple[str, bytes]:
    """The name and the content of the file behind a button."""
    settle(page)  # a click that falls into a rerun is lost
    with page.expect_download(timeout=90_000) as caught:
        button.click()
    return _DAY.sub("", caught.value.suggested_filename), Path(caught.value.path()).read_bytes()


def _files(page: Page) -> dict[str, bytes]:
    """Everything that can be downloaded from what is on the screen."""
    unfold(page)  # a table is made when its box is opened
    buttons = page.locator('[data-testid="stMain"] [data-testid="stDownloadButton"] button:visible')
    found = dict(_bytes(page, buttons.nth(number)) for number in range(buttons.count()))
    expect(page.locator(FAILED)).to_have_count(0)
    return found


@pytest.mark.parametrize(("path", "views", "files"), [
    (
        "/?gpus=16&busy=80",
        4,
        {
            *("options.csv", "cash.csv", "lines.csv", "futures.csv", "parts.csv", "orders.csv"),
            *("other-numbers.csv", "use-and-years.csv"),
        },
    ),
    (f"/speed?{TRAINS}", 4, {"time-against-cost.csv", "memory.csv", "layouts.csv", "where-the-speed-goes.csv"}),
    (f"/speed?{SERVES}", 4, {"memory.csv", "layout.csv", "where-the-time-goes.csv", "nearest-runs.csv"}),
    ("/compare", 4, {"compare.csv", "parts.csv", "market.csv", "history.csv", "quotes.csv"}),
    ("/what-if?stress=Rents+fall", 4, {"what-moves-the-answer.csv", "where-buying-wins.csv", "doubt.csv"}),
    ("/assumptions", 3, {"assumptions.csv", "sources.csv"}),
])  # fmt: skip
def test_every_file_of_a_page_arrives(page: Page, path: str, views: int, files: set[str]) -> None:
    open_page(page, path)
    tabs = page.get_by_role("tab")
    assert tabs.count() == views
    found: dict[str, bytes] = {}
    for number in range(views):
        tabs.nth(number).click()
        settle(page)
        found |= _files(page)
    assert files <= found.keys(), found.keys()
    for name, content in found.items():
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
        assert len(rows) > 1, name
        assert len({len(row) for row in rows}) == 1, name


@pytest.mark.parametrize("path", ["/?gpus=16&busy=80&rate=7", f"/?{SERVES}", "/?work=Train&" + TRAINS])
def test_the_files_for_finance_are_those_of_the_command_line(page: Page, path: str, tmp_path: Path) -> None:
    open_page(page, path)
    page.get_by_role("button", name="Share").click()
    settle(page)
    names = ("cash-flow.csv", "assumptions.csv", "results.csv", "scenario.yaml")
    keys = [f".st-key-download-{name.replace('.', '-')} button" for name in names]
    found = dict(_bytes(page, page.locator(key)) for key in keys)
    assert tuple(found) == names
    plan = tmp_path / "scenario.yaml"
    plan.write_bytes(found["scenario.yaml"])
    flags = {"--csv": "cash-flow.csv", "--csv-assumptions": "assumptions.csv", "--csv-results": "results.csv"}
    asked = [word for flag, name in flags.items() for word in (flag, str(tmp_path / f"shell-{name}"))]
    assert main(["plan", str(plan), *asked]) == 0
    for name in flags.values():
        assert (tmp_path / f"shell-{name}").read_bytes() == found[name], name


def test_the_table_of_streamlit_offers_no_file_of_its_own(page: Page) -> None:
    """Its CSV leaves formulas in the cells; ours guards them."""
    open_page(page, "/compare")
    page.get_by_test_id("stDataFrame").first.hover()
    expect(page.get_by_test_id("stElementToolbarButton").first).to_be_visible()
    expect(page.get_by_role("button", name="Download as CSV")).to_have_count(0)
