"""How sure is this? Fifty futures as dots, every way in all of them, and what they are drawn from."""

from __future__ import annotations

import streamlit as st

from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.futures.counted import futures_table, inputs_table, saving_finding
from planner.study.uncertainty.futures import Futures
from planner.web import show, state

_SHARES = {"Cheapest, of 100 futures": show.OF_100}


def view(found: Answer, drawn: Futures | None) -> None:
    """Fifty dots, each two of a hundred futures; every way in all of them; what is drawn."""
    figure = state.sure()
    if figure is None or drawn is None:
        st.markdown("There are no two ways to compare, so there is nothing to be sure of.")
        return
    finding = saving_finding(found, drawn)
    st.markdown(words.markdown(finding))
    show.chart(figure, finding, "sure")
    table = futures_table(found, drawn)
    st.dataframe(table, hide_index=True, column_config=dict.fromkeys(table.columns[2:], show.MONEY) | _SHARES)
    show.csv_button(table, "futures.csv", "csv-futures")
    with show.table_on_demand("futures-inputs", "What is drawn, from which range, and who says so") as is_open:
        if is_open:
            inputs = inputs_table(drawn)
            st.dataframe(inputs, hide_index=True)
            show.csv_button(inputs, "futures-inputs.csv", "csv-futures-inputs")
