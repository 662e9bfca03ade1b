"""Assumptions: where every number is from."""

from collections.abc import Sequence

import streamlit as st

from planner.report import words
from planner.report.answer.plan_report import PlanResult
from planner.report.facts.assumptions import (
    AssumptionRow,
    assumption_rows,
    checks,
    counts_table,
    limits,
    method,
    refresh_limits_text,
    required_credits,
    sources_table,
)
from planner.web import show, show_assumptions, state, state_results
from planner.web.shared import shared

_sources_table, _counts_table, _required_credits = map(shared(8), (sources_table, counts_table, required_credits))

LIMITS = """
- Rental prices are what providers posted, or what collectors read, on the day shown; many are months old. They exclude
  your negotiated discounts: bring your quote.
- A range holds eight of ten simulated futures, drawn from the ranges of the figures below. Inputs without a published
  range do not vary in them, and unforeseen events are not in them.
- Prices have fallen and risen: unless you enter a change, the whole plan keeps today's rent. The Answer shows what
  a fall and a rise would do.
- Tax counts only if you enter it, and is arithmetic, not advice: your accountants know what may be written
  off when.
"""


INPUTS, METHOD, SOURCES = VIEWS = ("Inputs", "Method and checks", "Sources")
KEY = "facts"  # in the address: facts=Sources


def page() -> None:
    """Show the numbers of this plan; behind tabs the method, the sources, the licences and the limits."""
    result = state.result()
    inputs = assumption_rows(result.plan, state_results.bars() if result.answer.pair else ())
    st.title("Every number, its source and its date", anchor=False)
    show.views(KEY, VIEWS, (lambda: _inputs(inputs), lambda: _method(result, inputs), _sources))
    show.next_page("Answer", "Back to the answer")


def _inputs(inputs: Sequence[AssumptionRow]) -> None:
    show_assumptions.rows(inputs)
    show_assumptions.lists()


def _method(result: PlanResult, inputs: Sequence[AssumptionRow]) -> None:
    """Show what the amounts are, how they are calculated and checked, how far they can be wrong, and the words."""
    plan, catalogue = result.plan, state.catalogue()
    terms, discount = plan.setting.terms, words.percent(plan.setting.discount_rate_per_year, 1)
    st.markdown(
        f"Catalogue of {words.day(catalogue.day)}, digest `{catalogue.digest[:16]}`. The same digest gives the same "
        f"answers. One month is {terms.hours_per_month:g} hours. Amounts are {terms.money} US dollars; the Answer page "
        f"discounts them at {discount} a year (unless changed, the middle of what established firms pay: decision "
        f"0006), with payments at {words.TIMINGS[terms.timing]}."
    )
    show_assumptions.steps("Method in one page", method(plan, result.futures))
    show_assumptions.steps("Checks", checks(plan, result.answer))
    show_assumptions.steps("How far it can be wrong", limits(result.answer, inputs))
    st.header("What the numbers are not", anchor=False)
    st.markdown(LIMITS)
    show_assumptions.glossary(inputs)


def _sources() -> None:
    catalogue = state.catalogue()
    st.header("Sources and licences", anchor=False)
    st.markdown("Facts are quoted with their source. These licences require a credit:")
    for line, licence, url in _required_credits(catalogue):
        st.markdown(f"- {words.markdown(line)} ({words.markdown(licence)}): <{url}>")
    columns, alt = {"Address": show.OPEN}, "Every source, with its day and its licence"
    show.table("sources", "", _sources_table(catalogue), columns, "sources.csv", height=480, alt=alt)
    st.header("What the catalogue holds", anchor=False)
    st.markdown(f"A figure is due for a check after a time that depends on its kind: {refresh_limits_text()}.")
    show.table("counts", "", _counts_table(catalogue, state.day()), alt="What the catalogue holds")
