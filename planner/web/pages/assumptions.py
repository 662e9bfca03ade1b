"""Assumptions: where every number is from."""

from __future__ import annotations

import streamlit as st

from planner.money.choice import usual_offer
from planner.money.owned import buying
from planner.money.rented import bills
from planner.report import words
from planner.report.answer import seller
from planner.report.sources import allowance, assumptions_table, counts_table, credits_owed, sources_table
from planner.web import show, state


def page() -> None:
    """The numbers of this plan, the sources, the licences, the limits."""
    catalogue, need, terms, day = state.catalogue(), state.need(), state.terms(), state.day()
    st.title("Every number, its source and its date", anchor=False)
    st.markdown(
        f"Catalogue of {words.day(catalogue.day)}, digest `{catalogue.digest[:16]}`. The same digest gives the same "
        "answers. One month is 730 hours, one year 8,760. Amounts are US dollars without taxes; only the Answer page "
        f"discounts them, at {words.percent(terms.discount_rate_per_year)} a year (unless changed, the "
        "middle of what established firms pay: decision 0006), with each month's payments at its end."
    )

    st.header("What this plan uses", anchor=False)
    offer = usual_offer(catalogue, need, day, terms.rent_change_per_year)
    own = buying(catalogue, need)
    ledgers = [] if own is None else [own.ledger]
    if offer is not None:
        rent = bills(catalogue, need, (offer,), terms.rent_change_per_year)
        ledgers.insert(0, rent.one(offer, f"Rent from {seller(catalogue, offer)}"))
    show.assumptions(assumptions_table(ledgers))

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
