"""What if: what would change this?"""

import streamlit as st

from planner.report import words
from planner.report.what_if import headline, no_comparison_summary, tornado_sentences
from planner.web import address, mixing, show, show_what_if, state, state_what_if


def page() -> None:
    """What matters most as title, what it takes to turn the answer, and four views of it."""
    judged = state_what_if.judged()
    missing = no_comparison_summary(judged)
    if missing is None:
        bars = state_what_if.bars()
        st.title(words.markdown(headline(judged.answer, bars)), anchor=False)
        st.markdown(words.markdown(" ".join(tornado_sentences(judged.answer, bars))))
        _views()
    else:
        st.title(words.markdown(missing.title), anchor=False)
        st.markdown(words.markdown(" ".join(missing.sentences)))
        show.next_page("Answer", "Back to the answer")
    show.next_page("Assumptions", "Next: where every number is from")


def _views() -> None:
    """Only the open view is made: the others cost nothing until somebody looks."""
    address.choice("turn", VIEWS, VIEWS[0])
    for view, make in zip(
        st.tabs(VIEWS, key="turn", on_change="rerun"),
        (show_what_if.moves, show_what_if.wins, show_what_if.tries, lambda: mixing.later(state.reckoned().plan)),
        strict=True,
    ):
        if view.open:
            with view:
                make()


VIEWS = ("What moves the answer", "Where buying wins", "Try it", "Buy now or wait")
