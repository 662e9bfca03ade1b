"""Benchmark a row of a sweep, batched with others, against a plan and answer of its own."""

from collections.abc import Iterator
from functools import partial

from bench import Aims, TooSlow, cpu_s
from bench.catalogue import line
from bench.money import DAY
from planner.money.plan import plan
from planner.money.verdict.answer import build_answer
from planner.scenario.file import SavedScenario
from planner.scenario.grid import SweepAxis, SweepGrid
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from planner.study.sweep.sweep import Sweep
from pricing import load_catalogue

ROWS = 2_048
STEPS = 8
MOST = 0.1  # of the reference: a row that is calculated alone takes all of it
ROW_S = 0.0002  # what is aimed at, without break-even
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
    reference = min(cpu_s(lambda: build_answer(plan(catalogue, base, DAY)).break_even("busy_share")) for _ in range(10))
    yield f"reference: one plan with answer and break-even of use in {1000 * reference:.1f} ms"
    axes = tuple(
        SweepAxis((path,), tuple((low + (high - low) * step / (STEPS - 1),) for step in range(STEPS)))
        for path, (low, high) in ENDS.items()
    )
    grid = SweepGrid(SavedScenario(base), axes)
    rows = f"a row of {ROWS:,}"
    for what, solves in (("with", True), ("without", False)):
        sweep = Sweep(catalogue, grid, DAY, solves)
        asking = cpu_s(partial(getattr, sweep, "encodings"))
        yield line(
            f"asking the engine which of {len(axes)} inputs are batched: {len(sweep.encodings)}", asking, reference
        )
        seconds = cpu_s(partial(sweep.block, 0, ROWS)) / ROWS
        yield line(f"{rows}, {what} break-even", seconds, reference)
        if seconds > MOST * reference:
            raise TooSlow(f"a row of a sweep takes more than {MOST} x the reference: rows no longer go together")

    def row_s() -> float:
        sweep = Sweep(catalogue, grid, DAY, with_break_even=False)
        _ = sweep.encodings
        return cpu_s(partial(sweep.block, 0, ROWS)) / ROWS

    aims = Aims()
    yield aims.line(f"{rows}, without break-even", ROW_S, row_s, 3)
    aims.check()
