"""Reserved: idle hours are billed, terms are paid monthly or before they begin, and renewed or let go at their end."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.ledger import Ledger
from planner.money.option import OptionLedger
from planner.money.ways import reserved
from planner.scenario.rent import ReservationInputs
from tests.examples import at_most
from tests.money.renting import MARKET, amounts, built, offer, plan, recomputes, setting, total, why, work
from tests.rows import each_row

YEAR = 8 * 730 * 12 * 1.5  # eight for a year at 1.5, busy or not


def booked(*works: dict[str, Any], years: float = 1.0, change: float = 0.0, **reserve: Any) -> OptionLedger:
    """A reservation, renewed at its end unless said otherwise."""
    terms, reserve = {"rent_change_per_year": change}, {"at_end": "roll", **reserve}
    return built(setting(plan(*works, years=years, terms=terms, reserve=reserve)), reserved.build)


def cash(found: OptionLedger) -> np.ndarray[Any, Any]:
    """What is paid, month by month."""
    return Ledger(found.title, found.lines).monthly_usd


def test_idle_hours_are_a_line_of_their_own() -> None:
    ledger = booked()
    assert amounts(ledger)["Useful hours"] == pytest.approx(YEAR / 2)
    assert amounts(ledger)["Idle hours paid for"] == pytest.approx(YEAR / 2)
    assert ledger.title == "Reserve for 1 year"
    assert "may hold an embedded lease: ask accounting" in ledger.warnings[0]


VOLUME = ({"from_accelerators": 16, "usd_per_accelerator_hour": 1.2}, {"from_accelerators": 32,
           "usd_per_accelerator_hour": 0.9})  # fmt: skip


@each_row("prepaid", [False, True])
@each_row(("many", "usd"), [(8, 1.5), (16, 1.2), (25, 0.9), (40, 0.9)])
def test_a_price_for_a_volume_holds_for_all_that_are_billed(many: int, usd: float, prepaid: bool) -> None:
    """Machines of eight: who wants 25 is billed 32."""
    ledger = booked(work(accelerators=many), volume=VOLUME, prepaid=prepaid)
    assert total(ledger) == pytest.approx(-(-many // 8) * 8 * 730 * 12 * usd)
    assert recomputes(ledger.lines)
    assert Ledger(ledger.title, ledger.lines).lines[0].used[-1].name  # every input is shown


@pytest.mark.parametrize("prepaid", [False, True])
def test_who_grows_into_a_volume_pays_its_price_from_that_term_on(prepaid: bool) -> None:
    """Six that double each year, held for a year each: at most 12 of them in the first, so 16 are billed, then 24."""
    ledger = booked(work(accelerators=6, growth_per_year=1.0), years=2.0, term="reserved_1y", volume=VOLUME[:1],
                   prepaid=prepaid)  # fmt: skip
    year = 730 * 12
    first, second = (cash(ledger)[:12].sum(), cash(ledger)[12:].sum()) if prepaid else (
        cash(ledger)[:13].sum(), cash(ledger)[13:].sum()
    )  # fmt: skip
    assert first == pytest.approx(16 * year * 1.2)
    assert second == pytest.approx(24 * year * 1.2)


@pytest.mark.parametrize("volume", [
    (
        {"from_accelerators": 16, "usd_per_accelerator_hour": 1.2},
        {"from_accelerators": 8, "usd_per_accelerator_hour": 1.0},
    ),
    (
        {"from_accelerators": 16, "usd_per_accelerator_hour": 1.2},
        {"from_accelerators": 32, "usd_per_accelerator_hour": 1.3},
    ),
    ({"from_accelerators": 16, "usd_per_accelerator_hour": 1.6},),
])  # fmt: skip
def test_a_price_for_more_that_is_higher_is_refused(volume: Any) -> None:
    with pytest.raises(ValueError, match="want more accelerators and a lower price"):
        ReservationInputs(usd_per_accelerator_hour=1.5, volume=volume)


def test_prepaid_is_paid_before_each_term() -> None:
    monthly, before = booked(years=2.0), booked(years=2.0, prepaid=True)
    assert total(before) == pytest.approx(total(monthly)) == pytest.approx(2 * YEAR)
    paid = cash(before)
    assert np.flatnonzero(paid).tolist() == [0, 12]
    assert paid[[0, 12]].tolist() == pytest.approx([YEAR, YEAR])
    assert recomputes(before.lines)


@pytest.mark.parametrize("prepaid", [False, True])
def test_it_is_renewed_at_the_price_of_that_day(prepaid: bool) -> None:
    assert total(booked(years=3.0, change=-0.2, term="reserved_1y", prepaid=prepaid)) == pytest.approx(
        YEAR * (1 + 0.8 + 0.64)
    )


@pytest.mark.parametrize("prepaid", [False, True])
def test_or_let_go_and_rented_on_demand_from_then(prepaid: bool) -> None:
    ledger = booked(years=3.0, change=-0.2, term="reserved_1y", at_end="expire", prepaid=prepaid)
    parts = amounts(ledger)
    assert parts["Useful hours"] == pytest.approx(YEAR / 2)
    later = [line for line in ledger.lines if line.name == "After the term: useful hours"]
    assert later[0].usd[:13].sum() == 0
    assert later[0].usd[13] == pytest.approx(8 * 0.5 * 730 * 2.0 * 0.8)
    assert float(ledger.useful_hours.sum()) == pytest.approx(8 * 0.5 * 730 * 36)


@pytest.mark.parametrize(("at_end", "prepaid"), [("roll", False), ("roll", True), ("expire", True)])
def test_what_runs_on_after_the_plan_is_paid(at_end: str, prepaid: bool) -> None:
    ledger = booked(years=1.5, term="reserved_3y", at_end=at_end, prepaid=prepaid)
    assert total(ledger) == pytest.approx(8 * 730 * 36 * 1.2)
    assert amounts(ledger)["Reservation beyond the plan"] == pytest.approx(8 * 730 * 18 * 1.2)
    assert "bound for 18 months after the plan ends, which are paid" in ledger.warnings


def test_a_term_that_is_let_go_leaves_nothing_beyond_the_plan() -> None:
    ledger = booked(years=2.5, term="reserved_1y", at_end="expire")
    assert amounts(ledger)["Reservation beyond the plan"] == 0


@pytest.mark.parametrize(("years", "ends", "usd"), [
    (1.0, "", YEAR),
    (2.0, ", renewed", 2 * YEAR),  # a second year at 1.5 is cheaper than half of its hours at 4
    (1.1, ", then rent on demand", YEAR + 0.1 * 8 * 730 * 12 * 4.0 / 2),  # a month on demand, and no second year
])  # fmt: skip
def test_what_follows_on_a_term_is_the_cheaper_of_both(years: float, ends: str, usd: float) -> None:
    asked = {"usd_per_accelerator_hour": 1.5, "term": "reserved_1y"}
    found = built(setting(plan(years=years, rent={"usd_per_accelerator_hour": 4.0}, reserve=asked)), reserved.build)
    assert found.title == f"Reserve for 1 year{ends}"
    assert total(found) == pytest.approx(usd)


def test_a_plan_that_is_not_whole_years() -> None:
    assert total(booked(years=1.3, term="reserved_1y")) == pytest.approx(2 * YEAR)


def test_growing_work_is_held_at_the_most_of_each_term() -> None:
    """8 that double: up to 16 in month 12, which whole machines make 16 all year; 32 in the second."""
    ledger = booked(work(growth_per_year=1.0), years=2.0, term="reserved_1y")
    assert total(ledger) == pytest.approx(YEAR * (2 + 4))
    assert total(booked(work(growth_per_year=1.0), years=2.0, term="reserved_1y", prepaid=True)) == pytest.approx(
        YEAR * (2 + 4)
    )


def test_work_that_may_wait_is_reserved_at_the_right_size() -> None:
    spread = work(accelerators=80, busy_share=None, accelerator_hours_per_month=10_000.0, may_wait=True)
    ledger = booked(spread)
    assert ledger.accelerators == 16
    assert total(ledger) == pytest.approx(16 * 730 * 12 * 1.5)


def test_your_own_price_and_term_need_no_offer() -> None:
    there = setting(plan(reserve={"usd_per_accelerator_hour": 1.0, "term": "reserved_6m"}), {"now": MARKET["now"]})
    found = built(there, reserved.build)
    assert total(found) == pytest.approx(8 * 730 * 12)
    assert found.title == "Reserve for 6 months, renewed"
    assert not any("lease" in warning for warning in found.warnings)


def test_the_price_on_demand_is_not_the_price_of_the_reservation() -> None:
    there = setting(plan(rent={"usd_per_accelerator_hour": 9.0, "support_share": 0.1}))
    assert total(built(there, reserved.build)) == pytest.approx(YEAR * 1.1)


@pytest.mark.parametrize(("reserve", "offers", "said"), [
    ({}, {"now": MARKET["now"]}, "there is no published price for reserving"),
    ({"term": "reserved_1m"}, MARKET, "for 1 month"),
    ({"offer": "gone"}, MARKET, "there is no offer 'gone'"),
])  # fmt: skip
def test_reasons(reserve: dict[str, Any], offers: dict[str, Any], said: str) -> None:
    assert said in why(setting(plan(reserve=reserve), offers), reserved.build)


def test_your_price_without_a_term_is_taken_for_a_year() -> None:
    """A year's hours of eight at 1.5, busy or not, and the sentence that says so."""
    found = built(setting(plan(reserve={"usd_per_accelerator_hour": 1.5}), {"now": MARKET["now"]}), reserved.build)
    assert found.title == "Reserve for 1 year"
    assert any("one year is assumed" in warning for warning in found.warnings)
    assert total(found) == pytest.approx(8 * 8_760 * 1.5, rel=0.11)  # support comes on top


def test_what_two_quotes_imply_is_told() -> None:
    offers = {"now": offer(), "one": offer("reserved_1y", 2.0), "three": offer("reserved_3y", 1.5)}
    found = built(setting(plan(), offers), reserved.build)
    assert any("imply -27.5% a year" in warning for warning in found.warnings)


TERMS = ("reserved_1m", "reserved_3m", "reserved_6m", "reserved_1y", "reserved_2y", "reserved_3y")


@at_most(40)
@given(
    st.sampled_from(TERMS),
    st.floats(0.25, 5.0),
    st.floats(-0.9, 1.0),
    st.sampled_from([(), (0.5, *(1.0,) * 10, 2.5)]),
    st.sampled_from(["roll", "expire"]),
    st.floats(-0.3, 0.3),
)
def test_prepaying_moves_money_and_changes_no_total(
    term: str, years: float, growth: float, season: tuple[float, ...], at_end: str, change: float
) -> None:
    one = work(growth_per_year=growth, season=season)
    reserve: dict[str, Any] = {"term": term, "at_end": at_end, "usd_per_accelerator_hour": 1.5}
    monthly, before = (booked(one, years=years, change=change, prepaid=prepaid, **reserve) for prepaid in (False, True))
    assert total(before) == pytest.approx(total(monthly))
    assert recomputes(before.lines)
    assert np.all(np.cumsum(cash(before)) >= np.cumsum(cash(monthly)) - 1e-6)
