"""Undo and redo: after a reload, after other sessions of the same browser, and for what Compare shows besides."""

import random
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.sentence import WORK, leave, reach, spin
from tests.browser.visit import open_page, settle
from tests.browser.walk import (
    PAGES,
    QUESTIONS,
    differing,
    enter,
    enterable,
    lost,
    shown,
    shown_at_rest,
    turn_to,
    unfold,
    walk,
)
from tests.daily import of_today


def press(page: Page, key: str) -> None:
    page.locator(f".st-key-{key} button").click()
    page.wait_for_timeout(200)
    settle(page)


def ask_for(page: Page, gpus: str) -> None:
    """Type another number of GPUs."""
    count = spin(page, "gpus", "How many at once?")
    count.fill(gpus)
    count.press("Enter")
    page.wait_for_url(re.compile(rf"gpus={gpus}\b"))
    settle(page)
    leave(page)


def reload(page: Page) -> None:
    page.reload()
    page.wait_for_selector("h1")
    settle(page)


def test_undo_and_redo_work_after_a_reload_and_belong_to_one_browser(page: Page, browser: Browser) -> None:
    open_page(page)
    for said in ("16", "24", "32"):
        ask_for(page, said)
    link = page.url
    reload(page)
    expect(page.get_by_text("Last edit").first).to_be_visible()
    for said in ("24", "16"):
        press(page, "undo")
        assert f"gpus={said}" in page.url
    reload(page)
    press(page, "undo")
    assert "gpus=" not in page.url
    expect(page.locator(".st-key-undo button")).to_be_disabled()
    for said in ("16", "24", "32"):
        press(page, "redo")
        assert f"gpus={said}" in page.url
    expect(page.locator(".st-key-redo button")).to_be_disabled()
    other = browser.new_context().new_page()
    try:
        open_page(other, link)
        expect(other.locator(".st-key-undo button")).to_be_disabled()
        expect(other.locator(".st-key-redo button")).to_be_disabled()
    finally:
        other.context.close()


def test_show_them_keeps_the_filters_and_can_be_undone(page: Page) -> None:
    open_page(page, "/compare?terms=Spot&area=Europe&age=60+days")
    shown = page.get_by_text(re.compile(r"offers? of this GPU"))
    expect(shown).to_contain_text("hidden")
    press(page, "show-hidden")
    kept = ("terms=Spot", "area=Europe", "age=60")
    assert all(one in page.url for one in (*kept, "hidden=true"))
    expect(shown).to_contain_text("listed although the filters leave them out")
    press(page, "undo")
    assert all(one in page.url for one in kept)
    assert "hidden" not in page.url
    expect(shown).to_contain_text("hidden")
    press(page, "redo")
    assert "hidden=true" in page.url
    press(page, "show-hidden")
    assert "hidden" not in page.url


COUNT = "How many at once?"


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_field_is_in_the_address_on_every_page_and_after_a_reload(page: Page, question: str) -> None:
    """Fields of the question and of the box are set; then a walk over all pages and back, and a reload.

    What every question has, the box above all, is set with GPU-hours: a third each time.
    """
    rng, elsewhere = random.Random(question), list[str]()
    if question != "GPU-hours":
        open_page(page, "/?work=GPU-hours&all=true")
        elsewhere = enterable(page)
    open_page(page, f"/?work={question}&all=true" if question == "GPU-hours" else f"/?all=true&{_EXAMPLES[question]}")
    names = [name for name in enterable(page) if name not in elsewhere]
    assert len(names) >= _FEWEST
    names = of_today(names, 3) if question == "GPU-hours" else names
    for name in sorted(names, key="choose".__eq__):  # last, since it makes the number needless
        enter(page, name, rng)
    before = shown_at_rest(page)
    for title in (*PAGES[1:], PAGES[0]):
        turn_to(page, title)
        settle(page)
        expect(page.get_by_test_id("stTopNavLink").filter(has_text=title).first).to_be_visible()
    assert not differing(before, shown(page))
    page.reload()
    page.wait_for_selector("h1")
    assert not differing(before, shown(page))
    assert not lost(page)
    page.get_by_role("button", name="Share").click()
    settle(page)
    assert page.locator(".st-key-share code, [data-testid=stPopoverBody] code").first.inner_text().strip() == page.url


_FEWEST = 5  # fields that a question alone has
_EXAMPLES = {
    "Train": "train=Llama-2-7B&tokens=1e12&gpus=64",
    "Fine-tune": "train=Llama-3-70B&method=lora&runs=20&tokens=2e8",
    "Serve": "serve=Llama-3-70B&rps=2",
}


def test_an_edit_in_the_box_stays_in_the_address_over_other_pages(page: Page) -> None:
    open_page(page)
    unfold(page)
    rate = page.get_by_role("spinbutton", name="Discount rate, % a year")
    rate.fill("12")
    rate.press("Enter")
    page.wait_for_url(re.compile("rate=12"))
    settle(page)
    for title in ("Compare", "Answer"):
        turn_to(page, title)
        page.wait_for_url(re.compile(r"compare\?" if title == "Compare" else r"/\?"))
        settle(page)
        assert "rate=12" in page.url
    unfold(page)
    expect(rate).to_have_value("12")
    page.reload()
    page.wait_for_selector("h1")
    unfold(page)
    expect(rate).to_have_value("12")


def test_back_undoes_one_edit_and_forward_brings_it_again(page: Page) -> None:
    open_page(page)
    seen = {}
    for said in ("16", "24", "32"):
        count = spin(page, "gpus", COUNT)
        count.fill(said)
        count.press("Enter")
        page.wait_for_url(re.compile(f"gpus={said}"))
        settle(page)
        seen[said] = page.locator("h1").first.inner_text()
    turn_to(page, "Compare")
    page.wait_for_url(re.compile("compare"))
    settle(page)
    page.go_back()
    settle(page)
    assert "compare" not in page.url
    for said in ("32", "24", "16"):
        expect(spin(page, "gpus", COUNT)).to_have_value(said)
        expect(page.locator("h1").first).to_have_text(seen[said])
        assert f"gpus={said}" in page.url
        page.go_back()
        settle(page)
    expect(spin(page, "gpus", COUNT)).to_have_value("8")
    page.go_forward()
    settle(page)
    expect(spin(page, "gpus", COUNT)).to_have_value("16")
    assert "gpus=16" in page.url


def test_a_view_a_filter_and_a_pick_are_in_the_address_too(page: Page) -> None:
    open_page(page, "/compare?terms=Spot&age=60+days&area=Europe&view=Price+history")
    expect(page.get_by_role("tab", name="Price history")).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="Other GPUs").click()
    page.wait_for_url(re.compile("view=Other"))
    turn_to(page, "Speed")
    page.wait_for_url(re.compile("speed"))
    settle(page)
    turn_to(page, "Compare")
    page.wait_for_url(re.compile("compare"))
    settle(page)
    expect(page.get_by_role("tab", name="Other GPUs")).to_have_attribute("aria-selected", "true")
    assert all(part in page.url for part in ("terms=Spot", "area=Europe", "age=60"))
    for where, view in (("speed", None), ("compare", "Other GPUs"), ("compare", "Price history")):
        page.go_back()
        settle(page)
        assert where in page.url
        if view is not None:
            expect(page.get_by_role("tab", name=view)).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("path", ["/compare?gpus=16", "/speed", "/what-if", "/assumptions"])
def test_a_deep_link_asks_for_nothing_that_is_not_there(page: Page, path: str) -> None:
    missing: list[str] = []
    page.on("response", lambda answer: missing.append(answer.url) if answer.status >= 400 else None)
    open_page(page, path)
    assert not missing


@pytest.mark.parametrize("seed", [3])
def test_a_random_walk_loses_nothing(page: Page, seed: int) -> None:
    done = walk(page, seed)
    assert not lost(page), done


def test_a_phrase_that_is_first_opened_after_an_edit_holds_what_the_sentence_says(page: Page) -> None:
    """A browser makes what stands in a box when the box is opened, of what the last run said of it."""
    open_page(page, "/?gpus=32&gpu=H200-SXM-141GB&years=5&site=DE&busy=33")
    many = spin(page, "gpus", COUNT)
    many.fill("16")
    many.press("Enter")
    page.wait_for_url(re.compile("gpus=16"))
    settle(page)
    leave(page)
    for phrase, holds in {"years": "5", "busy": "33", "site": "Germany", "gpu": "H200 SXM 141 GB"}.items():
        reach(page, phrase)
        expect(page.locator(f".st-key-{phrase} input").first).to_have_value(re.compile(rf"^{holds}\b"))
        leave(page)
    reach(page, WORK)
    expect(page.get_by_role("radio", name="GPU-hours")).to_have_attribute("aria-checked", "true")
    assert "years=5" in page.url
