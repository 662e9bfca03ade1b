"""What the plan warns of and what it would look at next: the fleet's size, lines without a price, ways left out."""

from collections.abc import Iterable

import streamlit as st

from planner.money.plan import Plan
from planner.report import words
from planner.report.answer.advice import absent_lines
from planner.report.answer.old_figure_words import HEAD
from planner.scenario.presets import PresetSource, presets
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.web import ask, show
from planner.web.state import Reckoned


def say(reckoned: Reckoned) -> None:
    """What stands out in this plan: slips of the hand, warnings."""
    for line in reckoned.advice:
        st.info(words.markdown(line), icon=":material/lightbulb:")


def more(reckoned: Reckoned) -> None:
    """What is behind it: the size of the fleet, old figures, what a preset assumes."""
    table = reckoned.sizes
    if table is not None:
        with st.expander("What another number of GPUs would do", key="sizes"):
            show.small_table(table)
            show.csv_button(table, "sizes.csv", "csv-sizes")
    if reckoned.old_figures:
        with st.expander(HEAD, key="old-figures"):
            _list(reckoned.old_figures)
    started = next((one for one in presets() if one.scenario == reckoned.plan.setting.written), None)
    if started is not None:
        with st.expander("What this example takes for granted", key="granted"):
            _list((started.what, *started.says, started.illustrated), started.sources)


def offer_to_choose(plan: Plan) -> None:
    """Where a model cannot be trained as asked, a button that looks for what can train it."""
    asked, written = plan.setting.asked, plan.setting.written
    if asked is not None and asked.problems and any(work.train for work in written.work):
        st.button(_CHOOSE, icon=":material/search:", on_click=ask.use, args=(left_open(written),), key="choose-for-me")


_CHOOSE = "Choose the GPU and how many for me"


def left_open(written: Scenario) -> Scenario:
    """The scenario with its accelerator left to be chosen, and the number too where a model is trained."""
    works = [
        work
        if work.train is None
        else work.model_copy(update={"train": work.train.model_copy(update={"choose_count": True})})
        for work in written.work
    ]
    return written.model_copy(update={"accelerator": ANY_ACCELERATOR, "work": tuple(works)})


def absent(plan: Plan) -> None:
    """The ways that were not reckoned, with what they would need."""
    lines = absent_lines(plan)
    if lines:
        with st.expander(f"{words.count(len(plan.absent), 'way')} not reckoned, and why", key="absent"):
            _list(lines)


def _list(lines: Iterable[str], sources: Iterable[PresetSource] = ()) -> None:
    every = [words.markdown(line) for line in lines]
    every += [f"{words.markdown(one.sentence)}{show.link(one.url)}" for one in sources]
    st.markdown("\n".join(f"- {line}" for line in every))
