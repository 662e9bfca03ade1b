"""A file for the visitor, made when it is asked for."""

from collections.abc import Callable

import streamlit as st

from planner.report import words

_MIME = {"csv": "text/csv", "yaml": "application/yaml"}


def download(label: str, name: str, make: Callable[[], bytes], key: str) -> None:
    """A button that gives a file. Where the file cannot be made, the page says so.

    `make` runs when the button is pressed, in a thread of its own, where there is no session to ask: everything it
    needs must be there already.
    """
    failed: list[str] = st.session_state.setdefault(f"{key}-failed", [])

    def made() -> bytes:
        failed.clear()
        try:
            return make()
        except Exception:
            failed.append(name)  # Streamlit says so beside the button for five seconds, and the log has the traceback
            raise

    st.download_button(
        label, made, name, _MIME[name.rpartition(".")[2]], on_click="ignore", icon=":material/download:", key=key
    )
    if failed:
        st.error(words.markdown(f"{name} could not be made the last time. {_TRY}"))


_TRY = "Nothing of the plan is lost: try again, or tell who runs this app."
