"""Every state that a page of the app can be in, as somebody gets there: views, boxes, drawers, lists, refusals.

`python -m tests.browser.states http://127.0.0.1:8501 [PART OF A NAME [TURN]]` looks at all of them on every screen in
both themes, or with a turn from 0 to 5 at each on one of them, and says what axe-core finds, what is wider than the
screen, cut off, or too small for a finger.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from playwright.sync_api import Page

from planner.web.pages import answer, compare, speed, what_if
from tests.browser.sentence import WORK, reach
from tests.browser.visit import axe_violations, open_page, settle

Do = Callable[[Page], None]
TRAINS = "train=Llama-2-7B&tokens=1e12&gpus=64"
SERVES = "serve=Llama-3-70B&rps=2"
PINS = "pin=gpus%3D16%26years%3D2&pin=serve%3DLlama-3-70B%26rps%3D2%26work%3DServe"
LATE = "work=Train&train=Llama-3-70B&tokens=1e12&gpus=8&due=30"
MOST_BOXES = 20


class Screen(NamedTuple):
    """How large it is and how fine. 200 % of zoom on 1440 x 900 is 720 x 450 with four points for each."""

    width: int
    height: int
    scale: int = 1


SCREENS = {"wide": Screen(1440, 900), "phone": Screen(390, 844), "zoomed": Screen(720, 450, 2)}


class State(NamedTuple):
    """A state: its name, the address that it starts from, and what one does there."""

    name: str
    path: str
    do: Do = settle


def press(role: str, name: str) -> Do:
    """Press the first button, tab or other thing of that name."""

    def do(page: Page) -> None:
        page.get_by_role(role, name=name).first.click()  # type: ignore[arg-type]
        page.wait_for_timeout(300)
        settle(page)

    return do


def unfold(page: Page) -> None:
    """Open every box on the page that is closed."""
    for _ in range(MOST_BOXES):
        closed = page.locator('[data-testid="stMain"] details:not([open]) > summary')
        if not closed.count():
            return
        closed.first.click()
        settle(page)


def unfold_in(page: Page) -> None:
    """Open the box for a scenario behind the popover."""
    page.get_by_text("Load a plan", exact=True).first.click()
    settle(page)


def phrase(key: str) -> Do:
    """Open what stands behind a phrase."""
    return lambda page: reach(page, key)


def both(first: Do, then: Do) -> Do:
    """One after the other."""

    def do(page: Page) -> None:
        first(page)
        then(page)

    return do


def choose_file(box: str, text: str) -> Do:
    """Give a file to the uploader behind a box."""

    def do(page: Page) -> None:
        page.get_by_text(box, exact=True).first.click()
        settle(page)
        with TemporaryDirectory() as folder:
            kept = Path(folder) / ("mine.yaml" if box.startswith("Load") else "mine.csv")
            kept.write_text(text, encoding="utf-8")
            page.locator('input[type="file"]').first.set_input_files(kept)
            page.wait_for_timeout(1_000)
            settle(page)

    return do


def type_in(key: str, label: str, typed: str) -> Do:
    """Type into a field behind a phrase and press Enter."""

    def do(page: Page) -> None:
        reach(page, key)
        field = page.get_by_role("spinbutton" if key == "gpus" else "textbox", name=label)
        field.fill(typed)
        field.press("Enter")
        settle(page)

    return do


def focus_list(key: str) -> Do:
    """Open the list of a select box behind a phrase."""

    def do(page: Page) -> None:
        reach(page, key)
        field = page.locator(f".st-key-{key} input").first
        field.focus()
        field.press("ArrowDown")
        page.get_by_role("option").first.wait_for()

    return do


def a_line(page: Page) -> None:
    """Open a line of the drawer."""
    page.get_by_role("dialog").get_by_text("Useful hours").first.click()


# What comes in fades in; what goes round without end is not waited for.
_HAS_COME = """() => Promise.allSettled(document.getAnimations()
  .filter(each => each.effect.getTiming().iterations !== Infinity).map(each => each.finished)).then(() => null)"""


def hint(page: Page) -> None:
    """Have the help of the first figure shown."""
    page.locator('main [data-testid="stMetric"] [data-testid="stTooltipHoverTarget"] >> visible=true').first.hover()
    page.get_by_role("tooltip").first.wait_for()
    page.evaluate(_HAS_COME)


def _views(name: str, at: str, views: tuple[str, ...], more: str) -> Iterator[State]:
    for view in views:
        yield State(f"{name}: {view}", f"{at}={view.replace(' ', '+').replace('?', '%3F')}&{more}", unfold)


def _phrases(work: str, more: str, keys: tuple[str, ...]) -> Iterator[State]:
    for key in keys:
        yield State(f"phrase {key} ({work})", f"/?work={work}&{more}", phrase(key))


def open_box(page: Page) -> None:
    page.get_by_text("Adjust assumptions", exact=True).first.click()
    page.locator(".st-key-box").wait_for()
    settle(page)


EXPLAIN = press("button", "Explain")
SHARE = press("button", "Share")
STATES = (
    State("first visit", "/"),
    *_views("answer", "/?look", answer.VIEWS, "gpus=16"),
    *_views("train", "/speed?speed", speed.VIEWS, TRAINS),
    *_views("serve", "/speed?speed", speed.VIEWS, SERVES),
    *_views("compare", "/compare?view", compare.VIEWS, "gpus=16"),
    *_views("what-if", "/what-if?turn", what_if.VIEWS, "stress=Rents+fall"),
    State("assumptions", "/assumptions", unfold),
    State("an example of a speed", "/speed", unfold),
    State("offers for a service", f"/compare?{SERVES}"),
    State("any GPU that does the job", f"/compare?{SERVES}&across=Any+GPU+that+does+the+job"),
    *_phrases("GPU-hours", "", (WORK, "gpus", "gpu", "years", "site", "busy")),
    *_phrases("Train", TRAINS, ("train", "tokens", "due")),
    *_phrases("Serve", SERVES, ("serve", "rps", "in")),
    State("a list open", "/", focus_list("gpu")),
    State("the name and the notes", "/", press("button", "Unnamed")),
    State("Budget", "/", press("button", "Budget")),
    State("Model", "/", press("button", "Model")),
    State("API bill", "/", press("button", "API bill")),
    State("GPUs I have", "/", press("button", "GPUs I have")),
    State("the box of assumptions", "/?all=true", open_box),
    State("the box of assumptions of a service", f"/?all=true&{SERVES}", open_box),
    State("the drawer", "/", both(EXPLAIN, a_line)),
    State("the drawer of a comparison", "/compare", EXPLAIN),
    State("share and export", "/", SHARE),
    State("a scenario to load", "/", both(SHARE, unfold_in)),
    State("a scenario refused", "/", both(SHARE, choose_file("Load a plan", "years: 300\n"))),
    State("quotes refused", "/compare?view=Your+own+prices", choose_file("Upload a file", "kind\noffer\n")),
    State("runs refused", f"/speed?speed=How+far+to+trust+it&{TRAINS}", choose_file("Upload a file", "id\nx\n")),
    State("two plans pinned", f"/side-by-side?{PINS}"),
    State("two plans pinned beside a comparison", f"/compare?{PINS}"),
    State(
        "a pinned plan opened",
        f"/side-by-side?{PINS}",
        lambda page: page.locator(".st-key-pinned-0 button").first.click(),
    ),
    State("a late plan", f"/?{LATE}", unfold),
    State("a late plan among offers", f"/compare?{LATE}"),
    State("a plan that does not fit", "/?work=Train&train=Llama-3-70B&tokens=1e12&gpus=1"),
    State("a speed of what does not fit", "/speed?work=Train&train=Llama-3-70B&tokens=1e12&gpus=1"),
    State("no price", "/?gpu=L40S-48GB", unfold),
    State("an old link", "/?asof=2026-08-25&busy=5"),
    State("a link that is wrong", "/?gpus=99999999&busy=abc&bussy=3&price=32.5"),
    State("a number refused", "/", type_in("gpus", "How many at once?", "99999999")),
    State("an amount refused", f"/?work=Train&{TRAINS}", type_in("tokens", "Tokens", "many")),
    State("help", "/", hint),
    State("another edit", "/", type_in("gpus", "How many at once?", "16")),
)
_TOO_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
_CUT = """() => [...document.querySelectorAll('main *, [data-testid=stPopoverBody] *, [role=dialog] *')].filter(one => {
  const style = getComputedStyle(one);
  return ['ellipsis', 'clip'].includes(style.textOverflow) && style.overflowX === 'hidden' && one.innerText
    && style.clipPath === 'none'  // what only a screen reader says is cut on purpose
    && one.scrollWidth > one.clientWidth + 1 && one.checkVisibility() && !one.closest('[data-testid=stDataFrame]')
}).map(one => one.innerText.slice(0, 60))"""
_SMALL = """() => [...document.querySelectorAll('button, a[href], input, summary, [role=tab], [role=switch]')]
  .filter(one => one.checkVisibility({visibilityProperty: true, opacityProperty: true}) && !one.disabled
    && !one.closest('p, li, [data-testid=stDataFrame]') && one.dataset.testid !== 'stSkipToContent'
    && one.ariaLabel !== 'Dismiss' && !['file', 'range'].includes(one.type)).map(one => {
    const box = (['checkbox', 'radio'].includes(one.type) ? one.closest('label') || one.parentElement : one)
      .getBoundingClientRect();
    return [(one.innerText || one.ariaLabel || one.name || one.className || one.tagName).slice(0, 30),
      Math.round(box.width), Math.round(box.height)]
  }).filter(([, width, height]) => width > 0 && height > 0 && (width < 24 || height < 24))
  .map(one => one.join(' '))"""
_NAMELESS = """() => [...document.querySelectorAll('.stPlotlyChart, [data-testid=stDataFrameResizable]')]
  .filter(one => !one.ariaLabel).map(one => one.innerText.slice(0, 60))"""


def too_wide(page: Page) -> int:
    """How many pixels the page is wider than the screen."""
    return int(page.evaluate(_TOO_WIDE))


def cut_off(page: Page) -> list[str]:
    """Text that does not fit where it stands."""
    return list(page.evaluate(_CUT))


def too_small(page: Page) -> list[str]:
    """What one presses that is under 24 pixels high or wide, with its size."""
    return list(page.evaluate(_SMALL))


def nameless(page: Page) -> list[str]:
    """Charts and tables that a screen reader has no words for, with what stands in them."""
    return list(page.evaluate(_NAMELESS))


def wrong_with(page: Page) -> list[str]:
    """All that is wrong with what a page shows: for a screen reader, on a narrow screen, for a finger."""
    return [
        *axe_violations(page), *(f"{over} px wider than the screen" for over in [too_wide(page)] if over > 0),
        *(f"cut off: {one}" for one in cut_off(page)), *(f"too small: {one}" for one in too_small(page)),
        *(f"without a name: {one}" for one in nameless(page)),
    ]  # fmt: skip


def look(name: str, theme: str) -> dict[str, Any]:
    """Return the screen and the theme of a visitor, as the browser wants them."""
    screen = SCREENS[name]
    size = {"width": screen.width, "height": screen.height}
    return {"viewport": size, "device_scale_factor": screen.scale, "color_scheme": theme}


def arrive(page: Page, state: State) -> Page:
    """Bring a page into a state."""
    open_page(page, state.path)
    state.do(page)
    return page


LOOKS = tuple((name, theme) for name in SCREENS for theme in ("light", "dark"))


def main(address: str, part: str = "", turn: str = "") -> int:
    """Look at every state on every screen in both themes, or each on one of them, and print what is wrong there."""
    from playwright.sync_api import Error, sync_playwright

    from tests.browser import chromium
    from tests.browser.conftest import QUIET_START

    wrong, path = 0, chromium.find()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET_START)
        for number, state in enumerate(STATES):
            here = LOOKS if not turn else (LOOKS[(number + int(turn)) % len(LOOKS)],)
            for name, theme in here if part in state.name else ():
                try:
                    context = browser.new_context(base_url=address, **look(name, theme))
                    found = wrong_with(arrive(context.new_page(), state))
                    context.close()
                except (Error, AssertionError) as error:
                    found = [f"not reached: {str(error)[:300]}"]
                wrong += bool(found)
                print(f"{state.name} | {name} | {theme} | {len(found)}", *found, sep="\n    ", flush=True)
        browser.close()
    print(f"{wrong} with something wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
