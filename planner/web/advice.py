"""What the plan warns of and what it would look at next: the fleet's size, lines without a price, ways left out."""

from __future__ import annotations

import streamlit as st

from planner.money.answer import Answer
from planner.money.plan import Plan
from planner.report import words
from planner.report.advice import absent_lines, advice_lines


def say(plan: Plan, found: Answer) -> None:
    """What stands out in this plan, the most costly first."""
    for line in advice_lines(plan, found):
        st.info(words.markdown(line), icon=":material/lightbulb:")


def absent(plan: Plan) -> None:
    """The ways that were not reckoned, each with what it would need."""
    lines = absent_lines(plan)
    if lines:
        with st.expander(f"{words.count(len(lines), 'way')} not reckoned, and why", key="absent"):
            for line in lines:
                st.markdown(f"- {words.markdown(line)}")
