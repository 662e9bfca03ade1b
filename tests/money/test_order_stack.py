"""Later orders of a fleet are built in one array: each costs what it costs when it is built alone."""

from typing import Any

import numpy as np
import pytest

from planner.money.many_ledgers import InputColumns, build_ledger, option_builder
from planner.money.measures import present_usd
from planner.money.option import Option
from planner.money.plan import Plan, plan
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.draws import draw_inputs
from planner.study.uncertainty.uncertain_inputs import uncertain_inputs
from tests.facts import CATALOGUE, DAY
from tests.rows import slow_except

GROWING: dict[str, Any] = {"years": 4.0, "work": ({"accelerators": 40, "growth_per_year": 0.6},)}
TERMS: tuple[dict[str, Any], ...] = (
    {},
    {"own": {"refresh_years": 2.0, "guaranteed_residual_share": 0.3, "guarantee_cost_share": 0.02}},
    {"own": {"power_at_load": ({"load": 0.0, "power_share": 0.2}, {"load": 1.0, "power_share": 0.9})}},
    {"own": {"capex_usd": 400_000.0, "capex_per": "machine"}, "terms": {"money": "real"}},
    {"tax": {"tax_share": 0.25, "vat_share": 0.2, "schedule": "macrs-5-half-year"}, "lease": {"years": 2.0}},
    {"lease": {"buys_at_end": True}, "sell": {"usd_per_accelerator_hour": 1.5}},
    {"terms": {"usd_per_waiting_hour": 50.0}, "own": {"order_month": 2}},
)
ALONE = 1e9  # tonnes: a limit that nothing breaks, under which each order is built by itself


def ordered(terms: dict[str, Any], *, alone: bool) -> tuple[Plan, list[Option]]:
    """A plan of work that grows, and its options that buy in several orders."""
    limit = {"most_t_co2e": ALONE} if alone else {}
    made = plan(CATALOGUE, Scenario(**{**GROWING, **terms, "terms": {**terms.get("terms", {}), **limit}}), DAY)
    return made, [option for option in made.options if len(option.orders) > 2]


@pytest.mark.slow
@pytest.mark.parametrize("terms", TERMS)
def test_a_stacked_order_has_the_lines_of_one_that_is_built_alone(terms: dict[str, Any]) -> None:
    (_, together), (_, alone) = ordered(terms, alone=False), ordered(terms, alone=True)
    assert together
    for one, other in zip(together, alone, strict=True):
        assert [line.name for line in one.ledger.lines] == [line.name for line in other.ledger.lines]
        for line, same in zip(one.ledger.lines, other.ledger.lines, strict=True):
            assert line.usd == pytest.approx(same.usd, rel=1e-12, abs=1e-9), line.name
            assert [(used.name, used.unit) for used in line.used] == [(used.name, used.unit) for used in same.used]
            for used, shown in zip(line.used, same.used, strict=True):
                assert used.is_number is shown.is_number, used.name
                assert used.value == pytest.approx(shown.value, rel=1e-12), used.name
                assert used.origin == shown.origin, used.name


@pytest.mark.parametrize("terms", slow_except(TERMS[:1], TERMS))
def test_orders_of_many_futures_cost_what_they_cost_in_each_alone(terms: dict[str, Any]) -> None:
    made, options = ordered(terms, alone=False)
    draws = draw_inputs(uncertain_inputs(made), 8, 7)
    for option in options:
        together = InputColumns(made.setting, draws).present_usd((option,))[0]
        for row in (0, 5):
            future = made.setting.with_tried({name: float(values[row]) for name, values in draws.items()})
            ledger = build_ledger(future, option_builder(option))
            assert ledger is not None
            assert together[row] == pytest.approx(float(np.asarray(present_usd(future, ledger))), rel=1e-9)
