"""The frame around every page: messages about the link, and the age of the facts."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from planner.report import words
from planner.report.facts.assumptions import STALE
from planner.report.memo import credit_text
from planner.web import address, history, kept_plans, live_prices, questions, show, show_assumptions, state, workers
from planner.web.shared import shared
from pricing import Catalogue
from pricing.formulas import printable
from pricing.stale import stale

AS_OF = "asof"
EARLIEST = date(2022, 1, 1)  # the first prices of the catalogue are of that year
_NOTICES = "notices"


def begin_run() -> None:
    """Begin a run: take over the address of a visitor, and keep messages about parts that cannot be used."""
    state.begin_run()
    if address.begin_run():
        notices = _apply_link_date()
        st.session_state[_NOTICES] = [*notices, *questions.apply_link(state.catalogue())]
        history.load_from_link()
        kept_plans.load_from_link()
        address.commit_run()
    address.put({AS_OF: state.day().isoformat()})
    state.show_plan_money()


@contextmanager
def refusals_shown() -> Iterator[None]:
    """Show in a sentence that something could not be calculated, in place of the rest of the page."""
    try:
        yield
    except workers.NoResultError as refusal:
        st.error(words.markdown(str(refusal)), icon=":material/memory_alt:")


def show_notices() -> None:
    """Show messages about the link and about live prices, and say when an earlier day is shown."""
    kept_plans.refusal()
    if not kept_plans.notice() and state.has_as_of_date():
        with st.container(horizontal=True, vertical_alignment="center", key="looking-back"):
            text = f"This link uses prices as of {words.day(state.day())}, as its sender saw them."
            st.info(words.markdown(f"{text} Prices may have changed since."), icon=":material/history:")
            st.button("Use today's prices", key="use-today", on_click=state.set_as_of_date, args=(None,))
    if trouble := state.live_trouble():
        st.warning(words.markdown(f"{trouble} Bundled prices are shown."))
    notices: list[str] = st.session_state[_NOTICES]
    for number, text in enumerate(notices):
        with st.container(horizontal=True, vertical_alignment="center", key=f"notice-{number}"):
            st.warning(words.markdown(text), icon=":material/link:")
            st.button("Understood", key=f"understood-{number}", on_click=notices.remove, args=(text,))


def _apply_link_date() -> list[str]:
    """Look back to the day a link was made, if it names one. Return a message if the day cannot be used."""
    text = address.text(AS_OF)
    state.set_as_of_date(None)
    if text is None:
        return []
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return [f"The date {printable(text, 20)} in this link is invalid. Today's prices are used."]
    if not EARLIEST <= day <= state.today():
        return [f"There are no prices of {words.day(day)}, the date of this link. Today's prices are used."]
    if day < state.today():
        state.set_as_of_date(day)
    return []


@shared(8)
def _overdue_figures(catalogue: Catalogue, day: date) -> int:
    return sum(1 for _ in stale(catalogue, day))


@shared(64, key=lambda result: (result.plan,))
def _credit(result: state.PlanResult) -> str:
    return credit_text(result.plan, result.answer)


def show_footer(catalogue: Catalogue, day: date) -> None:
    """Show the age of the facts, on every page; what goes with a chart that is taken along stands unseen beside it."""
    with st.container(key="chart-credit"):
        st.markdown(f"{words.markdown(_credit(state.result()))}\n\n`{show.plan_and_day()}`")
    address.switch(show.WHOLE)
    with st.container(horizontal=True, vertical_alignment="center", key="foot"):
        show.small(
            f"Facts of {words.day(catalogue.day)} · {words.count(len(catalogue.sources), 'source')} · "
            f"catalogue {catalogue.digest[:8]} · prices exclude taxes · an estimate, not financial advice"
        )
        st.toggle("Whole tables", key=show.WHOLE, help="Show every row of each table, for print.")
        overdue = words.count(_overdue_figures(catalogue, day), "figure")
        if st.button(
            "Old figures", icon=":material/history:", type="tertiary", key="see-old",
            help=f"The old figures in this plan; {overdue} of the catalogue are due for another look.",
        ):  # fmt: skip
            address.put({show_assumptions.GROUP: STALE})
            st.switch_page(state.pages()["Assumptions"])
        if live_prices.has_prices_of_this_week():
            return
        if st.button("Live prices", icon=":material/sync:", type="tertiary", key="see-live-foot",
                     help="No source has been read this week."):  # fmt: skip
            live_prices.select_view()
            st.switch_page(state.pages()["Compare"])


def phone_navigation(pages: Sequence[StreamlitPage]) -> None:
    """Show links to all pages in a row, which only a narrow screen shows: there the bar above folds them away."""
    with st.container(horizontal=True, key="phone-pages"):
        for page in pages:
            st.page_link(page)
