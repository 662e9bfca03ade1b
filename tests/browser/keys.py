"""Somebody who has a keyboard and nothing else: keys are pressed, and what has the keyboard is watched meanwhile."""

from typing import NamedTuple

from playwright.sync_api import Page

from tests.browser.visit import open_page, settle

MOST_PRESSES = 120
_HERE = """() => {
  const one = document.activeElement, box = one.getBoundingClientRect()
  const own = one.ariaLabel || one.labels?.[0]?.innerText || one.innerText || one.placeholder || ''
  const middle = document.elementFromPoint(box.x + box.width / 2, Math.min(box.y + box.height / 2, innerHeight - 2))
  const drawn = one.closest('[data-testid=stDataFrame]') && !one.closest('[data-testid=stElementToolbar]')
  const is = part => part.contains(middle) || middle.contains(part)
  const kind = one.getAttribute('role') || one.tagName.toLowerCase()
  return [one.ariaLabel || (kind !== 'main' && one.innerText) || '', kind,
    one.closest('[class*="st-key-"]')?.className.match(/st-key-(\\S+)/)?.[1] ?? '',
    one.matches(':focus-visible'), one === document.body || !!drawn || !!middle && (is(one)
      || !!middle.closest('label, [data-testid=stSlider]')?.contains(one))]
}"""
# What is drawn around or in whatever has the keyboard, with it and without it.
_DRAWN = """async () => {
  const one = document.activeElement, near = []
  for (let up = one, left = 5; up && left; up = up.parentElement, left--) near.push(up)
  near.push(...[...(one.parentElement ?? one).querySelectorAll('*')].slice(0, 60))
  const look = () => near.map(part => { const s = getComputedStyle(part); return [s.outlineStyle !== 'none'
    && s.outlineWidth + s.outlineColor, s.boxShadow, s.borderColor, s.backgroundColor, s.color].join() }).join(';')
  const rest = () => new Promise(done => setTimeout(done, 60))
  await rest(); const kept = look(); one.blur(); await rest(); const without = look(); one.focus({preventScroll: true})
  return kept !== without
}"""


class Stop(NamedTuple):
    """What has the keyboard: its words, its role, the key of the widget it belongs to."""

    says: str
    role: str
    key: str
    is_marked: bool
    is_in_sight: bool


def here(page: Page) -> Stop:
    """What has the keyboard now."""
    says, role, key, marked, sight = page.evaluate(_HERE)
    return Stop(" ".join(str(says).split()), role, key, marked, sight)


def is_drawn(page: Page) -> bool:
    """Whether one sees that it has the keyboard: something around it is drawn otherwise than without."""
    return any(page.evaluate(_DRAWN) for _ in range(8))  # on a busy machine a look may come too early


def open_phrase(page: Page, key: str, back: bool = False) -> None:
    """Go to a phrase and open it; the field behind it has the keyboard then."""
    go_to(page, key=f"phrase-{key}", back=back)
    page.keyboard.press("Enter")
    page.wait_for_function(_IN_FIELD)
    settle(page)


_IN_FIELD = "() => document.activeElement.matches('[data-testid=stPopoverBody] :is(input, [role=radio])')"


def press(page: Page, *keys: str) -> Stop:
    """Press keys one after the other, and wait until the page is quiet."""
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_timeout(150)
    settle(page)
    return here(page)


def go_to(page: Page, says: str = "", role: str = "", key: str = "", back: bool = False) -> Stop:
    """Press Tab (or Shift+Tab) until something of these words, role and key has the keyboard; it must be in sight."""
    seen = []
    for _ in range(MOST_PRESSES):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        page.wait_for_timeout(30)
        stop = here(page)
        seen.append(stop.says[:30])
        if says in stop.says and role in ("", stop.role) and key in ("", stop.key):
            page.wait_for_timeout(200)
            stop = here(page)
            assert stop.is_marked, f"not seen to have the keyboard: {stop}"
            assert stop.is_in_sight, f"behind something: {stop}"
            return stop
    raise AssertionError(f"{says or key} is not reached: {seen}")


def arrive(page: Page, path: str) -> None:
    """Open an address and press Tab once: the first stop leads past the pages to the plan."""
    open_page(page, path)
    assert "Skip" in press(page, "Tab").says


def type_over(page: Page, text: str) -> None:
    """Replace what stands in a field."""
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(text)
    press(page, "Enter")
