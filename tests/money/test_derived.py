"""A record that is derived of another equals one that is built from the same inputs, with every value it keeps."""

from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.demand.lost_time import RATE
from planner.money.fleet import _with_terms
from planner.money.ledger import Line, Tried
from planner.money.setting import BUSY_FACTOR, HOURS_FACTOR, ChosenOffers, PlanContext, Reservation
from planner.scenario.own import PurchaseOrder
from planner.scenario.path import with_value
from planner.scenario.scenario import Scenario
from pricing.caching import cached_property, derive
from tests.facts import CATALOGUE, DAY
from tests.money.anyplan import CHIPS, of, plans
from tests.rows import each_row

KEPT = {
    kind: [name for name, value in vars(kind).items() if isinstance(value, cached_property) and value.part]
    for kind in (PlanContext, Line)
}
FIELDS = sorted(Scenario.model_fields.keys() - {"name", "note", "currency", "tax", "kept", "hosted"})
OFFERS = ChosenOffers(base_reservations=(Reservation(None, 0, 12.0),))
TRIED: tuple[Tried, ...] = (
    {}, {BUSY_FACTOR: 0.5}, {HOURS_FACTOR: np.array([[1.0], [1.3]])}, {RATE: 1e-4}, {"usd_per_kwh": 0.2},
)  # fmt: skip
tries = st.sampled_from(TRIED)


def agree(one: Any, other: Any) -> bool:
    """Whether two values are alike, field by field."""
    if is_dataclass(one):
        return type(one) is type(other) and all(
            agree(getattr(one, field.name), getattr(other, field.name))
            for field in fields(one)
            if field.name != "layers"
        )
    if isinstance(one, np.ndarray | float):
        return bool(np.array_equal(one, other, equal_nan=True))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(agree(value, other[key]) for key, value in one.items())
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(agree, one, other))
    return bool(one == other)


def warm(record: Any) -> Any:
    """The record with everything calculated that a derived one may take over."""
    for name in KEPT[type(record)]:
        getattr(record, name)
    return record


def check(derived: Any) -> None:
    """Every value equals that of a fresh record with the same fields."""
    fresh = type(derived)(**{field.name: getattr(derived, field.name) for field in fields(derived)})
    for name in KEPT[type(derived)]:
        assert agree(getattr(derived, name), getattr(fresh, name)), name


def setting(scenario: Scenario, tried: Tried) -> PlanContext:
    return warm(PlanContext(CATALOGUE, scenario, DAY, tried=tried))


@pytest.mark.slow
@given(plans(), tries, tries)
def test_a_derived_setting_equals_a_fresh_one(scenario: Scenario, before: Tried, more: Tried) -> None:
    there = setting(scenario, before)
    for derived in (
        there.with_tried(more),
        there.with_offers(OFFERS),
        there.with_tried(more).with_offers(OFFERS),
    ):
        check(derived)


@pytest.mark.slow
@given(plans(), plans(), st.sets(st.sampled_from(FIELDS), min_size=1), tries)
def test_whatever_differs_in_the_scenario(one: Scenario, other: Scenario, names: set[str], tried: Tried) -> None:
    """A value is carried over only where nothing that it reads has changed: any fields may have."""
    changed = one.model_copy(update={name: getattr(other, name) for name in names})
    check(derive(setting(one, tried), scenario=changed))


@each_row(("path", "value"), [
    ("accelerator", "RTX-4090-24GB"), ("years", 2.0), ("site", "DE"), ("failures.stated_hours", "useful"),
    ("rent.hours_per_session", 3.0), ("terms.hours_per_month", 720.0),
])  # fmt: skip
def test_each_field_that_the_work_depends_on_is_declared(path: str, value: object) -> None:
    scenario = Scenario(accelerator=CHIPS[0], site="US-TX")
    check(derive(setting(scenario, {}), scenario=with_value(scenario, tuple(path.split(".")), value)))


@pytest.mark.slow
@given(plans(), tries, st.integers(0, 400))
def test_whatever_day_it_is(scenario: Scenario, tried: Tried, days: int) -> None:
    check(derive(setting(scenario, tried), day=DAY + timedelta(days)))


@pytest.mark.slow
@given(plans(), tries, st.integers(1, 3))
def test_the_setting_of_orders_equals_a_fresh_one(scenario: Scenario, tried: Tried, several: int) -> None:
    orders = tuple(PurchaseOrder(accelerators=8, month=month + 1) for month in range(several))
    check(_with_terms(setting(scenario, tried), orders, 0))


@pytest.mark.slow
@given(plans())
def test_a_line_under_another_name_has_the_amounts_of_a_fresh_one(scenario: Scenario) -> None:
    for option in of(scenario).options:
        for line in option.ledger.lines:
            check(warm(line).called("Another name", 2))
            twice = tuple(one._replace(value=np.asarray(one.value) * 2) for one in line.used)
            with np.errstate(all="ignore"):  # no formula is meant for that
                check(derive(line, used=twice))


def test_nothing_is_carried_over_that_declares_no_part() -> None:
    assert "order_contexts" not in vars(derive(setting(Scenario(), {}), "order_contexts", tried={}))


def test_a_part_that_is_not_whole_would_be_seen() -> None:
    @dataclass(frozen=True)
    class Pair:
        left: int
        right: int

        @cached_property.of(lambda pair: (pair.left,))
        def total(self) -> int:
            return self.left + self.right

    derived = derive(Pair(1, 2), "total", right=5)
    assert derived.total == 3 != replace(derived).total


@pytest.mark.parametrize("kind", KEPT)
def test_records_that_are_derived_declare_what_they_keep(kind: type[object]) -> None:
    assert KEPT[kind]
