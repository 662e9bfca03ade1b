"""What the plan warns of and what it would look at next: the fleet's size, lines without a price, ways left out."""

from __future__ import annotations

import streamlit as st

from planner.inputs.presets import presets
from planner.money.answer import Answer
from planner.money.plan import Plan
from planner.report import words
from planner.report.advice import absent_lines, advice_lines, sizes_table, spread_line
from planner.web import show


def say(plan: Plan, found: Answer) -> None:
    """What stands out in this plan: slips of the hand, warnings, the size of the fleet, what a preset assumes."""
    spread = spread_line(plan)
    for line in (*advice_lines(plan, found), *([spread] if spread else [])):
        st.info(words.markdown(line), icon=":material/lightbulb:")
    table = sizes_table(plan)
    if table is not None:
        with st.expander("What another number of GPUs would do", key="sizes"):
            st.table(table.set_index(table.columns[0]))
            show.csv_button(table, "sizes.csv", "csv-sizes")
    started = next((one for one in presets() if one.scenario == plan.setting.written), None)
    if started is not None:
        with st.expander("What this example takes for granted", key="granted"):
            for line in (started.what, *started.says, f"Source: {started.source}."):
                st.markdown(f"- {words.markdown(line)}")


def absent(plan: Plan) -> None:
    """The ways that were not reckoned, each with what it would need."""
    lines = absent_lines(plan)
    if lines:
        with st.expander(f"{words.count(len(lines), 'way')} not reckoned, and why", key="absent"):
            for line in lines:
                st.markdown(f"- {words.markdown(line)}")
