"""Assumptions: where every number is from."""

from __future__ import annotations

import streamlit as st

from planner.money.choice import usual_wish
from planner.money.owned import buying
from planner.money.rented import bills
from planner.report import words
from planner.report.compare import BUY_ID, compare_table, opened, pickable
from planner.report.sources import allowance, assumptions_table, counts_table, credits_owed, sources_table
from planner.web import show, state
from pricing.query import find


def page() -> None:
    """The numbers of this plan, the sources, the licences, the limits."""
    catalogue, need, day = state.catalogue(), state.need(), state.day()
    st.title("Every number, its source and its date", anchor=False)
    st.markdown(
        f"Catalogue of {words.day(catalogue.day)}, digest `{catalogue.digest[:16]}`. The same digest gives the same "
        "answers. One month is 730 hours, one year 8,760. Amounts are US dollars without taxes; only the Answer page "
        f"discounts them, at {words.percent(state.terms().discount_rate_per_year)} a year (unless changed, the "
        "middle of what established firms pay: decision 0006), with each month's payments at its end."
    )

    st.header("What this plan uses", anchor=False)
    ids = find(catalogue, usual_wish(need.accelerator), day).ids
    rent = bills(catalogue, need, ids, state.terms().rent_change_per_year)
    own = buying(catalogue, need)
    table = compare_table(catalogue, need, rent, own, day)
    cheapest = [key for key in pickable(table) if key != BUY_ID][:1]
    show.assumptions(assumptions_table(opened([*cheapest, *([BUY_ID] if own else [])], table, rent, own)))

    st.header("Sources and licences", anchor=False)
    st.markdown("Facts are quoted with their source. These licences ask for a credit, which is hereby given:")
    for line, licence, url in credits_owed(catalogue):
        st.markdown(f"- {words.markdown(line)} ({words.markdown(licence)}): <{url}>")
    show.sources(sources_table(catalogue))

    st.header("What the catalogue holds", anchor=False)
    st.markdown(f"A figure is due for another look after its kind's allowance: {allowance()}.")
    show.counts(counts_table(catalogue, day))

    st.header("What the numbers are not", anchor=False)
    st.markdown(LIMITS)
    show.next_page("Answer", "Back to the answer")


LIMITS = """
- Rental prices are what providers posted, or what collectors read, on the day shown; many are months old. They exclude
  taxes and your negotiated discounts: bring your quote.
- The cost of buying is a first estimate: no tax, no loan, no delay before delivery. The range takes every figure at
  its dear end or at its cheap end at once, so it is wider than a likely range.
- What a spot machine costs in lost work is not counted yet.
- Prices have fallen and risen: unless you say otherwise, today's rent is held for the whole plan. The Answer shows what
  a fall and a rise would do.
"""
