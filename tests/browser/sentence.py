"""The question as a sentence: a phrase is opened before what stands behind it can be read or changed."""

from playwright.sync_api import Locator, Page

from tests.browser.visit import settle

# What stands behind each phrase, by the key of its popover; what a question does not ask for is not on its page.
BEHIND = {
    "gpus": ("gpus", "choose"), "gpu": ("gpu",), "years": ("years",), "site": ("site",), "busy": ("busy", "hours"),
    "train": ("train",), "tokens": ("tokens",), "due": ("due",), "method": ("method",), "runs": ("runs",),
    "have": ("have", "havegpu", "havesince", "havesold"), "serve": ("serve",), "rps": ("rps", "peak"),
    "in": ("in", "out"),
}  # fmt: skip
WORK = "work"


def button(page: Page, phrase: str) -> Locator:
    return page.locator(f".st-key-phrase-{phrase} button").first


def said(page: Page) -> dict[str, str]:
    """What every phrase on the page says."""
    texts: dict[str, str] = page.evaluate(_SAID)
    return texts


_SAID = """() => Object.fromEntries([...document.querySelectorAll('[class*="st-key-phrase-"]')].map(one => [
one.className.match(/st-key-(phrase-\\S+)/)[1], one.querySelector('p').innerText]))"""


def reach(page: Page, phrase: str) -> None:
    """Open a phrase, if it is closed."""
    locator = button(page, phrase)
    for _ in range(5):
        if locator.get_attribute("aria-expanded") == "true":
            return
        locator.click()
        page.wait_for_timeout(300)
        settle(page)
    raise AssertionError(f"the phrase {phrase} does not open")


def leave(page: Page) -> None:
    """Close whatever phrase is open."""
    if page.locator("[data-testid=stPopoverBody]").count():
        page.keyboard.press("Escape")
        page.wait_for_timeout(200)


def spin(page: Page, phrase: str, label: str) -> Locator:
    """A field for a number behind a phrase, with the phrase opened."""
    reach(page, phrase)
    return page.get_by_role("spinbutton", name=label)


def phrase_of(page: Page, name: str) -> str | None:
    """The phrase on the page that a field stands behind; None where it stands somewhere else."""
    there = said(page)
    return next((key for key, names in BEHIND.items() if name in names and f"phrase-{key}" in there), None)
