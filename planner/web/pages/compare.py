"""Compare: who should we rent from, and how does that stand beside buying?"""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planner.money.ledger import Ledger
from planner.money.renting.bill import Money
from planner.money.renting.orders import busiest_order
from planner.money.setting import PlanContext
from planner.report import words
from planner.report.answer.sentences import summarize_answer
from planner.report.market.compare import (
    BUY_ID,
    PurchaseComparison,
    by_the_token,
    hidden_offers_text,
    hidden_reasons_text,
    money_basis_text,
    selectable_rows,
)
from planner.report.market.job_offers import OfferComparison
from planner.study.market.survey import SizedAccelerator, is_single_model_work, sized_accelerator
from planner.web import ask, filters, live_prices, show, show_answer, show_ledger, show_offers, state, uploads
from pricing.query import OfferFilter

VIEWS = ("Where the money goes", "Other GPUs", "Price history", live_prices.VIEW)
# Names of views in links of earlier releases; until December 2027.
FORMER = {"Buy and run it": VIEWS[0], "Your own prices": live_prices.VIEW}


def page() -> None:
    """Show title, filters and table; below them four views of the same offers."""
    late = show_answer.late()
    result = late or state.result()
    heading = st.container(key="compare-head")
    heading.empty()  # it keeps its place until the filters below it are read
    if late is not None:
        show_answer.late_notice()
    is_job = is_single_model_work(result.plan.setting)
    accelerators = _accelerators(is_job, result.plan.setting)
    if accelerators:
        _comparison(heading, result, accelerators, is_job)
    else:
        summary = summarize_answer(result.plan, state.result().answer)
        with heading:
            show.title(summary.title, summary.sentences)
        show_answer.autochoose_button(result.plan)
        show.next_page("Answer", "Back to the answer")


def _comparison(
    heading: DeltaGenerator, result: state.PlanResult, accelerators: Sequence[SizedAccelerator], is_job: bool
) -> None:
    names = [sized.accelerator for sized in accelerators]
    order = busiest_order(accelerators[0].setting) if len(accelerators) == 1 else None
    query, able_only, money = filters.offer_filters(state.catalogue(), names, order)
    question = show_offers.OfferQuestion(result, accelerators, is_job, money)
    shown = filtered = question.offers(query, able_only=able_only)
    with heading:
        show.title(filtered.finding.title, filtered.finding.sentences)
    if filters.shows_hidden():
        shown = question.offers(filters.unfiltered(state.catalogue(), names), able_only=False)
    hidden = hidden_offers_text(filtered.hidden, filtered.of, is_shown=filters.shows_hidden())
    show_offers.offers(show_offers.listed(shown), hidden, hidden_reasons_text(filtered.hidden))
    with show.on_demand("basis", "What the title and the totals count") as is_open:
        if is_open:
            lines = (
                *filtered.finding.details,
                *by_the_token(result.answer, money),
                money_basis_text(result.plan, money),
            )
            show.bullets(list(map(words.markdown, lines)))
    live_prices.suggest_refresh()
    _views(shown, query, accelerators[0].accelerator, money)
    show.next_page("What if", "Next: what would change the answer")


def _accelerators(is_job: bool, setting: PlanContext) -> Sequence[SizedAccelerator]:
    """Return the plan's own accelerator, or every one that can do the job; none where the plan cannot be done."""
    if is_job and filters.scope_filter():
        return show_offers.capable_accelerators()
    return () if setting.resolved and setting.resolved.problems else (sized_accelerator(setting),)


def _views(shown: OfferComparison, query: OfferFilter, accelerator: str, money: Money) -> None:
    picks = ask.picks(selectable_rows(shown.table), shown.finding.offer, BUY_ID)
    renderers = (
        lambda: _cost_parts(show_offers.opened(shown, tuple(picks)), shown.own, accelerator, money),
        lambda: show_offers.market(replace(query, accelerators=frozenset()), accelerator),
        lambda: show_offers.price_history(accelerator),
        _prices,
    )
    show.views("view", VIEWS, renderers, former=FORMER)


def _prices() -> None:
    """Show what sellers ask today, and the prices that somebody has of his own."""
    live_prices.view()
    st.header("Your own prices and quotes", anchor=False)
    uploads.quote_upload()


def _cost_parts(ledgers: Sequence[Ledger], own: PurchaseComparison | None, accelerator: str, money: Money) -> None:
    """Show the cost of the chosen offers by part, that of buying line by line, and the sources."""
    show_answer.parts(ledgers, money)
    with show.on_demand("buying", "Buy and run it, line by line") as is_open:
        if is_open:
            show_ledger.buying(state.catalogue(), own, accelerator)
    if ledgers:
        show_ledger.explain_button(lambda: ledgers)
        show_ledger.below("parts", lambda: ledgers)
