"""A field behind a phrase keeps what was typed in it, whichever way one leaves it; by keyboard, in every popover."""

from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from planner.scenario.question import KEYS
from tests.browser.sentence import button, reach
from tests.browser.visit import open_page, settle
from tests.daily import of_today

BOX = "[data-testid=stPopoverBody]"
# A choice or a file that replaces the whole plan; under which name, folder and tags a plan is kept.
ACTIONS = ("preset", "scenario_file", "kept-name", "kept-folder", "kept-tags")
# What is typed where a number does not do; a list is searched with it.
TEXTS = {
    "have_gpu": "L4", "have_year": "2023",
    "gpu": "L4", "budget_gpu": "L4", "site": "Germany", "train": "Llama-2-7B", "serve": "Llama-2-7B", "method": "full",
    "model_name": "Llama-2-7B", "bill_price": "GPT", "bill_model": "Llama-2-7B", "tokens": "2e9",
    "name": "Plan B", "years": "5", "note": "A note", "place": "office",
    "csv_separator": "semi", "csv_decimal": "comma", "csv_encoding": "utf-16",
}  # fmt: skip
_POPOVERS = """() => [...document.querySelectorAll('[data-testid=stPopover]')].map(one =>
  one.closest('[class*="st-key-"]').className.match(/st-key-(\\S+)/)[1])"""
_FIELDS = """box => [...document.querySelectorAll(`${box} :is(input, textarea, [role=radiogroup])`)]
  .filter(one => !['radio', 'file'].includes(one.type)).map(one => [
    one.closest('[class*="st-key-"]').className.match(/st-key-(\\S+)/)[1], one.getAttribute('role') ?? one.type,
    one.type === 'checkbox' ? `${one.checked}` : one.value ?? one.querySelector('[aria-checked=true]')?.innerText])"""
_AT = """box => document.activeElement.closest(box) && document.activeElement.matches('input, textarea, [role=radio]')
  ? document.activeElement.closest('[class*="st-key-"]').className.match(/st-key-(\\S+)/)[1] : ''"""


class Field(NamedTuple):
    """One field of an open popover."""

    name: str
    kind: str
    holds: str | None


def popovers(page: Page) -> list[str]:
    """The keys of all popovers, those first that are gone once the plan is changed."""
    return sorted(page.evaluate(_POPOVERS), key=lambda one: not one.startswith("start-"))


def opened(page: Page, popover: str) -> dict[str, Field]:
    """Open a popover with Enter, if it is closed; what stands in its fields. Nothing where an edit took it away."""
    trigger = page.locator(f".st-key-{popover} [data-testid=stPopoverButton]").first
    if not trigger.count():
        return {}
    for _ in range(5):
        if trigger.get_attribute("aria-expanded") == "true":
            break
        trigger.focus()
        page.keyboard.press("Enter")
        page.wait_for_timeout(300)
        settle(page)
    return {name: Field(name, kind, holds) for name, kind, holds in page.evaluate(_FIELDS, BOX)}


def closed(page: Page) -> None:
    """Close whatever is open."""
    for _ in range(5):
        if not page.locator(BOX).count():
            return
        page.keyboard.press("Escape")
        page.wait_for_timeout(200)
        settle(page)


def edit(page: Page, field: Field) -> None:
    """Go to a field with Tab, and change it by keyboard as its kind allows."""
    for _ in range(30):
        if page.evaluate(_AT, BOX) == field.name:
            break
        page.keyboard.press("Tab")
        page.wait_for_timeout(80)
    assert page.evaluate(_AT, BOX) == field.name, f"Tab does not reach {field}"
    if field.kind == "range":
        page.keyboard.press("ArrowRight")
    elif field.kind == "switch":
        page.keyboard.press("Space")
    elif field.kind == "radiogroup":
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
    else:
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type(TEXTS.get(field.name, "12"))
    if field.kind == "combobox":
        page.get_by_role("option").first.wait_for()


def in_address(page: Page, field: Field) -> bool:
    """Whether the address names the field; fields that are no part of the plan it need not name."""
    short = field.name.removeprefix("change-")
    return short not in KEYS or short in parse_qs(urlsplit(page.url).query)


@pytest.mark.parametrize("path", ["/", "/?work=Fine-tune", "/?work=Serve"])
def test_tab_keeps_an_edit_in_a_field_of_each_kind_of_every_popover(page: Page, path: str) -> None:
    open_page(page)
    walked = popovers(page) if path != "/" else []  # each popover is walked once, whichever paths have it
    open_page(page, path)
    lost, edited = [], 0
    for popover in of_today(popovers(page), 2):
        if popover in walked:
            continue
        kinds = set[str]()
        for field in list(opened(page, popover).values()):
            if field.name in ACTIONS or field.name == "work" or field.kind in kinds:
                continue
            kinds.add(field.kind)
            now = opened(page, popover).get(field.name)
            if now is None:
                continue
            edit(page, now)
            page.keyboard.press("Tab")
            page.wait_for_timeout(300)
            settle(page)
            edited += 1
            closed(page)
            then = opened(page, popover).get(field.name)
            if (then is not None and then.holds == now.holds) or not in_address(page, field):
                lost.append(f"{popover}: {now} became {then}, {page.url}")
        closed(page)
    assert not lost
    assert edited >= 1


@pytest.mark.parametrize("way", ["Tab", "Shift+Tab", "Escape", "Enter", "a click outside", "a click on the phrase"])
def test_a_typed_number_is_kept_whichever_way_one_leaves_it(page: Page, way: str) -> None:
    open_page(page)
    reach(page, "gpus")
    count = page.get_by_role("spinbutton", name="How many at once?")
    count.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("24")
    if way == "a click outside":
        page.mouse.click(900, 700)
    elif way == "a click on the phrase":
        button(page, "gpus").click()
    else:
        page.keyboard.press(way)
    expect(button(page, "gpus")).to_contain_text("24")
    page.wait_for_url("**gpus=24**")
    settle(page)
    if way in ("Tab", "Escape"):
        expect(page.locator(BOX)).to_have_count(0)
        assert page.evaluate("!!document.activeElement.closest('.st-key-phrase-gpus')")


def test_tab_leaves_a_list_that_was_only_looked_at_as_it_was(page: Page) -> None:
    """The first name of a list is marked as soon as it is open."""
    open_page(page, "/?work=Train")
    reach(page, "train")
    field = page.get_by_role("combobox").first
    field.click()
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("Tab")
    page.wait_for_timeout(300)
    settle(page)
    assert "train=" not in page.url
