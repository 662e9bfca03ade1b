"""Speed: how fast, and does it fit?"""

import streamlit as st

from planner.report import words
from planner.report.speed.finding import SpeedSummary, example_summary, no_model_summary, refused_summary, speed_summary
from planner.speed.scenario_jobs import ScenarioServing, ScenarioTraining
from planner.web import address, model_box, runs_box, show, show_speed, state, state_speed


def page() -> None:
    """The finding as title, its figures, and the views behind them; without a model, an example of them."""
    works = state_speed.works()
    if works:
        work = show_speed.which(works)
        _say(speed_summary(state.catalogue(), work, state_speed.cost(work)))
        show_speed.divisible_count_buttons(work)
        _views(work)
    elif not _otherwise() and (shown := state_speed.example()):
        _say(example_summary(speed_summary(state.catalogue(), shown[0], state_speed.cost(shown[0]))))
        show_speed.examples(show_speed.use_example_button)
        _views(shown[0])
    else:
        _no_example_page()
    model_box.model_upload()
    show_speed.uses()
    show.next_page("Compare", "Next: compare providers")


def _otherwise() -> bool:
    """Whether the question is about something else than hours: what has no tokens, or what cannot be worked out."""
    return bool(state_speed.problems()) or state_speed.otherwise() is not None


def _no_example_page() -> None:
    """Work that writes no tokens, or what is refused and why, with examples to start from."""
    problems = state_speed.problems()
    other = None if problems else state_speed.otherwise()
    _say(refused_summary(problems) if problems else other or no_model_summary())
    if other is None:
        show_speed.examples()
    else:
        show_speed.beside()
    show_speed.trust(None)
    st.header(YOUR_RUNS, anchor=False)
    runs_box.runs_upload()


def _say(said: SpeedSummary) -> None:
    st.title(words.markdown(said.title), anchor=False)
    st.markdown(words.markdown(" ".join(said.sentences)))
    if said.figures:
        show.figures(said.figures)


def _views(work: ScenarioTraining | ScenarioServing) -> None:
    """Only the open view is made: the others cost nothing until somebody looks."""
    address.choice("speed", VIEWS, VIEWS[0])
    for view, make in zip(
        st.tabs(VIEWS, key="speed", on_change="rerun"),
        (
            show_speed.front,
            show_speed.memory,
            show_speed.where,
            show_speed.layouts,
            show_speed.trust,
            runs_box.work_runs_view,
        ),
        strict=True,
    ):
        if view.open:
            with view:
                make(work)


YOUR_RUNS = "Your own runs"
VIEWS = ("Time against cost", "Memory", "Where the speed goes", "Layouts", "How far to trust it", YOUR_RUNS)
