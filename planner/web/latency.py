"""How fast a service answers, by a name: choosing one fills in its promise and the usual length of its requests."""

from __future__ import annotations

import streamlit as st

from planner.scenario.latency import latencies, promised
from planner.web import address, fields

KEY, OWN = "pace", "as entered"


def ask() -> None:
    """A list of classes. The address holds the promise; the name follows from it."""
    found = promised(fields.number("ttft"), fields.number("tpot"))
    st.session_state[KEY] = OWN if found is None else found.name
    st.selectbox(
        "How fast?",
        [*latencies(), *([OWN] if found is None else [])],
        key=KEY,
        on_change=_take,
        help=" ".join(f"**{one.name}**: {one.says}" for one in latencies().values()),
    )


def _take() -> None:
    address.take_over()
    chosen = latencies().get(st.session_state[KEY])
    if chosen is not None:
        numbers = (chosen.ttft_ms, chosen.tpot_ms, chosen.input_tokens, chosen.output_tokens)
        told = (None if one is None else f"{one:g}" for one in numbers)
        address.put(dict(zip(("ttft", "tpot", "in", "out"), told, strict=True)))
