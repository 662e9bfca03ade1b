"""The discount rate from its parts: by hand, and what uses it."""

import pytest

from planner.money.capital import HOW, HOW_BETA, capital_cost
from planner.money.formula import formula
from planner.money.measures import plan_discount_rate
from planner.scenario.terms import CapitalInputs
from pricing import load_catalogue
from tests.money.owning import EIGHTY, scenario, setting

PARTS = {"equity_share": 0.8, "risk_free_per_year": 0.04, "equity_premium_per_year": 0.05, "beta": 1.2,
         "debt_rate_per_year": 0.07, "tax_share": 0.25}  # fmt: skip


def test_by_hand() -> None:
    """0.8 x (4 % + 1.2 x 5 %) + 0.2 x 7 % x 0.75 = 9.05 %."""
    cost = capital_cost(load_catalogue(), "US", CapitalInputs.model_validate(PARTS))
    assert cost.equity_per_year == pytest.approx(0.10)
    assert cost.per_year == pytest.approx(0.0905)


def test_the_formulas_of_the_workbook_are_those_of_the_engine() -> None:
    catalogue = load_catalogue()
    for given in (
        CapitalInputs(equity_share=0.6),
        CapitalInputs.model_validate(PARTS),
        CapitalInputs(equity_share=1.0),
    ):
        cost = capital_cost(catalogue, "DE", given)
        parts = {part.name: part.value for part in cost.parts}
        assert float(formula(HOW)(parts)) == pytest.approx(cost.per_year, rel=1e-12)
        if given.beta is None:
            assert float(formula(HOW_BETA)(parts)) == pytest.approx(parts["equity_beta"], rel=1e-12)


def test_without_debt_the_beta_is_that_of_the_business_and_more_debt_asks_for_more() -> None:
    catalogue = load_catalogue()
    alone, mixed = (capital_cost(catalogue, "US", CapitalInputs(equity_share=share)) for share in (1.0, 0.5))
    parts = {part.name: float(part.value) for part in alone.parts}
    assert parts["equity_beta"] == parts["business_beta"]
    assert alone.per_year == alone.equity_per_year < mixed.equity_per_year
    assert all(part.origin.url for part in alone.parts if part.name in ("risk_free_per_year", "business_beta"))


def test_an_entered_rate_wins_and_a_built_one_discounts() -> None:
    built = setting(scenario(EIGHTY, capital=PARTS))
    assert plan_discount_rate(built) == pytest.approx(0.0905)
    assert plan_discount_rate(setting(scenario(EIGHTY, capital=PARTS, terms={"discount_rate_per_year": 0.2}))) == 0.2
