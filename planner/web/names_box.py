"""Names of live prices that nobody knows: what each is, said once and kept with who said it."""

import streamlit as st

from planner.report import words
from planner.report.market import live_prices
from planner.web import show, state, state_live
from planner.web.state_live import LivePriceStatus
from pricing.feeds.given import Name
from pricing.feeds.naming import unresolved_names

_SHOWN = 10  # names; the next ones come up as these are explained
# Headings that stand still: a box of another heading is another box, closed.
_ASKED, _EXPLAINED = "Names that nobody knows", "Names that somebody explained"


def ask(kept: LivePriceStatus, *, nobody: bool) -> None:
    """The names that are asked about, and below them those that somebody explained."""
    asked = unresolved_names(kept.held)
    if asked:
        with st.expander(_ASKED, key="live-names"):
            for one in live_prices.questions(state.live(), asked[:_SHOWN]):
                _question(one, nobody=nobody)
            if asked[_SHOWN:]:
                show.small(f"{words.count(len(asked) - _SHOWN, 'name')} more come up as these are explained.")
    if kept.names:
        with st.expander(_EXPLAINED, key="live-named"):
            for said in kept.names:
                _named(said, nobody=nobody)


def _question(one: live_prices.UnknownNameQuestion, *, nobody: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"asked-{one.what}-{one.called}"):
        st.markdown(words.markdown(f"{one.words}."), width="stretch")
        chosen = st.selectbox(
            f"What {one.called} is", list(one.choices), index=None, placeholder="It is …", width=280,
            label_visibility="collapsed", key=f"means-{one.what}-{one.called}",
        )  # fmt: skip
        means = one.choices.get(chosen or "", "")
        st.button(
            "Say so", key=f"say-{one.what}-{one.called}", on_click=state_live.name,
            args=(one.what, one.called, means),
            disabled=nobody or not means,
        )  # fmt: skip


def _named(one: Name, *, nobody: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"named-{one.what}-{one.called}"):
        st.markdown(words.markdown(live_prices.name_decision_text(state.live(), one)), width="stretch")
        st.button(
            "Take back", key=f"unsay-{one.what}-{one.called}", on_click=state_live.name,
            args=(one.what, one.called, ""), disabled=nobody,
            help="Asked about again at the next refresh; what is believed under it is no longer shown.",
        )  # fmt: skip
