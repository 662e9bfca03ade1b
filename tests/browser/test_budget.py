"""Two people on one server, one of whom opens a very large plan."""

import re
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, expect

from planner.scenario.link import scenario_to_link
from planner.scenario.scenario import Scenario
from tests.browser.sentence import reach
from tests.browser.visit import FIRST_WORDS_MS, TRACEBACK, open_page, settle

SEASON = (1.0, 1.1, 0.9, 1.0, 1.0, 1.0, 0.7, 1.0, 1.2, 1.0, 1.0, 1.0)
DAY = (1.0, *(0.49 + hour / 100 for hour in range(1, 24)))
WORKS = tuple({"accelerators": many, "growth_per_year": 2.0, "season": SEASON, "by_hour": DAY} for many in (100, 200))
LARGE = urlencode(scenario_to_link(Scenario.model_validate({"years": 10.0, "work": WORKS})))
SOON_MS = 20_000


def test_a_very_large_plan_opens_while_somebody_elses_slider_moves(
    page: Page, browser: Browser, app_address: str
) -> None:
    """Two works by the hour of the day, with growth and a season over ten years: 739 characters of address."""
    open_page(page, "/?busy=95&years=5")
    reach(page, "busy")
    slider = page.get_by_role("slider").first
    context = browser.new_context(base_url=app_address)
    other = context.new_page()
    other.goto(f"/?{LARGE}", wait_until="commit")
    for _ in range(5):
        slider.press("ArrowLeft")
    page.wait_for_url(lambda address: "busy=90" in address, timeout=SOON_MS)
    settle(page)
    expect(page.locator("h1").first).to_contain_text(".")
    expect(other.locator("h1").first).to_contain_text(
        re.compile("buy|rent|lease|own|same", re.IGNORECASE), timeout=FIRST_WORDS_MS
    )
    settle(other)
    for one in (page, other):
        expect(one.locator(TRACEBACK)).to_have_count(0)
    assert "by_hour" in other.url
    context.close()
