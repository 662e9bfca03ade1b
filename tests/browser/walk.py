"""Walks over the app, as somebody who tries things out takes them: fields, pages, the box of assumptions, Back, reload.

After a walk the address must hold all that the page shows as entered: another browser that opens it shows the same.
`python -m tests.browser.walk 100` takes a hundred walks and counts what was lost.
"""

import contextlib
import random
import sys
from collections.abc import Callable
from typing import NamedTuple

from playwright.sync_api import Locator, Page, TimeoutError

from planner.report.answer.phrases import SAID_WHERE_FILLED
from planner.scenario.question import KEYS
from planner.scenario.typed_money import is_money
from tests.browser.sentence import BEHIND, WORK, leave, phrase_of, reach, said
from tests.browser.visit import SLIDER_RESTS_MS, open_page, settle

PAGES = ("Answer", "Speed", "Compare", "What if", "Assumptions")
QUESTIONS = ("Train", "Fine-tune", "Serve", "GPU-hours")
PATIENCE_MS, SECOND_LOOK_MS, LIST_TRIES = 10_000, 3_000, 4
BOX = "Adjust assumptions"
_TYPED = (0.02, 0.2, 1.1, 1.5, 2.0, 3.0, 7.0, 12.0, 40.0, 300.0, 30_000.0)
_FIELDS = """() => Object.fromEntries([...document.querySelectorAll('[class*="st-key-"] input')]
.filter(input => input.checkVisibility()).map(input => {
    const name = input.closest('[class*="st-key-"]').className.match(/st-key-(\\S+)/)[1]
    return [name, input.type === "checkbox" ? String(input.checked) : input.value]
}))"""


class Shown(NamedTuple):
    """What a page shows of the plan."""

    title: str
    question: str
    fields: dict[str, str]


def shown(page: Page) -> Shown:
    """The title and every field, those in the box of assumptions too."""
    leave(page)
    unfold(page)
    found: dict[str, str] = page.evaluate(_FIELDS)
    fields = {name: text for name, text in found.items() if name in (*KEYS, "through_the_day", "all")}
    sentence = said(page)
    return Shown(page.locator("h1").first.inner_text(), sentence[f"phrase-{WORK}"], fields | sentence)


def shown_at_rest(page: Page) -> Shown:
    """What a page shows when two looks agree: on a busy machine it may still show the answer before last."""
    first = shown(page)
    while True:
        page.wait_for_timeout(SECOND_LOOK_MS)
        second = shown(page)
        if not differing(first, second):
            return second
        first = second


def enterable(page: Page) -> list[str]:
    """The short keys of all fields, behind a phrase or in the box."""
    shown_now = shown(page).fields
    behind = [name for key, names in BEHIND.items() if f"phrase-{key}" in shown_now for name in names if name in KEYS]
    return [*behind, *(name for name in shown_now if name in KEYS)]


def unfold(page: Page) -> None:
    """Open the box of assumptions, if it is closed."""
    settle(page)
    if not page.locator(".st-key-box").count():
        page.get_by_text(BOX).first.click()
        page.locator(".st-key-box").wait_for()
        settle(page)


def turn_to(page: Page, title: str) -> None:
    """Click on a page in the navigation."""
    page.get_by_test_id("stTopNavLink").filter(has_text=title).first.click()


def enter(page: Page, name: str, rng: random.Random) -> None:
    """Put something into a field, as its kind allows."""
    _enter(page, name, rng)
    if len(SAID_WHERE_FILLED.get(name, ())) > 1:
        settle(page)  # the fields that go with it into the sentence are on their way


def _enter(page: Page, name: str, rng: random.Random) -> None:
    field = _reached(page, name)
    if field is None or field.is_disabled():
        return
    kind = field.get_attribute("type")
    if name == "tokens":
        field.fill(rng.choice(("1 T", "300B", "2e9", "many", "")))
        field.press("Enter")
    elif name in KEYS and is_money(KEYS[name].path):
        euros = _number(name, rng)
        field.fill(f"{euros} EUR" if euros and rng.random() < 0.3 else euros)
        field.press("Enter")
    elif kind == "number":
        field.fill(_number(name, rng))
        field.press("Enter")
    elif kind == "range":
        for _ in range(rng.randint(1, 4)):
            field.press(rng.choice(("ArrowLeft", "ArrowRight")))
        page.wait_for_timeout(SLIDER_RESTS_MS)
    elif kind == "checkbox":
        page.locator(f".st-key-{name} label").first.click()
    else:
        _choose(page, field, rng)


def _reached(page: Page, name: str) -> Locator | None:
    """A field on the screen, its phrase opened; None for a number that is left to the planner, which has none."""
    if (phrase := phrase_of(page, name)) is not None:
        reach(page, phrase)
    elif page.get_by_test_id("stPopoverBody").count():  # the one behind another phrase, which covers what is below it
        page.keyboard.press("Escape")
        settle(page)
    field = page.locator(f".st-key-{name} input").first
    return field if field.count() else None


def _number(name: str, rng: random.Random) -> str:
    key = KEYS[name]
    low, high = key.low or 0.0, key.high or 0.0
    fitting = [one for one in _TYPED if low <= one <= min(high, 1e9)] or [low]
    return "" if rng.random() < 0.1 else f"{rng.choice(fitting):g}"


def _choose(page: Page, field: Locator, rng: random.Random) -> None:
    settle(page)  # a list that is open closes when the page runs again, or is scrolled
    field.scroll_into_view_if_needed()
    field.focus()
    _open_list(page, field)
    for _ in range(rng.randint(1, 5)):
        field.press("ArrowDown")
    field.press("Enter")


def _open_list(page: Page, field: Locator) -> None:
    """Open the list of choices; scrolling that is still under way closes it once more."""
    options = page.get_by_role("option").first
    for _ in range(LIST_TRIES):
        field.press("ArrowDown")
        with contextlib.suppress(TimeoutError):
            options.wait_for(timeout=SECOND_LOOK_MS)
            return
    options.wait_for()


def _any_field(page: Page, rng: random.Random) -> None:
    there = said(page)
    names = [name for name in page.evaluate(_FIELDS) if name in KEYS]
    names += [name for key, behind in BEHIND.items() if f"phrase-{key}" in there for name in behind if name in KEYS]
    if names:
        enter(page, rng.choice(names), rng)


def _box(page: Page, rng: random.Random) -> None:
    page.get_by_text(BOX).first.click()


def _page(page: Page, rng: random.Random) -> None:
    turn_to(page, rng.choice(PAGES))


def _question(page: Page, rng: random.Random) -> None:
    reach(page, WORK)
    page.locator(".st-key-work").get_by_text(rng.choice(QUESTIONS), exact=True).click()


def _back(page: Page, rng: random.Random) -> None:
    page.evaluate("history.state, history.length > 4 && history.back()")


def _forward(page: Page, rng: random.Random) -> None:
    page.go_forward()


def _reload(page: Page, rng: random.Random) -> None:
    settle(page)
    page.reload()
    page.wait_for_selector("h1")
    settle(page)


_STEPS: tuple[tuple[Callable[[Page, random.Random], None], int], ...] = (
    (_any_field, 10), (_box, 3), (_page, 4), (_question, 1), (_back, 2), (_forward, 1), (_reload, 1),
)  # fmt: skip


def walk(page: Page, seed: int, steps: int = 12) -> list[str]:
    """Walk, often without waiting for the page, and tell what was done."""
    rng, done = random.Random(seed), []
    open_page(page)
    page.set_default_timeout(PATIENCE_MS)
    for _ in range(steps):
        step = rng.choices([one for one, _ in _STEPS], [weight for _, weight in _STEPS])[0]
        done.append(step.__name__.strip("_"))
        with contextlib.suppress(TimeoutError):  # the page ran again meanwhile, and what was aimed at is gone
            step(page, rng)
        if rng.random() < 0.6:
            settle(page)
    settle(page)
    return done


def lost(page: Page) -> list[str]:
    """What another browser that opens the address of this page does not show as this one does.

    On a busy machine a page may still show the answer before last. What is lost stays lost: a second look decides.
    """
    there = _elsewhere(page)
    if not differing(shown(page), there):
        return []
    page.wait_for_timeout(SECOND_LOOK_MS)
    return differing(shown(page), _elsewhere(page))


def _elsewhere(page: Page) -> Shown:
    other = page.context.browser.new_context(base_url=page.url, viewport=page.viewport_size).new_page()  # type: ignore[union-attr]
    try:
        open_page(other, page.url)
        return shown(other)
    finally:
        other.context.close()


def differing(here: Shown, there: Shown) -> list[str]:
    """What two pages show differently."""
    told = [
        f"{name}: {here.fields.get(name)} here, {there.fields.get(name)} there"
        for name in here.fields.keys() | there.fields.keys()
        if here.fields.get(name) != there.fields.get(name)
    ]
    return told + [f"{one} here, {two} there" for one, two in zip(here[:2], there[:2], strict=True) if one != two]


def main(walks: int, address: str, first: int = 0) -> int:
    """Take so many walks on a running app, and say what each lost."""
    from playwright.sync_api import sync_playwright

    from tests.browser import chromium
    from tests.browser.conftest import QUIET_START

    failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=QUIET_START)
        for seed in range(first, first + walks):
            page = browser.new_context(base_url=address, viewport={"width": 1440, "height": 900}).new_page()
            done = walk(page, seed)
            missing = lost(page)
            failed += bool(missing)
            print(f"walk {seed}: {'lost ' + '; '.join(missing) + ' after ' + ', '.join(done) if missing else 'ok'}")
            page.context.close()
    print(f"{failed} of {walks} walks lost something")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0))
