"""Numbers worked out elsewhere, by others or by hand, come out here. The tables stand in golden/*.yaml."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from planner.money import finance, payback, price_path
from planner.money.demand import queueing
from planner.money.outcome import Solved
from planner.money.payback import Payback
from planner.money.tax import books
from pricing.figure import Strict, Text
from pricing.strict_yaml import read

Array = NDArray[np.float64]
MONTHS_OF_FIFTY_YEARS = 600
STEPS_OF_UNIFORM_DEMAND = 20_000


class Case(Strict):
    """One row: what is called with what, what comes out, how near, and whose number it is."""

    name: Text
    source: Text
    call: Text
    input: dict[str, Any]
    output: Any
    rel: float


class Table(Strict):
    """One file."""

    cases: tuple[Case, ...]


# Published numbers that are more than one call away from a function.


def yearly_cost_usd(*, price_usd: float, usd_per_year: float, rate_per_year: float, years: int) -> Any:
    upkeep = finance.level_stream_usd(
        usd_per_period=usd_per_year, rate_per_period=rate_per_year, periods=years, in_advance=False
    )
    return finance.equivalent_annual_usd(present_value_usd=price_usd + upkeep, rate_per_year=rate_per_year, years=years)


def monthly_payment_usd(*, rate_per_year: float, months: int, **loan: Any) -> Any:
    rate = finance.monthly_rate(rate_per_year=rate_per_year)
    return finance.loan_payment_usd(rate_per_period=rate, periods=months, **loan)


def worth_of_writing_off_usd(*, shares_by_year: Array, rate_per_year: float) -> Any:
    years = len(shares_by_year)
    usd = books.depreciation_usd(cost_usd=1.0, shares_by_year=shares_by_year, years=years)
    return finance.npv_usd(usd=usd, rate_per_year=rate_per_year, years=np.arange(1, years + 1))


def straight_line_usd(*, cost_usd: float, years: int) -> Any:
    shares = books.straight_line_shares(years=years)
    return books.depreciation_usd(cost_usd=cost_usd, shares_by_year=shares, years=years)


def after_tax_npv_usd(
    *, cost_usd: float, saving_usd: Array, shares_by_year: Array, tax_share: float, rate_per_year: float
) -> Any:
    years = len(saving_usd)
    written_off = books.depreciation_usd(cost_usd=cost_usd, shares_by_year=shares_by_year, years=years)
    kept = books.after_tax_usd(saving_usd=saving_usd, depreciation_usd=written_off, tax_share=tax_share)
    return finance.npv_usd(usd=np.append(-cost_usd, kept), rate_per_year=rate_per_year, years=np.arange(years + 1))


def rent_usd(*, usd_per_month: float, **path: Any) -> Any:
    return usd_per_month * price_path.price_multipliers(**path)[1:].sum()


def payback_when_rent_changes(*, price_usd: float, rent_usd: float, own_usd: float, change_per_year: float) -> Payback:
    path = price_path.price_multipliers(change_per_year=change_per_year, months=MONTHS_OF_FIFTY_YEARS, step="month")
    return payback.simple_payback(usd=np.append(-price_usd, rent_usd * path[1:] - own_usd))


def gain_of_buying_later_usd(*, price_usd: float, change_per_year: float, rate_per_year: float, years: int) -> Any:
    later_usd = price_usd * price_path.later_price_multiplier(change_per_year=change_per_year, years=years)
    worth = finance.npv_usd(usd=np.array([later_usd]), rate_per_year=rate_per_year, years=[years])
    return price_usd - worth


def units_to_own_of_uniform_demand(*, most: float, least_busy_share: float) -> Any:
    demand = uniform_demand(most)
    return queueing.units_to_own(demand=demand, weights=np.ones_like(demand), least_busy_share=least_busy_share)


def expected_usd_per_hour_of_uniform_demand(*, most: float, **prices: Any) -> Any:
    demand = uniform_demand(most)
    return queueing.expected_usd_per_hour(demand=demand, weights=np.ones_like(demand), **prices)


def uniform_demand(most: float) -> Array:
    return (np.arange(STEPS_OF_UNIFORM_DEMAND) + 0.5) * (most / STEPS_OF_UNIFORM_DEMAND)


CALLS: dict[str, Callable[..., Any]] = {
    call.__name__: call
    for call in (
        *(finance.monthly_rate, finance.yearly_rate, finance.quoted_rate, finance.real_rate, finance.nominal_rate),
        *(finance.npv_usd, finance.irr, finance.equivalent_annual_usd, finance.levelised_usd_per_hour),
        *(finance.level_stream_usd, finance.loan_payment_usd, finance.loan_balance_usd, finance.implied_lease_rate),
        *(payback.simple_payback, payback.discounted_payback),
        *(
            books.half_year_shares,
            books.tax_basis_usd,
            books.tax_usd,
            books.deferred_tax_shield_usd,
            books.tax_on_sale_usd,
        ),
        *(queueing.mean_wait_in_services, queueing.achievable_busy_share, queueing.slots_needed),
        *(queueing.preemption_stretch, queueing.interruptions_at_stretch, queueing.best_checkpoint_interval_hours),
        *(queueing.young_interval_hours, queueing.failure_waste_share, queueing.job_hours_between_failures),
        *(queueing.least_busy_share_to_own, queueing.units_to_own, queueing.expected_usd_per_hour),
        *(price_path.price_multipliers, price_path.scheduled_multipliers, price_path.levels_from_changes),
        *(price_path.implied_change_per_year, price_path.change_from_halving),
        *(yearly_cost_usd, monthly_payment_usd, worth_of_writing_off_usd, straight_line_usd, after_tax_npv_usd),
        *(rent_usd, payback_when_rent_changes, gain_of_buying_later_usd),
        *(units_to_own_of_uniform_demand, expected_usd_per_hour_of_uniform_demand),
    )
}


def taken(value: Any) -> Any:
    """A table's value as a function takes it."""
    match value:
        case {"today": today, "then": then, "times": times}:
            return np.array([today, *[then] * times], dtype=float)
        case {"months": months, "timing": timing}:
            return finance.flow_years(months=months, timing=timing)
        case {"days": days}:
            return finance.dated_years(days=days)
        case tuple():
            return np.array(value, dtype=float)
    return value


def check(got: Any, want: Any, rel: float) -> None:
    if isinstance(want, str):
        assert not got.found
        assert str(got.reason).startswith(f"{want}")
    elif isinstance(want, Mapping):
        for name, number in want.items():
            assert getattr(got, name) == pytest.approx(number, rel=rel, abs=0.0), name
    else:
        numbers = got.value if isinstance(got, Solved) else got
        assert numbers == pytest.approx(np.array(want)[()], rel=rel, abs=1e-12)


FILES = sorted((Path(__file__).parent / "golden").glob("*.yaml"))
CASES = [
    pytest.param(case, id=f"{path.stem}: {case.name} ({case.call})")
    for path in FILES
    for case in Table.model_validate(read(path.read_text(encoding="utf-8"), file=path.name)).cases
]


@pytest.mark.parametrize("case", CASES)
def test_what_was_worked_out_elsewhere_comes_out_here(case: Case) -> None:
    got = CALLS[case.call](**{name: taken(value) for name, value in case.input.items()})
    check(got, case.output, case.rel)


def test_every_call_of_the_map_is_in_a_table() -> None:
    assert set(CALLS) == {param.values[0].call for param in CASES}


@pytest.mark.parametrize(
    ("got", "want"), [(2.0, 3.0), (Solved(np.nan, np.array("none: x")), "never"), (1.0, (1.0, 2.0))]
)
def test_a_wrong_number_would_be_noticed(got: Any, want: Any) -> None:
    with pytest.raises((AssertionError, AttributeError)):
        check(got, want, 1e-3)
