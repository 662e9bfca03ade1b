"""Every file that a page offers arrives, and is what the command line writes; one that cannot be made is said."""

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from planner.cli import main
from tests.browser.visit import open_page, settle

FAILED = '[data-testid="stDownloadButtonError"]'
SERVES = "serve=Llama-3-70B&rps=2"
TRAINS = "train=Llama-2-7B&tokens=1e12&gpus=64"


def _bytes(page: Page, button: Locator) -> tuple[str, bytes]:
    """The name and the content of the file behind a button."""
    settle(page)  # a click that falls into a rerun is lost
    with page.expect_download(timeout=90_000) as caught:
        button.click()
    return caught.value.suggested_filename, Path(caught.value.path()).read_bytes()


def _unfold_tables(page: Page) -> None:
    """Open every box of the page: a table is made when its box is opened."""
    for _ in range(20):
        closed = page.locator('[data-testid="stMain"] details:not([open]) > summary')
        if not closed.count():
            return
        closed.first.click()
        settle(page)


def _files(page: Page) -> dict[str, bytes]:
    """Everything that can be downloaded from what is on the screen."""
    _unfold_tables(page)
    buttons = page.locator('[data-testid="stMain"] [data-testid="stDownloadButton"] button:visible')
    found = dict(_bytes(page, buttons.nth(number)) for number in range(buttons.count()))
    expect(page.locator(FAILED)).to_have_count(0)
    return found


@pytest.mark.parametrize(("path", "views", "files"), [
    (
        "/?gpus=16&busy=80",
        10,
        {
            *("options.csv", "cash.csv", "lines.csv", "futures.csv", "parts.csv", "orders.csv"),
            *("other-numbers.csv", "use-and-years.csv"),
        },
    ),
    (f"/speed?{TRAINS}", 6, {"time-against-cost.csv", "memory.csv", "layouts.csv", "where-the-speed-goes.csv"}),
    (f"/speed?{SERVES}", 6, {"memory.csv", "layout.csv", "where-the-time-goes.csv", "nearest-runs.csv"}),
    ("/compare", 6, {"compare.csv", "parts.csv", "market.csv", "history.csv", "quotes.csv"}),
    ("/what-if?stress=Rents+fall", 4, {"what-moves-the-answer.csv", "where-buying-wins.csv", "doubt.csv"}),
    ("/assumptions", 0, {"assumptions.csv", "sources.csv"}),
])  # fmt: skip
def test_every_file_of_a_page_arrives(page: Page, path: str, views: int, files: set[str]) -> None:
    open_page(page, path)
    tabs = page.get_by_role("tab")
    assert tabs.count() == views
    found = _files(page) if not views else {}
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
    page.get_by_role("button", name="Share and export").click()
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
