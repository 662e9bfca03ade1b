"""The plan's history: each edit is a step that can be taken back and taken again, as by Back.

It survives a reload, which begins another session. The server keeps the histories of a browser's last few sessions
under the browser's cookie; a session that arrives at the plan where one of them stands goes on with it. Nobody else
has the cookie, and a browser that opens a link for the first time has nothing to undo.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from threading import Lock

import streamlit as st

from planner.report.answer.verdict_line import VerdictSummary
from planner.web import address, filters, questions, same_browser
from pricing.caching import cached

MOST_STEPS = 100
_MOST_BROWSERS, _MOST_SESSIONS = 256, 4
_HISTORY = "plan_history"
_VIEWS = (filters.HIDDEN,)  # what a step holds besides the plan
_LOCK = Lock()


@dataclass
class EditStep:
    """What the address held of the plan after one edit, and what it came to."""

    held: dict[str, str]
    verdict: VerdictSummary | None = None

    @property
    def plan(self) -> dict[str, str]:
        """What it holds of the plan alone."""
        return {key: said for key, said in self.held.items() if key not in _VIEWS}


@dataclass(eq=False)
class _History:
    """The steps, and at which of them the plan stands: before the first one at none."""

    steps: list[EditStep] = field(default_factory=list)
    at: int = -1

    @property
    def now(self) -> EditStep | None:
        """The step where the plan stands."""
        return self.steps[self.at] if self.steps else None


def note(plan: Iterable[str], verdict: VerdictSummary) -> None:
    """Take down what the plan holds in this run, and what it came to. `plan` are the keys that belong to it."""
    here, held = _history(plan), _held(plan)
    steps, at = here.steps, here.at
    if here.now is None or here.now.held != held:
        near = [one for one in (at - 1, at + 1) if 0 <= one < len(steps) and steps[one].held == held]
        if not near:  # else by Back or Forward
            steps[at + 1 :] = [EditStep(held)]
            del steps[:-MOST_STEPS]
        here.at = near[0] if near else len(steps) - 1
    steps[here.at].verdict = verdict
    _remember(here)


def before() -> EditStep | None:
    """The last step before this one that held another plan; None at the first."""
    here: _History = st.session_state[_HISTORY]
    earlier = reversed(here.steps[: max(here.at, 0)])
    return next((one for one in earlier if here.now is not None and one.plan != here.now.plan), None)


def _history(plan: Iterable[str]) -> _History:
    if _HISTORY not in st.session_state:
        st.session_state[_HISTORY] = _taken_up(_held(plan))
    here: _History = st.session_state[_HISTORY]
    return here


def _taken_up(held: dict[str, str]) -> _History:
    """The newest history of this browser that stands at this plan, as after a reload; else an empty one."""
    with _LOCK:
        past = _of_browser()
        kept = next((one for one in reversed(past) if one.now is not None and one.now.held == held), None)
        if kept is None:
            return _History()
        past.remove(kept)  # its session is over; one that is not comes back with its next run
        return _History([replace(one) for one in kept.steps], kept.at)


def _remember(here: _History) -> None:
    with _LOCK:
        past = _of_browser()
        if here not in past:
            past.append(here)


def _of_browser() -> deque[_History]:
    name = same_browser.name_in(st.context.cookies)
    return deque() if name is None else _past(name)


@cached(_MOST_BROWSERS)
def _past(_browser: str) -> deque[_History]:
    """The histories of a browser's last sessions, the oldest first."""
    return deque(maxlen=_MOST_SESSIONS)


def _held(plan: Iterable[str]) -> dict[str, str]:
    return {key: said for key, said in address.texts().items() if key in (*plan, *_VIEWS, questions.KEY)}


def buttons(plan: tuple[str, ...]) -> None:
    """Undo and redo. What there is to undo is known from the run before: the widgets of this one come later."""
    here = _history(plan)
    is_ahead = here.now is not None and here.now.held != _held(plan)  # by an edit that is not taken down yet
    for label, icon, by, can in (
        ("Undo", ":material/undo:", -1, here.at > 0 or is_ahead),
        ("Redo", ":material/redo:", 1, here.at + 1 < len(here.steps) and not is_ahead),
    ):
        st.button(
            label,
            icon=icon,
            type="tertiary",
            disabled=not can,
            on_click=_go_to_step,
            args=(by, plan),
            key=label.casefold(),
        )


def _go_to_step(by: int, plan: tuple[str, ...]) -> None:
    address.sync_from_widgets()
    here = _history(plan)
    here.at += by
    held = here.steps[here.at].held
    questions.turn_to(held)
    address.replace(held, (*plan, *_VIEWS))
