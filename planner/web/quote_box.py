"""Your own prices: upload, see what was read and what was not, take them away again."""

import streamlit as st

from planner.report import words
from planner.scenario.refusal import unchanged
from planner.web import state
from planner.web.download import download
from pricing import QuoteError
from pricing.quotes import TEMPLATE_CSV, Quotes, parse_quotes

KEY = "quote_file"


def ask_for_quotes() -> None:
    """The upload, and what became of each row."""
    st.markdown(
        "A CSV or YAML file with rental prices, discounts or hardware quotes. They win over the catalogue everywhere "
        "and are marked *yours*. The file stays in this session; nothing is stored."
    )
    with st.expander("Upload a file", key="upload"):
        st.file_uploader("Quote file", type=["csv", "yaml", "yml", "txt"], key=KEY, max_upload_size=1, on_change=_read)
    download("Download a file to fill in", "quotes.csv", TEMPLATE_CSV.encode, "template")
    if st.session_state.get("quote_refusal"):
        st.error(words.markdown(st.session_state["quote_refusal"]))
    brought = state.quotes()
    if brought is not None:
        _say(brought)
        st.button("Take my prices away", on_click=_take_away)


def _read() -> None:
    """Read the file once, when it is chosen. A file that cannot be read leaves the quotes before it in place."""
    file = st.session_state[KEY]
    st.session_state["quote_refusal"] = None
    if file is None:
        return
    try:
        brought = parse_quotes(file.getvalue(), name=file.name, catalogue=state.live(), day=state.day())
        if brought.is_empty:
            raise QuoteError(_NOTHING.format(name=file.name, why=" ".join(map(str, brought.problems[:_SHOWN]))))
    except QuoteError as refusal:
        st.session_state["quote_refusal"] = unchanged(refusal)
        return
    state.use_quotes(brought)


_SHOWN = 5
_NOTHING = "{name} has no row that can be used. {why}"


def _take_away() -> None:
    state.use_quotes(None)
    st.session_state["quote_refusal"] = None


def _say(brought: Quotes) -> None:
    kept = (
        words.count(len(brought.offers), "price"),
        words.count(len(brought.discounts), "discount"),
        words.count(len(brought.hardware), "hardware quote"),
    )
    st.success(f"In use: {words.listed(kept)}.")
    if brought.problems:
        left_out = words.count(len(brought.problems), "problem")
        st.error(
            f"{left_out}; those rows are not used:\n\n"
            + "\n".join(f"- {words.markdown(str(p))}" for p in brought.problems)
        )
    if brought.questions:
        st.warning("In use, but look again:\n\n" + "\n".join(f"- {words.markdown(str(q))}" for q in brought.questions))
