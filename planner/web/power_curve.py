"""Power as a curve of load, typed as pairs: the link holds the points, and the text follows from them."""

from __future__ import annotations

import streamlit as st

from planner.scenario.link import ALSO, also_power, also_with_power
from planner.scenario.power_text import EXAMPLE, power_text, read_power
from planner.web import address

KEY = "power_curve"
_REFUSED = "power_curve_refused"


def is_entered() -> bool:
    """Whether the plan has a curve, or something stands in the field that is none."""
    return bool(also_power(address.text(ALSO))) or _REFUSED in st.session_state


def ask() -> None:
    """A field for pairs of load and power. What is no curve stays in it, and is said."""
    held = power_text(also_power(address.text(ALSO)))
    refused = st.session_state.get(_REFUSED)
    st.session_state[KEY] = held if refused is None else refused
    st.text_input(
        "Power by load, % of rated",
        key=KEY,
        on_change=_take,
        placeholder="a straight line",
        help=f"Pairs of load and power in percent, such as {EXAMPLE}. For machines that share their load evenly, as "
        "those that serve do: load is the busy share of the month. For jobs that run or wait leave it empty.",
    )
    if refused is not None:
        st.caption(f"Want pairs from 0 to 100 % of load, with no less power at more load, such as {EXAMPLE}.")


def _take() -> None:
    address.take_over()
    typed = st.session_state[KEY]
    points = read_power(typed)
    if points is None:
        st.session_state[_REFUSED] = typed
        return
    st.session_state.pop(_REFUSED, None)
    address.put({ALSO: also_with_power(address.text(ALSO), points)})


def forget() -> None:
    """Forget what was typed and is no curve: another plan is shown."""
    st.session_state.pop(_REFUSED, None)
