"""The bill of a plan is the machines' whole bill: idle hours, whole machines, rounding, disks and traffic included."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.inputs.need import Need
from planner.money.formula import formula
from planner.money.ledger import Ledger
from planner.money.rented import Bills, bills
from pricing import load_catalogue
from pricing.catalogue import Catalogue
from pricing.figure import Figure, Source, Value
from pricing.records import Offer, Provider

DAY = date(2026, 1, 1)
NEED = Need(
    accelerator="chip",
    accelerators=8,
    busy_share=0.5,
    years=1.0,
    hours_per_session=8.0,
    storage_tb=0.0,
    egress_tb_per_month=0.0,
)


def figure(typical: float, unit: str) -> Figure:
    """A figure with one posted value."""
    return Figure(unit=unit, checked=DAY, values={DAY: Value(typical=typical, kind="list_price", source="page")})  # type: ignore[arg-type]


def offer(purchase: str = "on_demand", usd: float | None = 2.0, per_machine: int = 8) -> Offer:
    """An offer of the provider `p`."""
    return Offer(
        provider="p",
        accelerator="chip",
        accelerators_per_instance=per_machine,
        region="here",
        area="europe",
        purchase=purchase,  # type: ignore[arg-type]
        usd_per_accelerator_hour=None if usd is None else figure(usd, "USD/accelerator-hour"),
    )


def world(offers: dict[str, Offer], **terms: Figure) -> Catalogue:
    """A catalogue with one provider and these offers; only what a bill reads."""
    page = Source(
        title="The page", url="https://example.org", retrieved=DAY, via="official_page", licence="facts cited"
    )
    return Catalogue.model_construct(
        sources={"page": page}, providers={"p": Provider(label="P", kind="neocloud", **terms)}, offers=offers
    )


def one(need: Need, sold: Offer, **terms: Figure) -> Ledger:
    """The bill of one offer."""
    return bills(world({"x": sold}, **terms), need, ("x",)).one("x", "P")


def amounts(ledger: Ledger) -> dict[str, float]:
    """What each line comes to."""
    return {line.name: float(line.total_usd) for line in ledger.lines}


def test_on_demand_pays_for_the_useful_hours_only() -> None:
    bill = one(NEED, offer())
    assert bill.total_usd == pytest.approx(8 * 0.5 * 8_760 * 2.0)  # 70,080


def test_a_reservation_pays_for_the_idle_hours_too() -> None:
    bill = amounts(one(NEED, offer("reserved_1y", 1.79)))
    assert bill["Useful hours"] == pytest.approx(8 * 4_380 * 1.79)
    assert bill["Idle hours paid for"] == pytest.approx(8 * 4_380 * 1.79)
    assert bill["Reservation beyond the plan"] == pytest.approx(0.0)


def test_the_published_trap_of_ranking_by_sticker() -> None:
    """At 60 % busy a reservation at 1.79 costs 2.98 for a busy hour, more than 2.19 on demand."""
    need = NEED.model_copy(update={"busy_share": 0.6})
    rent = bills(world({"a": offer("reserved_1y", 1.79), "b": offer("on_demand", 2.19)}), need, ("a", "b"))
    assert rent.usd_per_busy_hour.tolist() == pytest.approx([1.79 / 0.6, 2.19])
    assert [rent.offers[i] for i in rent.rank] == ["b", "a"]


def test_a_reservation_longer_than_the_plan_is_paid_to_its_end() -> None:
    bill = amounts(one(NEED, offer("reserved_3y", 1.0)))
    assert bill["Reservation beyond the plan"] == pytest.approx(8 * 24 * 730 * 1.0)


def test_machines_are_rented_whole() -> None:
    need = NEED.model_copy(update={"accelerators": 9})
    assert amounts(one(need, offer()))["Whole machines and minimums"] == pytest.approx(7 * 4_380 * 2.0)


def test_a_minimum_is_paid() -> None:
    need = NEED.model_copy(update={"accelerators": 1})
    bill = amounts(one(need, offer(per_machine=1), minimum_accelerators=figure(8, "count")))
    assert bill["Whole machines and minimums"] == pytest.approx(7 * 4_380 * 2.0)


@pytest.mark.parametrize(
    ("session_hours", "increment_s", "factor"),
    [(0.5, 3_600, 2.0), (8.0, 3_600, 1.0), (1.5, 3_600, 4 / 3), (0.01, 60, 60 / 36), (0.5, 1, 1.0)],
)
def test_sessions_are_rounded_up(session_hours: float, increment_s: float, factor: float) -> None:
    need = NEED.model_copy(update={"hours_per_session": session_hours})
    bill = one(need, offer(), billing_increment_s=figure(increment_s, "second"))
    assert float(bill.total_usd) == pytest.approx(8 * 4_380 * 2.0 * factor)


def test_disk_and_traffic_are_billed_beside_it() -> None:
    need = NEED.model_copy(update={"storage_tb": 2.0, "egress_tb_per_month": 3.0})
    bill = amounts(
        one(
            need,
            offer(),
            block_storage_usd_per_gb_month=figure(0.07, "USD/GB-month"),
            egress_usd_per_gb=figure(0.09, "USD/GB"),
            free_egress_gb_per_month=figure(100, "GB/month"),
        )
    )
    assert bill["Disk"] == pytest.approx(2_000 * 12 * 0.07)
    assert bill["Traffic out"] == pytest.approx(2_900 * 12 * 0.09)


def test_an_unpublished_price_is_not_zero() -> None:
    need = NEED.model_copy(update={"storage_tb": 2.0})
    bill = one(need, offer())
    assert bill.unpriced == ("Disk",)
    assert float(bill.total_usd) == pytest.approx(70_080)


def test_silence_about_the_disk_does_not_win() -> None:
    priced = Provider(label="Q", kind="neocloud", block_storage_usd_per_gb_month=figure(0.1, "USD/GB-month"))
    facts = world({"silent": offer(usd=2.0), "open": offer(usd=1.99)})
    facts.providers["q"] = priced
    facts.offers["open"] = facts.offers["open"].model_copy(update={"provider": "q"})
    rent = bills(facts, NEED.model_copy(update={"storage_tb": 10.0}), ("open", "silent"))
    assert rent.total_usd[1] < rent.total_usd[0]
    assert [rent.offers[i] for i in rent.rank] == ["open", "silent"]


def test_what_has_no_price_comes_last_and_is_never_zero() -> None:
    rent = bills(world({"a": offer(usd=None), "b": offer(usd=99.0)}), NEED, ("a", "b"))
    assert np.isnan(rent.total_usd[0])
    assert [rent.offers[i] for i in rent.rank] == ["b", "a"]


def test_no_offers_is_an_empty_bill() -> None:
    rent = bills(world({}), NEED, ())
    assert rent.total_usd.shape == (0,)
    assert rent.rank.tolist() == []


NEEDS = st.builds(
    Need,
    accelerator=st.just("H100-SXM5-80GB"),
    accelerators=st.integers(1, 16_384),
    busy_share=st.floats(0.01, 1.0),
    years=st.floats(0.25, 10.0),
    hours_per_session=st.floats(0.01, 8_760.0),
    storage_tb=st.floats(0.0, 1e5),
    egress_tb_per_month=st.floats(0.0, 1e5),
)


def real(need: Need) -> Bills:
    """The bills of every offer of the shipped catalogue."""
    catalogue = load_catalogue()
    return bills(catalogue, need, tuple(catalogue.offers))


@given(need=NEEDS, pick=st.integers(0, 10_000))
def test_every_line_recomputes_from_what_it_prints(need: Need, pick: int) -> None:
    rent = real(need)
    index = pick % len(rent.offers)
    ledger = rent.one(rent.offers[index], "picked")
    for line, together in zip(ledger.lines, rent.usd[:, index], strict=True):
        shown = {used.name: used.value for used in line.used}
        again = np.sum(formula(line.how)(shown))
        assert again == pytest.approx(together, rel=1e-9, abs=1e-9, nan_ok=True)


@given(need=NEEDS)
def test_no_cost_is_negative_and_no_bill_is_below_its_useful_hours(need: Need) -> None:
    rent = real(need)
    assert np.nanmin(rent.usd) >= -1e-6 * np.nanmax(rent.usd)
    known = ~np.isnan(rent.total_usd)
    assert (rent.total_usd[known] >= rent.usd[0][known] * (1 - 1e-9)).all()


@given(need=NEEDS, factor=st.floats(0.1, 10.0))
def test_a_dearer_hour_never_makes_a_cheaper_plan(need: Need, factor: float) -> None:
    cheap = one(need, offer(usd=1.0)).total_usd
    assert float(one(need, offer(usd=1.0 * factor)).total_usd) == pytest.approx(float(cheap) * factor)


@given(need=NEEDS, busier=st.floats(1.0, 100.0))
def test_a_busy_hour_never_costs_more_when_more_of_them_are_used(need: Need, busier: float) -> None:
    more = need.model_copy(update={"busy_share": min(1.0, need.busy_share * busier)})
    idle, busy = real(need).usd_per_busy_hour, real(more).usd_per_busy_hour
    known = ~np.isnan(idle)
    assert (busy[known] <= idle[known] * (1 + 1e-9)).all()
