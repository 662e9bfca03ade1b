"""Profit and loss of who sells hours: rows by hand, sums that are the cash, and where selling breaks even."""

from typing import Any

import numpy as np
import pytest

from planner.money.measures import present_usd
from planner.money.option import Option
from planner.money.plan import Plan, plan_from_context
from planner.money.profit_and_loss import OPERATING, ProfitAndLoss, profit_and_loss
from tests.money.owning import EIGHTY, scenario, setting
from tests.rows import each_row

OWN: dict[str, Any] = {
    **EIGHTY, "residual_share": 0.2, "usd_per_kwh": 0.1, "busy_power_share": 0.8, "idle_power_share": 0.3,
    "usd_per_kw_month": 100.0, "maintenance_share_per_year": 0.03,
}  # fmt: skip
SELL: dict[str, Any] = {"usd_per_accelerator_hour": 1.5, "share_sold": 0.7, "fee_share": 0.1}
SOLD = 80 * 0.5 * 730 * 0.7 * 12 * 1.5  # what a year of sold hours brings: 367,920


def made(sell: dict[str, Any] | None = None, own: dict[str, Any] = OWN, **plan: Any) -> Plan:
    """80 bought for 800,000, busy half the time, with the rest sold on these terms."""
    return plan_from_context(setting(scenario(own, sell={**SELL, **(sell or {})}, **plan)))


def told(found: Plan, key: str = "own") -> tuple[ProfitAndLoss, Option]:
    """The profit and loss of one way."""
    option = found.option(key)
    assert option is not None
    return profit_and_loss(found.setting, option), option


def test_by_hand() -> None:
    """Four years. 100 kW rated: 80 busy and 30 idle half the time each, 50 more in seven tenths of the idle half."""
    rows = told(made())[0].rows
    a_year = 12 * 730 * 0.1
    power = (0.5 * 80 + 0.5 * 30 + 0.5 * 0.7 * 50) * a_year
    assert rows["revenue"] == pytest.approx([SOLD] * 4)
    assert rows["selling"] == pytest.approx([-0.1 * SOLD] * 4)
    assert rows["power"] == pytest.approx([-power] * 4)
    assert rows["space"] == pytest.approx([-120_000.0] * 4)
    assert rows["upkeep"] == pytest.approx([-24_000.0] * 4)
    assert rows["ebitda"] == pytest.approx([0.9 * SOLD - power - 144_000] * 4)
    life = 5.0  # of the company's books, in years: 160,000 a year, and 160,000 left of which the sale brings as much
    assert rows["depreciation"] == pytest.approx([-800_000 / life] * 4)
    assert rows["on_sale"] == pytest.approx([0, 0, 0, 160_000 - 160_000], abs=1e-6)
    assert rows["profit"] == pytest.approx(rows["ebitda"] - 160_000)
    assert rows["cash"][0] == pytest.approx(rows["ebitda"][0] - 800_000)


PLANS = {
    "bought": {},
    "replaced": {"own": {**OWN, "refresh_years": 1.5}},
    "taxed": {"tax": {"tax_share": 0.25, "vat_share": 0.2, "vat_recovered_share": 0.5}},
    "sold early": {"own": {**OWN, "resale_month": 30, "lead_time_months": 4.0, "deposit_share": 0.3}},
}


@each_row("key", ["own", "loan", "lease", "sale_and_lease_back", "keep"])
@each_row("name", PLANS)
def test_profits_sum_to_the_cash(name: str, key: str) -> None:
    """What is bought is written off or sold, what is borrowed is paid back: over the plan nothing else is left."""
    beside = {"sale_and_lease_back": {"price_share": 0.9}, "kept": {"accelerators": 80, "usd_at_end": 9_000.0,
              "usd_today_if_sold": 50_000.0, "power_w_each": 300.0, "idle_power_w_each": 90.0}}  # fmt: skip
    rows, option = told(made(**{**beside, **PLANS[name]}), key)
    assert rows.rows["profit"].sum() == pytest.approx(rows.rows["cash"].sum())
    assert rows.rows["ebitda"] == pytest.approx(sum(rows.rows[one] for one in OPERATING))
    # what a sale today would bring is paid by nobody, nor is the tax on it
    forgone = 50_000.0 * (0.75 if name == "taxed" else 1.0) if key == "keep" else 0.0
    assert -rows.rows["cash"].sum() == pytest.approx(float(option.ledger.total_usd) - forgone)


def test_interest_stands_apart_and_borrowing_is_no_profit() -> None:
    bought, borrowed = (
        told(made(loan={"rate_per_year": 0.1, "loan_share": 0.8}), key)[0].rows for key in ("own", "loan")
    )
    assert borrowed["ebitda"] == pytest.approx(bought["ebitda"])
    assert borrowed["interest"].sum() < 0 == bought["interest"].sum()
    assert borrowed["cash"][0] > bought["cash"][0]


@pytest.mark.parametrize("tax", [None, {"tax_share": 0.25}])
def test_at_the_price_it_names_the_profits_are_nought(tax: dict[str, Any] | None) -> None:
    there = told(made(tax=tax))[0]
    price, today = there.break_even_usd, there.break_even_usd_today
    assert price is not None
    assert today is not None
    again = told(made({"usd_per_accelerator_hour": price}, tax=tax))[0]
    assert again.rows["profit"].sum() == pytest.approx(0, abs=1.0)
    assert today > price  # the machines are paid for first
    plan = made({"usd_per_accelerator_hour": today}, tax=tax)
    assert float(present_usd(plan.setting, told(plan)[1].ledger)) == pytest.approx(0, abs=1.0)


def test_at_the_share_it_names_too_and_where_none_is_enough_it_says_none() -> None:
    there = told(made({"usd_per_accelerator_hour": 2.5}))[0]
    assert there.break_even_share is not None
    again = told(made({"usd_per_accelerator_hour": 2.5, "share_sold": there.break_even_share}))[0]
    assert again.rows["profit"].sum() == pytest.approx(0, abs=1.0)
    assert told(made({"usd_per_accelerator_hour": 0.2}))[0].break_even_share is None


def test_who_sells_nothing_has_costs_alone() -> None:
    plan = plan_from_context(setting(scenario(OWN)))
    assert len(plan.options) > 1
    for option in plan.options:
        rows = profit_and_loss(plan.setting, option).rows
        assert not rows["revenue"].any()
        assert rows["profit"].sum() == pytest.approx(rows["cash"].sum())


def test_a_part_of_a_year_is_a_year_of_its_own() -> None:
    rows = told(made(years=2.5))[0]
    assert rows.rows["revenue"] == pytest.approx(np.array([1.0, 1.0, 0.5]) * SOLD)
