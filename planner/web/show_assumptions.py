"""Views of the Assumptions page: the inputs of the plan as rows that can be changed in place, lists, the glossary."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from planner.report import words
from planner.report.facts.assumptions import ALL, GROUPS, SWING, AssumptionRow, age_words, rows_table, screen_table
from planner.report.glossary import entries_used_in
from planner.scenario.path import Path, with_value
from planner.scenario.question import KEYS, LinkKey
from planner.web import address, ask, fields, show, state, uploads
from planner.web.show_ledger import source_text

GROUP, FIND = "figures", "find"  # in the address: figures=Stale
_SET = "set_input"
_COLUMNS = {
    "Input": st.column_config.TextColumn(width=230),
    SWING: show.MONEY,
    "Source": st.column_config.TextColumn(width=260),
    "Link": show.OPEN,
}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SEASON: Path = ("work", 0, "season")
_RENTS: Path = ("terms", "rent_by_year")
_WORDS_OF_THE_PAGE = (
    "accelerator, answer, break-even, catalogue, demand, figure, future, ledger, option, payback, price path, quote, "
    "scenario, source, stale, way",
)


def rows(inputs: Sequence[AssumptionRow]) -> None:
    """Show the inputs of one group, or those found, as a table: the most important first; below it one to be set."""
    counts = {group: sum(row.is_in(group) for row in inputs) for group in GROUPS}
    address.choice(GROUP, GROUPS, ALL)
    address.bind(FIND, lambda texts: texts[-1] if texts else "", lambda text: (text,) if text else ())
    st.pills(
        "Which?", GROUPS, required=True, key=GROUP, label_visibility="collapsed",
        format_func=lambda group: f"{group} ({counts[group]:,})",
    )  # fmt: skip
    find = st.text_input(
        "Find an input", key=FIND, placeholder="Find an input", label_visibility="collapsed"
    ).casefold()
    shown = [row for row in inputs if row.is_in(st.session_state[GROUP]) and find in row.label.casefold()]
    if shown:
        _table(shown)
    else:
        st.markdown("None of this plan's inputs is in this group.")
    _set_one({row.id: row for row in inputs})
    show.csv_button(rows_table(inputs), "assumptions.csv", "csv-assumptions")


def _table(shown: Sequence[AssumptionRow]) -> None:
    """Show inputs as a table. The row that is ticked is the one to set."""
    ids = [row.id for row in shown]
    key = f"inputs-{hash(tuple(ids))}"

    def tick() -> None:
        ticked = st.session_state[key]["selection"]["rows"]
        st.session_state[_SET] = ids[ticked[0]] if ticked else None

    show.dataframe(
        screen_table(shown), column_config=_COLUMNS, key=key, on_select=tick, selection_mode="single-row",
        placeholder="", alt="The inputs of this plan, those that weigh most first.",
    )  # fmt: skip


def _set_one(inputs: dict[str, AssumptionRow]) -> None:
    """Show one input with its source and, where it has one, its field: the plan and its link follow."""
    if st.session_state.get(_SET) not in inputs:
        st.session_state[_SET] = None
    chosen = st.selectbox(
        "Set an input", list(inputs), key=_SET, index=None, placeholder="Set an input: tick a row, or choose it here",
        label_visibility="collapsed", format_func=lambda name: f"{inputs[name].label}: {inputs[name].value}",
    )  # fmt: skip
    if chosen is None:
        return
    row = inputs[chosen]
    with st.container(border=True, key="set-input"):
        st.markdown(_row_text(row))
        if row.key is None:
            show.small("It has no field of its own: it follows from others, or stands in the catalogue.")
        else:
            _field(KEYS[row.key], row)


def _row_text(row: AssumptionRow) -> str:
    """Return a row in two lines: its value and weight; its source, and the options that use it."""
    first = [f"**{words.markdown(row.label)}: {words.markdown(row.value)}**"]
    first += [f"range {words.markdown(row.range)}"] if row.range else []
    first += [words.markdown(f"moves the saving by {words.usd(row.swing_usd)}")] if row.swing_usd else []
    second = [source_text(row.origin), words.markdown(age_words(row)), "yours" if row.is_yours else ""]
    second += [words.markdown(words.some(row.ways, 2))] if row.ways else []
    return f"{' · '.join(first)}  \n{' · '.join(filter(None, second))}"


def _field(key: LinkKey, row: AssumptionRow) -> None:
    name, text = f"change-{key.key}", address.text(key.key)
    st.session_state[name] = fields.widget_value(key, text, as_number=True)
    take = partial(_take, key, name)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if key.shape.kind == "choice":
            st.selectbox(key.label, key.shape.choices, key=name, on_change=take, width=360)
        elif key.shape.kind == "switch":
            st.toggle(key.label, key=name, on_change=take)
        else:
            st.number_input(
                key.label, key.low and float(key.low), key.high and float(key.high), key=name, format="%g", width=360,
                placeholder=words.markdown(row.value), help=key.help or None, on_change=take,
            )  # fmt: skip
        if text is not None:
            st.button("As it was", key=f"{name}-back", on_click=address.put, args=({key.key: None},))


def _take(key: LinkKey, name: str) -> None:
    address.sync_from_widgets()
    value = st.session_state[name]
    is_default = value is None or value == fields.widget_value(key, None, as_number=True)
    address.put({key.key: None if is_default else fields.address_text(key, value)})


def lists() -> None:
    """Show inputs that are no single number: your prices, demand by month, the path of rents."""
    with show.on_demand("your-prices", "Your own prices and quotes") as is_open:
        if is_open:
            uploads.quote_upload()
    scenario = state.scenario()
    with show.on_demand("by-month", "Demand by month") as is_open:
        if is_open:
            st.markdown("Each month of the year as a share of the usual work: 1 is the usual, 1.2 a fifth more.")
            season = scenario.work[0].season or (1.0,) * len(_MONTHS)
            _edit("season", dict(zip(_MONTHS, season, strict=True)), "Of the usual work", "Month", _SEASON)
    with show.on_demand("rents-by-year", "Path of rents, year by year") as is_open:
        if is_open:
            st.markdown(
                "Rents of each year as a share of today's; the last one holds on. All 1: as the rate above says."
            )
            shares = scenario.terms.rent_by_year
            count = max(round(scenario.years + 0.49), len(shares), 1)
            path = (*shares, *([shares[-1] if shares else 1.0] * (count - len(shares))))
            years = [f"Year {number + 1}" for number in range(count)]
            _edit("rent-path", dict(zip(years, path, strict=True)), "Of today's rent", "Year", _RENTS)


def _edit(key: str, values: dict[str, float], unit: str, head: str, path: Path) -> None:
    """Edit numbers in a table of fixed rows. The table is new when the plan is another: edits go by their row."""
    name = f"{key}-{hash(tuple(values.items()))}"

    def take() -> None:
        edited = list(values.values())
        for row, cells in st.session_state[name]["edited_rows"].items():
            edited[int(row)] = edited[int(row)] if cells.get(unit) is None else float(cells[unit])
        ask.use(with_value(state.scenario(), path, () if all(value == 1 for value in edited) else tuple(edited)))

    column = st.column_config.NumberColumn(min_value=0.05, max_value=20.0, step=0.05, format="%.3g", required=True)
    st.data_editor(
        {head: list(values), unit: list(values.values())}, hide_index=True, num_rows="fixed", disabled=[head], key=name,
        on_change=take, column_config={unit: column}, width="content", alt=f"{unit}, by {head.lower()}",
    )  # fmt: skip


def glossary(inputs: Sequence[AssumptionRow]) -> None:
    """Show the meaning of the words on this page, from the glossary."""
    with show.on_demand("glossary", "Glossary") as is_open:
        if is_open:
            entries = entries_used_in((*_WORDS_OF_THE_PAGE, *(row.label for row in inputs)))
            show.bullets([f"**{words.markdown(entry.word)}**: {words.markdown(entry.meaning)}" for entry in entries])


def steps(heading: str, lines: Sequence[str]) -> None:
    """Show a heading with a list of sentences."""
    st.header(heading, anchor=False)
    show.bullets(list(map(words.markdown, lines)))
