"""Benchmark a plan and thousands of its futures, against the time the memory needs for as many bytes."""

import resource
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import numpy as np

from bench.catalogue import best, line
from planner.money.many_ledgers import InputColumns
from planner.money.plan import Plan, build_context, plan, plan_from_context
from planner.money.verdict.answer import build_answer
from planner.scenario.own import ExistingHardware, RentToOwn
from planner.scenario.rent import HostedModelInputs, MixInputs
from planner.scenario.scenario import Scenario
from planner.scenario.ways import Way
from planner.scenario.work import Work
from pricing import load_catalogue

DAY = date(2026, 11, 21)
DRAWS = 10_000
SIX: tuple[Way, ...] = ("own", "loan", "lease", "on_demand", "reserved", "mix")
BYTES_PER_NUMBER, MIB = 8, 1 << 20
MANY = 30  # repeats of what takes milliseconds
# Everything that can be calculated, over sixty months: one cash flow of each kind.
EIGHT = Scenario(
    years=5.0,
    work=(Work(accelerators=8, busy_share=0.6, may_stop=True),),
    mix=MixInputs(own_accelerators=4),
    kept=ExistingHardware(accelerators=4, relative_speed=0.3),
    rent_to_own=RentToOwn(usd_per_month=9_000.0, months=36),
    hosted=HostedModelInputs(
        million_input_tokens_per_month=2_000.0,
        million_output_tokens_per_month=500.0,
        usd_per_million_input_tokens=2.5,
        usd_per_million_output_tokens=10.0,
    ),
)
ENDS = {
    "usd_per_kwh": (0.05, 0.25),
    "usd_per_accelerator": (20_000.0, 40_000.0),
    "residual_share": (0.05, 0.6),
    "usd_per_accelerator_hour": (1.2, 3.5),
    "rent_change_per_year": (-0.3, 0.3),
    "busy_factor": (0.5, 1.6),
}


def main() -> Iterator[str]:
    """One line for each thing measured."""
    catalogue = load_catalogue()
    setting = build_context(catalogue, EIGHT, DAY)
    made = plan_from_context(setting)
    eight = replace(setting, scenario=EIGHT.model_copy(update={"ways": tuple(one.way for one in made.options)[:8]}))
    months = setting.timeline.last
    reference = best(lambda: np.ones(DRAWS * months) + 1.0)
    yield (
        f"reference: one pass of memory over {DRAWS:,} x {months} numbers "
        f"({DRAWS * months * BYTES_PER_NUMBER / MIB:.0f} MiB) in {1000 * reference:.2f} ms"
    )
    for there in (eight, setting):
        count = len(plan_from_context(there).options)
        # A setting of its own each time: what follows from one is kept by it.
        seconds = best(lambda there=there: totals(plan_from_context(replace(there))), MANY)  # type: ignore[misc]
        yield line(f"one plan: {count} ways x {months} months, typical, low and high, totals", seconds, reference)
    seconds = best(lambda: totals(plan(catalogue, EIGHT, DAY)), MANY)
    yield line("the same with the offers chosen first", seconds, reference)
    yield line("the answer: measures, break-evens, verdict", best(lambda: build_answer(made), MANY), reference)
    draws = futures()
    six = [one for one in made.options if one.key in SIX]
    seconds = best(lambda: InputColumns(setting, draws).present_usd(six), repeats=3)
    yield line(f"{DRAWS:,} futures x {months} months x {len(six)} ways, in today's money", seconds, reference)
    yield f"most memory of this process so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"


def totals(made: Plan) -> float:
    """Every line of every way calculated, at typical, low and high."""
    return float(sum(ledger.total_usd for one in made.options for ledger in (one.low, one.ledger, one.high)))


def futures() -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Draws between the ends of what varies, always the same."""
    generator = np.random.default_rng(7)
    return {name: generator.uniform(low, high, DRAWS) for name, (low, high) in ENDS.items()}
