"""Benchmark the futures of a plan and its tornado, against the time the memory needs for as many bytes."""

import resource
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from bench.catalogue import best, line
from bench.money import BYTES_PER_NUMBER, DAY, DRAWS, EIGHT, MIB, SIX
from planner.money.option import Option
from planner.money.plan import Plan, plan
from planner.scenario.budget import FUTURES
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.break_even_map import BUSY, YEARS, break_even_map, map_axis
from planner.study.uncertainty.futures import draw_futures
from planner.study.uncertainty.stress import run_stress_test, stresses
from planner.study.uncertainty.sure_verdict import decided, input_responses
from planner.study.uncertainty.tornado import sobol_indices, tornado
from planner.study.uncertainty.uncertain_inputs import uncertain_inputs
from pricing import load_catalogue


def main() -> Iterator[str]:
    """One line for each thing measured."""
    catalogue = load_catalogue()
    usual, large = (plan(catalogue, one, DAY) for one in (Scenario(), EIGHT.model_copy(update={"ways": SIX})))
    months = large.setting.timeline.last
    reference = best(lambda: np.ones(DRAWS * months) + 1.0)
    numbers = f"{DRAWS:,} x {months} numbers ({DRAWS * months * BYTES_PER_NUMBER / MIB:.0f} MiB)"
    yield f"reference: one pass of memory over {numbers} in {1000 * reference:.2f} ms"
    inputs = uncertain_inputs(usual)
    what = f"{FUTURES:,} futures of the default plan, {len(usual.options)} ways, {len(inputs)} inputs drawn"
    yield line(what, best(lambda: draw_futures(fresh(usual)), 10), reference)
    yield line("the answer with them, verdict and bands", best(lambda: decided(fresh(usual)), 10), reference)
    what = f"{DRAWS:,} futures x {months} months x {len(large.options)} ways"
    yield line(what, best(lambda: draw_futures(fresh(large), DRAWS), 3), reference)
    own, rent = pair(usual)
    drawn = draw_futures(usual)
    assert drawn is not None
    yield line(
        "the response of both to each input", best(lambda: input_responses(drawn, (own, rent), inputs), 5), reference
    )
    yield line("the tornado, every flip solved", best(lambda: tornado(fresh(usual), own, rent), 5), reference)
    across, up = map_axis(usual, BUSY), map_axis(usual, YEARS)
    yield line("the map, busy x years", best(lambda: break_even_map(usual, own, rent, across, up), 5), reference)
    yield line("six stress tests", best(lambda: [run_stress_test(usual, key) for key in stresses()], 3), reference)
    yield line("Sobol indices", best(lambda: sobol_indices(usual, own, rent), 3), reference)
    yield f"most memory of this process so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"


def fresh(made: Plan) -> Plan:
    """The same plan with a setting of its own: what follows from one is kept by it."""
    return replace(made, setting=replace(made.setting))


def pair(made: Plan) -> tuple[Option, Option]:
    """Buying and renting on demand."""
    own, rent = made.option("own"), made.option("on_demand")
    assert own is not None and rent is not None  # noqa: PT018 - both are always there
    return own, rent
