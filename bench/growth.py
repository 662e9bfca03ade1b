"""Benchmark a fleet that grows, bought in twenty orders, against the default plan: time and memory."""

import resource
import time
from collections.abc import Iterator
from datetime import date

from bench import TooSlow
from planner.report.answer.plan_report import evaluate
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from pricing import Catalogue, load_catalogue

GROWS = Scenario(years=10.0, work=(Work(accelerators=100, growth_per_year=0.3),))
_MOST, _MOST_MB = 12.0, 150.0  # times a plan that nobody knows yet; megabytes beyond the start
_TRIES = 5


def main() -> Iterator[str]:
    """One line for each thing measured."""
    catalogue = load_catalogue()
    seconds(catalogue, Scenario())
    before = megabytes()
    reference = min(seconds(catalogue, Scenario(work=(Work(accelerators=9 + at),))) for at in range(_TRIES))
    yield f"reference: a plan of eight or a few more GPUs, with all details: {1000 * reference:.0f} ms of CPU"
    times = seconds(catalogue, GROWS) / reference
    yield f"100 GPUs over ten years, growing by 30 % a year, in twenty orders: {times:.1f} x the reference"
    more = megabytes() - before
    yield f"most memory beyond the start: {more:.0f} MB"
    if times > _MOST:
        raise TooSlow(f"a fleet that grows takes more than {_MOST:g} x a plan: its orders are built one by one")
    if more > _MOST_MB:
        raise TooSlow(f"a fleet that grows takes more than {_MOST_MB:g} MB: its lines are kept")


def seconds(catalogue: Catalogue, scenario: Scenario) -> float:
    """Return the CPU seconds of a plan with all details."""
    day: date = catalogue.day
    began = time.process_time()
    evaluate(catalogue, scenario, day, with_details=True)
    return time.process_time() - began


def megabytes() -> float:
    """Return the most memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
