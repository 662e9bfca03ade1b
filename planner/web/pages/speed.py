"""Speed: how fast, and does it fit?"""

import streamlit as st

from planner.report import words
from planner.report.speed.finding import (
    SpeedSummary,
    example_summary,
    measuring_how,
    no_model_summary,
    refused_summary,
    speed_summary,
)
from planner.web import show, show_speed, state, state_results, uploads
from planner.web.state_results import ModelWork

YOUR_RUNS = "Your own runs"
FRONT, MEMORY, LAYOUT, TRUST = VIEWS = ("Time against cost", "Memory", "Layout", "How far to trust it")
# Names of views in links of earlier releases; until December 2027.
FORMER = {"Where the speed goes": LAYOUT, "Layouts": LAYOUT, YOUR_RUNS: TRUST}


def page() -> None:
    """Show the finding as title, its figures, and the views behind them; without a model, an example of them."""
    works = state_results.works()
    if works:
        work = show_speed.choose_work(works)
        summary = speed_summary(state.catalogue(), work, state_results.cost(work), state.result().answer)
        _summary(summary)
        show_speed.divisible_count_buttons(work)
        _views(work, summary)
    elif not (state_results.problems() or state_results.other_work_summary()) and (examples := state_results.example()):
        summary = speed_summary(state.catalogue(), examples[0], state_results.cost(examples[0]))
        _summary(example_summary(summary))
        show_speed.examples(show_speed.use_example_button)
        _views(examples[0], summary)
    else:
        _without_model()
    uploads.model_upload()
    show_speed.gpu_guide()
    show.next_page("Compare", "Next: compare providers")


def _without_model() -> None:
    """Show work that writes no tokens, or why the work is refused, with examples to start from."""
    problems = state_results.problems()
    other = None if problems else state_results.other_work_summary()
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


def _views(work: ModelWork, summary: SpeedSummary) -> None:
    renderers = (
        lambda: show_speed.front(work),
        lambda: show_speed.memory(work),
        lambda: _layout(work, summary),
        lambda: _trust(work),
    )
    show.views("speed", VIEWS, renderers, former=FORMER)


def _layout(work: ModelWork, summary: SpeedSummary) -> None:
    """Show where the speed goes, the layout, and the evidence that both rest on."""
    if summary.more_figures:
        show.figures(summary.more_figures, "tiles-more")
    show.bullets(list(map(words.markdown, summary.details)))
    show_speed.time_breakdown(work)
    show_speed.layouts(work)


def _trust(work: ModelWork) -> None:
    show_speed.accuracy(work)
    st.header(YOUR_RUNS, anchor=False)
    if how := measuring_how(work):
        show.paragraph(how)
    uploads.runs_upload()
