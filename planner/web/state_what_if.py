"""Results of the What if page, shared by all sessions: bars, maps, stress tests, indices."""

import plotly.graph_objects as go

from planner.money.option import Option
from planner.report.answer.side_by_side import saved_usd
from planner.report.futures import future_charts
from planner.report.futures.input_words import saving_side_label
from planner.report.what_if import compared_pair
from planner.scenario.ways import Way
from planner.study.uncertainty import break_even_map as maps
from planner.study.uncertainty.break_even_map import BreakEvenMap
from planner.study.uncertainty.stress import StressResult, run_stress_test, with_stress_tests
from planner.study.uncertainty.sure_verdict import Judged, decided
from planner.study.uncertainty.tornado import SobolIndex, TornadoBar, sobol_indices, tornado
from planner.web import state, workers
from planner.web.shared import shared


def judged() -> Judged:
    """Return the answer of this run and the futures it rests on."""
    result = state.result()
    return Judged(result.answer, result.futures)


def _pair() -> tuple[Option, Option]:
    return compared_pair(state.result().answer)


def _sides() -> tuple[Way, Way]:
    first, second = _pair()
    return first.way, second.way


def saving_side() -> str:
    """Return the side whose saving the page shows: owning, or the mix where that is the answer."""
    return saving_side_label(_sides()[0])


@shared(64, key=state.of_plan)
def bars() -> tuple[TornadoBar, ...]:
    """Return what each input alone does to the saving, the widest first."""
    return workers.run_in_worker(tornado, state.result().plan, *_pair())


@shared(64, key=state.of_plan)
def _tornado_figure(is_dark: bool) -> go.Figure:
    return future_charts.tornado_chart(bars(), is_dark, _sides())


def tornado_figure() -> go.Figure:
    """Return the tornado chart, with the savings of pinned plans."""
    if not state.pinned():
        return _tornado_figure(state.dark())
    savings = [(pin.letter, saved_usd(pin.result.answer)) for pin in state.pinned()]
    pins = [(letter, usd) for letter, usd in savings if usd is not None]
    return future_charts.tornado_chart(bars(), state.dark(), _sides(), pins)


@shared(64, key=state.of_plan)
def break_even_map(x_name: str, y_name: str) -> BreakEvenMap:
    """Return what owning saves over two different inputs."""
    plan = state.result().plan
    return workers.run_in_worker(
        maps.break_even_map, plan, *_pair(), maps.map_axis(plan, x_name), maps.map_axis(plan, y_name)
    )


@shared(64, key=state.of_plan)
def _map_figure(x_name: str, y_name: str, is_dark: bool) -> go.Figure:
    return future_charts.break_even_map_chart(break_even_map(x_name, y_name), is_dark, _sides())


def map_figure(x_name: str, y_name: str) -> go.Figure:
    """Return the break-even map as a chart."""
    return _map_figure(x_name, y_name, state.dark())


@shared(64, key=state.of_plan)
def stressed(key: str) -> StressResult:
    """Return the plan under one stress test."""
    return workers.run_in_worker(run_stress_test, state.result().plan, key)


@shared(64, key=state.of_plan)
def _stressed_together(keys: tuple[str, ...]) -> Judged | None:
    plan = with_stress_tests(state.result().plan, keys)
    return None if plan is None else workers.run_in_worker(decided, plan)


def combined_stress(keys: tuple[str, ...]) -> Judged | None:
    """Return the answer under several stress tests at once; None where they touch nothing."""
    if len(keys) == 1:
        return stressed(keys[0]).judged
    return _stressed_together(keys) if keys else None


@shared(32, key=state.of_plan, spinner="Telling the inputs apart")
def uncertainty_shares() -> tuple[SobolIndex, ...]:
    """Return which share of the uncertainty comes from each input. Takes a second the first time."""
    return workers.run_in_slow_worker(sobol_indices, state.result().plan, *_pair())
