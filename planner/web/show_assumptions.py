"""The inputs of the plan as rows that can be changed where they stand, and the lists behind them."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from planner.report import words
from planner.report.facts.assumptions import ALL, GROUPS, AssumptionRow, age_words, assumption_counts_text, rows_table
from planner.report.glossary import GlossaryEntry, entries_used_in
from planner.report.words import lower_first
from planner.scenario.path import Path, with_value
from planner.scenario.question import KEYS, LinkKey
from planner.web import address, ask, fields, show, show_offers, state
from planner.web.show_ledger import source_text

GROUP, EVERY = "figures", "every_figure"  # in the address: figures=Stale
_FIRST = 12
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SEASON: Path = ("work", 0, "season")
_RENTS: Path = ("terms", "rent_by_year")


def rows(found: Sequence[AssumptionRow]) -> None:
    """The rows of one group, the weightiest first; the first few until somebody asks for all."""
    st.markdown(words.markdown(assumption_counts_text(found)))
    counts = {group: sum(row.is_in(group) for row in found) for group in GROUPS}
    address.choice(GROUP, GROUPS, ALL)
    st.pills("Which?", GROUPS, required=True, key=GROUP, format_func=lambda group: f"{group} ({counts[group]:,})")
    there = [row for row in found if row.is_in(st.session_state[GROUP])]
    if not there:
        st.markdown("None of this plan's inputs is in this group.")
    address.switch(EVERY)
    changed = set[str | None]()
    for number, row in enumerate(there if st.session_state[EVERY] else there[:_FIRST]):
        _row(row, number, row.key is not None and row.key not in changed)
        changed.add(row.key)
    if len(there) > _FIRST:
        st.toggle(f"Show all {len(there):,}", key=EVERY)
    show.csv_button(rows_table(found), "assumptions.csv", "csv-assumptions")


def _row(row: AssumptionRow, number: int, can_change: bool) -> None:
    """One input; a field that stands behind several of them is changed at the first."""
    with st.container(horizontal=True, vertical_alignment="center", border=True, key=f"figure-{number}"):
        st.markdown(_said(row), width="stretch")
        if can_change and row.key is not None:
            _change(KEYS[row.key], row)


def _said(row: AssumptionRow) -> str:
    """A row in two lines: what it is and weighs; who says so."""
    first = [f"**{words.markdown(row.label)}: {words.markdown(row.value)}**"]
    first += [f"range {words.markdown(row.range)}"] if row.range else []
    first += [words.markdown(f"moves the saving by {words.usd(row.swing_usd)}")] if row.swing_usd else []
    yours = ["yours"] if row.is_yours else []
    second = [source_text(row.origin), *filter(None, (words.markdown(age_words(row)), *yours))]
    second += [words.markdown(words.some(row.ways, 2))] if row.ways else []
    return f"{' · '.join(first)}  \n{' · '.join(second)}"


def _change(key: LinkKey, row: AssumptionRow) -> None:
    """Change an input where it stands: the plan and its link follow."""
    name = f"change-{key.key}"
    with st.popover(words.markdown(f"Set {lower_first(row.label)}"), key=f"{name}-box", on_change="rerun") as box:
        if box.open:
            held = address.text(key.key)
            st.session_state[name] = _typed(key, held)
            if key.shape.kind == "choice":
                st.selectbox(key.label, key.shape.choices, key=name, on_change=partial(_take, key, name))
            elif key.shape.kind == "switch":
                st.toggle(key.label, key=name, on_change=partial(_take, key, name))
            else:
                st.number_input(
                    key.label, key.low and float(key.low), key.high and float(key.high), key=name, format="%g",
                    placeholder=words.markdown(row.value), help=key.told or None,
                    on_change=partial(_take, key, name),
                )  # fmt: skip
            if held is not None:
                st.button("As it was", key=f"{name}-back", on_click=address.put, args=({key.key: None},))


def _typed(key: LinkKey, held: str | None) -> object:
    """What the widget holds: a sum that was typed in another currency shows as empty, with its value behind it."""
    if key.shape.kind in ("choice", "switch"):
        return fields.typed(key, held)
    if held is None:
        return None if key.default is None else float(key.default) * (100.0 if key.percent else 1.0)
    try:
        return float(held)
    except ValueError:
        return None


def _take(key: LinkKey, name: str) -> None:
    address.sync_from_widgets()
    value = st.session_state[name]
    usual = value is None or value == _typed(key, None)
    address.put({key.key: None if usual else fields.written(key, value)})


def lists() -> None:
    """What is no single number: your prices, demand by month, the path of rents."""
    with show.table_on_demand("your-prices", "Your own prices and quotes") as is_open:
        if is_open:
            show_offers.quote_upload()
    asked = state.scenario()
    with show.table_on_demand("by-month", "Demand by month") as is_open:
        if is_open:
            st.markdown("Each month of the year as a share of the usual work: 1 is the usual, 1.2 a fifth more.")
            season = asked.work[0].season or (1.0,) * len(_MONTHS)
            _edit("season", dict(zip(_MONTHS, season, strict=True)), "Of the usual work", "Month", _SEASON)
    with show.table_on_demand("rents-by-year", "Path of rents, year by year") as is_open:
        if is_open:
            st.markdown(
                "Rents of each year as a share of today's; the last one holds on. All 1: as the rate above says."
            )
            told = asked.terms.rent_by_year
            count = max(round(asked.years + 0.49), len(told), 1)
            path = (*told, *([told[-1] if told else 1.0] * (count - len(told))))
            years = [f"Year {number + 1}" for number in range(count)]
            _edit("rent-path", dict(zip(years, path, strict=True)), "Of today's rent", "Year", _RENTS)


def _edit(key: str, held: dict[str, float], unit: str, head: str, path: Path) -> None:
    """Numbers in a table of fixed rows. The table is made anew when the plan is another: edits go by their row."""
    name = f"{key}-{hash(tuple(held.items()))}"

    def take() -> None:
        edits = st.session_state[name]["edited_rows"]
        values = list(held.values())
        for row, cells in edits.items():
            values[int(row)] = values[int(row)] if cells.get(unit) is None else float(cells[unit])
        told = () if all(value == 1 for value in values) else tuple(values)
        ask.use(with_value(state.scenario(), path, told))

    column = st.column_config.NumberColumn(min_value=0.05, max_value=20.0, step=0.05, format="%.3g", required=True)
    st.data_editor(
        {head: list(held), unit: list(held.values())}, hide_index=True, num_rows="fixed", disabled=[head], key=name,
        on_change=take, column_config={unit: column}, width="content",
        alt=f"{unit}, by {head.lower_first()}",
    )  # fmt: skip


def glossary(found: Sequence[AssumptionRow]) -> None:
    """What the words on this page mean, as the glossary has it."""
    said = (*_ON_THE_PAGE, *(row.label for row in found))
    with show.table_on_demand("glossary", "What the words mean") as is_open:
        if is_open:
            st.markdown("\n".join(_entry(one) for one in entries_used_in(said)))


def _entry(entry: GlossaryEntry) -> str:
    return f"- **{words.markdown(entry.word)}**: {words.markdown(entry.meaning)}"


_ON_THE_PAGE = (
    "accelerator, answer, break-even, catalogue, demand, figure, future, ledger, option, payback, price path, quote, "
    "scenario, source, stale, way",
)


def steps(heading: str, lines: Sequence[str]) -> None:
    """A heading with a list of sentences."""
    st.header(heading, anchor=False)
    st.markdown("\n".join(f"- {words.markdown(one)}" for one in lines))
