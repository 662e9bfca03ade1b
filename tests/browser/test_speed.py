"""Somebody who wants to know how fast, and whether it fits, in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from pricing import load_catalogue
from tests.browser.sentence import WORK, leave, reach, spin
from tests.browser.visit import TRACEBACK, axe_violations, open_page, settle
from tests.evidence.mine import as_csv, own_rows

TRAIN = "/speed?train=Llama-3-8B&tokens=1000000000000&gpus=64"
CHART = ".js-plotly-plot .main-svg"
LONG_MS = 30_000


@pytest.mark.parametrize(
    ("theme", "view", "finding"),
    [
        ("light", "Memory", "The fullest accelerator holds"),
        ("dark", "How far to trust it", "The nearest published run is"),
    ],
    indirect=["theme"],
)
def test_how_fast_and_does_it_fit_for_everybody(page: Page, view: str, finding: str) -> None:
    open_page(page, f"{TRAIN}&speed=Layout")
    expect(page.locator("h1").first).to_contain_text("Llama 3 8B trains in")
    page.get_by_role("tab", name=view).click()
    expect(page.get_by_text(finding).first).to_be_visible(timeout=LONG_MS)
    expect(page.locator(CHART).first).to_be_visible(timeout=LONG_MS)
    settle(page)
    assert not axe_violations(page)
    expect(page.locator(TRACEBACK)).to_have_count(0)


def test_a_row_of_the_market_becomes_the_plan(page: Page) -> None:
    open_page(page, TRAIN)
    expect(page.locator(CHART).first).to_be_visible(timeout=LONG_MS)
    before = page.locator("h1").first.inner_text()
    page.get_by_text("as a table, with reasons").click()
    rows = page.locator('[data-testid="stDataFrame"] .dvn-scroller').first
    expect(rows).to_be_visible(timeout=LONG_MS)
    settle(page)
    rows.click(position={"x": 12, "y": 54})
    page.wait_for_url(lambda address: "gpus=64" not in address)
    expect(page.locator("h1").first).not_to_have_text(before, timeout=LONG_MS)


@pytest.mark.parametrize("theme", ["dark"], indirect=True)
def test_runs_of_ones_own_move_the_answer_until_they_are_taken_away(page: Page, tmp_path: Path) -> None:
    mine, large = tmp_path / "mine.csv", tmp_path / "large.csv"
    rows = own_rows(load_catalogue(), "training", (0.78, 0.8, 0.82))
    slip = rows[0] | {"id": "=HYPERLINK(1)", "tokens_per_s_per_accelerator": "1e12"}
    mine.write_text(as_csv([*rows, slip]), encoding="utf-8")
    large.write_bytes(b"id,model\n" * 6_000_000)
    open_page(page, f"{TRAIN}&speed=How+far+to+trust+it")
    heading = page.locator("h1").first
    before = heading.inner_text()
    page.get_by_text("Upload a file").click()
    page.locator('.st-key-upload-runs input[type="file"]').set_input_files(large)
    expect(page.get_by_text("2.0MB or smaller", exact=False).first).to_be_visible()
    page.locator('.st-key-upload-runs input[type="file"]').set_input_files(mine)
    expect(page.get_by_text("Your 3 training runs reached 80%", exact=False).first).to_be_visible(timeout=LONG_MS)
    assert heading.inner_text() == before
    page.get_by_text("Upload a file").click()  # folded away: the drop zone is the framework's own
    settle(page)
    assert not axe_violations(page)
    page.get_by_role("button", name="Use these").click()
    expect(page.get_by_text("This plan uses 3 runs of yours", exact=False)).to_be_visible(timeout=LONG_MS)
    settle(page)
    assert "measured" in page.url
    assert heading.inner_text() != before
    page.get_by_role("button", name="Remove my runs").click()
    expect(heading).to_have_text(before, timeout=LONG_MS)
    expect(page.locator(TRACEBACK)).to_have_count(0)


def test_on_a_phone_an_example_leads_to_an_answer(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, "/speed")
    expect(page.locator("h1").first).to_contain_text("For example: ")
    page.locator(".st-key-speed-examples").get_by_role("button", name="Chat").click()
    expect(page.locator("h1").first).to_contain_text("tokens/s on", timeout=LONG_MS)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    expect(page.locator(TRACEBACK)).to_have_count(0)


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
