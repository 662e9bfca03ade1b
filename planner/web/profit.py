"""Profit and loss on the Answer page, folded, for who sells idle hours."""

import streamlit as st

from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer.profit_words import break_even_sentences, profit_csv, profit_table, told_way
from planner.web import show


def box(found: Answer) -> None:
    """The table of the way that is told, and where it breaks even; nothing where no hours are sold."""
    way = told_way(found)
    if way is None:
        return
    with show.table_on_demand("profit-and-loss", f"Profit and loss: {way.option.title}") as is_open:
        table = profit_table(found.plan, way) if is_open else None
        if table is not None:
            st.markdown(words.markdown(" ".join(break_even_sentences(found.plan, way))))
            show.frame_of(
                table, hide_index=True, column_config=dict.fromkeys(table.columns[1:], show.MONEY), alt="Profit by year"
            )
            show.csv_button(profit_csv(found), "profit-and-loss.csv", "csv-profit")
