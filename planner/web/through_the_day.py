"""When the work is wanted, by the name of a day: choosing one fills in its 24 hours, which the link then holds."""

import streamlit as st

from planner.scenario.latency import day_patterns, match_day_pattern
from planner.scenario.link import ALSO, extra_by_hour, extra_with_hours
from planner.scenario.question import TRAIN, TUNE, QuestionKind
from planner.web import address

KEY, EVEN, OWN = "through_the_day", "the same at any hour", "as entered"
_WAITING = "hours_of_the_day_waiting"


def ask() -> None:
    """A list of days. The link holds the hours; the name follows from them."""
    by_hour = extra_by_hour(address.text(ALSO))
    found = match_day_pattern(by_hour)
    st.session_state[KEY] = EVEN if not by_hour else OWN if found is None else found.name
    said = " ".join(f"**{one.name}**: {one.says}" for one in day_patterns().values())
    st.selectbox(
        "When is it wanted?",
        [EVEN, *day_patterns(), *([OWN] if st.session_state[KEY] == OWN else [])],
        key=KEY,
        on_change=_take,
        help=f"Hours that differ may make it best to own a base and rent the peaks. {said}",
    )


def _take() -> None:
    address.sync_from_widgets()
    chosen = st.session_state[KEY]
    if chosen != OWN:
        _put(() if chosen == EVEN else day_patterns()[chosen].by_hour)


def wait_for(question: QuestionKind) -> None:
    """A run comes when it comes: the hours of the day wait until the question is about a service or hours again."""
    by_hour = extra_by_hour(address.text(ALSO))
    if question in (TRAIN, TUNE):
        if by_hour:
            st.session_state[_WAITING] = by_hour
            _put(())
    elif (waiting := st.session_state.pop(_WAITING, None)) is not None:
        _put(waiting)


def forget() -> None:
    """Forget the hours of a day that wait: another plan is shown."""
    st.session_state.pop(_WAITING, None)


def _put(by_hour: tuple[float, ...]) -> None:
    address.put({ALSO: extra_with_hours(address.text(ALSO), by_hour)})
