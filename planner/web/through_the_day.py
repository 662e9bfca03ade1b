"""When the work is wanted, by the name of a day: choosing one fills in its 24 hours, which the link then holds."""

from __future__ import annotations

import streamlit as st

from planner.inputs.address import ALSO, also_by_hour, also_with_hours
from planner.inputs.days import day_of, days

KEY, EVEN, OWN = "through_the_day", "the same at any hour", "as entered"
_CARRIED = f"carried_{ALSO}"


def ask() -> None:
    """A list of days. The link holds the hours; the name follows from them."""
    by_hour = also_by_hour(st.session_state.get(_CARRIED))
    found = day_of(by_hour)
    st.session_state[KEY] = EVEN if not by_hour else OWN if found is None else found.name
    said = " ".join(f"**{one.name}**: {one.says}" for one in days().values())
    st.selectbox(
        "When is it wanted?",
        [EVEN, *days(), *([OWN] if st.session_state[KEY] == OWN else [])],
        key=KEY,
        on_change=_take,
        help=f"Hours that differ may make it best to own a base and rent the peaks. {said}",
    )


def _take() -> None:
    chosen = st.session_state[KEY]
    if chosen == OWN:
        return
    by_hour = () if chosen == EVEN else days()[chosen].by_hour
    rest = also_with_hours(st.session_state.get(_CARRIED), by_hour)
    st.session_state[_CARRIED] = rest
    if rest is None and ALSO in st.query_params:
        del st.query_params[ALSO]
