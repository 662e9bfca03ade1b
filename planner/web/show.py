"""Results onto the screen: charts with their finding as text, tables with their units, ledgers that open."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from planner.money.ledger import Ledger
from planner.money.plan import Plan
from planner.money.renting.bill import TODAY, Money
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.report import words
from planner.report.answer import feasibility
from planner.report.answer.payback_chart import charted_options
from planner.report.answer.side_by_side import pinned_tile_values
from planner.report.answer.tables import (  # fmt: skip
    break_even_table,
    cash_table,
    lines_table,
    options_table,
    parts_table,
    rent_change_table,
    timing_convention_table,
)
from planner.report.files.csv import to_csv
from planner.report.market.prices import history_table, value_for_money_table
from planner.report.table import Table
from planner.report.words import Tile
from planner.study.measures import MEASURES
from planner.web import address, paper, state
from planner.web.download import download
from pricing import Catalogue

_CHART = {"displayModeBar": False, "scrollZoom": False}


def chart(figure: go.Figure, finding: str, key: str) -> None:
    """A chart, with its finding for those who cannot see it."""
    st.plotly_chart(figure, config=_CHART, alt=finding, key=key)


WHOLE = "whole"  # in the address: whole=1


def show_dataframe(data: Any, **how: Any) -> None:
    """A table of many rows, of which ten are seen and the rest is reached by pushing; for print, the whole of it."""
    if address.text(WHOLE) in ("1", "true"):
        paper.whole(data, **how)
    else:
        st.dataframe(data, **how)


def csv_button(table: Table, name: str, key: str) -> None:
    """The table above as CSV, made when it is asked for."""
    download("Download this table (CSV)", name, lambda: to_csv(table), key)


def show_table(table: Table) -> None:
    """A small table, its first column as the heads of its rows. What stands in it is text, never markup."""
    shown = Table({words.markdown(name): [_text(cell) for cell in table[name]] for name in table.columns})
    st.table(shown.to_pandas().set_index(shown.columns[0]))


def _text(cell: Any) -> Any:
    return words.markdown(cell) if isinstance(cell, str) else cell


def next_page(title: str, label: str) -> None:
    """A link to another page, inside the page: on a phone the navigation is folded away."""
    st.page_link(state.pages()[title], label=label, icon=":material/arrow_forward:")


def small(text: str) -> None:
    """A quiet line that still has the contrast to be read."""
    st.markdown(f":small[:gray[{text}]]")


def link(url: str) -> str:
    """A link to a source behind a sentence; nothing where it is a page of ours."""
    return f" [Open the source]({url})" if url.startswith("http") else ""


SHARE = st.column_config.NumberColumn(format="percent")
OPEN = st.column_config.LinkColumn(display_text="open")
OF_100 = st.column_config.NumberColumn(format="%.3g")  # 72, and 99.9 where it is not quite all
MONEY = st.column_config.NumberColumn(format="%,.0f")  # the head says USD; a sign before a dollar mark reads badly
_HOURLY = st.column_config.NumberColumn(format="$%,.2f")


def _option_columns() -> dict[str, Any]:
    """How the page shows each column of the table of options."""
    columns: dict[str, Any] = {"Way": st.column_config.TextColumn(width=180)}
    for one in (one for one in MEASURES if one.label):
        shown = st.column_config.NumberColumn(one.heading or None, format=one.format, help=one.help or None)
        labels = [f"{unit} {one.label}" for unit in ("kg", "t")] if one.unit == "kg" else [one.label]
        columns |= dict.fromkeys(labels, shown)
    return columns


OPTION_COLUMNS = _option_columns()


@contextmanager
def table_on_demand(key: str, label: str = "Show as a table") -> Iterator[bool]:
    """'Show as a table', which is made only when it is opened."""
    box = st.expander(label, key=key, on_change="rerun")
    with box:
        yield bool(box.open)


def figures(tiles: Sequence[Tile]) -> None:
    """A few figures with their ranges in one row, two by two on a phone."""
    with st.grid(max(4, len(tiles)), min_column_width=150):
        for one in tiles:
            _figure(one, pinned_tile_values(one, state.pinned()))


def _figure(one: Tile, beside: Sequence[str]) -> None:
    """One figure; in pinned plans too, where there are any."""
    with st.container(border=True, height="stretch", gap=None) if beside else nullcontext():
        st.metric(
            words.markdown(one.label),
            one.value,
            words.markdown(one.range),
            delta_color="off",
            delta_arrow="off",
            border=not beside,
            height="content" if beside else "stretch",
            help=words.markdown(one.detail),
        )
        if beside:
            small(words.markdown(" · ".join(beside)))


def cumulative(found: Answer) -> None:
    """When it pays back, as a picture: the two ways that are compared with their ranges, or every one."""
    finding, all_ways = state.cached_payback_summary(found), len(found.ranked)
    every = False
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words.markdown(finding), width="stretch")
        if all_ways > len(charted_options(found, every=False)):
            address.switch("every_way")
            every = st.toggle(f"Show all {all_ways} ways", key="every_way")
    chart(state.payback(every=every), f"{finding} {_ranking(found)}.", "cumulative")


def late() -> state.PlanResult | None:
    """The plan of this run without its deadline, where being late is all that is wrong with it."""
    undated = feasibility.without_deadline(state.reckoned().plan.setting.resolved)
    return None if undated is None else state.reckoned(undated)


def late_notice() -> None:
    """That the numbers below are those of a plan that is late, and by how much."""
    asked = state.reckoned().plan.setting.resolved
    if asked is not None:
        st.warning(words.markdown(feasibility.late_plan_text(asked)), icon=":material/schedule:")


def options(found: Answer) -> None:
    """Every way with its measures, and as a file."""
    table = options_table(found)
    show_dataframe(table, hide_index=True, column_config=OPTION_COLUMNS, placeholder="none", alt=_ranking(found))
    csv_button(table, "options.csv", "csv-options")


def _ranking(found: Answer) -> str:
    return "Cheapest first: " + ", ".join(f"{way.option.title} {words.usd(way.present_usd)}" for way in found.ranked)


def turning(plan: Plan, found: Answer, turns: Sequence[str]) -> None:
    """What would turn the answer: in sentences, one input at a time, and what a path of rents does to the payback."""
    st.markdown(words.markdown(" ".join(turns)))
    if not found.break_evens:
        st.markdown("There is nothing to compare: one of the two sides has no price.")
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        table = break_even_table(found)
        show_table(table)
        csv_button(table, "break-evens.csv", "csv-turning")
    with right:
        table = rent_change_table(found)
        show_table(table)
        csv_button(table, "rent-paths.csv", "csv-paths")
    timing(plan, found)


def timing(plan: Plan, found: Answer) -> None:
    """How the convention of discounting may change the sign of the saving."""
    table = timing_convention_table(plan, found)
    with table_on_demand("timing-table", "What owning saves under each convention of discounting") as is_open:
        if is_open:
            show_table(table)


def cash(ways: Sequence[EvaluatedOption]) -> None:
    """Cash by year for every way; one way opened into its lines."""
    table = cash_table(ways)
    show_dataframe(table, hide_index=True, column_config=dict.fromkeys(table.columns[1:], MONEY), alt="Cash by year")
    csv_button(table, "cash.csv", "csv-cash")
    with table_on_demand("lines-table", "Open one way into its lines") as is_open:
        if is_open:
            titles = [way.option.title for way in ways]
            chosen = st.selectbox("Way", range(len(ways)), format_func=lambda number: titles[number], key="opened")
            lines = lines_table(ways[chosen].option.ledger)
            columns = dict.fromkeys(lines.columns[2:], MONEY)
            show_dataframe(lines, hide_index=True, column_config=columns, alt=f"{titles[chosen]}, line by line")
            csv_button(lines, "lines.csv", "csv-lines")


def parts(ledgers: Sequence[Ledger], money: Money = TODAY) -> None:
    """What a way costs as stacked bars, as a table, and line by line; below, in the same money, what is pinned."""
    if not ledgers:
        st.markdown(
            "No row here has a price, so there is nothing to open up. Widen the filters, or enter your own price."
        )
        return
    ledgers = [*ledgers, *(its for one in state.pinned() if (its := one.ledger(money)) is not None)]
    finding = ", ".join(f"{one.title} {words.usd(float(one.total_usd))}" for one in ledgers)
    chart(state.parts(tuple(ledgers)), f"Cost of the whole plan by part: {finding}.", "parts")
    with table_on_demand("parts-table") as is_open:
        if is_open:
            table = parts_table(ledgers)
            show_dataframe(table, hide_index=True, column_config=dict.fromkeys(table.columns[1:], MONEY), alt=finding)
            csv_button(table, "parts.csv", "csv-parts")


def market(catalogue: Catalogue, seen: state.Market) -> None:
    """Every offer as a dot, and what arithmetic and memory cost on each accelerator."""
    st.markdown(words.markdown(seen.finding))
    chart(seen.prices, seen.finding, "dots")
    left, right = st.columns(2, gap="large")
    with left:
        chart(seen.arithmetic, "Cheapest arithmetic first. " + seen.finding, "pflop")
    with right:
        chart(seen.memory, "Cheapest memory first. " + seen.finding, "gb")
    with table_on_demand("market-table") as is_open:
        if is_open:
            table = value_for_money_table(catalogue, seen.rows)
            columns = dict.fromkeys(table.columns[2:], _HOURLY)
            show_dataframe(table, hide_index=True, column_config=columns, alt=seen.finding)
            csv_button(table, "market.csv", "csv-market")


def past(seen: state.PriceHistoryChart) -> None:
    """Price histories; a line stops where nobody looked."""
    st.markdown(words.markdown(seen.finding))
    if seen.lines:
        chart(seen.figure, seen.finding, "past")
        with table_on_demand("history-table") as is_open:
            if is_open:
                table = history_table(seen.lines)
                columns = {"USD per GPU-hour": _HOURLY}
                show_dataframe(table, hide_index=True, column_config=columns, alt=seen.finding)
                csv_button(table, "history.csv", "csv-history")


def sources(table: Table) -> None:
    """Every source as a table."""
    show_dataframe(
        table,
        hide_index=True,
        column_config={"Address": st.column_config.LinkColumn(display_text="open")},
        height=480,
        alt="Every source, with its day and its licence",
    )
    csv_button(table, "sources.csv", "csv-sources")


def counts(table: Table) -> None:
    """How much the catalogue holds."""
    show_dataframe(table, hide_index=True, alt="What the catalogue holds")
