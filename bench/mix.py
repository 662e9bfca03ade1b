"""Benchmark the best mix and the best month, against their plan."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from bench.catalogue import best, line
from planner.money.plan import Plan, plan
from planner.scenario.own import OwnInputs
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from planner.study.buy_or_wait import waiting
from planner.study.mix.best_mix import BestMix, add_best_mix, best_mix
from pricing import load_catalogue

DAY = date(2026, 11, 21)
REPEATS = 10
SMALL = (Work(accelerators=8, busy_share=0.95), Work(accelerators=32, busy_share=0.1))
CASES = {
    "the default, whose work wants the same whenever it runs": Scenario(),
    "two kinds of work, 40 at once": Scenario(work=SMALL),
    "with seasons, growth and spot": Scenario(
        work=(
            Work(accelerators=8, busy_share=0.95, growth_per_year=0.3),
            Work(accelerators=32, busy_share=0.15, season=(1.0,) * 5 + (3.0,) * 2 + (1.0,) * 5, may_stop=True),
        ),
        own=OwnInputs(lead_time_months=3.0),
    ),
    "3,000 at once": Scenario(
        work=(Work(accelerators=1_000, busy_share=0.9), Work(accelerators=2_000, busy_share=0.3)),
    ),
}


def main() -> Iterator[str]:
    """One line for each thing measured."""
    catalogue = load_catalogue()
    for name, scenario in CASES.items():
        made = plan(catalogue, scenario, DAY)
        best_mix(made)  # the solver is loaded once
        reference = best(lambda scenario=scenario: plan(catalogue, scenario, DAY), REPEATS)  # type: ignore[misc]
        yield f"{name}: reference, the plan itself in {1000 * reference:.1f} ms"
        yield line("the best mix", best(lambda made=made: best_mix(anew(made)), REPEATS), reference)  # type: ignore[misc]
        seconds = best(lambda made=made: add_best_mix(anew(made)), REPEATS)  # type: ignore[misc]
        yield line("and as one more way of the plan, with its range", seconds, reference)
        found = best_mix(made)
        if isinstance(found, BestMix):
            seconds = best(lambda made=made: curve(anew(made)), REPEATS)  # type: ignore[misc]
            yield line("with the cost over the size of the base", seconds, reference)
        yield line("buying in every month", best(lambda made=made: waiting(anew(made)), REPEATS), reference)  # type: ignore[misc]


def anew(made: Plan) -> Plan:
    """The plan at a setting of its own: what follows from one is kept by it."""
    return replace(made, setting=replace(made.setting))


def curve(made: Plan) -> int:
    """The best mix and the curve beside it."""
    found = best_mix(made)
    return len(found.curve) if isinstance(found, BestMix) else 0
