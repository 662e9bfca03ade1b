"""Whom a run of the script is for."""

import streamlit as st
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string

_COOKIE = "_streamlit_xsrf"  # one for all tabs of a browser; its text differs from answer to answer, its token does not


def name() -> str:
    """One name for all tabs of a browser; for programs without cookies, one for each address."""
    token, _ = decode_xsrf_token_string(st.context.cookies.get(_COOKIE, ""))
    return token.hex() if token else f"at {st.context.ip_address}"


def look() -> None:
    """Streamlit ends the run here if its visitor has left, or has changed the question since."""
    _ = "asked" in st.session_state
