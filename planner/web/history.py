"""Undo and redo: each edit of the plan is a step that can be taken back and repeated, as by Back.

It survives a reload, which begins another session. The server keeps the histories of a browser's last few sessions
under the browser's cookie; a session that begins at the plan where one of them stands goes on with it. Only this
browser has the cookie, and a browser that opens a link for the first time has nothing to undo.

Pinned plans: up to four, side by side with the plan on the screen, on a page of their own and in the link.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from threading import Lock
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from planner.report import words
from planner.report.answer.phrases import question_text
from planner.report.answer.plan_report import VerdictSummary
from planner.report.answer.side_by_side import PinnedPlan, others
from planner.scenario.link import ALSO, parse_link
from planner.scenario.question import KEYS, detect_question
from planner.web import address, filters, questions, state
from planner.web.headers import browser_name
from planner.web.shared import memory
from pricing import Catalogue
from pricing.caching import cached
from pricing.exchange import rates
from pricing.formulas import unseen

KEY = "pin"  # in the address: pin=gpus%3D16%26years%3D2
LETTERS = "ABCD"
LONGEST_LINK = 6_000  # characters of all pins; browsers and mail programs take this much
_PINS = "pins"
_PLAN_KEYS = (*KEYS, ALSO, questions.KEY)


def load_from_link() -> None:
    """Take over the pins of a link. One that says nothing of a plan is dropped."""
    pins = [dict(parse_qsl(text, keep_blank_values=True)) for text in address.get_values(KEY)]
    usable = [{key: text for key, text in pin.items() if key in _PLAN_KEYS and not unseen(text)} for pin in pins]
    memory()[_PINS] = usable[: len(LETTERS)]


def pinned() -> list[dict[str, str]]:
    """Return the texts of each pinned plan, in the order of their letters."""
    return memory().setdefault(_PINS, [])


def omission() -> tuple[str, ...]:
    """Return which plans do not fit into the link, in a sentence; none where all fit."""
    missing = words.listed([LETTERS[index] for index in range(len(_values_in_link()), len(pinned()))])
    return (f"The link is too long to include {missing}. Share them as files.",) if missing else ()


def write() -> None:
    """Bring the pins into the address, as many as fit, from the first on."""
    address.set_values(KEY, tuple(_values_in_link()))


def _values_in_link() -> list[str]:
    texts: list[str] = []
    for pin in pinned():
        text = urlencode(pin)
        if sum(map(len, texts)) + len(text) > LONGEST_LINK:
            break
        texts.append(text)
    return texts


def button() -> None:
    """Show the button that pins the plan on the screen."""
    is_full = len(pinned()) == len(LETTERS)
    text = f"{len(LETTERS)} plans are pinned. Unpin one first." if is_full else "Keep this plan beside the next ones."
    icon = ":material/keep:"
    st.button("Pin", icon=icon, type="tertiary", on_click=_pin, disabled=is_full, help=text, key="pin-plan")


def _pin() -> None:
    address.sync_from_widgets()
    add({key: text for key, text in address.texts().items() if key in _PLAN_KEYS})


def add(values: dict[str, str]) -> None:
    """Pin a plan, unless it is pinned or there are as many as can be."""
    if values not in pinned() and len(pinned()) < len(LETTERS):
        pinned().append(values)


def unpin(index: int) -> None:
    del pinned()[index]


def load_plans(catalogue: Catalogue) -> None:
    """Calculate the pinned plans, for the charts of every page."""
    pins = pinned_plans(catalogue)
    state.session().pinned = others(state.result(with_details=True), pins) if pins else ()


def pinned_plans(catalogue: Catalogue) -> list[PinnedPlan]:
    """Return the pinned plans with their results."""
    return [PinnedPlan(letter, _result(catalogue, values)) for letter, values in zip(LETTERS, pinned(), strict=False)]


def names(catalogue: Catalogue) -> list[str]:
    """Return the letter and the name of each pinned plan; its sentence where it has none."""
    return [
        f"{letter}: {values.get('name') or _sentence(catalogue, values)}"
        for letter, values in zip(LETTERS, pinned(), strict=False)
    ]


def _sentence(catalogue: Catalogue, values: dict[str, str]) -> str:
    return question_text(catalogue, detect_question(values, values.get(questions.KEY)), values)


def _result(catalogue: Catalogue, values: dict[str, str]) -> state.PlanResult:
    plan_values = {key: text for key, text in values.items() if key != questions.KEY}
    return state.result(parse_link(plan_values, catalogue, rates=rates(catalogue)).scenario, with_details=True)


MOST_STEPS = 100
_MOST_BROWSERS, _MOST_SESSIONS = 256, 4
_HISTORY = "plan_history"
_VIEWS = (filters.HIDDEN,)  # keys of a step besides those of the plan
_LOCK = Lock()


@dataclass
class EditStep:
    """The texts of the plan after one edit, and its verdict."""

    values: dict[str, str]
    verdict: VerdictSummary | None = None

    @property
    def plan(self) -> dict[str, str]:
        """Return the texts of the plan alone."""
        return {key: text for key, text in self.values.items() if key not in _VIEWS}


@dataclass(eq=False)
class _History:
    """The steps, and the index of the one where the plan stands; -1 before the first."""

    steps: list[EditStep] = field(default_factory=list)
    at: int = -1

    @property
    def now(self) -> EditStep | None:
        """Return the step where the plan stands."""
        return self.steps[self.at] if self.steps else None


def note(plan: Iterable[str], verdict: VerdictSummary) -> None:
    """Note the plan of this run and its verdict. `plan` are the keys that belong to the plan."""
    history, values = _history(plan), _values(plan)
    steps, at = history.steps, history.at
    if history.now is None or history.now.values != values:
        near = [index for index in (at - 1, at + 1) if 0 <= index < len(steps) and steps[index].values == values]
        if not near:  # else by Back or Forward
            steps[at + 1 :] = [EditStep(values)]
            del steps[:-MOST_STEPS]
        history.at = near[0] if near else len(steps) - 1
    steps[history.at].verdict = verdict
    with _LOCK:
        past = _of_browser()
        if history not in past:
            past.append(history)


def before() -> EditStep | None:
    """Return the last step before this one that held another plan; None at the first."""
    history: _History = memory()[_HISTORY]
    earlier = reversed(history.steps[: max(history.at, 0)])
    return next((step for step in earlier if history.now is not None and step.plan != history.now.plan), None)


def _history(plan: Iterable[str]) -> _History:
    history: _History = memory().get(_HISTORY) or memory().setdefault(_HISTORY, _resumed(_values(plan)))
    return history


def _resumed(values: dict[str, str]) -> _History:
    """Return the newest history of this browser that stands at this plan, as after a reload; else an empty one."""
    with _LOCK:
        past = _of_browser()
        newest_first = reversed(past)
        match = next((old for old in newest_first if old.now is not None and old.now.values == values), None)
        if match is None:
            return _History()
        past.remove(match)  # its session is over; one that is not comes back with its next run
        return _History([replace(step) for step in match.steps], match.at)


def _of_browser() -> deque[_History]:
    name = browser_name(st.context.cookies)
    return deque() if name is None else _past(name)


@cached(_MOST_BROWSERS)
def _past(_browser: str) -> deque[_History]:
    return deque(maxlen=_MOST_SESSIONS)


def _values(plan: Iterable[str]) -> dict[str, str]:
    return {key: text for key, text in address.texts().items() if key in (*plan, *_VIEWS, questions.KEY)}


def buttons(plan: tuple[str, ...]) -> None:
    """Show undo and redo, as the run before left them: the widgets of this run come later."""
    history = _history(plan)
    is_ahead = history.now is not None and history.now.values != _values(plan)  # by an edit that is not noted yet
    for label, icon, by, is_possible in (
        ("Undo", ":material/undo:", -1, history.at > 0 or is_ahead),
        ("Redo", ":material/redo:", 1, history.at + 1 < len(history.steps) and not is_ahead),
    ):
        st.button(
            label, icon=icon, type="tertiary", disabled=not is_possible, on_click=_go_to_step, args=(by, plan),
            key=label.casefold(),
        )  # fmt: skip


def _go_to_step(by: int, plan: tuple[str, ...]) -> None:
    address.sync_from_widgets()
    history = _history(plan)
    history.at += by
    values = history.steps[history.at].values
    questions.turn_to(values)
    address.replace(values, (*plan, *_VIEWS))
