"""Stress tests: named, sourced changes of a plan, and its answer under them.

A changed input is certain; everything else is drawn as before. So its futures show the plan if just this came true.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field, model_validator

from planner.money.owning.machine_price import PATH, POSITION, TIMES, lead_time
from planner.money.plan import Plan, plan_from_context
from planner.money.price_path import STEP, STEP_AFTER
from planner.money.verdict.breakeven import ledger_input_value
from planner.scenario.budget import FUTURES
from planner.study.data_files import SourcedRecord, read_data
from planner.study.uncertainty.sure_verdict import Judged, decided
from planner.study.uncertainty.uncertain_inputs import DistributionError
from pricing.caching import cached
from pricing.figure import StrictModel, Text

# Start values of a change where no ledger shows the input: no jump, the middle of a path, all of the price.
_USUAL = {STEP: 1.0, STEP_AFTER: 0.0, TIMES: 1.0, POSITION: 0.0, PATH: 0.0}


class InputChange(StrictModel):
    """The change of one input: exactly one of the three."""

    is_: float | None = Field(default=None, alias="is", description="what the input becomes")
    add: float | None = Field(default=None, description="what is added to it")
    times: float | None = Field(default=None, description="what it is multiplied by")

    @model_validator(mode="after")
    def _is_one_change(self) -> InputChange:
        if sum(value is not None for value in (self.is_, self.add, self.times)) != 1:
            raise ValueError("want one of is, add and times")
        return self

    def of(self, value: float) -> float:
        """Return the input after the change."""
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
    """A plan under a test, its answer and futures. `plan` is None where the test changes nothing."""

    key: str
    stress: StressTest
    plan: Plan | None
    judged: Judged | None


@cached(1)
def stresses() -> dict[str, StressTest]:
    """Return all named stress tests, by key, in the order they are shown."""
    return StressTests.model_validate(read_data("stress.yaml")).stresses


def run_stress_test(plan: Plan, key: str, count: int = FUTURES) -> StressResult:
    """Return the plan under one test."""
    stressed = with_stress_tests(plan, (key,))
    return StressResult(key, stresses()[key], stressed, None if stressed is None else decided(stressed, count))


def with_stress_tests(plan: Plan, keys: Sequence[str]) -> Plan | None:
    """Return the plan under several tests, one after the other; None where they change nothing."""
    tests = stresses()
    changed: dict[str, float] = {}
    for key in keys:
        if key not in tests:
            raise DistributionError(f"no stress test is called {key!r}; there are {', '.join(tests)}.")
        changed |= dict(_changed_inputs(plan, tests[key], changed))
    return plan_from_context(plan.setting.with_tried(changed)) if changed else None


def _changed_inputs(plan: Plan, stress: StressTest, changed: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Yield the inputs of the plan as the test changes them, from the values that other tests left."""
    for name, change in stress.changes.items():
        value = changed[name] if name in changed else _value(plan, name)
        if value is not None:
            yield name, change.of(value)


def _value(plan: Plan, name: str) -> float | None:
    if name in _USUAL:
        return _USUAL[name]
    used = ledger_input_value(name, *(option.ledger for option in plan.options))
    if used is not None:
        return used[0]
    if name == "lead_time_months":
        yours = plan.setting.scenario.own.lead_time_months
        return lead_time(plan.setting).newest.typical if yours is None else yours
    return None
