"""What if: what would change this?"""

from collections.abc import Mapping, Sequence

import streamlit as st

from planner.report import what_if as what_if_words
from planner.report import words
from planner.report.futures import future_charts
from planner.report.futures.input_words import input_label
from planner.report.what_if import indices_table, map_summary, map_table, stress_table, tornado_table, tornado_title
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.break_even_map import (
    BreakEvenMap,
    has_scenario_field,
    map_axis_names,
    scenario_with_inputs,
)
from planner.study.uncertainty.stress import stresses
from planner.web import address, ask, show, show_answer, show_ledger, state, state_results

STRESS = "stress"  # in the address: stress=Rents+fall
VIEWS = ("What moves the answer", "Where buying wins", "Try it", "Buy now or wait")
_DOUBT = "Where the uncertainty comes from"


def page() -> None:
    """Show the most important input as title, what it takes to change the answer, and four views of it."""
    missing = what_if_words.no_comparison_summary(state_results.judged())
    if missing is None:
        bars = state_results.bars()
        show.title(what_if_words.headline(bars), (what_if_words.tornado_sentence(bars),))
        views = (_sensitivity, _break_even_map, _stress_tests, lambda: show_answer.buy_or_wait(state.result().plan))
        show.views("turn", VIEWS, views)
    else:
        show.title(missing.title, missing.sentences)
        show.next_page("Answer", "Back to the answer")
    show.next_page("Assumptions", "Next: where every number is from")


def _use(scenario: Scenario | None) -> None:
    if scenario is not None:
        ask.use(scenario)


def _sensitivity() -> None:
    """Show what each input alone does to the saving, and on demand which of them the uncertainty comes from."""
    bars = state_results.bars()
    finding = tornado_title(bars)
    if not bars:
        show.paragraph(finding)
        return
    show.chart(state_results.tornado_figure(), finding, "tornado")
    show.small(what_if_words.HOW_TO_READ)
    show_ledger.below("tornado", show_ledger.plan_ledgers)
    show.table(
        "tornado-table", f"Show all {len(bars)} as a table", lambda: tornado_table(bars, state_results.saving_side()),
        show.in_usd, "what-moves-the-answer.csv", alt=finding,
    )  # fmt: skip
    with show.on_demand("doubt", _DOUBT) as is_open:
        if is_open:
            shares = state_results.uncertainty_shares()
            summary = what_if_words.uncertainty_summary(shares)
            show.paragraph(summary, what_if_words.WHAT_INDICES_ARE)
            columns = show.from_column(1, show.SHARE)
            show.table("shares", "", indices_table(shares), columns, "doubt.csv", alt=summary)


def _break_even_map() -> None:
    """Show what owning saves over any two inputs. A place that is clicked becomes the plan."""
    names = {what_if_words.axis_label(name): name for name in map_axis_names(state.result().plan, state_results.bars())}
    with st.grid(2, min_column_width=170):
        x_label = _side("Horizontal axis", "across", names, next(iter(names)))
        y_label = _side("Vertical axis", "up", names, list(names)[:2][-1])
    if x_label == y_label:
        st.markdown("Choose two different inputs: a map has two axes.")
        return
    grid = state_results.break_even_map(names[x_label], names[y_label])
    finding = map_summary(grid, state_results.saving_side())
    show.paragraph(finding)
    _map_chart(grid, finding)
    show_ledger.below("map", show_ledger.plan_ledgers)
    columns = show.from_column(1, show.MONEY)
    show.table("map-table", show.AS_TABLE, lambda: map_table(grid), columns, "where-buying-wins.csv", alt=finding)


def _side(label: str, key: str, names: Mapping[str, str], default: str) -> str:
    """Show the choice of one axis of the map. In links an input has a name that never changes."""
    address.choice(key, names, default)
    return st.selectbox(label, names, key=key, format_func=lambda option: input_label(names[option]))


def _map_chart(break_even_map: BreakEvenMap, finding: str) -> None:
    plan, (x, y) = state.result().plan, (break_even_map.across, break_even_map.up)
    can_enter = [side.name for side in (x, y) if has_scenario_field(plan, side.name)]

    def click() -> None:
        cells = show.clicked_points("map")
        place = future_charts.clicked_values(break_even_map, cells[0]) if cells else None
        _use(None if place is None else scenario_with_inputs(plan, place))

    figure = state_results.map_figure(x.name, y.name)
    show.chart(figure, finding, "map", click if can_enter else None)
    show.small(words.markdown(what_if_words.map_click_hint(break_even_map, can_enter)))


def _stress_tests() -> None:
    names = {what_if_words.stress_label(key): key for key in stresses()}
    address.choices(STRESS, names)
    label = "What if ... Choose one or several"
    chosen = st.pills(label, list(names), selection_mode="multi", key=STRESS, help=what_if_words.ONLY_HERE)
    keys = tuple(key for name, key in names.items() if name in chosen)
    now, combined = state_results.judged(), state_results.combined_stress(keys)
    verdict = what_if_words.stress_verdict_text(keys, now.answer, None if combined is None else combined.answer)
    st.header(words.markdown(verdict), anchor=False)
    tests = [state_results.stressed(key) for key in keys]
    table = stress_table(tests, now, combined if len(keys) > 1 else None)
    columns: Mapping[str, object] = show.in_usd(table) | {table.columns[4]: show.OF_100}
    show.table("stress", "", table, columns, placeholder="–", alt=label)
    show.small(what_if_words.ONLY_HERE)
    _sources(keys)
    show.csv_button(table, "stress-tests.csv", "csv-stress")


def _sources(keys: Sequence[str]) -> None:
    """Show why each chosen test is worth trying; a button where it can be entered."""
    plan, tests = state.result().plan, stresses()
    for key in keys:
        test, source = tests[key], state.catalogue().sources[tests[key].source]
        with st.container(horizontal=True, vertical_alignment="center", key=f"stress-{key}"):
            text = words.markdown(what_if_words.stress_source(test, source))
            st.markdown(f"**{words.markdown(test.label)}.** {text}{show.link(source.url)}", width="stretch")
            values = what_if_words.scenario_fields_of_test(plan, state_results.stressed(key).plan)
            if values:
                st.button(
                    "Plan with this", key=f"plan-{key}", on_click=_enter, args=(key, scenario_with_inputs(plan, values))
                )


def _enter(key: str, scenario: Scenario | None) -> None:
    """Make the assumption of a test part of the plan; it is no longer a test then."""
    if scenario is not None:
        ask.use(scenario)
        label = what_if_words.stress_label(key)
        st.session_state[STRESS] = [name for name in st.session_state[STRESS] if name != label]
