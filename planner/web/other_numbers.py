"""The view of the other numbers on the Answer page: reckoned when it is opened, its curve when that is."""

from datetime import date

import streamlit as st

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer.also import Also, also, also_table, curve_table
from planner.report.futures import future_charts
from planner.report.futures.input_words import saver
from planner.report.futures.what_turns import map_finding
from planner.study.uncertainty.futures import Futures
from planner.web import show, state


@st.cache_resource(show_spinner=False, max_entries=64)
def _also(digest: str, asked: str, day: date, _plan: Plan, _found: Answer, _drawn: Futures | None) -> Also | None:
    return also(_plan, _found, _drawn)


def others(plan: Plan, found: Answer, drawn: Futures | None) -> None:
    """What every plan also tells: sentences, a table, and the break-even over use and years."""
    setting = plan.setting
    asked = setting.written.model_dump_json(exclude_defaults=True)
    told = _also(setting.catalogue.digest, asked, setting.day, plan, found, drawn)
    if told is None:
        return
    st.markdown(words.markdown(" ".join(told.sentences)))
    table = also_table(told)
    show.small_table(table)
    show.csv_button(table, "other-numbers.csv", "csv-also")
    if found.pair is not None:
        with show.table_on_demand("also-curve", "Break-even over use and years") as is_open:
            if is_open:
                _curve(told, found)


def _curve(told: Also, found: Answer) -> None:
    if told.map is None or found.pair is None:
        st.markdown("There is no work in this plan, so no use of it to look at.")
        return
    ways = (found.pair[0].option.way, found.pair[1].option.way)
    show.chart(
        future_charts.break_even_map(told.map, state.dark(), ways), map_finding(told.map, saver(ways[0])), "also-map"
    )
    table = curve_table(told)
    if len(table):
        show.frame_of(
            table, hide_index=True, placeholder="–", column_config={table.columns[2]: show.SHARE}, alt="Use and years"
        )
        show.csv_button(table, "use-and-years.csv", "csv-also-curve")
