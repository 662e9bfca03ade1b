"""Compare: who should we rent from, and how does that stand beside buying?"""

from collections.abc import Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planner.money.ledger import Ledger
from planner.money.plan import Plan
from planner.money.renting.bill import Money
from planner.money.renting.orders import busiest_order
from planner.money.setting import PlanContext
from planner.report import words
from planner.report.answer.sentences import AnswerSummary, summarize_answer
from planner.report.market.compare import BUY_ID, by_the_token, hidden_offers_text, money_basis_text, selectable_rows
from planner.report.market.job_offers import OfferComparison
from planner.study.market.survey import SizedAccelerator, is_single_model_work, sized_accelerator
from planner.web import address, ask, filters, live_box, show, show_ledger, show_offers, show_plan, state
from pricing.query import OfferFilter


def page() -> None:
    """Title, filters, table; below it six views of the same offers."""
    reckoned, late = state.reckoned(), show.late()
    plan = (late or reckoned).plan
    catalogue, is_job = state.catalogue(), is_single_model_work(plan.setting)
    headline, sentences = st.empty(), st.empty()
    if late is not None:
        show.late_notice()
    doers = _doers(is_job, plan.setting)
    if not doers:
        _cannot(headline, sentences, plan, summarize_answer(plan, reckoned.answer))
        return
    wish = filters.ask_for(catalogue, chips := [one.accelerator for one in doers])
    with st.container(horizontal=True, gap="large"):
        able_only = filters.capacity_filter(busiest_order(doers[0].setting) if len(doers) == 1 else None)
        money = filters.money_filter()
    offers = partial(state.offers, late or reckoned, doers, is_job=is_job, money=money)
    found = offers(wish, able_only=able_only)
    more = (*by_the_token(plan, money), money_basis_text(plan, money))
    _say(headline, sentences, found.finding.title, (*found.finding.sentences, *more))
    live_box.offer()
    is_shown = filters.shows_hidden()
    there = offers(filters.wide_open(catalogue, chips), able_only=False) if is_shown else found
    show_offers.offers(state.listed(there), hidden_offers_text(found.hidden, found.of, is_shown=is_shown))
    _views(there, wish, doers[0], money)
    show.next_page("What if", "Next: what would change the answer")


def _cannot(headline: DeltaGenerator, sentences: DeltaGenerator, plan: Plan, answer: AnswerSummary) -> None:
    _say(headline, sentences, answer.title, answer.sentences)
    show_plan.show_autochoose_button(plan)
    show.next_page("Answer", "Back to the answer")


def _say(headline: DeltaGenerator, below: DeltaGenerator, title: str, sentences: Sequence[str]) -> None:
    headline.title(words.markdown(title), anchor=False)
    below.markdown(words.markdown(" ".join(sentences)))


def _doers(is_job: bool, setting: PlanContext) -> Sequence[SizedAccelerator]:
    """The plan's own accelerator, or every one that does the job. Nobody where the plan cannot be done as asked."""
    if is_job and filters.scope_filter():
        return state.who_can()
    return () if setting.resolved and setting.resolved.problems else (sized_accelerator(setting),)


def _views(found: OfferComparison, wish: OfferFilter, first: SizedAccelerator, money: Money) -> None:
    """What is behind the table. Only the open view is made: the others cost nothing until somebody looks."""
    catalogue, chip = state.catalogue(), first.accelerator
    picks = ask.picks(selectable_rows(found.table), found.finding.offer, BUY_ID)
    address.choice("view", VIEWS, VIEWS[0])
    for view, make in zip(
        st.tabs(VIEWS, key="view", on_change="rerun"),
        (
            lambda: _parts(state.opened(found, tuple(picks)), money),
            lambda: show_ledger.buying(catalogue, found.own, chip),
            lambda: show.market(
                catalogue, state.market(catalogue, filters.without_accelerator(wish), state.day(), chip)
            ),
            lambda: show.past(state.past(catalogue, chip)),
            show_offers.quote_upload,
            live_box.ask,
        ),
        strict=True,
    ):
        if view.open:
            with view:
                make()


def _parts(ledgers: Sequence[Ledger], money: Money) -> None:
    """What the chosen offers cost, and who says so."""
    show_ledger.cost_parts_with_drawer(ledgers, money)
    if ledgers:
        show_ledger.below("parts", lambda: ledgers)


VIEWS = ("Where the money goes", "Buy and run it", "Other GPUs", "Price history", "Your own prices", live_box.VIEW)
