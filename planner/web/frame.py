"""What stands around every page: what was wrong with the link, and how old the facts are."""

from __future__ import annotations

from datetime import date

import streamlit as st

from planner.report import words
from planner.web import ask, show
from pricing import Catalogue
from pricing.stale import stale

AS_OF = "asof"


def notices(catalogue: Catalogue) -> None:
    """Say once what the link held that could not be used, and whether it was made with other prices."""
    if "notices" not in st.session_state:
        st.session_state["notices"] = [*_other_prices(catalogue), *ask.wrong_in_link(catalogue)]
    st.query_params[AS_OF] = catalogue.day.isoformat()
    for number, text in enumerate(st.session_state["notices"]):
        with st.container(horizontal=True, vertical_alignment="center", key=f"notice-{number}"):
            st.warning(words.markdown(text), icon=":material/link:")
            st.button("Understood", key=f"understood-{number}", on_click=_forget, args=(text,))


def _forget(text: str) -> None:
    st.session_state["notices"].remove(text)


def _other_prices(catalogue: Catalogue) -> list[str]:
    held = st.query_params.get(AS_OF)
    if held is None or held == catalogue.day.isoformat():
        return []
    try:
        made = date.fromisoformat(held)
    except ValueError:
        return [
            f"This link says its prices are of {held[:20]}, which is no day. "
            f"Those of {words.day(catalogue.day)} are used."
        ]
    return [
        f"This link was made with the prices of {words.day(made)}. "
        f"What you see uses those of {words.day(catalogue.day)}, so the answer may differ from the sender's."
    ]


@st.cache_data(show_spinner=False, max_entries=8)
def _old_figures(digest: str, day: date, _catalogue: Catalogue) -> tuple[int, int]:
    return len(_catalogue.sources), sum(1 for _ in stale(_catalogue, day))


def footer(catalogue: Catalogue, day: date) -> None:
    """How old the facts are, on every page."""
    sources, old = _old_figures(catalogue.digest, day, catalogue)
    st.divider()
    show.small(
        f"Facts checked up to {words.day(catalogue.day)} · {words.count(sources, 'source')} · "
        f"{words.count(old, 'figure')} due for another look · catalogue {catalogue.digest[:8]} · "
        "Prices exclude taxes. Plans, not advice."
    )
