"""Somebody who wants to know how fast, and whether it fits, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visit import TRACEBACK, axe_violations, open_page, settle

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
    open_page(page, f"{TRAIN}&speed=Layouts")
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
    page.get_by_text("as a table, with why each lost").click()
    rows = page.locator('[data-testid="stDataFrame"] .dvn-scroller').first
    expect(rows).to_be_visible(timeout=LONG_MS)
    settle(page)
    rows.click(position={"x": 12, "y": 54})
    page.wait_for_url(lambda address: "gpus=64" not in address)
    expect(page.locator("h1").first).not_to_have_text(before, timeout=LONG_MS)


def test_on_a_phone_an_example_leads_to_an_answer(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, "/speed")
    expect(page.locator("h1").first).to_have_text("Name a model to see how fast it runs")
    page.locator(".st-key-speed-examples").get_by_role("button", name="Chat").click()
    expect(page.locator("h1").first).to_contain_text("tokens/s on", timeout=LONG_MS)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    expect(page.locator(TRACEBACK)).to_have_count(0)
