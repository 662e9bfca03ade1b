"""Benchmark the answer of a plan where the catalogue holds a hundred times as many offers."""

from collections.abc import Iterator
from itertools import count

from bench import Aims, cpu_s
from planner.money.plan import plan
from planner.money.verdict.answer import build_answer
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from pricing import load_catalogue

COPIES = 100
PLAN_S = 0.06  # what is aimed at


def main() -> Iterator[str]:
    """One line for each thing measured."""
    facts, aims, numbers = load_catalogue(), Aims(), count(9)
    copies = {f"{key}-{copy}": offer for copy in range(COPIES) for key, offer in facts.offers.items()}
    catalogue = facts.model_copy(update={"offers": copies})

    def answer() -> None:
        build_answer(plan(catalogue, Scenario(work=(Work(accelerators=next(numbers)),)), facts.day))

    yield f"the first plan with {len(copies):,} offers, which reads all of them: {cpu_s(answer):.1f} s of CPU"
    yield aims.line(f"a new plan with {len(copies):,} offers, with its answer", PLAN_S, lambda: cpu_s(answer), 10)
    aims.check()
