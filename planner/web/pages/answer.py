"""Answer: what should we do?"""

from __future__ import annotations

import streamlit as st

from planner.report import words
from planner.report.answer import NOT_COUNTED, told
from planner.web import advice, share, show, state


def page() -> None:
    """The verdict as title, both totals, what would turn it, and the picture of why."""
    reckoned = state.reckoned()
    plan, found = reckoned.plan, reckoned.answer
    said = told(plan, found)
    st.title(words.markdown(said.title), anchor=False)
    st.markdown(words.markdown(" ".join(said.sentences)))
    if said.figures:
        show.figures(said.figures)
    with st.container(horizontal=True, vertical_alignment="center"):
        show.explain_button(found.ranked)
        share.popover(plan, found)
        show.next_page("Compare", "Compare providers")
    advice.say(plan, found)
    show.small(words.markdown(f"Not counted: {NOT_COUNTED}. Plans, not advice."))
    if found.ranked:
        show.cumulative(found, said.title)
        show.options(found)
        st.header("What the money goes into", anchor=False)
        show.parts([way.option.ledger for way in found.ranked])
        show.turning(found)
        show.timing(plan, found)
        show.cash(found.ranked)
    advice.absent(plan)
    show.next_page("Compare", "Next: compare providers")
