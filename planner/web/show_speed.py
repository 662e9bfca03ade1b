"""Views of the Speed page: time against cost, memory, where the time goes, layouts, and accuracy."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from planner.evidence.nearest import SimilarRun
from planner.report import words
from planner.report.market import cheapest as gpu_uses
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
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from planner.speed.scenario_jobs import ScenarioServing, ScenarioTraining
from planner.speed.serving.chips import serving_data
from planner.speed.training.constants import default_calibration
from planner.speed.training.result import waterfall_steps
from planner.study.market.survey import MarketCandidate, MarketStudy
from planner.web import address, ask, fields, name_box, show, state, state_results
from planner.web.state_results import SERVING, TRAINING, ModelWork
from pricing import PricingError

_GB = st.column_config.NumberColumn(format="%.1f")
_DAYS = st.column_config.NumberColumn(format="%,.1f")
_RUN_COLUMNS = {"Published": show.MONEY, "Predicted": show.MONEY, "Off by": show.WHOLE_SHARE, "Source": show.OPEN}
_EVERY_POINT = "every_point"  # in the address: every_point=true
_DOES_NOT_FIT = "The model does not fit. The view of its memory shows what would help."
_CHEAPEST_FIRST = "Cheapest first; those without an hourly price stand last."
_ABBREVIATIONS = (
    "TP, PP, CP, EP, DP: over how many accelerators tensors, stages of layers, the sequence, experts and copies of the "
    "model are spread. Stages: pieces of a pipeline rank. Sharding: what copies share instead of each holding it."
)


def examples(first: Callable[[], None] | None = None) -> None:
    """Show buttons that put a model into the question: the presets that name one, after another button perhaps."""
    with st.container(horizontal=True, key="speed-examples"):
        if first is not None:
            first()
        for preset in load_presets():
            if any(work.train or work.serve for work in preset.scenario.work):
                key, args = f"example-{preset.key}", (preset.scenario,)
                st.button(preset.short, help=preset.what, on_click=ask.use, args=args, key=key)


def use_example_button() -> None:
    """Show a button that makes the example the plan."""
    st.button("Plan with this example", on_click=ask.use, args=(state_results.with_example(),), key="take-example")


def gpu_guide() -> None:
    """Show which GPU suits learning, fine-tuning, training, serving and a bit of everything, on demand."""
    with show.on_demand("uses", f"{gpu_uses.TITLE} {gpu_uses.FOR_WHAT}") as is_open:
        if not is_open:
            return
        choices = state_results.gpu_guide(state.catalogue(), state.day())
        for choice in choices:
            show.paragraph(gpu_uses.use_sentence(choice))
        columns = dict.fromkeys(("USD each", "USD a month", "USD the run"), show.MONEY)
        columns |= {"USD per GPU-hour": show.CENTS, "Price of": show.DAY}
        table = gpu_uses.uses_table(choices)
        show.table("guide", "", table, columns, placeholder="–", alt=gpu_uses.TITLE)
        show.small(words.markdown(gpu_uses.NOTE))
        show.csv_button(table, "which-gpu.csv", "csv-uses")


def choose_work(works: tuple[ModelWork, ...]) -> ModelWork:
    """Return the model to look at, chosen where a plan names several."""
    if len(works) == 1:
        return works[0]
    titles = [
        f"{work.result.model} ({'trained' if isinstance(work, ScenarioTraining) else 'served'})" for work in works
    ]
    return works[st.selectbox("Which work", range(len(works)), format_func=titles.__getitem__, key="which-work")]


def divisible_count_buttons(work: ModelWork) -> None:
    """Show buttons that plan with another number of accelerators: where this one does not fit, or divides badly."""
    if not isinstance(work, ScenarioTraining):
        return
    result = work.result
    better = [result.better] if result.better else []
    with st.container(horizontal=True, key="numbers-that-divide"):
        for number in dict.fromkeys(option.accelerators for option in (*result.ways_to_fit, *better)):
            if number != result.accelerators:
                plan = _with_number(work.place, number)
                st.button(f"Plan with {number:,}", on_click=ask.use, args=(plan,), key=f"number-{number}")


def _with_number(index: int, accelerators: int) -> Scenario:
    scenario = state_results.with_example()
    works = list(scenario.work)
    works[index] = with_accelerators(works[index], accelerators)
    return scenario.model_copy(update={"work": tuple(works)})


def with_accelerators(work: Work, accelerators: int) -> Work:
    """Return the work on so many accelerators; of a service the number follows from its rate."""
    if work.train is None:
        return work
    train = work.train.model_copy(update={"choose_count": False})
    return work.model_copy(update={"accelerators": accelerators, "accelerators_per_job": None, "train": train})


# Time against cost


def front(work: ModelWork) -> None:
    """Show time against cost over the catalogue. A point or a row that is clicked becomes the plan."""
    market = state_results.front(work)
    plan = state_results.plan_point(work, market)
    summary = time_cost_front.front_summary(market, plan)
    show.paragraph(summary)
    if time_cost_front.plottable_candidates(market):
        by_id = time_cost_front.by_id(market)

        def click() -> None:
            _use([by_id.get(point) for point in show.clicked_points("front")], work.place)

        address.switch(_EVERY_POINT)
        every = bool(st.session_state[_EVERY_POINT])
        show.chart(state_results.front_figure(work, plan, every=every), summary, "front", click)
        show.small("Click a point to use it. Hollow points have prices not checked this month.")
        st.toggle("Show every candidate", key=_EVERY_POINT)
    with show.on_demand("front-table", f"All {len(market.candidates):,} as a table, with reasons") as is_open:
        if is_open:
            show.small(words.markdown(" ".join(market.reasons[1:])))
            _front_table(market, work.place)


def _front_table(market: MarketStudy, index: int) -> None:
    table, by_id = time_cost_front.front_table(market), time_cost_front.by_id(market)
    key = f"front-rows-{hash(table.ids)}"

    def tick() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        _use([by_id.get((table.ids or ())[row]) for row in rows], index)

    columns = {name: show.MONEY for name in table.columns if name.startswith("USD") or name == time_cost_front.EACH}
    columns |= {"Days": _DAYS, "GPUs": show.MONEY}
    empty = [name for name in ("Days", "ms a token, 99 %") if table.is_empty(name)]
    show.dataframe(
        table.without(*empty), column_config=columns, placeholder="–", height=440, key=key, on_select=tick,
        selection_mode="single-row", alt=time_cost_front.front_summary(market, None),
    )  # fmt: skip
    show.small("Tick a row to plan with it.")
    show.csv_button(table, "time-against-cost.csv", "csv-front")


def _use(candidates: Sequence[MarketCandidate | None], index: int) -> None:
    """Make the clicked candidate the plan: its accelerator and its number."""
    chosen = next((candidate for candidate in candidates if candidate is not None and candidate.accelerator), None)
    if chosen is not None:
        ask.use(_with_number(index, chosen.accelerators).model_copy(update={"accelerator": chosen.accelerator}))


# Memory

_Stacks = tuple[list[tables.StackedBar], Mapping[str, str], list[float], str]


def memory(work: ModelWork) -> None:
    """Show the memory in use against that of an accelerator, as stacks: for the plan and for each saving."""
    planned = work.result.accelerator
    box = name_box.Box(f"memory-of-{planned}", "On which accelerator", "gpu", planned)  # another plan: another box
    accelerator = name_box.ask(state.catalogue(), box, fields.accelerator_choices(state.catalogue())) or planned
    try:
        stacks = _stacks(work, accelerator)
    except PricingError as refusal:
        show.paragraph(f"Nothing can be said of this one: {refusal}.")
        return
    if stacks is None:
        st.markdown("No layout is legal on this one, so there is no memory to show.")
        return
    bars, parts, limits, summary = stacks
    show.paragraph(summary)
    part_words = TRAINED_PARTS_IN_WORDS if isinstance(work, ScenarioTraining) else SERVED_PARTS_IN_WORDS
    used = tuple(name for index, name in enumerate(parts.values()) if any(bar.amounts[index] > 0 for bar in bars))
    show.small(words.markdown(memory_parts_text(part_words, used)))
    show.chart(speed_charts.memory_stacks(bars, parts.values(), limits, state.dark()), summary, "memory")
    columns = dict.fromkeys([*parts.values(), "all", "there are"], _GB)
    show.table(
        "memory-table", show.AS_TABLE, lambda: tables.memory_table(bars, parts, limits), columns, "memory.csv",
        alt="Memory, part by part",
    )  # fmt: skip


def _stacks(work: ModelWork, accelerator: str) -> _Stacks | None:
    job = work.job.model_copy(update={"accelerator": accelerator})
    if isinstance(work, ScenarioServing):
        variants = state_results.serving_memory(state.catalogue(), job)
        limits, summary = tables.serving_memory_limits(variants), tables.serving_memory_summary(variants)
        return tables.serving_memory_bars(variants), SERVED_PARTS, limits, summary
    savings = state_results.training_memory(state.catalogue(), job)
    if not savings:
        return None
    limit = savings[0].memory_gb
    return tables.memory_bars(savings), MEMORY_PARTS, [limit] * len(savings), tables.memory_finding(savings, limit)


# Where the time goes, layouts


def time_breakdown(work: ModelWork) -> None:
    """Show the losses from peak to useful speed; for a service, where the time of a batch goes."""
    if isinstance(work, ScenarioServing) and work.result.fits:
        summary = tables.time_share_summary(work.result)
        show.paragraph(summary)
        show.chart(speed_charts.time_shares(work.result.time_shares, state.dark()), summary, "shares")
        with show.on_demand("shares-table") as is_open:
            if is_open:
                show.small_table(time_table(work.result), "where-the-time-goes.csv", "shares")
    elif isinstance(work, ScenarioTraining) and work.result.speed is not None:
        losses = waterfall_steps(work.result.speed)
        summary = tables.efficiency_loss_summary(losses)
        show.paragraph(summary)
        show.chart(speed_charts.waterfall(losses, state.dark()), summary, "stairs")
        show.table(
            "stairs-table", show.AS_TABLE, lambda: tables.efficiency_loss_table(losses),
            lambda table: dict.fromkeys(table.columns[1:3], show.MONEY) | {table.columns[3]: show.WHOLE_SHARE},
            "where-the-speed-goes.csv", placeholder="–", alt=summary,
        )  # fmt: skip
    else:
        st.markdown(_DOES_NOT_FIT)


def layouts(work: ModelWork) -> None:
    """Show the layout chosen and those that come next; why others were not chosen."""
    if isinstance(work, ScenarioServing):
        show.small_table(tables.service_table(work.result), "layout.csv", "layouts")
        return
    finding = tables.layouts_finding(work.result)
    show.paragraph(finding)
    if work.result.speed is not None:
        table = tables.runners_up(work.result.speed)
        columns = {"tokens/s each": show.MONEY, "GB": _GB, "slower": show.WHOLE_SHARE}
        show.table("runners-up", "", table, columns, alt=finding)
        show.small(words.markdown(_ABBREVIATIONS))
        show.csv_button(table, "layouts.csv", "csv-layouts")
    excluded = tables.excluded_table(work.result)
    if len(excluded):
        st.markdown("**Why others were not chosen**")
        show.small_table(excluded)


def other_work() -> None:
    """Show work that writes no tokens, on every accelerator that can run it."""
    for number, table in enumerate(state_results.other_work_tables()):
        st.header("On every accelerator that keeps up", anchor=False)
        columns: dict[str, object] = dict.fromkeys(
            ("Requests/h of one", words.LOW, words.HIGH), st.column_config.NumberColumn(format="localized")
        )
        columns |= {"USD an hour then": show.CENTS, "Price checked": show.DAY}
        show.table(f"other-{number}", "", table, columns, placeholder="–", height=440, alt=_CHEAPEST_FIRST)
        show.small(_CHEAPEST_FIRST)
        show.csv_button(table, "accelerators.csv", f"csv-beside-{number}")


# Accuracy


def accuracy(work: ModelWork | None) -> None:
    """Show predictions beside published runs: the nearest runs, then all of them, then runs left out of the fit."""
    if work is None:
        first = SERVING if any(work.serve for work in state.scenario().work) else TRAINING
        kinds = list(state_results.NEAR_SHARE)
        kind = st.segmented_control("Published runs of", kinds, default=first, required=True, key=f"trust-{first}")
    else:
        kind = TRAINING if isinstance(work, ScenarioTraining) else SERVING
    published = state_results.published_runs(state.catalogue(), kind)
    nearest: tuple[SimilarRun, ...] = ()
    if work is not None:
        nearest = state_results.nearest_runs(work, published)
        _nearest_runs(nearest)
    summary = tables.accuracy_summary(published.runs, state_results.NEAR_SHARE[kind])
    st.header(words.markdown(summary), anchor=False)
    left, right = st.columns([5, 4], gap="large")
    with left:
        figure = state_results.agreement_figure(kind, frozenset(similar.run.id for similar in nearest))
        show.chart(figure, f"{summary}.", "agreement")
    with right:
        _left_out(kind)
    show.small(words.markdown(tables.skipped_runs_text(published.checked)))
    show.table(
        "runs-table", show.AS_TABLE, lambda: tables.runs_table(published.runs), _RUN_COLUMNS, "published-runs.csv",
        height=440, alt="Published runs beside their predictions",
    )  # fmt: skip


def _nearest_runs(nearest: tuple[SimilarRun, ...]) -> None:
    st.header("The published runs most like yours", anchor=False)
    summary = tables.nearest_runs_summary(nearest)
    show.paragraph(summary)
    table = tables.nearest_runs_table(nearest, _labels())
    show.table("near", "", table, _RUN_COLUMNS, alt=summary)
    show.small("Tokens a second on each accelerator.")
    show.csv_button(table, "nearest-runs.csv", "csv-near")


def _left_out(kind: str) -> None:
    """Show the error on runs left out of the fit: computed with the constants, and kept beside them."""
    constants = serving_data()
    bands = default_calibration().bands if kind == TRAINING else {**constants.bands, **constants.assumed_bands}
    show.paragraph(tables.FITTED)
    columns = dict.fromkeys(("four of five from", "to"), show.WHOLE_SHARE)
    table = tables.bands_table(bands, _labels())
    show.table("left-out", "", table, columns, "left-out.csv", height=380, alt=tables.FITTED)


def _labels() -> dict[str, str]:
    return {key: accelerator.label for key, accelerator in state.catalogue().accelerators.items()}
