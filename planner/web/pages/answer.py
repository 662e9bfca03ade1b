"""Answer: what should we do?"""

from __future__ import annotations

import streamlit as st

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer.sentences import AnswerWords, not_counted
from planner.study.uncertainty.futures import Futures
from planner.web import address, advice, mixing, share, show, state, sure


def page() -> None:
    """The verdict as title, both totals, what would turn it, and the picture of why."""
    reckoned = state.reckoned()
    plan, found = reckoned.plan, reckoned.answer
    said, after = reckoned.told, NAMED if _names_model(plan) else HOURS
    st.title(words.markdown(said.title), anchor=False)
    st.markdown(words.markdown(" ".join(said.sentences)))
    if said.figures:
        show.figures(said.figures)
    with st.container(horizontal=True, vertical_alignment="center"):
        advice.offer_to_choose(plan)
        show.explain_button(found.ranked)
        share.popover(plan, found)
        show.next_page(*after)
    advice.say(reckoned)
    show.small(words.markdown(f"Not counted: {not_counted(plan)}. Plans, not advice."))
    if found.ranked:
        _views(plan, found, said, reckoned.futures)
    advice.absent(plan)
    show.next_page(after[0], f"Next: {after[1][:1].lower()}{after[1][1:]}")


# The page that comes next, where a model is named and where hours are.
NAMED, HOURS = ("Speed", "How fast it runs"), ("Compare", "Compare providers")


def _names_model(plan: Plan) -> bool:
    """Whether the work is told by a model, so that there is a speed to look at."""
    return any(work.train or work.serve for work in plan.setting.written.work)


def _views(plan: Plan, found: Answer, said: AnswerWords, drawn: Futures | None) -> None:
    """The picture of why, and what is behind it. Only the open view is made: the others cost nothing until then."""
    address.choice("look", VIEWS, VIEWS[0])
    for view, make in zip(
        st.tabs(VIEWS, key="look", on_change="rerun"),
        (
            lambda: show.cumulative(found, said.title),
            lambda: sure.view(found, drawn),
            lambda: show.options(found),
            lambda: show.parts([way.option.ledger for way in found.ranked]),
            lambda: show.turning(plan, found, said.turns),
            lambda: show.cash(found.ranked),
            lambda: mixing.best(plan),
            lambda: mixing.later(plan),
        ),
        strict=True,
    ):
        if view.open:
            with view:
                make()


VIEWS = (
    "When it pays back", "How sure is this?", "Every way", "What the money goes into", "What would turn it",
    "Cash by year", "Best mix", "Buy now or wait",
)  # fmt: skip
