"""Answer: what should we do?"""

from collections.abc import Callable
from functools import partial

import streamlit as st

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer.sentences import AnswerSummary, not_counted
from planner.report.answer.tables import discounted_ledgers, medians_beside
from planner.report.answer.verdict_line import price_update_text, summarize_verdict
from planner.study.uncertainty.futures import Futures
from planner.web import share, show, show_answer, show_ledger, state

# The page that comes next: of a plan that names a model, and of hours.
_SPEED, _COMPARE = ("Speed", "How fast it runs"), ("Compare", "Compare providers")
VIEWS = (
    "When it pays back", "How sure is this?", "Every way", "What the money goes into", "What would turn it",
    "Cash by year", "Best mix", "Orders", "Buy now or wait", "In other numbers",
)  # fmt: skip


def page() -> None:
    """Show the verdict as title, both totals, what would change it, and the views behind it."""
    result = state.result()
    plan, answer, summary = result.plan, result.answer, result.summary
    following = _SPEED if any(work.train or work.serve for work in plan.setting.written.work) else _COMPARE
    _title_row(plan, answer, summary.title, following)
    if summary.figures:
        show.figures(summary.figures)
    show.paragraph(*summary.sentences)
    update = st.empty()
    _late_plan()
    show_answer.advice(result)
    if answer.ranked:
        _views(plan, answer, summary, result.futures)
    show.small(words.markdown(f"Not included: {not_counted(plan)}. This is an estimate, not financial advice."))
    show_answer.advice_details(result)
    show_answer.profit_and_loss(answer)
    show_answer.unavailable_options(plan)
    show.next_page(following[0], f"Next: {following[1][:1].lower()}{following[1][1:]}")
    latest = state.result_at_todays_prices()  # of the plan of an older link, when all else is shown
    if latest is not None:
        text = price_update_text(summarize_verdict(plan, answer), summarize_verdict(latest.plan, latest.answer))
        update.info(words.markdown(text))


def _title_row(plan: Plan, answer: Answer, title: str, following: tuple[str, str]) -> None:
    """Show the verdict, and what can be done with it."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="head"):
        st.title(words.markdown(title), anchor=False, width="content")
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            show_answer.autochoose_button(plan)
            if answer.ranked:
                show_ledger.explain_button(lambda: discounted_ledgers(plan, answer), medians_beside(answer))
            share.popover(plan, answer)
            show.next_page(*following)


def _late_plan() -> None:
    """Show the numbers of a plan that is late, marked as such, so that the cost of the deadline can be seen."""
    late = show_answer.late()
    if late is None or not late.summary.figures:
        return
    with st.container(key="late"):
        show_answer.late_notice()
        show.figures(late.summary.figures)
        with show.on_demand("late-ways", "All options of the late plan") as is_open:
            if is_open:
                show_answer.options(late.answer)


def _views(plan: Plan, answer: Answer, summary: AnswerSummary, futures: Futures | None) -> None:
    renderers = (
        partial(_with_sources, "cumulative", lambda: show_answer.payback(answer)),
        partial(_with_sources, "sure", lambda: show_answer.confidence(answer, futures)),
        lambda: show_answer.options(answer),
        partial(_with_sources, "parts", lambda: show_answer.parts(discounted_ledgers(plan, answer))),
        lambda: show_answer.turning(plan, answer, summary.turns),
        lambda: show_answer.cash(answer.ranked),
        partial(_with_sources, "mix", lambda: show_answer.mix(plan, answer)),
        partial(_with_sources, "orders", lambda: show_answer.orders(answer)),
        partial(_with_sources, "waiting", lambda: show_answer.buy_or_wait(plan)),
        lambda: show_answer.other_measures(plan, answer, futures),
    )
    show.views("look", VIEWS, renderers)


def _with_sources(key: str, render: Callable[[], None]) -> None:
    """Show a view, and below it the sources of its chart."""
    render()
    show_ledger.below(key, show_ledger.plan_ledgers)
