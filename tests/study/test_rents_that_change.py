"""The table of rents that change agrees with the plan, and with the sweep, of the link's own `rents=`."""

import math
from random import Random

import pytest

from bench.one_comparison import random_scenario
from planner.money.verdict.answer import Answer
from planner.report.answer.tables import rent_change_table
from planner.scenario.file import SavedScenario
from planner.scenario.grid import SweepAxis, SweepGrid
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.study.sweep.sweep import Sweep
from planner.study.uncertainty.sure_verdict import decided
from pricing import load_catalogue

pytestmark = pytest.mark.slow
_PATH = ("terms", "rent_change_per_year")
OPTIONS = tuple[tuple[object, ...], ...]


def compared(answer: Answer) -> OPTIONS:
    """The two compared options as they are chosen: fleet, orders, term and seller."""
    pair = answer.pair or ()
    return tuple((way.option.title, way.option.what, way.option.orders, way.option.accelerators) for way in pair)


def test_the_table_is_the_sweep_of_the_links_own_rents() -> None:
    """Where the sweep chooses the same two options. Where it chooses others, it answers another question."""
    catalogue, rng = load_catalogue(), Random(11)
    random = [random_scenario(rng) for _ in range(14)]
    same = finite = others = 0
    for scenario in (Scenario(), *(preset.scenario for preset in load_presets()), *random):
        answer = decided(planned(catalogue, scenario, catalogue.day)).answer
        changes = answer.payback_by_rent_change
        grid = SweepGrid(SavedScenario(scenario), (SweepAxis((_PATH,), tuple((change,) for change, *_ in changes)),))
        sweep = Sweep(catalogue, grid, catalogue.day, with_break_even=False, with_verdict=True)
        rows = rent_change_table(answer)["Pays back"] if changes else []
        for point, ((_, today, plain), text) in enumerate(zip(changes, rows, strict=True)):
            link = grid.scenario(grid.values(point))
            if compared(decided(planned(catalogue, link, catalogue.day)).answer) != compared(answer):
                others += 1
                continue
            row = sweep.alone(link)
            assert row.payback_discounted_months == pytest.approx(float(today.months), rel=1e-9, nan_ok=True), link
            assert row.payback_months == pytest.approx(float(plain.months), rel=1e-9, nan_ok=True), link
            assert (text == "never") == math.isnan(row.payback_discounted_months)
            same, finite = same + 1, finite + math.isfinite(row.payback_discounted_months)
    assert same > 40
    assert finite > 8
    assert others < same
