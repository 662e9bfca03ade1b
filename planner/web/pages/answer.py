"""Answer: what should we do?"""

from __future__ import annotations

import streamlit as st

from planner.money.answer import answer
from planner.money.choice import usual_offer
from planner.report import words
from planner.report.answer import NOT_COUNTED, missing, told
from planner.web import show, state


def page() -> None:
    """The verdict as title, both totals, what would turn it, and the picture of why."""
    catalogue, need, terms, day = state.catalogue(), state.need(), state.terms(), state.day()
    offer = usual_offer(catalogue, need, day, terms.rent_change_per_year)
    found = answer(catalogue, need, terms, offer) if offer else None
    if found is None:
        said = missing(catalogue, need, has_rent=offer is not None)
        st.title(said.title, anchor=False)
        st.markdown(words.markdown(" ".join(said.sentences)))
        show.next_page("Compare", "Compare what there is")
        return
    said = told(catalogue, need, terms, found)
    st.title(said.title, anchor=False)
    st.markdown(words.markdown(" ".join(said.sentences)))
    show.figures(said.figures)
    show.small(words.markdown(f"Not counted yet: {NOT_COUNTED}. A first answer, not advice."))
    show.next_page("Compare", "Compare providers")
    show.cumulative(found, said.title)
    st.header("What the money goes into", anchor=False)
    show.parts([found.rent.ledger, found.buy.ledger])
