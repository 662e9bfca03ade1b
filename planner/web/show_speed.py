"""The Speed page's views onto the screen: memory, where the speed goes, layouts, and how far to trust it."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import streamlit as st

from planner.evidence.nearest import SimilarRun
from planner.report import words
from planner.report.market import cheapest as report
from planner.report.speed import speed_charts, time_cost_front
from planner.report.speed import speed_tables as tables
from planner.report.speed.fit_words import (
    MEMORY_PARTS,
    SERVED_PARTS,
    SERVED_PARTS_IN_WORDS,
    TRAINED_PARTS_IN_WORDS,
    memory_parts_text,
)
from planner.report.speed.serving_words import time_table
from planner.report.table import Table
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from planner.speed.scenario_jobs import ScenarioServing, ScenarioTraining
from planner.speed.serving.chips import serving_data
from planner.speed.training.constants import default_bands
from planner.speed.training.result import TrainingSpeed, waterfall_steps
from planner.study.market.survey import MarketCandidate, MarketStudy
from planner.web import ask, fields, name_box, show, state, state_speed
from pricing import PricingError

_RATE = st.column_config.NumberColumn(format="%,.0f")
_USD = st.column_config.NumberColumn(format="$%,.2f")
_DAY = st.column_config.DateColumn(format="D MMM YYYY")
_GB = st.column_config.NumberColumn(format="%.1f")


def _rounded(table: Table, columns: Mapping[str, object]) -> pd.DataFrame:
    """Shares to whole percents, for the screen; files keep them as they are."""
    return table.to_pandas().round({name: 2 for name, column in columns.items() if column is show.SHARE})


def finding(text: str) -> None:
    """What a view found, above its chart."""
    st.markdown(words.markdown(text))


def examples(first: Callable[[], None] | None = None) -> None:
    """Buttons that put a model into the question: the presets that name one, and perhaps another before them."""
    with st.container(horizontal=True, key="speed-examples"):
        if first is not None:
            first()
        for one in load_presets():
            if any(work.train or work.serve for work in one.scenario.work):
                st.button(one.short, help=one.what, on_click=ask.use, args=(one.scenario,), key=f"example-{one.key}")


def use_example_button() -> None:
    """A button that makes the example the plan."""
    asked = state_speed.whole()
    st.button("Plan with this example", on_click=ask.use, args=(asked,), key="take-example")


def uses() -> None:
    """Which GPU for learning, fine-tuning, training, serving and a bit of everything: asked when it is opened."""
    with show.table_on_demand("uses", f"{report.TITLE} {report.FOR_WHAT}") as is_open:
        if not is_open:
            return
        found = state_speed.uses()
        for one in found:
            finding(report.use_sentence(one))
        table = report.uses_table(found)
        sums = dict.fromkeys(("USD each", "USD a month", "USD the run"), _RATE)
        columns = {"USD per GPU-hour": _USD, "Price of": _DAY, **sums}
        show.show_dataframe(table, hide_index=True, column_config=columns, placeholder="–", alt=report.TITLE)
        show.small(words.markdown(report.NOTE))
        show.csv_button(table, "which-gpu.csv", "csv-uses")


def which(works: tuple[ScenarioTraining | ScenarioServing, ...]) -> ScenarioTraining | ScenarioServing:
    """The model to look at, chosen where a plan names several."""
    if len(works) == 1:
        return works[0]
    titles = [f"{one.found.model} ({'trained' if isinstance(one, ScenarioTraining) else 'served'})" for one in works]
    place = st.selectbox("Which work", range(len(works)), format_func=lambda place: titles[place], key="which-work")
    return works[place]


def divisible_count_buttons(work: ScenarioTraining | ScenarioServing) -> None:
    """Buttons that plan with another number of accelerators: where this one does not fit, or divides badly."""
    if not isinstance(work, ScenarioTraining):
        return
    found = work.found
    near = dict.fromkeys(way.accelerators for way in (*found.ways_to_fit, *([found.better] if found.better else [])))
    with st.container(horizontal=True, key="numbers-that-divide"):
        for number in near:
            if number != found.accelerators:
                plan = _with_number(work.place, number)
                st.button(f"Plan with {number:,}", on_click=ask.use, args=(plan,), key=f"number-{number}")


def _with_number(place: int, accelerators: int) -> Scenario:
    asked = state_speed.whole()
    works = list(asked.work)
    works[place] = planned(works[place], accelerators)
    return asked.model_copy(update={"work": tuple(works)})


def front(work: ScenarioTraining | ScenarioServing) -> None:
    """Time against cost over the catalogue. A point or a row that is clicked becomes the plan."""
    found = state_speed.front(work)
    plan = time_cost_front.plan_of(found, work.found.accelerator, getattr(work.found, "accelerators", 0))
    said = time_cost_front.front_summary(found, plan)
    finding(said)
    if time_cost_front.plottable_candidates(found):
        _front_chart(work, found, plan, said)
    show.small(words.markdown(" ".join(found.reasons[1:])))
    with show.table_on_demand(
        "front-table", f"Show all {len(found.candidates):,} as a table, with why each lost"
    ) as is_open:
        if is_open:
            _front_table(found, work.place)


def _front_chart(
    work: ScenarioTraining | ScenarioServing, found: MarketStudy, plan: MarketCandidate | None, said: str
) -> None:
    by_key, key = time_cost_front.by_id(found), "front"

    def click() -> None:
        points = st.session_state[key]["selection"]["points"]
        clicked = [by_key.get(str(point["customdata"][0])) for point in points if point.get("customdata")]
        _take(clicked, work.place)

    st.plotly_chart(
        state_speed.front_chart(work, found, "" if plan is None else time_cost_front.candidate_id(plan)),
        config={"displayModeBar": False, "scrollZoom": False}, alt=said, key=key, on_select=click,
        selection_mode="points",
    )  # fmt: skip
    show.small("Click a point to plan with it. Hollow points: nobody looked at the price this month.")


def _front_table(found: MarketStudy, place: int) -> None:
    table, by_key = time_cost_front.front_table(found), time_cost_front.by_id(found)
    key = f"front-rows-{hash(table.ids)}"

    def tick() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        _take([by_key.get((table.ids or ())[row]) for row in rows], place)

    money = st.column_config.NumberColumn(format="%,.0f")
    columns = {name: money for name in table.columns if name.startswith("USD") or name == time_cost_front.EACH}
    columns |= {"Days": st.column_config.NumberColumn(format="%,.1f"), "GPUs": money}
    empty = [name for name in ("Days", "ms a token, 99 %") if table.is_empty(name)]
    show.show_dataframe(
        table.without(*empty), hide_index=True, column_config=columns, placeholder="–", height=440, key=key,
        on_select=tick, selection_mode="single-row", alt=time_cost_front.front_summary(found, None),
    )  # fmt: skip
    show.small("Tick a row to plan with it.")
    show.csv_button(table, "time-against-cost.csv", "csv-front")


def _take(chosen: Sequence[MarketCandidate | None], place: int) -> None:
    """Make what was clicked the plan: its accelerator and its number."""
    one = next((one for one in chosen if one is not None and one.accelerator), None)
    if one is None:
        return
    ask.use(_with_number(place, one.accelerators).model_copy(update={"accelerator": one.accelerator}))


def planned(work: Work, accelerators: int) -> Work:
    """The work on so many accelerators; of a service the number follows from its rate."""
    if work.train is None:
        return work
    train = work.train.model_copy(update={"choose_count": False})
    return work.model_copy(update={"accelerators": accelerators, "accelerators_per_job": None, "train": train})


def memory(work: ScenarioTraining | ScenarioServing) -> None:
    """What an accelerator holds against what it has, as stacks: for the plan and for each way to save."""
    mine, offered = work.found.accelerator, fields.choices(state.catalogue())
    key = f"memory-of-{mine}"  # another plan starts at its own accelerator
    box = name_box.Box(key, "On which accelerator", "gpu", mine)
    chip = name_box.ask(state.catalogue(), box, offered) or mine
    try:
        made = _trained_stacks(work, chip) if isinstance(work, ScenarioTraining) else _served_stacks(work, chip)
    except PricingError as refusal:
        st.markdown(words.markdown(f"Nothing can be said of this one: {refusal}."))
        return
    if made is None:
        st.markdown("No layout is legal on this one, so there is no memory to show.")
        return
    bars, parts, limits, said = made
    finding(said)
    of = TRAINED_PARTS_IN_WORDS if isinstance(work, ScenarioTraining) else SERVED_PARTS_IN_WORDS
    shown = tuple(name for place, name in enumerate(parts.values()) if any(bar.amounts[place] > 0 for bar in bars))
    show.small(words.markdown(memory_parts_text(of, shown)))
    show.chart(speed_charts.memory_stacks(bars, parts.values(), limits, state.dark()), said, "memory")
    with show.table_on_demand("memory-table") as is_open:
        if is_open:
            table = tables.memory_table(bars, parts, limits)
            numbers = dict.fromkeys([*parts.values(), "all", "there are"], _GB)
            show.show_dataframe(table, hide_index=True, column_config=numbers, alt="Memory, part by part")
            show.csv_button(table, "memory.csv", "csv-memory")


StackedBars = tuple[list[tables.StackedBar], Mapping[str, str], list[float], str]


def _trained_stacks(work: ScenarioTraining, chip: str) -> StackedBars | None:
    found = state_speed.memory_of_training(work.job.model_copy(update={"accelerator": chip}))
    if not found:
        return None
    limit = found[0].memory_gb
    return (
        tables.memory_bars(found), MEMORY_PARTS, [limit for _ in found], tables.memory_finding(found, limit)
    )  # fmt: skip


def _served_stacks(work: ScenarioServing, chip: str) -> StackedBars:
    found = state_speed.memory_of_serving(work.job.model_copy(update={"accelerator": chip}))
    return (
        tables.serving_memory_bars(found), SERVED_PARTS, tables.serving_memory_limits(found),
        tables.serving_memory_summary(found)
    )  # fmt: skip


def where(work: ScenarioTraining | ScenarioServing) -> None:
    """From the peak down to what counts; for a service, where the time of a batch goes."""
    if isinstance(work, ScenarioServing):
        _format_days(work)
    elif work.found.speed is None:
        st.markdown("It does not fit, so it has no speed. The view of its memory shows what would help.")
    else:
        _efficiency_loss_view(work.found.speed)


def _efficiency_loss_view(speed: TrainingSpeed) -> None:
    steps = waterfall_steps(speed)
    said = tables.efficiency_loss_summary(steps)
    finding(said)
    show.chart(speed_charts.waterfall(steps, state.dark()), said, "stairs")
    with show.table_on_demand("stairs-table") as is_open:
        if is_open:
            table = tables.efficiency_loss_table(steps)
            columns = dict.fromkeys(table.columns[1:3], _RATE) | {table.columns[3]: show.SHARE}
            show.show_dataframe(
                _rounded(table, columns), hide_index=True, column_config=columns, placeholder="–", alt=said
            )
            show.csv_button(table, "where-the-speed-goes.csv", "csv-stairs")


def _format_days(work: ScenarioServing) -> None:
    if not work.found.fits:
        st.markdown("It does not fit, so it has no speed. The view of its memory shows what would help.")
        return
    said = tables.time_share_summary(work.found)
    finding(said)
    show.chart(speed_charts.time_shares(work.found.time_shares, state.dark()), said, "shares")
    with show.table_on_demand("shares-table") as is_open:
        if is_open:
            table = time_table(work.found)
            show.show_table(table)
            show.csv_button(table, "where-the-time-goes.csv", "csv-shares")


def layouts(work: ScenarioTraining | ScenarioServing) -> None:
    """The layout chosen and those that come next; why others were not taken."""
    if isinstance(work, ScenarioServing):
        table = tables.service_table(work.found)
        show.show_table(table)
        show.csv_button(table, "layout.csv", "csv-layouts")
        return
    said = tables.layouts_finding(work.found)
    finding(said)
    if work.found.speed is not None:
        table = tables.runners_up(work.found.speed)
        columns = {"tokens/s each": _RATE, "GB": _GB, "slower": show.SHARE}
        show.show_dataframe(_rounded(table, columns), hide_index=True, column_config=columns, alt=said)
        show.small(words.markdown(_ABBREVIATIONS))
        show.csv_button(table, "layouts.csv", "csv-layouts")
    excluded = tables.excluded_table(work.found)
    if len(excluded):
        st.markdown("**Why others were not taken**")
        show.show_table(excluded)


def beside() -> None:
    """Work that writes no tokens, on every accelerator that does it."""
    for number, table in enumerate(state_speed.beside()):
        st.header("On every accelerator that keeps up", anchor=False)
        columns: dict[str, object] = dict.fromkeys(("Requests/s of one", words.LOW, words.HIGH), _RATE)
        columns |= {"USD an hour then": _USD, "Price checked": _DAY}
        alt = "Cheapest first; those that nobody rents by the hour stand last."
        show.show_dataframe(table, hide_index=True, column_config=columns, placeholder="–", height=440, alt=alt)
        show.small(alt)
        show.csv_button(table, "accelerators.csv", f"csv-beside-{number}")


_ABBREVIATIONS = (
    "TP, PP, CP, EP, DP: over how many accelerators tensors, stages of layers, the sequence, experts and copies of the "
    "model are spread. Stages: pieces of a pipeline rank. Sharding: what copies share instead of each holding it."
)


def trust(work: ScenarioTraining | ScenarioServing | None) -> None:
    """Predictions beside published runs: the nearest runs first, then all of them, then runs left out of the fit."""
    if work is None:
        kinds = list(state_speed.NEAR_SHARE)
        first = state_speed.SERVING if any(one.serve for one in state.scenario().work) else state_speed.TRAINING
        kind = st.segmented_control("Published runs of", kinds, default=first, required=True, key=f"trust-{first}")
    else:
        kind = state_speed.TRAINING if isinstance(work, ScenarioTraining) else state_speed.SERVING
    published = state_speed.runs(kind)
    close: tuple[SimilarRun, ...] = ()
    if work is not None:
        close = state_speed.near(work, published)
        _nearest(close)
    share = state_speed.NEAR_SHARE[kind]
    said = tables.accuracy_summary(published.runs, share)
    st.header(words.markdown(said), anchor=False)
    left, right = st.columns([5, 4], gap="large")
    with left:
        show.chart(state_speed.agreement(kind, frozenset(one.run.id for one in close)), f"{said}.", "agreement")
    with right:
        _left_out(kind)
    show.small(words.markdown(tables.skipped_runs_text(published.checked)))
    with show.table_on_demand("runs-table") as is_open:
        if is_open:
            _runs_table(published)


def _nearest(close: tuple[SimilarRun, ...]) -> None:
    st.header("The published runs most like yours", anchor=False)
    said = tables.nearest_runs_summary(close)
    finding(said)
    labels = {key: chip.label for key, chip in state.catalogue().accelerators.items()}
    table = tables.nearest_runs_table(close, labels)
    columns = {"Published": _RATE, "Predicted": _RATE, "Off by": show.SHARE, "Source": show.OPEN}
    show.show_dataframe(_rounded(table, columns), hide_index=True, column_config=columns, alt=said)
    show.small("Tokens a second on each accelerator.")
    show.csv_button(table, "nearest-runs.csv", "csv-near")


def _left_out(kind: str) -> None:
    """How far off we are on runs left out of the fit: computed when the constants were, and kept beside them."""
    said = serving_data()
    bands = default_bands() if kind == state_speed.TRAINING else {**said.bands, **said.assumed_bands}
    labels = {key: chip.label for key, chip in state.catalogue().accelerators.items()}
    finding(tables.FITTED)
    table = tables.bands_table(bands, labels)
    columns = {"four of five from": show.SHARE, "to": show.SHARE}
    show.show_dataframe(_rounded(table, columns), hide_index=True, column_config=columns, height=380, alt=tables.FITTED)
    show.csv_button(table, "left-out.csv", "csv-left-out")


def _runs_table(published: state_speed.Runs) -> None:
    table = tables.runs_table(published.runs)
    columns = {"Published": _RATE, "Predicted": _RATE, "Off by": show.SHARE, "Source": show.OPEN}
    alt = "Published runs beside what is predicted"
    show.show_dataframe(_rounded(table, columns), hide_index=True, column_config=columns, height=440, alt=alt)
    show.csv_button(table, "published-runs.csv", "csv-runs")
