"""The rules of the page in style.css, in the colours of the theme. Nothing that a person typed gets here."""

from pathlib import Path
from string import Template

import streamlit as st

is_in_page = False  # whether the server writes the rules into the page: nothing moves then while it loads

_COLOURS = {
    name: f"light-dark({st.get_option(f'theme.light.{option}')}, {st.get_option(f'theme.dark.{option}')})"
    for name, option in (("back", "backgroundColor"), ("line", "borderColor"), ("accent", "primaryColor"))
}
_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
RULES = f"<style>{Template(_CSS).substitute(_COLOURS)}</style>"


def put() -> None:
    """Lay the rules over a page that does not hold them from its first picture on: `make app` serves one that does."""
    if not is_in_page:
        st.html(RULES)
