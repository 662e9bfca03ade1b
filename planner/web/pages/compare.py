"""Compare: who should we rent from, and how does that stand beside buying?"""

from __future__ import annotations

import streamlit as st

from planner.money.rented import bills
from planner.report import words
from planner.report.compare import BUY_ID, compare_table, opened, own_of, pickable
from planner.report.findings import cheapest, hidden_words
from planner.web import ask, filters, quote_box, show, state
from pricing.query import find


def page() -> None:
    """Title, filters, table; below it five views of the same offers."""
    plan = state.reckoned().plan
    catalogue, need, day = state.catalogue(), plan.setting.demand.all, state.day()
    headline, sentences = st.empty(), st.empty()
    wish = filters.ask_for(catalogue, need.accelerator)
    found = find(catalogue, wish, day)
    rent = bills(plan.setting, need, found.ids)
    own = own_of(plan)
    finding = cheapest(catalogue, need, rent, own, day)
    headline.title(words.markdown(finding.title), anchor=False)
    sentences.markdown(words.markdown(" ".join(finding.sentences)))

    table = compare_table(catalogue, need, rent, own, day)
    show.offers(table, hidden_words(dict(found.hidden)), filters.show_everything)
    picks = ask.picks(pickable(table), BUY_ID)

    ledgers = opened(picks, table, rent, own)

    # Only the open view is made: the others cost nothing until somebody looks.
    views = st.tabs(VIEWS, key="view", bind=ask.URL)
    for view, make in zip(
        views,
        (
            lambda: show.parts_explained(ledgers),
            lambda: show.buying(catalogue, own),
            lambda: show.market(catalogue, state.market(catalogue, filters.all_chips(wish), day, need.accelerator)),
            lambda: show.past(state.past(catalogue, need.accelerator)),
            quote_box.ask_for_quotes,
        ),
        strict=True,
    ):
        if view.open:
            with view:
                make()
    show.next_page("Assumptions", "Next: where every number is from")


VIEWS = ("Where the money goes", "Buy and run it", "Other GPUs", "Price history", "Your own prices")
