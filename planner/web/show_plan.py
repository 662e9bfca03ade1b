"""Show what a plan advises, its other numbers and its profit and loss."""

from collections.abc import Iterable
from datetime import date

import streamlit as st

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer.advice import HEAD, unavailable_option_lines
from planner.report.answer.other_measures import OtherMeasures, curve_table, other_measures, other_measures_table
from planner.report.answer.profit_words import break_even_sentences, primary_selling_option, profit_csv, profit_table
from planner.report.futures import future_charts
from planner.report.futures.input_words import saving_side_label
from planner.report.what_if import map_summary
from planner.scenario.presets import PresetSource, load_presets
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.study.uncertainty.futures import Futures
from planner.web import ask, show, state
from planner.web.state import PlanResult


def say(reckoned: PlanResult) -> None:
    """What stands out in this plan: slips of the hand, warnings."""
    for line in reckoned.advice:
        st.info(words.markdown(line), icon=":material/lightbulb:")


def more(reckoned: PlanResult) -> None:
    """What is behind it: the size of the fleet, old figures, what a preset assumes."""
    table = reckoned.sizes
    if table is not None:
        with st.expander("What another number of GPUs would do", key="sizes"):
            show.show_table(table)
            show.csv_button(table, "sizes.csv", "csv-sizes")
    if reckoned.old_figures:
        with st.expander(HEAD, key="old-figures"):
            _list(reckoned.old_figures)
    started = next((one for one in load_presets() if one.scenario == reckoned.plan.setting.written), None)
    if started is not None:
        with st.expander("Assumptions of this example", key="granted"):
            _list((started.what, *started.says, started.illustrated), started.sources)


def show_autochoose_button(plan: Plan) -> None:
    """Where a model cannot be trained as asked, a button that looks for what can train it."""
    asked, written = plan.setting.resolved, plan.setting.written
    if asked is not None and asked.problems and any(work.train for work in written.work):
        st.button(
            _CHOOSE,
            icon=":material/search:",
            on_click=ask.use,
            args=(with_open_accelerator(written),),
            key="choose-for-me",
        )


_CHOOSE = "Choose the GPU and how many for me"


def with_open_accelerator(written: Scenario) -> Scenario:
    """The scenario with its accelerator left to be chosen, and the number too where a model is trained."""
    works = [
        work
        if work.train is None
        else work.model_copy(update={"train": work.train.model_copy(update={"choose_count": True})})
        for work in written.work
    ]
    return written.model_copy(update={"accelerator": ANY_ACCELERATOR, "work": tuple(works)})


def absent(plan: Plan) -> None:
    """The ways that were not reckoned, with what they would need."""
    lines = unavailable_option_lines(plan)
    if lines:
        with st.expander(f"{words.count(len(plan.absent), 'way')} not reckoned, and why", key="absent"):
            _list(lines)


def _list(lines: Iterable[str], sources: Iterable[PresetSource] = ()) -> None:
    every = [words.markdown(line) for line in lines]
    every += [f"{words.markdown(one.sentence)}{show.link(one.url)}" for one in sources]
    st.markdown("\n".join(f"- {line}" for line in every))


@st.cache_resource(show_spinner=False, max_entries=64)
def _also(
    digest: str, asked: str, day: date, _plan: Plan, _found: Answer, _drawn: Futures | None
) -> OtherMeasures | None:
    return other_measures(_plan, _found, _drawn)


def others(plan: Plan, found: Answer, drawn: Futures | None) -> None:
    """What every plan also tells: sentences, a table, and the break-even over use and years."""
    setting = plan.setting
    asked = setting.written.model_dump_json(exclude_defaults=True)
    told = _also(setting.catalogue.digest, asked, setting.day, plan, found, drawn)
    if told is None:
        return
    st.markdown(words.markdown(" ".join(told.sentences)))
    table = other_measures_table(told)
    show.show_table(table)
    show.csv_button(table, "other-numbers.csv", "csv-also")
    if found.pair is not None:
        with show.table_on_demand("also-curve", "Break-even over use and years") as is_open:
            if is_open:
                _curve(told, found)


def _curve(told: OtherMeasures, found: Answer) -> None:
    if told.map is None or found.pair is None:
        st.markdown("There is no work in this plan, so no use of it to look at.")
        return
    ways = (found.pair[0].option.way, found.pair[1].option.way)
    show.chart(
        future_charts.break_even_map_chart(told.map, state.dark(), ways),
        map_summary(told.map, saving_side_label(ways[0])),
        "also-map",
    )
    table = curve_table(told)
    if len(table):
        show.show_dataframe(
            table, hide_index=True, placeholder="–", column_config={table.columns[2]: show.SHARE}, alt="Use and years"
        )
        show.csv_button(table, "use-and-years.csv", "csv-also-curve")


def box(found: Answer) -> None:
    """The table of the way that is told, and where it breaks even; nothing where no hours are sold."""
    way = primary_selling_option(found)
    if way is None:
        return
    with show.table_on_demand("profit-and-loss", f"Profit and loss: {way.option.title}") as is_open:
        table = profit_table(found.plan, way) if is_open else None
        if table is not None:
            st.markdown(words.markdown(" ".join(break_even_sentences(found.plan, way))))
            show.show_dataframe(
                table, hide_index=True, column_config=dict.fromkeys(table.columns[1:], show.MONEY), alt="Profit by year"
            )
            show.csv_button(profit_csv(found), "profit-and-loss.csv", "csv-profit")
