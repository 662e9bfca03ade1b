"""Speed: how fast, and does it fit?"""

import streamlit as st

from planner.report.speed.finding import SpeedSummary, example_summary, no_model_summary, refused_summary, speed_summary
from planner.web import show, show_speed, state, state_speed, uploads
from planner.web.state_speed import ModelWork

YOUR_RUNS = "Your own runs"
VIEWS = ("Time against cost", "Memory", "Where the speed goes", "Layouts", "How far to trust it", YOUR_RUNS)


def page() -> None:
    """Show the finding as title, its figures, and the views behind them; without a model, an example of them."""
    works = state_speed.works()
    if works:
        work = show_speed.choose_work(works)
        _summary(speed_summary(state.catalogue(), work, state_speed.cost(work), state.result().answer))
        show_speed.divisible_count_buttons(work)
        _views(work)
    elif not (state_speed.problems() or state_speed.other_work_summary()) and (examples := state_speed.example()):
        _summary(example_summary(speed_summary(state.catalogue(), examples[0], state_speed.cost(examples[0]))))
        show_speed.examples(show_speed.use_example_button)
        _views(examples[0])
    else:
        _without_model()
    uploads.model_upload()
    show_speed.gpu_guide()
    show.next_page("Compare", "Next: compare providers")


def _without_model() -> None:
    """Show work that writes no tokens, or why the work is refused, with examples to start from."""
    problems = state_speed.problems()
    other = None if problems else state_speed.other_work_summary()
    _summary(refused_summary(problems) if problems else other or no_model_summary())
    if other is None:
        show_speed.examples()
    else:
        show_speed.other_work()
    show_speed.accuracy(None)
    st.header(YOUR_RUNS, anchor=False)
    uploads.runs_upload()


def _summary(summary: SpeedSummary) -> None:
    show.title(summary.title, summary.sentences)
    if summary.figures:
        show.figures(summary.figures)


def _views(work: ModelWork) -> None:
    renderers = (
        show_speed.front,
        show_speed.memory,
        show_speed.time_breakdown,
        show_speed.layouts,
        show_speed.accuracy,
        uploads.runs_upload,
    )
    show.views("speed", VIEWS, renderers, work)
