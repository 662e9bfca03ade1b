"""Answer: what should we do?"""

from collections.abc import Callable
from functools import partial

import streamlit as st

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.plan_report import price_update_text, summarize_verdict
from planner.report.answer.sentences import AnswerSummary, not_counted
from planner.report.answer.tables import BUDGET_PAYS, budget_table, discounted_ledgers, medians_beside
from planner.study.uncertainty.futures import Futures
from planner.web import frame, kept_plans, show, show_answer, show_ledger, state, workers
from planner.web.state import PlanResult

# The page that comes next: of a plan that names a model, and of hours.
_SPEED, _COMPARE = ("Speed", "How fast it runs"), ("Compare", "Compare providers")
WHY, SURE, PAYBACK, OPTIONS, MIX = "Why", "How sure", "Payback", "Every option", "Best mix"
VIEWS = (OPTIONS, WHY, SURE, PAYBACK, MIX)  # a plan has those with news for it
# Names of views in links of earlier releases; until December 2027.
FORMER = {
    "When it pays back": PAYBACK, "Pays back": PAYBACK, "Cash by year": PAYBACK, "Orders": PAYBACK,
    "How sure is this?": SURE, "What would turn it": SURE, "What the money goes into": WHY,
    "Every way": OPTIONS, "In other numbers": OPTIONS,
}  # fmt: skip


def page() -> None:
    """Show the verdict, its doubt, its figures and every option as a bar; behind tabs, all that supports it."""
    result = state.result()
    plan, answer, summary = result.plan, result.answer, result.summary
    _title_row(plan, answer, summary.title)
    if result.doubt:
        show.paragraph(result.doubt)
    if summary.figures:
        show.figures(summary.figures)
    update = st.empty()
    _late_plan()
    show_answer.advice(result)
    if answer.ranked:
        _views(result)
    else:
        show.paragraph(*summary.sentences)
    show_answer.advice_details(result)
    show_answer.unavailable_options(plan)
    following = _SPEED if any(work.train or work.serve for work in plan.setting.written.work) else _COMPARE
    show.next_page(following[0], f"Next: {following[1][:1].lower()}{following[1][1:]}")
    latest = state.result_at_todays_prices()  # of the plan of an older link, when all else is shown
    if latest is not None:
        text = price_update_text(summarize_verdict(plan, answer), summarize_verdict(latest.plan, latest.answer))
        with update.container():
            st.info(words.markdown(text))
            kept_plans.changes()


def _title_row(plan: Plan, answer: Answer, title: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="head"):
        st.title(words.markdown(title), anchor=False, width="content")
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            show_answer.autochoose_button(plan)
            if answer.ranked:
                show_ledger.explain_button(lambda: discounted_ledgers(plan, answer), medians_beside(answer))
            frame.popover(plan, answer)


def _late_plan() -> None:
    """Show the numbers of a plan that is late, marked as such, so that the cost of the deadline can be seen."""
    late = show_answer.late()
    if late is None or not late.summary.figures:
        return
    with st.container(key="late"):
        show_answer.late_notice()
        show.figures(late.summary.figures, "tiles-late")
        with show.on_demand("late-ways", "All options of the late plan") as is_open:
            if is_open:
                show_answer.options(late)


def _views(result: PlanResult) -> None:
    """Show the tabs that have news for this plan, in the order in which people ask."""
    views = views_of(result)
    show.views("look", tuple(views), tuple(views.values()), former=FORMER)


def views_of(result: PlanResult) -> dict[str, Callable[[], None]]:
    """Return the tabs that have news for this plan, with what shows each."""
    plan, answer, summary = result.plan, result.answer, result.summary
    views: dict[str, Callable[[], None]] = {
        OPTIONS: lambda: show_answer.every_option(result),
        WHY: lambda: _why(plan, answer, summary),
    }
    if len(answer.ranked) > 1:
        views[SURE] = lambda: _sure(plan, answer, summary, result.futures)
        views[PAYBACK] = partial(_with_sources, "cumulative", lambda: show_answer.payback(answer))
    if any(WAYS[each.option.way].side == "mix" for each in answer.ranked):
        views[MIX] = partial(_with_sources, "mix", lambda: show_answer.mix(plan))
    return views


def _why(plan: Plan, answer: Answer, summary: AnswerSummary) -> None:
    show.bullets([words.markdown(sentence) for sentence in summary.sentences])
    if plan.setting.terms.budget_usd is not None and not any(work.has_task for work in plan.setting.written.work):
        pays = partial(workers.run_in_worker, budget_table, answer)
        show.table("budget-pays", BUDGET_PAYS, pays, show.from_column(2, show.MONEY), "budget.csv", alt=BUDGET_PAYS)
    _with_sources("parts", lambda: show_answer.parts(discounted_ledgers(plan, answer)))
    show.small(words.markdown(f"Not included: {not_counted(plan)}."))


def _sure(plan: Plan, answer: Answer, summary: AnswerSummary, futures: Futures | None) -> None:
    """Show the simulated futures, and the values of single inputs at which the answer turns."""
    _with_sources("sure", lambda: show_answer.confidence(answer, futures))
    show_answer.turning(plan, answer, summary.turns)


def _with_sources(key: str, render: Callable[[], None]) -> None:
    render()
    show_ledger.below(key, show_ledger.plan_ledgers)
