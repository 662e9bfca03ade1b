"""The five journeys without a mouse: Tab, Shift+Tab, Enter, Space, arrows and Escape, on the running app."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.keys import arrive, go_to, here, is_drawn, open_phrase, press, type_over
from tests.browser.states import SCREENS
from tests.browser.visit import FIRST_WORDS_MS, open_page, settle

H1 = "h1"
DIALOG = "[role=dialog]"
MOST_TABS = 12  # of a page


def turn_tabs(page: Page, says: str) -> None:
    """Go to the chosen tab and press the right arrow until the keyboard is on the tab of these words.

    On a busy machine Streamlit builds the list anew under the keyboard, which is then on the page; Tab leads back.
    """
    for _ in range(MOST_TABS):
        stop = here(page)
        if stop.role != "tab":
            stop = go_to(page, role="tab")
        if says not in stop.says:
            stop = press(page, "ArrowRight")
        if stop.role == "tab" and says in stop.says:
            return
    raise AssertionError(f"no tab of {says} is reached: {here(page)}")


@pytest.fixture(autouse=True)
def _still(page: Page) -> None:
    """What only moves for the eye stands still."""
    page.emulate_media(reduced_motion="reduce")


def set_number(page: Page, phrase: str, text: str) -> None:
    """Open a phrase, type over what its field holds, and close it again; the phrase has the keyboard then."""
    open_phrase(page, phrase)
    type_over(page, text)
    press(page, "Escape")
    assert here(page).key == f"phrase-{phrase}"


def choose(page: Page, phrase: str, text: str) -> None:
    """Open a phrase and choose from its list by typing."""
    open_phrase(page, phrase)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(text)
    page.get_by_role("option").first.wait_for()
    press(page, "Enter")
    press(page, "Escape")
    assert here(page).key == f"phrase-{phrase}"


def turn_to(page: Page, title: str) -> None:
    """Go back to the list of pages and choose one."""
    go_to(page, title, "a", back=True)
    press(page, "Enter")
    path = "" if title == "Answer" else title.lower().replace(" ", "-")
    page.wait_for_url(re.compile(rf"//[^/]+/{path}(\?|$)"))
    settle(page)


def test_a_manager_asks_for_16_gpus_in_germany(page: Page) -> None:
    """Two edits, a look into the numbers, a step back."""
    arrive(page, "/")
    set_number(page, "gpus", "16")
    assert "gpus=16" in page.url
    choose(page, "site", "Germany")
    assert "site=" in page.url
    expect(page.locator(H1).first).to_contain_text(".")
    go_to(page, "Explain")
    press(page, "Enter")
    drawer = page.locator(DIALOG)
    expect(drawer).to_contain_text("Useful hours", timeout=FIRST_WORDS_MS)
    go_to(page, "Useful hours", "summary")
    press(page, "Enter")
    expect(drawer).to_contain_text("16 accelerators")
    for _ in range(25):  # the drawer keeps the keyboard
        page.keyboard.press("Tab")
        assert page.evaluate("!!document.activeElement.closest('[role=dialog]') || document.activeElement.tabIndex < 0")
    press(page, "Escape")
    expect(drawer).to_have_count(0)
    assert here(page).says.endswith("Explain")
    go_to(page, "Undo", back=True)
    press(page, "Enter")
    assert "site=" not in page.url
    assert "gpus=16" in page.url


def test_finance_changes_the_cost_of_money_and_takes_the_cash_flow(page: Page) -> None:
    arrive(page, "/?gpus=16")
    go_to(page, "Adjust assumptions", "switch")
    press(page, "Space")
    go_to(page, "Discount rate", "input")
    type_over(page, "12")
    assert "rate=12" in page.url
    turn_tabs(page, "Payback")
    press(page, "Enter")
    assert "look=Payback" in page.url
    go_to(page, "Download this table (CSV)")
    with page.expect_download(timeout=FIRST_WORDS_MS) as caught:
        page.keyboard.press("Enter")
    assert caught.value.suggested_filename.startswith("cash-")
    go_to(page, "Share", back=True)
    press(page, "Enter")
    go_to(page, "Results (CSV)")
    with page.expect_download(timeout=FIRST_WORDS_MS) as caught:
        page.keyboard.press("Enter")
    assert caught.value.suggested_filename.startswith("results-")
    press(page, "Escape")
    assert "Share" in here(page).says


def test_a_founder_compares_providers_and_pins_a_plan(page: Page) -> None:
    arrive(page, "/")
    go_to(page, "Pin", key="pin-plan")
    press(page, "Enter")
    expect(page.get_by_role("link", name="Side by side").first).to_be_visible()
    open_phrase(page, "years", back=True)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("0.25")
    press(page, "Enter")
    assert "years=0.25" in page.url
    press(page, "Escape")
    turn_to(page, "Compare")
    expect(page.get_by_role("link", name="Side by side").first).to_be_visible()
    go_to(page, "On demand")
    press(page, "ArrowRight", "ArrowRight", "Enter")
    assert "Spot" in page.url
    go_to(page, "Region")
    page.keyboard.type("Europe")
    press(page, "Enter")
    assert "area=Europe" in page.url
    page.go_back()  # a key of the browser's own, which a browser without a window does not hear
    page.wait_for_function("() => !location.search.includes('area=')")
    settle(page)
    turn_to(page, "Answer")
    assert "years=0.25" in page.url
    assert "pin=" in page.url


def test_an_engineer_looks_at_memory_and_takes_another_number(page: Page) -> None:
    arrive(page, "/speed?train=Llama-2-7B&tokens=1e12&gpus=64")
    set_number(page, "gpus", "32")
    assert "gpus=32" in page.url
    go_to(page, "Time against cost", "tab")
    press(page, "ArrowRight", "Enter")
    assert "speed=Memory" in page.url
    expect(page.get_by_text("The fullest accelerator holds").first).to_be_visible(timeout=FIRST_WORDS_MS)
    go_to(page, "table", "summary")
    press(page, "Enter")
    go_to(page, "Download this table (CSV)")
    with page.expect_download(timeout=FIRST_WORDS_MS) as caught:
        page.keyboard.press("Enter")
    assert caught.value.suggested_filename.startswith("memory-")


@pytest.mark.parametrize("name", ["phone", "zoomed"])
def test_a_newcomer_with_one_gpu_finds_the_pages_on_a_narrow_screen(page: Page, name: str) -> None:
    screen = SCREENS[name]
    page.set_viewport_size({"width": screen.width, "height": screen.height})
    arrive(page, "/")
    stop = go_to(page, "Expand sidebar")
    press(page, "Enter")
    assert here(page).says == "Answer"
    go_to(page, "What if", "a")
    press(page, "Enter")
    page.wait_for_url(re.compile("what-if"))
    settle(page)
    assert here(page).says == stop.says  # folded away again, and the keyboard where it was
    set_number(page, "gpus", "1")
    assert "gpus=1" in page.url
    open_phrase(page, "work", back=True)
    press(page, "Shift+Tab")
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
    assert here(page).key == "phrase-work"


@pytest.mark.parametrize(
    ("path", "name"),
    [("/", "wide"), ("/", "zoomed"), ("/compare", "phone"), ("/speed", "wide"), ("/what-if", "phone"),
     ("/assumptions", "wide")],
)  # fmt: skip
def test_one_sees_where_the_keyboard_is_from_the_first_stop_to_the_last(page: Page, path: str, name: str) -> None:
    screen = SCREENS[name]
    page.set_viewport_size({"width": screen.width, "height": screen.height})
    open_page(page, path)
    hidden, stops = [], 0
    for _ in range(90):
        page.keyboard.press("Tab")
        page.wait_for_timeout(60)
        stop = here(page)
        if stop.role == "body":
            break
        stops += 1
        in_table = stop.role in ("canvas", "gridcell")  # draws its cells, and a ring around one, by itself
        if not (stop.is_marked and (in_table or is_drawn(page)) and here(page).is_in_sight):
            hidden.append(stop)
    assert stops > 15
    assert not hidden
