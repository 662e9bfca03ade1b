"""The plan's history in this session: each edit is a step that can be taken back and taken again, as by Back."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from planner.report.answer.verdict_line import Verdict
from planner.web import address, questions

MOST_STEPS = 100
_STEPS, _AT = "plan_steps", "plan_step"


@dataclass
class Step:
    """What the address held of the plan after one edit, and what it came to."""

    held: dict[str, str]
    verdict: Verdict | None = None


def note(plan: tuple[str, ...], verdict: Verdict) -> None:
    """Take down what the plan holds in this run, and what it came to. `plan` are the keys that belong to it."""
    steps, at, held = _steps(), st.session_state.get(_AT, -1), _held(plan)
    if at < 0 or steps[at].held != held:
        near = [one for one in (at - 1, at + 1) if 0 <= one < len(steps) and steps[one].held == held]
        if not near:  # else by Back or Forward
            steps[at + 1 :] = [Step(held)]
            del steps[:-MOST_STEPS]
        st.session_state[_AT] = near[0] if near else len(steps) - 1
    steps[st.session_state[_AT]].verdict = verdict


def before() -> Step | None:
    """The plan one step before this one; None at the first."""
    at: int = st.session_state.get(_AT, 0)
    return _steps()[at - 1] if at > 0 else None


def is_first() -> bool:
    """Whether nothing was edited yet."""
    return len(_steps()) <= 1


def _steps() -> list[Step]:
    steps: list[Step] = st.session_state.setdefault(_STEPS, [])
    return steps


def _held(plan: tuple[str, ...]) -> dict[str, str]:
    return {key: said for key, said in address.texts().items() if key in (*plan, questions.KEY)}


def buttons(plan: tuple[str, ...]) -> None:
    """Undo and redo. What there is to undo is known from the run before: the widgets of this one come later."""
    at, steps = st.session_state.get(_AT, 0), _steps()
    for label, icon, by, can in (
        ("Undo", ":material/undo:", -1, at > 0 or _is_ahead(plan)),
        ("Redo", ":material/redo:", 1, at + 1 < len(steps) and not _is_ahead(plan)),
    ):
        st.button(
            label, icon=icon, type="tertiary", disabled=not can, on_click=_go, args=(by, plan), key=label.casefold()
        )


def _is_ahead(plan: tuple[str, ...]) -> bool:
    """Whether this run holds an edit that is not taken down yet."""
    return bool(_steps()) and _steps()[st.session_state[_AT]].held != _held(plan)


def _go(by: int, plan: tuple[str, ...]) -> None:
    address.take_over()
    at = st.session_state[_AT] + by
    held = _steps()[at].held
    st.session_state[_AT] = at
    questions.turn_to(held)
    address.replace(held, plan)
