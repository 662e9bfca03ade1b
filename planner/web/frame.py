"""What stands around every page: what was wrong with the link, and how old the facts are."""

from datetime import date

import streamlit as st

from planner.report import words
from planner.report.facts.assumptions import STALE
from planner.web import address, live_box, pins, questions, show, show_assumptions, state, state_live
from pricing import Catalogue
from pricing.formulas import printable
from pricing.stale import stale

AS_OF = "asof"
EARLIEST = date(2022, 1, 1)  # the first prices of the catalogue are of that year


def arrive() -> None:
    """Begin a run: take over what the address of a visitor holds, and keep what of it cannot be used."""
    if address.arrive():
        told = _apply_link_date()
        st.session_state["notices"] = [*told, *questions.apply_link(state.catalogue())]
        pins.arrive()
        address.commit_run()
    address.put({AS_OF: state.day().isoformat()})


def notices() -> None:
    """Say what could not be used of the link or of live prices, and when an earlier day is shown."""
    if state.has_as_of_date():
        with st.container(horizontal=True, vertical_alignment="center", key="looking-back"):
            st.info(words.markdown(_LOOKING_BACK.format(day=words.day(state.day()))), icon=":material/history:")
            st.button("Use today's prices", key="use-today", on_click=state.set_as_of_date, args=(None,))
    if trouble := state.live_trouble():
        st.warning(words.markdown(f"{trouble} Shown are the prices that ship with the program."))
    for number, text in enumerate(st.session_state["notices"]):
        with st.container(horizontal=True, vertical_alignment="center", key=f"notice-{number}"):
            st.warning(words.markdown(text), icon=":material/link:")
            st.button("Understood", key=f"understood-{number}", on_click=_forget, args=(text,))


_LOOKING_BACK = (
    "This link shows what was known on {day}, so that it says what its sender saw. Prices may have moved since."
)


def _forget(text: str) -> None:
    st.session_state["notices"].remove(text)


def _apply_link_date() -> list[str]:
    """A link is a promise: look back to the day it was made, if it names one. Says so if it names none that can be."""
    held = address.text(AS_OF)
    state.set_as_of_date(None)
    if held is None:
        return []
    try:
        made = date.fromisoformat(held)
    except ValueError:
        return [f"This link says it is of {printable(held, 20)}, which is no day. Today's prices are used."]
    if not EARLIEST <= made <= state.today():
        return [f"This link says it is of {words.day(made)}, when nothing was known. Today's prices are used."]
    if made < state.today():
        state.set_as_of_date(made)
    return []


@st.cache_resource(show_spinner=False, max_entries=8)
def _overdue_figure_counts(digest: str, day: date, _catalogue: Catalogue) -> tuple[int, int]:
    return len(_catalogue.sources), sum(1 for _ in stale(_catalogue, day))


def show_footer(catalogue: Catalogue, day: date) -> None:
    """How old the facts are, on every page."""
    sources, old = _overdue_figure_counts(digest=catalogue.digest, day=day, _catalogue=catalogue)
    st.divider()
    show.small(
        f"Facts checked up to {words.day(catalogue.day)} · {words.count(sources, 'source')} · "
        f"{words.count(old, 'figure')} due for another look · catalogue {catalogue.digest[:8]} · "
        "Prices exclude taxes. Plans, not advice."
    )
    address.switch(show.WHOLE)
    st.toggle("Whole tables, for print", key=show.WHOLE)
    if st.button("Old figures in this plan", icon=":material/history:", type="tertiary", key="see-old"):
        address.put({show_assumptions.GROUP: STALE})
        st.switch_page(state.pages()["Assumptions"])
    if state_live.has_prices_of_this_week():
        return
    if st.button("No prices of this week yet", icon=":material/sync:", type="tertiary", key="see-live-foot"):
        live_box.select_live_prices_view()
        st.switch_page(state.pages()["Compare"])
