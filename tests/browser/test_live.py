"""Today's prices, read from the page: sources are played back here, one is out of order, one lacks its key."""

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import WIDE, served
from tests.browser.sentence import leave, spin
from tests.browser.visit import TRACEBACK, nothing_left_the_machine, open_page, settle

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


LOOKS = 40
GRID = '[data-testid="stDataFrame"]'
ROWS = """grid => [...grid.querySelectorAll('[role=row]')].map(
    row => [...row.querySelectorAll('[role=columnheader],[role=gridcell]')].map(cell => cell.innerText))"""


def grid(page: Page, number: int = 0) -> list[list[str]]:
    """The rows of a table that are on the screen, header first, as a screen reader hears them; drawn to the end."""
    for _ in range(LOOKS):
        rows = [row for row in page.locator(GRID).nth(number).evaluate(ROWS) if row]
        if len(rows) > 1 and len({len(row) for row in rows}) == 1:
            return rows
        page.wait_for_timeout(250)
    raise AssertionError("the table was never drawn")


def download(page: Page, number: int = 0) -> list[list[str]]:
    """The rows of the CSV behind a download button, header first."""
    with page.expect_download(timeout=90_000) as caught:
        page.get_by_role("button", name="Download this table (CSV)").nth(number).click()
    path = caught.value.path()
    return list(csv.reader(io.StringIO(Path(path).read_text(encoding="utf-8-sig"), newline="")))


def choose(page: Page, label: str, option: str) -> None:
    """Pick one entry of a select box."""
    page.get_by_role("combobox", name=label).click()
    page.keyboard.type(option)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda address: f"={option}" in address)
    settle(page)


def test_filter_select_chart_and_csv_tell_the_same(page: Page) -> None:
    """Filter → the table changes → tick a row → it is drawn → the CSV holds exactly the table's rows."""
    page.set_viewport_size({"width": 1440, "height": 1800})
    open_page(page, "/compare")
    before = download(page)
    choose(page, "Region", "Europe")
    after = download(page)
    assert len(after) < len(before)

    head, *rows = after
    shown = grid(page)
    for column, name in (("Provider", "Provider"), ("This plan", "Plan total USD"), ("Terms", "Terms")):
        at, inside = shown[0].index(column), head.index(name)
        for cells, row in zip(shown[1:9], rows, strict=False):
            name_shown = cells[at].rpartition("#")[2]  # a provider is a link that ends in his name
            same = name_shown.startswith(row[inside]) or float(cells[at]) == pytest.approx(float(row[inside]))
            assert same, f"{column}: the screen says {cells[at]}, the CSV {row[inside]}"
    totals = [float(row[head.index("Plan total USD")]) for row in rows if row[head.index("Total is")] == "complete"]
    assert totals == sorted(totals)

    box = page.locator(GRID).first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 16, box["y"] + 53)
    page.wait_for_url("**pick=**")
    settle(page)
    chart = page.locator(".js-plotly-plot").first
    expect(chart).to_contain_text(rows[0][head.index("Provider")])


def test_a_bad_quote_file_is_answered_row_by_row_and_the_good_rows_win(page: Page, tmp_path: Path) -> None:
    quotes = tmp_path / "quotes.csv"
    quotes.write_text(
        "kind,provider,accelerator,accelerators_per_instance,region,purchase,usd_per_accelerator_hour\n"
        "offer,=HYPERLINK(1),H100 SXM5 80GB,8,here,on_demand,2.05\n"
        "offer,Acme,H100 SXM5 80GB,8,here,on_demand,free\n"
        "offer,Acme,H100,8,here,on_demand,2.00\n",
        encoding="utf-8",
    )
    open_page(page, "/compare?view=Your+own+prices")
    page.get_by_text("Upload a file").click()
    page.locator('input[type="file"]').set_input_files(quotes)
    expect(page.get_by_text("In use: 1 price")).to_be_visible()
    expect(page.get_by_text("Line 3", exact=False).first).to_be_visible()
    expect(page.get_by_text("H100-PCIe-80GB", exact=False).first).to_be_visible()
    settle(page)

    head, *rows = download(page)
    yours = [row for row in rows if row[head.index("Trust")] == "yours"]
    assert [row[head.index("Provider")] for row in yours] == ["'=HYPERLINK(1)"]
    assert float(yours[0][head.index("Sticker USD/GPU-h")]) == 2.05
    expect(page.locator("h1").first).to_contain_text("HYPERLINK")

    page.get_by_role("button", name="Remove my prices").click()
    settle(page)
    assert "yours" not in {row[head.index("Trust")] for row in download(page)[1:]}


def test_a_file_that_is_no_quote_file_changes_nothing(page: Page, tmp_path: Path) -> None:
    picture = tmp_path / "quotes.csv"
    picture.write_bytes(b"PK\x03\x04" + bytes(200))
    open_page(page, "/compare?view=Your+own+prices")
    page.get_by_text("Upload a file").click()
    page.locator('input[type="file"]').set_input_files(picture)
    expect(page.get_by_text("Nothing was changed.", exact=False)).to_be_visible()
    expect(page.locator(TRACEBACK)).to_have_count(0)


def test_a_link_restores_what_was_chosen_elsewhere(page: Page) -> None:
    open_page(page, "/compare")
    spin(page, "gpus", "How many at once?").fill("32")
    page.keyboard.press("Enter")
    page.wait_for_url("**gpus=32**")
    leave(page)
    page.get_by_text("Spot", exact=True).click()
    page.wait_for_url("**terms=**")
    settle(page)
    said, address = page.locator("h1").first.inner_text(), page.url
    assert "gpus=32" in address
    assert "asof=" in address

    other = page.context.new_page()
    open_page(other, address)
    expect(spin(other, "gpus", "How many at once?")).to_have_value("32")
    expect(other.locator("h1").first).to_have_text(said)

    leave(other)
    other.get_by_role("link", name="Assumptions").first.click()
    expect(other.locator("h1").first).to_have_text("Every number, its source and its date")
    settle(other)
    expect(spin(other, "gpus", "How many at once?")).to_have_value("32")


def test_a_link_with_an_impossible_number_is_answered(page: Page) -> None:
    open_page(page, "/compare?gpus=99999999&busy=abc")
    expect(page.get_by_text("This link held gpus = 99999999, outside 1 to 1,000,000", exact=False)).to_be_visible()
    expect(page.get_by_text("This link held busy = abc", exact=False)).to_be_visible()
    expect(page.locator(TRACEBACK)).to_have_count(0)


@pytest.mark.parametrize("typed", ["1e12", "0", "-5", "3,250,000"])
def test_an_impossible_number_is_refused_and_the_last_answer_stays(page: Page, typed: str) -> None:
    open_page(page, "/compare?gpus=16")
    before = page.locator("h1").first.inner_text()
    field = spin(page, "gpus", "How many at once?")
    field.fill("")
    field.press_sequentially(typed)
    field.press("Enter")
    expect(page.get_by_role("alert").first).to_contain_text("outside the allowed range")
    settle(page)
    assert page.locator("h1").first.inner_text() == before


def test_on_a_phone_nothing_is_wider_than_the_screen(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, "/compare")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert page.locator("h1").first.bounding_box()["y"] < 844  # type: ignore[index]
