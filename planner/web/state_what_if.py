"""What the What if page keeps, the same for everybody who asks the same: bars, maps, plans under test, indices."""

from datetime import date

import plotly.graph_objects as go
import streamlit as st

from planner.money.option import Option
from planner.money.plan import Plan
from planner.report.answer.side_by_side import saved_usd
from planner.report.futures import future_charts
from planner.report.futures.input_words import saving_side_label
from planner.report.what_if import compared_pair
from planner.scenario.ways import Way
from planner.study.uncertainty.break_even_map import BreakEvenMap, axis, break_even_map
from planner.study.uncertainty.stress import StressResult, laid_over, run_stress_test
from planner.study.uncertainty.sure_verdict import Judged, decided
from planner.study.uncertainty.tornado import Index, TornadoBar, indices, tornado
from planner.web import state, workers

Who = tuple[str, str, date]  # digest of the catalogue, scenario, day: what all of this depends on


def judged() -> Judged:
    """The answer of this run and the futures it rests on."""
    there = state.reckoned()
    return Judged(there.answer, there.futures)


def _pair() -> tuple[Option, Option]:
    return compared_pair(state.reckoned().answer)


def _ways() -> tuple[Way, Way]:
    first, second = _pair()
    return first.way, second.way


def who() -> str:
    """Who saves on this page: owning, or the mix where that is the answer."""
    return saving_side_label(_ways()[0])


def _who() -> Who:
    return state.catalogue().digest, state.scenario().model_dump_json(exclude_defaults=True), state.day()


@st.cache_resource(show_spinner=False, max_entries=64)
def _bars(who: Who, _plan: Plan, _pair: tuple[Option, Option]) -> tuple[TornadoBar, ...]:
    return workers.elsewhere(tornado, _plan, *_pair)


def bars() -> tuple[TornadoBar, ...]:
    """What each input alone does to the saving, the widest first."""
    return _bars(_who(), state.reckoned().plan, _pair())


@st.cache_resource(show_spinner=False, max_entries=64)
def _tornado(who: Who, night: bool, _ways: tuple[Way, Way], _bars: tuple[TornadoBar, ...]) -> go.Figure:
    return future_charts.tornado_chart(_bars, night, _ways)


def tornado_chart() -> go.Figure:
    """The tornado as a chart."""
    its = [(one.letter, saved_usd(one.result.answer)) for one in state.pinned()]
    if its:
        pins = [(letter, usd) for letter, usd in its if usd is not None]
        return future_charts.tornado_chart(bars(), state.dark(), _ways(), pins)
    return _tornado(_who(), state.dark(), _ways(), bars())


@st.cache_resource(show_spinner=False, max_entries=64)
def _map(who: Who, across: str, up: str, _plan: Plan, _pair: tuple[Option, Option]) -> BreakEvenMap:
    return workers.elsewhere(break_even_map, _plan, *_pair, axis(_plan, across), axis(_plan, up))


def cached_break_even_map(across: str, up: str) -> BreakEvenMap:
    """What owning saves over two different inputs."""
    return _map(_who(), across, up, state.reckoned().plan, _pair())


@st.cache_resource(show_spinner=False, max_entries=64)
def _cached_map_chart(
    who: Who, across: str, up: str, night: bool, _ways: tuple[Way, Way], _found: BreakEvenMap
) -> go.Figure:
    return future_charts.break_even_map_chart(_found, night, _ways)


def break_even_map_chart(found: BreakEvenMap) -> go.Figure:
    """The break-even map as a chart."""
    return _cached_map_chart(_who(), found.across.name, found.up.name, state.dark(), _ways(), found)


@st.cache_resource(show_spinner=False, max_entries=64)
def _stressed(who: Who, key: str, _plan: Plan) -> StressResult:
    return workers.elsewhere(run_stress_test, _plan, key)


def under(key: str) -> StressResult:
    """The plan under one test."""
    return _stressed(_who(), key, state.reckoned().plan)


@st.cache_resource(show_spinner=False, max_entries=64)
def _together(who: Who, keys: tuple[str, ...], _plan: Plan) -> Judged | None:
    there = laid_over(_plan, keys)
    return None if there is None else workers.elsewhere(decided, there)


def combined_stress(keys: tuple[str, ...]) -> Judged | None:
    """The plan under several tests at once; None where they touch nothing."""
    if len(keys) == 1:
        return under(keys[0]).judged
    return _together(_who(), keys, state.reckoned().plan) if keys else None


@st.cache_resource(show_spinner="Telling the inputs apart", max_entries=32)
def _indices(who: Who, _plan: Plan, _pair: tuple[Option, Option]) -> tuple[Index, ...]:
    return workers.run_in_slow_worker(indices, _plan, *_pair)


def doubt() -> tuple[Index, ...]:
    """Which share of the doubt comes from each input. Takes a second the first time."""
    return _indices(_who(), state.reckoned().plan, _pair())
