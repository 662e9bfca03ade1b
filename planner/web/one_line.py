"""A question in one line on a first visit: it fills the sentence, and what was taken and what was not is shown."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from planner.report import words
from planner.scenario.scenario import Scenario
from planner.study.one_line.line_plan import with_open_parts
from planner.study.one_line.line_records import LineReading, reading_sentences
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
    """Show what was understood of the last line, once; an open question stays with its choices."""
    if refusal := st.session_state.pop(_REFUSAL, None):
        st.warning(words.markdown(refusal), icon=":material/help:")
    reading: LineReading | None = st.session_state.get(_READING)
    if reading is None:
        return
    st.info("  \n".join(map(words.markdown, reading_sentences(reading))), icon=":material/edit_note:")
    if reading.scenario is not None:
        del st.session_state[_READING]
        return
    first = reading.questions[0]
    question = f"{first.text.capitalize()}?" if first.is_whole else f"Which is meant by {first.text}?"
    st.pills(
        words.markdown(question), list(first.choices), key=_CHOICE, on_change=_choose,
        args=(catalogue, use, dict(first.choices)),
    )  # fmt: skip


def forget() -> None:
    """Drop a question that is open: the visitor has gone on to a plan."""
    reading = st.session_state.get(_READING)
    if reading is not None and reading.scenario is None:
        del st.session_state[_READING]


def _read_box(catalogue: Catalogue, use: Use) -> None:
    _take(catalogue, use, st.session_state[_KEY])


def _choose(catalogue: Catalogue, use: Use, lines: dict[str, str]) -> None:
    chosen = st.session_state.pop(_CHOICE, None)
    if chosen in lines:
        _take(catalogue, use, lines[chosen])


def _take(catalogue: Catalogue, use: Use, typed: str) -> None:
    """Read a line and show its plan in the sentence; without a plan nothing there changes."""
    st.session_state.pop(_READING, None)
    if not typed.strip():
        return
    try:
        reading = read_line(catalogue, typed, state.day())
        if reading.scenario is not None:
            plan, notes = workers.run_in_worker(with_open_parts, catalogue, reading, state.day())
            reading = replace(reading, notes=(*reading.notes, *notes))
            use(plan)
        st.session_state[_READING] = reading
    except (PricingError, workers.NoResultError) as refusal:
        st.session_state[_REFUSAL] = str(refusal)
