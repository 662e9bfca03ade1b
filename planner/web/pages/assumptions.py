"""Assumptions: where every number is from."""

import streamlit as st

from planner.report import words
from planner.report.facts.assumptions import assumption_rows, checks, limits, method
from planner.report.facts.sources import counts_table, refresh_limits_text, required_credits, sources_table
from planner.web import show, show_assumptions, state, state_what_if


def page() -> None:
    """The numbers of this plan, the sources, the licences, the limits."""
    reckoned = state.reckoned()
    plan = reckoned.plan
    catalogue, day, terms = state.catalogue(), state.day(), plan.setting.terms
    st.title("Every number, its source and its date", anchor=False)
    st.markdown(
        f"Catalogue of {words.day(catalogue.day)}, digest `{catalogue.digest[:16]}`. The same digest gives the same "
        f"answers. One month is {terms.hours_per_month:g} hours. Amounts are {terms.money} US dollars; the Answer page "
        f"discounts them at {words.percent(plan.setting.discount_rate_per_year, 1)} a year (unless changed, the middle "
        f"of what established firms pay: decision 0006), with payments at {words.TIMINGS[terms.timing]}."
    )

    found = assumption_rows(plan, state_what_if.bars() if reckoned.answer.pair else ())
    st.header("What this plan uses", anchor=False)
    show_assumptions.rows(found)
    show_assumptions.lists()
    show_assumptions.glossary(found)
    show_assumptions.steps("Method in one page", method(plan, reckoned.futures))
    show_assumptions.steps("Checks", checks(plan, reckoned.answer))
    show_assumptions.steps("How far it can be wrong", limits(reckoned.answer, found))

    st.header("Sources and licences", anchor=False)
    st.markdown("Facts are quoted with their source. These licences ask for a credit, which is hereby given:")
    for line, licence, url in required_credits(catalogue):
        st.markdown(f"- {words.markdown(line)} ({words.markdown(licence)}): <{url}>")
    show.sources(sources_table(catalogue))

    st.header("What the catalogue holds", anchor=False)
    st.markdown(f"A figure is due for another look after its kind's allowance: {refresh_limits_text()}.")
    show.counts(counts_table(catalogue, day))

    st.header("What the numbers are not", anchor=False)
    st.markdown(LIMITS)
    show.next_page("Answer", "Back to the answer")


LIMITS = """
- Rental prices are what providers posted, or what collectors read, on the day shown; many are months old. They exclude
  your negotiated discounts: bring your quote.
- A range holds eight of ten simulated futures, drawn from the ranges of the figures below. What nobody has given a
  range for does not vary in them, and what nobody foresees is not in them.
- Prices have fallen and risen: unless you say otherwise, today's rent is held for the whole plan. The Answer shows what
  a fall and a rise would do.
- Tax is counted only where you fill it in, and is arithmetic, not advice: what may be written off when is for your
  accountants to say.
"""
