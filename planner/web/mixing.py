"""Views of what is bought: the best mix, the orders, and buying now or later. Reckoned when they are opened."""

from datetime import date

import streamlit as st

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import mix_charts, words
from planner.report.charts import fleet_chart
from planner.report.fleet import USD_FETCHED, USD_PAID, fleet_timeline
from planner.report.futures.counted import buy_or_wait_sentences, buy_or_wait_summary, buy_or_wait_table
from planner.report.mix_words import (
    COST,
    MORE,
    base_size_summary,
    base_size_table,
    layers_table,
    load_summary,
    load_table,
    mix_sentences,
    tried_sentences,
    tried_table,
)
from planner.study.buy_or_wait import BuyOrWaitFutures, BuyOrWaitUnavailable, Waiting, buy_or_wait_futures, waiting
from planner.study.mix.best_mix import BestMix, MixUnavailable, best_mix
from planner.study.mix.search import PricedExample, priced_examples
from planner.web import show, state


@st.cache_resource(show_spinner=False, max_entries=64)
def _best(digest: str, asked: str, day: date, _plan: Plan) -> BestMix | MixUnavailable:
    return best_mix(_plan)


@st.cache_resource(show_spinner=False, max_entries=64)
def _tried(digest: str, asked: str, day: date, _plan: Plan) -> tuple[PricedExample, ...]:
    return priced_examples(_plan)


@st.cache_resource(show_spinner=False, max_entries=64)
def _waited(
    digest: str, asked: str, day: date, _plan: Plan
) -> tuple[Waiting | BuyOrWaitUnavailable, BuyOrWaitFutures | None]:
    found = waiting(_plan)
    return found, None if isinstance(found, BuyOrWaitUnavailable) else buy_or_wait_futures(found)


def _who(plan: Plan) -> tuple[str, str, date]:
    return plan.setting.catalogue.digest, plan.setting.written.model_dump_json(exclude_defaults=True), plan.setting.day


def best(plan: Plan, answer: Answer) -> None:
    """How much to own, to reserve and to rent, and why; where there is no mix, what was tried."""
    found = _best(*_who(plan), plan)
    if isinstance(found, MixUnavailable):
        _without(plan, answer, found)
        return
    st.markdown(words.markdown(" ".join(mix_sentences(found))))
    left, right = st.columns(2, gap="large")
    with left:
        show.chart(mix_charts.load_chart(found, state.dark()), load_summary(found), "load-curve")
    with right:
        show.chart(mix_charts.base_size_chart(found, state.dark()), base_size_summary(found), "base-curve")
    layers = layers_table(found)
    show.show_table(layers)
    with st.expander("Show these charts as tables", key="mix-tables", on_change="rerun") as box:
        if box.open:
            curve = base_size_table(found)
            show.show_dataframe(
                curve,
                hide_index=True,
                column_config={curve.columns[1]: show.MONEY, curve.columns[2]: show.SHARE},
                alt=base_size_summary(found),
            )
            show.csv_button(curve, "base.csv", "csv-base")
            busy = load_table(found)
            columns = {"Busy": show.SHARE, "Hours": show.MONEY}
            show.show_dataframe(busy, hide_index=True, column_config=columns, alt="Hours by how many are busy")
            show.csv_button(busy, "load.csv", "csv-load")


def _without(plan: Plan, answer: Answer, found: MixUnavailable) -> None:
    """Why there is no mix, and by how much each that was tried costs more."""
    others = _tried(*_who(plan), plan)
    said = (*mix_sentences(found), *tried_sentences(answer, others))
    st.markdown(words.markdown(" ".join(said)))
    if answer.ranked:
        table = tried_table(answer, others)
        columns = {COST: show.MONEY, MORE: show.SHARE}
        show.show_dataframe(table, hide_index=True, column_config=columns, alt=" ".join(said))
        show.csv_button(table, "mixes-tried.csv", "csv-tried")


def fleet(found: Answer) -> None:
    """The orders of what is bought, as steps under what the work wants."""
    told = fleet_timeline(found)
    if told is None:
        st.markdown("Nothing is bought here, so there is nothing to order.")
        return
    show.chart(fleet_chart(told, state.dark()), told.finding, "orders")
    table = told.rows
    columns = dict.fromkeys((USD_PAID, USD_FETCHED), show.MONEY)
    show.show_dataframe(table, hide_index=True, column_config=columns, alt="Orders, the first first")
    show.csv_button(table, "orders.csv", "csv-orders")


def later(plan: Plan) -> None:
    """What the plan costs when the order is put off."""
    found, drawn = _waited(*_who(plan), plan)
    st.markdown(words.markdown(" ".join(buy_or_wait_sentences(found, drawn))))
    if isinstance(found, BuyOrWaitUnavailable):
        return
    show.chart(mix_charts.buy_or_wait_chart(found, state.dark(), drawn), buy_or_wait_summary(found), "waiting-curve")
    with st.expander("Show this chart as a table", key="waiting-table", on_change="rerun") as box:
        if box.open:
            table = buy_or_wait_table(found, drawn)
            columns = {name: show.MONEY if name.endswith("USD") else show.OF_100 for name in table.columns[1:]}
            show.show_dataframe(table, hide_index=True, column_config=columns, alt=buy_or_wait_summary(found))
            show.csv_button(table, "waiting.csv", "csv-waiting")
