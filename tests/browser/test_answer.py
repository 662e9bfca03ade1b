"""Journeys of somebody who has to decide, in a real browser on the running app."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visit import TRACEBACK, axe_violations, open_page, settle


def test_less_use_turns_the_answer_and_the_link_tells_it_elsewhere(page: Page) -> None:
    open_page(page, "/?busy=80")
    before = page.locator("h1").first.inner_text()
    slider = page.get_by_role("slider").first
    for _ in range(50):
        slider.press("ArrowLeft")
    page.wait_for_url(lambda address: "busy=30" in address)
    settle(page)
    after = page.locator("h1").first.inner_text()
    assert "buy" in before
    assert "ent." in after

    other = page.context.new_page()
    open_page(other, page.url)
    expect(other.locator("h1").first).to_have_text(after)
    assert (
        other.locator('[data-testid="stMetricValue"]').all_inner_texts()
        == page.locator('[data-testid="stMetricValue"]').all_inner_texts()
    )


def test_the_drawer_opens_a_number_into_its_parts(page: Page) -> None:
    open_page(page, "/")
    page.get_by_role("button", name="Explain these numbers").click()
    drawer = page.get_by_role("dialog")
    expect(drawer).to_contain_text("Useful hours")
    drawer.get_by_text("Useful hours").first.click()
    expect(drawer).to_contain_text("accelerators * busy_share * hours_per_month * runs")
    expect(drawer).to_contain_text("The sum of the lines above")
    assert not axe_violations(page)


def test_the_cash_table_and_its_csv_agree_with_the_metric(page: Page) -> None:
    open_page(page, "/?rate=0")
    page.get_by_text("Show as a table").first.click()
    settle(page)
    with page.expect_download() as caught:
        page.get_by_role("button", name="Download this table (CSV)").first.click()
    text = Path(caught.value.path()).read_text(encoding="utf-8-sig")
    head, *rows = list(csv.reader(io.StringIO(text, newline="")))
    rent, so_far = head.index("Rent, USD"), head.index("Rent so far, today's money")
    assert sum(float(row[rent]) for row in rows) == pytest.approx(float(rows[-1][so_far]))
    shown = page.locator('[data-testid="stMetricValue"]').first.inner_text()
    assert float(shown.strip("$k")) == pytest.approx(float(rows[-1][so_far]) / 1_000, rel=0.005)


@pytest.mark.parametrize("theme", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("path", ["/?gpu=L40S-48GB", "/?asof=2026-08-25&busy=5"])
def test_no_answer_and_an_old_answer_can_be_read_by_everybody(page: Page, path: str) -> None:
    open_page(page, path)
    expect(page.locator(TRACEBACK)).to_have_count(0)
    violations = axe_violations(page)
    assert not violations, "\n".join(violations)


def test_on_a_phone_the_verdict_is_on_the_first_screen(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, "/")
    box = page.locator("h1").first.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 844
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
