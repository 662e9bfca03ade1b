"""The strip that stays in sight: the question as a sentence, each phrase opening its fields; below it the verdict."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planner.money.plan import Plan
from planner.report import words
from planner.report.answer.phrases import VERBS, echo, phrases
from planner.report.answer.verdict_line import VerdictSummary, last_edit_text, summarize_verdict
from planner.scenario.question import QuestionKind
from planner.web import address, questions, state, steps
from pricing import Catalogue


def sentence() -> AbstractContextManager[DeltaGenerator]:
    """The first line: phrases, and what one does with the whole plan."""
    return st.container(horizontal=True, vertical_alignment="center", key="sentence")


def work(examples: Callable[[], None]) -> QuestionKind:
    """The first phrase: what kind of work it is, and real cases to start from."""
    shown = questions.shown()
    with st.popover(VERBS[shown.name], key="phrase-work"):
        question = questions.ask()
        examples()
    return question


def rest(catalogue: Catalogue, question: QuestionKind, ask: Callable[[str], None]) -> None:
    """Every other phrase of the sentence with its fields behind it."""
    for one in phrases(catalogue, question, address.texts()):
        if one.before:
            st.markdown(one.before, width="content")
        with st.popover(words.markdown(one.says), key=f"phrase-{one.key}"):
            for name in one.names:
                ask(name)


def tell(place: DeltaGenerator, plan: Plan, question: QuestionKind, keys: tuple[str, ...]) -> None:
    """The second line: the verdict, what the last edit did to it, and what follows from the fields."""
    now = summarize_verdict(plan, state.reckoned().answer)
    steps.note(keys, now)
    line = f"{now.line[:1].upper()}{now.line[1:]}"
    said = [f"**{words.markdown(now.title)}** {words.markdown(line)}", words.markdown(_change(plan, now))]
    also = echo(plan, state.scenario(), question.name)
    quiet = f":small[:gray[{words.markdown(also)}]]" if also else ""
    place.markdown(" · ".join(one for one in (*said, quiet) if one))


def _change(plan: Plan, now: VerdictSummary) -> str:
    """What the last edit did. It stays there until the next one."""
    before = steps.before()
    if before is None or before.verdict is None:
        return ""
    return last_edit_text(plan.setting.catalogue, address.texts(), now, before.held, before.verdict)
