"""How long a row of a sweep takes, told as one with others, beside a plan and answer of its own."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from bench.catalogue import best, line
from bench.money import DAY
from planner.money.plan import plan
from planner.money.verdict.answer import answer
from planner.scenario.file import Saved
from planner.scenario.grid import Axis, Grid
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from planner.study.sweep.sweep import Sweep
from pricing import load_catalogue

ROWS = 2_048
STEPS = 8
# Four inputs of eight values: what people vary.
ENDS = {
    ("work", 0, "busy_share"): (0.1, 1.0),
    ("own", "usd_per_kwh"): (0.05, 0.25),
    ("terms", "rent_change_per_year"): (-0.3, 0.1),
    ("terms", "discount_rate_per_year"): (0.04, 0.16),
}


def main() -> Iterator[str]:
    """One line for each thing measured."""
    catalogue, base = load_catalogue(), Scenario(work=(Work(accelerators=16),))
    reference = best(lambda: answer(plan(catalogue, base, DAY)).break_even("busy_share"), 10)
    yield f"reference: one plan with answer and break-even of use in {1000 * reference:.1f} ms"
    axes = tuple(
        Axis((path,), tuple((low + (high - low) * step / (STEPS - 1),) for step in range(STEPS)))
        for path, (low, high) in ENDS.items()
    )
    grid = Grid(Saved(base), axes)
    for what, solves in (("with", True), ("without", False)):
        sweep = Sweep(catalogue, grid, DAY, solves)
        began = perf_counter()
        told = len(sweep.hows)
        what_is_asked = f"asking the engine which of {len(axes)} inputs go together: {told}"
        yield line(what_is_asked, perf_counter() - began, reference)
        began = perf_counter()
        sweep.block(0, ROWS)
        yield line(f"a row of {ROWS:,}, {what} break-even", (perf_counter() - began) / ROWS, reference)
