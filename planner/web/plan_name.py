"""What the plan is called, what somebody noted down with it, and which facts it rests on."""

from datetime import date

import streamlit as st

from planner.report import words
from planner.scenario.question import KEYS
from planner.web import address
from pricing import Catalogue

_LONGEST = {"name": 120, "note": 1_000}


def box(catalogue: Catalogue, day: date) -> None:
    """A phrase of its own: the name, and behind it the notes."""
    with st.popover(words.markdown(address.text("name") or "Unnamed"), icon=":material/edit_note:", key="plan-name"):
        for name, longest in _LONGEST.items():
            key = KEYS[name]
            address.bind(name, lambda said: said[-1] if said else "", _written)
            st.text_input(key.label, key=name, help=key.told or None, max_chars=longest)
        st.markdown(f":small[:gray[Facts as of {words.day(day)}, catalogue {catalogue.digest[:8]}.]]")


def _written(value: str) -> address.Texts:
    return (said,) if (said := " ".join(value.split())) else ()
