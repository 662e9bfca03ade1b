"""Numbers worked out elsewhere, by others or by hand, come out here. The tables stand in golden/*.yaml."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from planner.money import finance, measures, price_path, tax
from planner.money.demand import queueing
from planner.money.finance import SolveResult
from planner.money.measures import Payback
from pricing.figure import StrictModel, Text
from pricing.strict_yaml import read
from tests.rows import each_row

Array = NDArray[np.float64]
MONTHS_OF_FIFTY_YEARS = 600


class Case(StrictModel):
    """One row: what is called with what, what comes out, how near, and whose number it is."""

    name: Text
    source: Text
    call: Text
    input: dict[str, Any]
    output: Any
    rel: float


class Table(StrictModel):
    """One file."""

    cases: tuple[Case, ...]


# Published numbers that are more than one call away from a function.


def yearly_cost_usd(*, price_usd: float, usd_per_year: float, rate_per_year: float, years: int) -> Any:
    upkeep = finance.level_stream_usd(
        usd_per_period=usd_per_year, rate_per_period=rate_per_year, periods=years, in_advance=False
    )
    return finance.equivalent_annual_usd(present_value_usd=price_usd + upkeep, rate_per_year=rate_per_year, years=years)


def worth_of_writing_off_usd(*, shares_by_year: Array, rate_per_year: float) -> Any:
    return finance.npv_usd(usd=shares_by_year, rate_per_year=rate_per_year, years=np.arange(1, len(shares_by_year) + 1))


def payback_when_rent_changes(*, price_usd: float, rent_usd: float, own_usd: float, change_per_year: float) -> Payback:
    path = (1 + change_per_year) ** (np.arange(MONTHS_OF_FIFTY_YEARS) / 12)
    return measures.simple_payback(usd=np.append(-price_usd, rent_usd * path - own_usd))


CALLS: dict[str, Callable[..., Any]] = {
    call.__name__: call
    for call in (
        *(finance.real_rate, finance.npv_usd, finance.irr, finance.equivalent_annual_usd),
        *(finance.levelised_usd_per_hour, finance.level_stream_usd, finance.implied_lease_rate),
        *(measures.simple_payback, tax.tax_usd),
        *(queueing.mean_wait_in_services, queueing.achievable_busy_share, queueing.preemption_stretch),
        *(queueing.best_checkpoint_interval_hours, queueing.least_busy_share_to_own),
        *(price_path.implied_change_per_year, yearly_cost_usd, worth_of_writing_off_usd, payback_when_rent_changes),
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
        assert not got.is_found
        assert str(got.reason).startswith(f"{want}")
    elif isinstance(want, Mapping):
        for name, number in want.items():
            assert getattr(got, name) == pytest.approx(number, rel=rel, abs=0.0), name
    else:
        numbers = got.value if isinstance(got, SolveResult) else got
        assert numbers == pytest.approx(np.array(want)[()], rel=rel, abs=1e-12)


FILES = sorted((Path(__file__).parent / "golden").glob("*.yaml"))
CASES = [
    case
    for path in FILES
    for case in Table.model_validate(read(path.read_text(encoding="utf-8"), file=path.name)).cases
]


@each_row("case", CASES)
def test_what_was_worked_out_elsewhere_comes_out_here(case: Case) -> None:
    got = CALLS[case.call](**{name: taken(value) for name, value in case.input.items()})
    check(got, case.output, case.rel)


def test_every_call_of_the_map_is_in_a_table() -> None:
    assert set(CALLS) == {case.call for case in CASES}


@pytest.mark.parametrize(
    ("got", "want"), [(2.0, 3.0), (SolveResult(np.nan, np.array("none: x")), "never"), (1.0, (1.0, 2.0))]
)
def test_a_wrong_number_would_be_noticed(got: Any, want: Any) -> None:
    with pytest.raises((AssertionError, AttributeError)):
        check(got, want, 1e-3)
