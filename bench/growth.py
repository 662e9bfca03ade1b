"""Benchmark a new plan, and a fleet that grows, bought in twenty orders: time and memory."""

import resource
from collections.abc import Iterator
from itertools import count

from bench import Aims, cpu_s
from planner.report.answer.plan_report import evaluate
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from pricing import Catalogue, load_catalogue

GROWS = Scenario(years=10.0, work=(Work(accelerators=100, growth_per_year=0.3),))
NEW_PLAN_S, GROWS_S, GROWS_MB = 0.025, 0.15, 60.0  # what is aimed at; megabytes beyond the start
_TRIES = 15


def main() -> Iterator[str]:
    """One line for each thing measured."""
    catalogue, aims, numbers = load_catalogue(), Aims(), count(9)
    seconds(catalogue, Scenario())
    before = megabytes()

    def new_plan() -> float:
        return seconds(catalogue, Scenario(work=(Work(accelerators=next(numbers)),)))

    yield aims.line("a new plan of eight or a few more GPUs, with all details", NEW_PLAN_S, new_plan, _TRIES)
    grows = "100 GPUs over ten years, growing by 30 % a year, in twenty orders"
    yield aims.line(grows, GROWS_S, lambda: seconds(catalogue, GROWS))
    more = megabytes() - before
    yield f"most memory beyond the start: {more:.0f} MB, {more / GROWS_MB:.1f} x its aim of {GROWS_MB:g}"
    aims.hold("most memory beyond the start", more / GROWS_MB)
    aims.check()


def seconds(catalogue: Catalogue, scenario: Scenario) -> float:
    """Return the CPU seconds of a plan with all details."""
    return cpu_s(lambda: evaluate(catalogue, scenario, catalogue.day, with_details=True))


def megabytes() -> float:
    """Return the most memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
