"""Stress tests: named, sourced changes laid over a plan, and what is left of its answer.

What a test changes is certain while it lasts; everything else is drawn as before. So its futures say what the plan
would look like if just this came true.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field, model_validator

from planner.money.owning.inputs import POSITION, TIMES, lead_time
from planner.money.plan import Plan, plan_from_context
from planner.money.price_path import STEP, STEP_AFTER
from planner.money.verdict.breakeven import value_of
from planner.scenario.budget import FUTURES
from planner.study.data_files import SourcedRecord, read_data
from planner.study.uncertainty.sure_verdict import Judged, decided
from planner.study.uncertainty.uncertain_inputs import DistributionError
from pricing.caching import cached
from pricing.figure import StrictModel, Text

# What a change starts from where no ledger shows the input: no jump, the middle of the curve, all of the price.
_USUAL = {STEP: 1.0, STEP_AFTER: 0.0, TIMES: 1.0, POSITION: 0.0}


class InputChange(StrictModel):
    """What becomes of one input: exactly one of the three."""

    is_: float | None = Field(default=None, alias="is", description="what the input becomes")
    add: float | None = Field(default=None, description="what is added to it")
    times: float | None = Field(default=None, description="what it is multiplied by")

    @model_validator(mode="after")
    def _one(self) -> InputChange:
        if sum(value is not None for value in (self.is_, self.add, self.times)) != 1:
            raise ValueError("want one of is, add and times")
        return self

    def of(self, value: float) -> float:
        """The input after the change."""
        if self.is_ is not None:
            return self.is_
        return value + self.add if self.add is not None else value * (self.times or 0.0)


class StressTest(SourcedRecord):
    """One named test."""

    label: Text = Field(description="what people call it")
    changes: dict[str, InputChange] = Field(
        min_length=1, description="what becomes of each input, as the formulas name it"
    )


class StressTests(StrictModel):
    """All of them."""

    stresses: dict[str, StressTest] = Field(description="named tests, by key, in the order they are shown")


@dataclass(frozen=True, eq=False)
class StressResult:
    """A plan under a test: what to do then, and how sure that is. `plan` is None where the test touches nothing."""

    key: str
    stress: StressTest
    plan: Plan | None
    judged: Judged | None


@cached(1)
def stresses() -> dict[str, StressTest]:
    """All named stress tests, by key, in the order they are shown."""
    return StressTests.model_validate(read_data("stress.yaml")).stresses


def run_stress_test(plan: Plan, key: str, count: int = FUTURES) -> StressResult:
    """The plan under one test."""
    there = laid_over(plan, (key,))
    return StressResult(key, stresses()[key], there, None if there is None else decided(there, count))


def laid_over(plan: Plan, keys: Sequence[str]) -> Plan | None:
    """The plan under several tests at once, one laid over the other; None where they touch nothing."""
    tests = stresses()
    tried: dict[str, float] = {}
    for key in keys:
        if key not in tests:
            raise DistributionError(f"no stress test is called {key!r}; there are {', '.join(tests)}.")
        tried |= dict(_changed_inputs(plan, tests[key], tried))
    return plan_from_context(plan.setting.with_tried(tried)) if tried else None


def _changed_inputs(plan: Plan, stress: StressTest, changed: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """The inputs that the plan has, as the test changes them; it starts from what another test has changed already."""
    for name, change in stress.changes.items():
        value = changed[name] if name in changed else _value(plan, name)
        if value is not None:
            yield name, change.of(value)


def _value(plan: Plan, name: str) -> float | None:
    """What an input is in the plan; None where no way of it uses one."""
    if name in _USUAL:
        return _USUAL[name]
    found = value_of(name, *(option.ledger for option in plan.options))
    if found is not None:
        return found[0]
    if name == "lead_time_months":
        yours = plan.setting.scenario.own.lead_time_months
        return lead_time(plan.setting).newest.typical if yours is None else yours
    return None
