"""A question in one line on a first visit: it fills the sentence, and what was taken and what was not is shown."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import streamlit as st

from planner.report import words
from planner.report.answer.phrases import plan_sentence
from planner.scenario.scenario import Scenario
from planner.study.one_line.line_plan import with_open_parts
from planner.study.one_line.line_records import (
    ANSWER_IT,
    ANSWERED,
    NOT_YET,
    LineReading,
    reading_sentences,
    sentence_of_reading,
)
from planner.study.one_line.read_line import LONGEST, read_line
from planner.web import state, workers
from pricing import Catalogue, PricingError

_KEY, _CHOICE = "one_line", "one_line_choice"
_READING, _REFUSAL = "one_line_read", "one_line_refusal"
_EXAMPLE = "In your words: 64 H100 in Europe for 3 months"
Use = Callable[[Scenario], None]


def form(catalogue: Catalogue, use: Use) -> None:
    """Show the box for the line."""
    st.text_input(
        "In your words: what, how many, for how long, where", key=_KEY, placeholder=_EXAMPLE, max_chars=LONGEST,
        on_change=_read_box, args=(catalogue, use), label_visibility="collapsed", width=480,
    )  # fmt: skip


def result(catalogue: Catalogue, use: Use) -> None:
    """Show what was understood of the last line, once; an open question stays with its choices.

    Where the plan would leave something out that has weight, it waits for a click.
    """
    if refusal := st.session_state.pop(_REFUSAL, None):
        st.warning(words.markdown(refusal), icon=":material/help:")
    reading: LineReading | None = st.session_state.get(_READING)
    if reading is None:
        return
    plan, ending = reading.scenario, NOT_YET if reading.choices else ANSWERED
    first = () if plan is None else (sentence_of_reading(reading, plan_sentence(catalogue, plan), ending),)
    sentences = "  \n".join(map(words.markdown, (*first, *reading_sentences(reading))))
    show, icon = (st.warning, ":material/help:") if reading.choices else (st.info, ":material/edit_note:")
    show(sentences, icon=icon)
    if not _is_open(reading):
        del st.session_state[_READING]
        return
    question, choices = _open_question(reading)
    st.pills(
        words.markdown(question), list(choices), key=_CHOICE, on_change=_choose, args=(catalogue, use, dict(choices))
    )


def _is_open(reading: LineReading) -> bool:
    """Return whether a line waits for a choice."""
    return reading.scenario is None or bool(reading.choices)


def _open_question(reading: LineReading) -> tuple[str, Mapping[str, str]]:
    if reading.choices:
        return "Answer without what is left out?", reading.choices
    first = reading.questions[0]
    return f"{first.text.capitalize()}?" if first.is_whole else f"Which is meant by {first.text}?", first.choices


def forget() -> None:
    """Drop a question that is open: the visitor has gone on to a plan."""
    reading = st.session_state.get(_READING)
    if reading is not None and _is_open(reading):
        del st.session_state[_READING]


def _read_box(catalogue: Catalogue, use: Use) -> None:
    _take(catalogue, use, st.session_state[_KEY])


def _choose(catalogue: Catalogue, use: Use, lines: dict[str, str]) -> None:
    chosen = st.session_state.pop(_CHOICE, None)
    if chosen in lines:
        _take(catalogue, use, lines[chosen], is_accepted=chosen == ANSWER_IT)


def _take(catalogue: Catalogue, use: Use, typed: str, *, is_accepted: bool = False) -> None:
    """Read a line and show its plan in the sentence; without a plan, or before a choice, nothing there changes."""
    st.session_state.pop(_READING, None)
    if not typed.strip():
        return
    try:
        reading = read_line(catalogue, typed, state.day())
        if reading.scenario is not None:
            plan, notes = workers.run_in_worker(with_open_parts, catalogue, reading, state.day())
            choices = {} if is_accepted else reading.choices
            reading = replace(reading, scenario=plan, notes=(*reading.notes, *notes), choices=choices)
            if not choices:
                use(plan)
        st.session_state[_READING] = reading
    except (PricingError, workers.NoResultError) as refusal:
        st.session_state[_REFUSAL] = str(refusal)
