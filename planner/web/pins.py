"""Pinned plans: up to four, side by side with the plan on the screen, on every page; a link holds them too."""

from collections.abc import Callable, Mapping, Sequence
from typing import get_args
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from planner.report import words
from planner.report.answer.phrases import question_text
from planner.report.answer.plan_report import PlanReport
from planner.report.answer.side_by_side import (
    PinnedPlan,
    Topic,
    against,
    formatted_table,
    input_differences_table,
    others,
)
from planner.report.table import Table
from planner.scenario.link import ALSO, parse_link
from planner.scenario.question import KEYS, detect_question
from planner.web import address, questions, show, state
from pricing import Catalogue
from pricing.exchange import rates
from pricing.formulas import unseen

KEY = "pin"  # in the address: pin=gpus%3D16%26years%3D2
LETTERS = "ABCD"
LONGEST_LINK = 6_000  # characters of all pins; browsers and mail programs take this much
_PINS = "pins"
_PLAN_KEYS = (*KEYS, ALSO, questions.KEY)
# The rows of the comparison that belong to the question of a page; a page that is not named shows all of them.
_ROWS: dict[str, tuple[Topic, ...]] = {
    "Answer": ("verdict", "money"),
    "Speed": ("speed", "plan"),
    "Compare": ("rent", "money"),
    "What if": ("verdict", "turns"),
}


def load_from_link() -> None:
    """Take over the pins of a link. One that says nothing of a plan is dropped."""
    pins = [dict(parse_qsl(text, keep_blank_values=True)) for text in address.get_values(KEY)]
    usable = [{key: text for key, text in pin.items() if key in _PLAN_KEYS and not unseen(text)} for pin in pins]
    st.session_state[_PINS] = usable[: len(LETTERS)]


def pinned() -> list[dict[str, str]]:
    """Return the texts of each pinned plan, in the order of their letters."""
    return st.session_state.setdefault(_PINS, [])


def omitted_letters() -> str:
    """Return the letters of the plans that do not fit into the link, in words; empty where all fit."""
    return words.listed([LETTERS[index] for index in range(len(_values_in_link()), len(pinned()))])


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
    values = {key: text for key, text in address.texts().items() if key in _PLAN_KEYS}
    if values not in pinned():
        pinned().append(values)


def _unpin(index: int) -> None:
    del pinned()[index]


def side_by_side(catalogue: Catalogue, page: str, use: Callable[[dict[str, str]], None]) -> None:
    """Show the pinned plans beside the one on the screen: different inputs first, then the results."""
    pins = [PinnedPlan(letter, _result(catalogue, values)) for letter, values in zip(LETTERS, pinned(), strict=False)]
    if not pins:
        state.set_pinned(())
        return
    names = [f"{pin.letter}: {_name(catalogue, values)}" for pin, values in zip(pins, pinned(), strict=True)]
    on_screen = state.result(with_details=True)
    state.set_pinned(others(on_screen, pins))
    results = [*(pin.result for pin in pins), on_screen]
    labelled = zip([*names, "On the screen"], results, strict=True)
    plans = [PlanReport(name, result.plan, result.answer, result.summary) for name, result in labelled]
    with st.expander("Side by side", expanded=True, key="pins"):
        with st.container(horizontal=True, vertical_alignment="center", key="pin-names"):
            for index, name in enumerate(names):
                with st.popover(words.markdown(name), key=f"pinned-{index}"):
                    st.button("Show this plan", on_click=use, args=(pinned()[index],), key=f"use-pin-{index}")
                    st.button("Unpin", on_click=_unpin, args=(index,), key=f"unpin-{index}")
        if sentences := against(on_screen, pins):
            show.paragraph(*sentences)
        table = _table(plans, [result.hints for result in results], page)
        show.small_table(table, "side-by-side.csv", "pins")
        if missing := omitted_letters():
            show.small(words.markdown(f"The link is too long to include {missing}. Share them as files."))


def _table(plans: Sequence[PlanReport], hints: Sequence[Mapping[str, str]], page: str) -> Table:
    """Return the inputs that differ, and below them the results."""
    inputs, measures = input_differences_table(plans, hints), formatted_table(plans, _ROWS.get(page, get_args(Topic)))
    names = list(measures.columns[1:])
    rows = [[inputs["Input"][row], *(inputs[name][row] for name in inputs.columns[1:])] for row in range(len(inputs))]
    rows += [[measures["Measure"][row], *(measures[name][row] for name in names)] for row in range(len(measures))]
    return Table.listed(["What", *names], rows)


def _name(catalogue: Catalogue, values: dict[str, str]) -> str:
    """Return the plan's name; its sentence where it has none."""
    name = values.get("name")
    return name or question_text(catalogue, detect_question(values, values.get(questions.KEY)), values)


def _result(catalogue: Catalogue, values: dict[str, str]) -> state.PlanResult:
    plan_values = {key: text for key, text in values.items() if key != questions.KEY}
    scenario = parse_link(plan_values, catalogue, rates=rates(catalogue)).scenario
    return state.result(scenario, with_details=True)
