"""Pinned plans: up to four, side by side with the plan on the screen, on a page of their own and in the link."""

from urllib.parse import parse_qsl, urlencode

import streamlit as st

from planner.report import words
from planner.report.answer.phrases import question_text
from planner.report.answer.side_by_side import PinnedPlan, others
from planner.scenario.link import ALSO, parse_link
from planner.scenario.question import KEYS, detect_question
from planner.web import address, questions, state
from pricing import Catalogue
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
    st.session_state[_PINS] = usable[: len(LETTERS)]


def pinned() -> list[dict[str, str]]:
    """Return the texts of each pinned plan, in the order of their letters."""
    return st.session_state.setdefault(_PINS, [])


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
    state.set_pinned(others(state.result(with_details=True), pins) if pins else ())


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
    scenario = parse_link(plan_values, catalogue, rates=rates(catalogue)).scenario
    return state.result(scenario, with_details=True)
