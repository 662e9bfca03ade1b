"""The What if page's views onto the screen: what moves the answer, where buying wins, stress tests."""

from collections.abc import Sequence

import streamlit as st

from planner.report import what_if as said
from planner.report import words
from planner.report.futures import future_charts
from planner.report.what_if import (  # fmt: skip
    indices_table,
    map_summary,
    map_table,
    stress_table,
    tornado_table,
    tornado_title,
)
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.break_even_map import BreakEvenMap, entered, has_scenario_field, sides
from planner.study.uncertainty.stress import stresses
from planner.web import address, ask, show, show_ledger, state, state_what_if

STRESS = "stress"  # in the address: stress=Rents+fall


def moves() -> None:
    """What each input alone does to what owning saves; who asks sees which of them the doubt comes from."""
    bars = state_what_if.bars()
    finding = tornado_title(bars)
    if not bars:
        st.markdown(words.markdown(finding))
        return
    st.markdown(words.markdown(said.HOW_TO_READ))
    show.chart(state_what_if.tornado_chart(), finding, "tornado")
    show_ledger.below("tornado", show_ledger.plan_ledgers)
    with show.table_on_demand("tornado-table", f"Show all {len(bars)} as a table") as is_open:
        if is_open:
            table = tornado_table(bars, state_what_if.who())
            money = {name: show.MONEY for name in table.columns if name.endswith("USD")}
            show.show_dataframe(table, hide_index=True, column_config=money, alt=finding)
            show.csv_button(table, "what-moves-the-answer.csv", "csv-tornado")
    with show.table_on_demand("doubt", "For those who ask: where the doubt comes from") as is_open:
        if is_open:
            _doubt()


def _doubt() -> None:
    found = state_what_if.doubt()
    st.markdown(words.markdown(f"{said.uncertainty_summary(found)} {said.WHAT_INDICES_ARE}"))
    table = indices_table(found)
    columns = dict.fromkeys(table.columns[1:], show.SHARE)
    show.show_dataframe(table, hide_index=True, column_config=columns, alt=said.uncertainty_summary(found))
    show.csv_button(table, "doubt.csv", "csv-doubt")


def wins() -> None:
    """What owning saves over any two inputs. A place that is clicked becomes the plan."""
    plan = state.reckoned().plan
    names = {said.axis_label(name): name for name in sides(plan, state_what_if.bars())}
    with st.grid(2, min_column_width=170):
        across, up = (_side(label, key, list(names), place) for label, key, place in _SIDES)
    if across == up:
        st.markdown("Choose two different inputs: a map has two sides.")
        return
    found = state_what_if.cached_break_even_map(names[across], names[up])
    finding = map_summary(found, state_what_if.who())
    st.markdown(words.markdown(finding))
    _map_chart(found, finding)
    show_ledger.below("map", show_ledger.plan_ledgers)
    with show.table_on_demand("map-table") as is_open:
        if is_open:
            table = map_table(found)
            columns = dict.fromkeys(table.columns[1:], show.MONEY)
            show.show_dataframe(table, hide_index=True, column_config=columns, alt=finding)
            show.csv_button(table, "where-buying-wins.csv", "csv-map")


_SIDES = (("From left to right", "across", 0), ("From bottom to top", "up", 1))


def _side(label: str, key: str, options: list[str], place: int) -> str:
    """A side of the map, by a name that stays the same in every link."""
    address.choice(key, options, options[min(place, len(options) - 1)])
    chosen: str = st.selectbox(label, options, key=key)
    return chosen


def _map_chart(found: BreakEvenMap, finding: str) -> None:
    plan, key = state.reckoned().plan, "map"
    can = [side.name for side in (found.across, found.up) if has_scenario_field(plan, side.name)]

    def click() -> None:
        points = st.session_state[key]["selection"]["points"]
        cells = [str(point["customdata"][0]) for point in points if point.get("customdata")]
        place = future_charts.clicked_values(found, cells[0]) if cells else None
        _plan_with(None if place is None else entered(plan, place))

    st.plotly_chart(
        state_what_if.break_even_map_chart(found), config={"displayModeBar": False, "scrollZoom": False}, alt=finding,
        key=key, on_select=click if can else "ignore", selection_mode="points",
    )  # fmt: skip
    show.small(words.markdown(said.map_click_hint(found, can)))


def _plan_with(asked: Scenario | None) -> None:
    if asked is not None:
        ask.use(asked)


def tries() -> None:
    """The plan under stress tests, one and all together: what is left of the answer."""
    names = {said.stress_label(key): key for key in said.stress_test_keys()}
    address.choices(STRESS, names)
    label = "What if ... Choose one or several"
    chosen = st.pills(label, list(names), selection_mode="multi", key=STRESS, help=said.ONLY_HERE)
    keys = tuple(key for name, key in names.items() if name in chosen)
    now, then = state_what_if.judged(), state_what_if.combined_stress(keys)
    st.header(
        words.markdown(said.stress_verdict_text(keys, now.answer, None if then is None else then.answer)), anchor=False
    )
    tests = [state_what_if.under(key) for key in keys]
    table = stress_table(tests, now, then if len(keys) > 1 else None)
    columns = {name: show.MONEY for name in table.columns if name.endswith("USD")}
    columns[table.columns[4]] = show.OF_100
    show.show_dataframe(table, hide_index=True, column_config=columns, placeholder="–", alt=label)
    show.small(said.ONLY_HERE)
    _sources(keys)
    show.csv_button(table, "stress-tests.csv", "csv-stress")


def _sources(keys: Sequence[str]) -> None:
    """Why each test that is chosen is worth trying; a button where it can be entered."""
    plan, tests = state.reckoned().plan, stresses()
    for key in keys:
        one, source = tests[key], state.catalogue().sources[tests[key].source]
        with st.container(horizontal=True, vertical_alignment="center", key=f"stress-{key}"):
            text = words.markdown(said.stress_source(one, source))
            st.markdown(f"**{words.markdown(one.label)}.** {text}{show.link(source.url)}", width="stretch")
            there = state_what_if.under(key).plan
            values = said.scenario_fields_of_test(plan, there)
            if values:
                st.button("Plan with this", key=f"plan-{key}", on_click=_take, args=(key, entered(plan, values)))


def _take(key: str, asked: Scenario | None) -> None:
    """Enter what a test tries; it is the plan then, and tried no longer."""
    if asked is not None:
        ask.use(asked)
        st.session_state[STRESS] = [name for name in st.session_state[STRESS] if name != said.stress_label(key)]
