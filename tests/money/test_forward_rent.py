"""A rent agreed today for later: it stands in place of the path, in every future, and its fee is paid once."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.carbon import rented_hours
from planner.money.ledger import Ledger
from planner.money.many_ledgers import build_ledger, option_builder
from planner.money.option import Option
from planner.money.plan import build_context, plan, plan_from_context
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms
from planner.study.uncertainty.futures import draw_futures
from tests.examples import at_most
from tests.facts import CATALOGUE, DAY
from tests.money.anyplan import plans, small
from tests.money.owning import EIGHTY, scenario

HOURS = 80 * 0.5 * 730  # a month
FEE = "Fee for the agreed rent"
RENT: dict[str, Any] = {
    "usd_per_accelerator_hour": 2.0, "hours_per_session": 1.0, "usd_per_gb_month_of_disk": 0.0,
    "usd_per_gb_of_egress": 0.0, "support_share": 0.0,
}  # fmt: skip
AGREED = {**RENT, "forward_usd_per_accelerator_hour": 1.5, "forward_from_month": 13, "forward_fee_usd": 9_000.0}
RISING = FinancialTerms(rent_change_per_year=0.2)


def option(way: str, rent: dict[str, Any], **changes: Any) -> Option:
    asked = scenario({**EIGHTY, **changes.pop("own", {})}, rent=rent, ways=(way,), **{"terms": RISING, **changes})
    (found,) = plan(CATALOGUE, asked, DAY).options
    return found


def lines(found: Option) -> dict[str, Any]:
    return {line.name: line.usd for line in found.ledger.lines}


def test_from_its_month_on_the_agreed_price_stands_in_place_of_the_path() -> None:
    """2.00 that rise by a fifth a year until month 12, 1.50 from month 13 on; 9,000 today."""
    usd = lines(option("on_demand", AGREED))
    assert usd["Useful hours"][[1, 12]] == pytest.approx([HOURS * 2, HOURS * 2 * 1.2 ** (11 / 12)])
    assert usd["Useful hours"][13:] == pytest.approx(HOURS * 1.5)
    assert usd[FEE][0] == 9_000
    assert not usd[FEE][1:].any()
    assert any("from month 13 on" in warning for warning in option("on_demand", AGREED).warnings)


def test_so_it_is_in_every_future() -> None:
    asked = scenario(EIGHTY, rent={**AGREED, "forward_from_month": 1}, ways=("on_demand",), terms=FinancialTerms())
    drawn = draw_futures(plan(CATALOGUE, asked, DAY), 64)
    work = drawn.draws["busy_factor"]
    # a fee today, and the work that comes at 1.50
    usual = drawn.plan.options[0].ledger
    assert "rent_change_per_year" in drawn.draws
    by_work = np.array([(usd - 9_000) / factor for usd, factor in zip(drawn.present_usd[0], work, strict=True)])
    assert by_work == pytest.approx(by_work[0], rel=1e-9)
    assert float(usual.total_usd) == pytest.approx(9_000 + HOURS * 48 * 1.5)


def test_who_never_rents_at_that_price_pays_no_fee() -> None:
    assert FEE not in lines(option("own", AGREED))
    until = {"lead_time_months": 6.0}
    assert FEE not in lines(option("own", AGREED, own=until))
    sold = lines(option("own", AGREED, own={"resale_month": 24}))
    assert sold["After it is sold: useful hours"][25:] == pytest.approx(HOURS * 1.5)
    assert sold[FEE][0] == 9_000
    assert FEE not in lines(option("on_demand", {**AGREED, "forward_from_month": 49}))


def test_work_rented_during_repairs_is_rented_at_that_price_too() -> None:
    """One failure of each of 80 in a year, 876 hours of repair: a tenth of the work of 80 (eight in a server: 0.8)."""
    fails = {"failures_per_accelerator_year": 1.0, "accelerators_per_server": 1, "warranty_years": 10.0}
    usd = lines(option("own", AGREED, own=fails, failures={"repair_hours": 876.0}))
    rented = usd["While they are repaired: work rented"]
    assert rented[[1, 12]] == pytest.approx([HOURS * 0.1 * 2, HOURS * 0.1 * 2 * 1.2 ** (11 / 12)])
    assert rented[13:] == pytest.approx(HOURS * 0.1 * 1.5)
    assert usd[FEE][0] == 9_000  # who rents at that price at all


@pytest.mark.slow
@at_most(25)
@given(plans(), st.floats(0.1, 10.0), st.integers(1, 24))
def test_no_hour_on_demand_follows_the_path_once_a_price_is_agreed(said: Scenario, usd: float, month: int) -> None:
    """Of any plan: whatever becomes of rents, all that is rented on demand from that month on costs the same."""
    agreed = said.rent.model_copy(
        update={"forward_usd_per_accelerator_hour": usd, "forward_from_month": month, "forward_fee_usd": None}
    )
    mix = said.mix and said.mix.model_copy(update={"reserve_accelerators": 0, "peaks": "on_demand"})
    ways = ("own", "loan", "lease", "rent_to_own", "sale_and_lease_back", "keep", "on_demand", "mix")
    asked = said.model_copy(update={"rent": agreed, "mix": mix, "sell": None, "ways": ways, "tax": None})
    at = build_context(small(CATALOGUE, asked.accelerator), asked, DAY)
    tried = {"rent_change_per_year": np.array([[-0.3], [0.0], [0.2]])}
    for one in plan_from_context(at).options:
        ledger = build_ledger(at.with_tried(tried), option_builder(one))
        usd_by_month = np.broadcast_to(ledger.monthly_usd, (3, at.timeline.last + 1))[:, month:]
        assert usd_by_month[[0, 2]] == pytest.approx(usd_by_month[[1, 1]], rel=1e-9), one.key


def test_a_mix_pays_it_once() -> None:
    mix = {"own_accelerators": 40, "reserve_accelerators": 0}
    work = ({"accelerators": 80, "busy_share": 1.0},)
    found = option("mix", AGREED, mix=mix, work=work, own={"resale_month": 24})
    rented = [line for line in found.ledger.lines if line.name.startswith("Peaks") and line.usd[30] > 0]
    assert rented
    assert [line.name for line in found.ledger.lines].count(FEE) == 1


def test_it_is_dollars_of_today_and_support_is_a_share_of_it() -> None:
    """Agreed today at 1.50: after two years of 10 % a year it is worth less."""
    terms = FinancialTerms(money="real", inflation_per_year=0.1, rent_change_per_year=0.0)
    usd = lines(option("on_demand", {**AGREED, "support_share": 0.1}, terms=terms))
    assert usd["Useful hours"][24] == pytest.approx(HOURS * 1.5 / 1.1**2)
    assert usd["Support"][24] == pytest.approx(HOURS * 0.15 / 1.1**2)


def test_the_hours_that_carbon_counts_stay_what_they_are() -> None:
    counted = [
        sum(float(np.sum(hour.hours)) for hour in rented_hours(Ledger("", option("on_demand", rent).ledger.lines)))
        for rent in (RENT, AGREED)
    ]
    assert counted[0] == pytest.approx(counted[1]) == pytest.approx(HOURS * 48)


def test_a_fee_for_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="say that too"):
        scenario(EIGHTY, rent={**RENT, "forward_fee_usd": 1.0})
