"""Machines that come a year late: the rent of that year, less what running one's own would have cost; by hand."""

import pytest

from planner.money.plan import plan
from planner.study.buy_or_wait import Waiting, late_delivery, waiting
from planner.study.uncertainty.break_even_map import break_even_curve, utilization_years_map
from pricing import load_catalogue
from tests.facts import DAY
from tests.money.test_breakeven import toy

MADE = plan(load_catalogue(), toy(own={"hardware_price_change_per_year": 0.0}), DAY)


def found() -> Waiting:
    there = waiting(MADE)
    assert isinstance(there, Waiting)
    return there


def test_a_year_of_rent_instead_of_running_costs() -> None:
    # 10,000 hours a month at 2.00, less 5,000 a month, for twelve months.
    late = late_delivery(found())
    assert (late.extra_usd, late.lead_time_months, late.is_delivered) == (pytest.approx(180_000), 0.0, True)
    assert late_delivery(found(), 0.0).extra_usd == 0


def test_machines_that_come_after_the_end_never_come() -> None:
    late = late_delivery(found(), 60.0)
    assert not late.is_delivered
    assert late.extra_usd == pytest.approx(60 * 20_000 - found().now_usd)  # all is rented and nothing is bought


def test_both_cost_the_same_along_the_curve() -> None:
    # 800,000 and 5,000 a month, against 2.00 x 80 x 730 x the share of hours: a year wants more than all hours.
    own, rent = MADE.option("own"), MADE.option("on_demand")
    assert own is not None
    assert rent is not None
    points = {one.years: one for one in break_even_curve(utilization_years_map(MADE, own, rent))}
    assert list(points) == [1, 2, 3, 4, 5, 6, 7]
    assert points[1].busy_share == pytest.approx((800_000 / 12 + 5_000) / (2 * 80 * 730), abs=1e-3)
    assert points[5].busy_share == pytest.approx((800_000 / 60 + 5_000) / (2 * 80 * 730), abs=1e-3)
    assert points[5].first_wins_when_full
    dear = plan(load_catalogue(), toy(own={"usd_per_accelerator": 100_000.0}), DAY)
    own, rent = dear.option("own"), dear.option("on_demand")
    assert own is not None
    assert rent is not None
    first = break_even_curve(utilization_years_map(dear, own, rent))[0]
    assert (first.busy_share, first.first_wins_when_full) == (None, False)
