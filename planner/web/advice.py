"""What the plan warns of and what it would look at next: the fleet's size, lines without a price, ways left out."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from planner.inputs.presets import presets
from planner.money.plan import Plan
from planner.report import words
from planner.report.advice import absent_lines
from planner.web import show
from planner.web.state import Reckoned


def say(reckoned: Reckoned) -> None:
    """What stands out in this plan: slips of the hand, warnings, the size of the fleet, what a preset assumes."""
    for line in reckoned.advice:
        st.info(words.markdown(line), icon=":material/lightbulb:")
    table = reckoned.sizes
    if table is not None:
        with st.expander("What another number of GPUs would do", key="sizes"):
            st.table(table.set_index(table.columns[0]))
            show.csv_button(table, "sizes.csv", "csv-sizes")
    started = next((one for one in presets() if one.scenario == reckoned.plan.setting.written), None)
    if started is not None:
        with st.expander("What this example takes for granted", key="granted"):
            _list((started.what, *started.says, f"Source: {started.source}."))


def absent(plan: Plan) -> None:
    """The ways that were not reckoned, each with what it would need."""
    lines = absent_lines(plan)
    if lines:
        with st.expander(f"{words.count(len(lines), 'way')} not reckoned, and why", key="absent"):
            _list(lines)


def _list(lines: Iterable[str]) -> None:
    st.markdown("\n".join(f"- {words.markdown(line)}" for line in lines))
