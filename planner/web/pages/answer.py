"""Answer: what should we do?"""

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer.sentences import AnswerSummary, not_counted
from planner.report.answer.tables import discounted_ledgers
from planner.report.answer.verdict_line import price_update_text, summarize_verdict
from planner.report.futures.counted import futures_table, inputs_table, saving_summary
from planner.study.uncertainty.futures import Futures
from planner.web import address, mixing, share, show, show_ledger, show_plan, state


def page() -> None:
    """The verdict as title, both totals, what would turn it, and the picture of why."""
    reckoned = state.reckoned()
    plan, found = reckoned.plan, reckoned.answer
    said, after = reckoned.summary, NAMED if _names_model(plan) else HOURS
    _head(plan, found, said, after)
    if said.figures:
        show.figures(said.figures)
    st.markdown(words.markdown(" ".join(said.sentences)))
    place = st.empty()
    _late()
    show_plan.say(reckoned)
    if found.ranked:
        _views(plan, found, said, reckoned.futures)
    show.small(words.markdown(f"Not counted: {not_counted(plan)}. Plans, not advice."))
    show_plan.more(reckoned)
    show_plan.box(found)
    show_plan.absent(plan)
    show.next_page(after[0], f"Next: {after[1][:1].lower()}{after[1][1:]}")
    _today(place, plan, found)


def _today(place: DeltaGenerator, plan: Plan, found: Answer) -> None:
    """What today's prices change in the plan of an older link; reckoned when all else is shown."""
    other = state.result_at_todays_prices()
    if other is not None:
        place.info(
            words.markdown(
                price_update_text(summarize_verdict(plan, found), summarize_verdict(other.plan, other.answer))
            )
        )


def _head(plan: Plan, found: Answer, said: AnswerSummary, after: tuple[str, str]) -> None:
    """The verdict, and what can be done with it."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="head"):
        st.title(words.markdown(said.title), anchor=False, width="content")
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            show_plan.show_autochoose_button(plan)
            if found.ranked:
                show_ledger.explain_button(lambda: discounted_ledgers(plan, found))
            share.popover(plan, found)
            show.next_page(*after)


def _late() -> None:
    """The numbers of a plan that is late, marked as such: nobody has to guess what its deadline costs."""
    late = show.late()
    if late is None or not late.summary.figures:
        return
    with st.container(key="late"):
        show.late_notice()
        show.figures(late.summary.figures)
        with show.table_on_demand("late-ways", "Every way, as late as this") as is_open:
            if is_open:
                show.options(late.answer)


# The page that comes next, where a model is named and where hours are.
NAMED, HOURS = ("Speed", "How fast it runs"), ("Compare", "Compare providers")


def _names_model(plan: Plan) -> bool:
    """Whether the work is told by a model, so that there is a speed to look at."""
    return any(work.train or work.serve for work in plan.setting.written.work)


def _views(plan: Plan, found: Answer, said: AnswerSummary, drawn: Futures | None) -> None:
    """The picture of why, and what is behind it. Only the open view is made: the others cost nothing until then."""
    address.choice("look", VIEWS, VIEWS[0])
    for view, make in zip(
        st.tabs(VIEWS, key="look", on_change="rerun"),
        (
            lambda: _with_sources("cumulative", lambda: show.cumulative(found)),
            lambda: _with_sources("sure", lambda: _sure(found, drawn)),
            lambda: show.options(found),
            lambda: _with_sources("parts", lambda: show.parts(discounted_ledgers(plan, found))),
            lambda: show.turning(plan, found, said.turns),
            lambda: show.cash(found.ranked),
            lambda: _with_sources("mix", lambda: mixing.best(plan, found)),
            lambda: _with_sources("orders", lambda: mixing.fleet(found)),
            lambda: _with_sources("waiting", lambda: mixing.later(plan)),
            lambda: show_plan.others(plan, found, drawn),
        ),
        strict=True,
    ):
        if view.open:
            with view:
                make()


VIEWS = (
    "When it pays back", "How sure is this?", "Every way", "What the money goes into", "What would turn it",
    "Cash by year", "Best mix", "Orders", "Buy now or wait", "In other numbers",
)  # fmt: skip


def _with_sources(key: str, make: Callable[[], None]) -> None:
    """A view, and below it what its chart rests on."""
    make()
    show_ledger.below(key, show_ledger.plan_ledgers)


def _sure(found: Answer, drawn: Futures | None) -> None:
    """Fifty dots, each two of a hundred futures; every way in all of them; what is drawn."""
    figure = state.sure()
    if figure is None or drawn is None:
        st.markdown("There are no two ways to compare, so there is nothing to be sure of.")
        return
    finding = saving_summary(found, drawn)
    st.markdown(words.markdown(finding))
    show.chart(figure, finding, "sure")
    table = futures_table(found, drawn)
    columns = dict.fromkeys(table.columns[2:], show.MONEY) | _OF_FUTURES
    show.show_dataframe(table, hide_index=True, column_config=columns, alt=finding)
    show.csv_button(table, "futures.csv", "csv-futures")
    with show.table_on_demand("futures-inputs", "What is drawn, from which range, and who says so") as is_open:
        if is_open:
            inputs = inputs_table(drawn)
            show.show_dataframe(inputs, hide_index=True, alt="What is drawn, from which range, and who says so")
            show.csv_button(inputs, "futures-inputs.csv", "csv-futures-inputs")


_OF_FUTURES = {"Cheapest, of 100 futures": show.OF_100}
