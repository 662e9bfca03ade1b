"""Benchmark a row of a sweep, batched with others, against a plan and answer of its own."""

from collections.abc import Callable, Iterator
from functools import partial
from time import process_time

from bench import TooSlow
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
    reference = min(
        _cpu_seconds(lambda: build_answer(plan(catalogue, base, DAY)).break_even("busy_share")) for _ in range(10)
    )
    yield f"reference: one plan with answer and break-even of use in {1000 * reference:.1f} ms"
    axes = tuple(
        SweepAxis((path,), tuple((low + (high - low) * step / (STEPS - 1),) for step in range(STEPS)))
        for path, (low, high) in ENDS.items()
    )
    grid = SweepGrid(SavedScenario(base), axes)
    for what, solves in (("with", True), ("without", False)):
        sweep = Sweep(catalogue, grid, DAY, solves)
        asking = _cpu_seconds(partial(getattr, sweep, "encodings"))
        yield line(
            f"asking the engine which of {len(axes)} inputs are batched: {len(sweep.encodings)}", asking, reference
        )
        seconds = _cpu_seconds(partial(sweep.block, 0, ROWS)) / ROWS
        yield line(f"a row of {ROWS:,}, {what} break-even", seconds, reference)
        if seconds > MOST * reference:
            raise TooSlow(f"a row of a sweep takes more than {MOST} x the reference: rows no longer go together")


def _cpu_seconds(work: Callable[[], object]) -> float:
    """Processor time, so that what else runs on the machine does not count."""
    began = process_time()
    work()
    return process_time() - began
