"""Which reservations are booked when: the cheapest of all that could be, renewed, shorter, let go or in steps."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.ledger import Ledger
from planner.money.measures import present_usd
from planner.money.option import OptionLedger
from planner.money.renting.cheapest_offer import rebook_reservations
from planner.money.renting.offer_inputs import TERM_MONTHS
from planner.money.setting import ChosenOffers, PlanContext, Reservation, ReservationTier
from planner.money.ways import on_demand, reserved
from planner.scenario.rent import ReservationInputs
from tests.examples import at_most
from tests.money.renting import amounts, built, offer, plan, recomputes, setting, total, work

TERMS = {
    "month": ("reserved_1m", 1.8), "half": ("reserved_6m", 1.6), "year": ("reserved_1y", 1.5),
    "years": ("reserved_3y", 1.2),
}  # fmt: skip
FULL = work(busy_share=1.0)
HOURS = 8 * 730


def market(terms: dict[str, tuple[str, float]], now: float = 2.0) -> dict[str, Any]:
    """One seller's terms, and a price on demand."""
    return {"now": offer(usd=now), **{key: offer(kind, usd) for key, (kind, usd) in terms.items()}}


def made(
    *works: dict[str, Any],
    terms: dict[str, tuple[str, float]] | None = None,
    paths: dict[str, float] | None = None,
    **more: Any,
) -> PlanContext:
    """A plan in the market of these terms."""
    rents = {"rent_change_per_year": 0.0} if paths is None else paths
    return setting(plan(*(works or (FULL,)), terms=rents, **more), market(TERMS if terms is None else terms))


def present(there: PlanContext, found: OptionLedger) -> float:
    """Discounted to today."""
    return float(present_usd(there, Ledger(found.title, found.lines)))


def cost(there: PlanContext, tiers: tuple[ReservationTier, ...] | None = None) -> float:
    """What reserving costs, with other reservations than were found."""
    if tiers is not None:
        there = replace(there, offers=replace(there.offers, reserved_tiers=tiers))
    return present(there, built(there, reserved.build))


def sequences(terms: dict[str, tuple[str, float]], months: int, month: int = 0) -> Iterator[tuple[Reservation, ...]]:
    """Every run of terms and months on demand."""
    if month >= months:
        yield ()
        return
    for key, (kind, _) in terms.items():
        length = TERM_MONTHS[kind]
        for rest in sequences(terms, months, month + int(length)):
            yield (Reservation(key, month, length), *rest)
    yield from sequences(terms, months, month + 1)


def may_be(run: tuple[Reservation, ...], months: int) -> bool:
    """Whether a run begins with a reservation, is renewed for no longer, and let go only for less than a term."""
    left, last = months - run[-1].until, run[-1].term_months
    shorter = all(one.term_months <= before.term_months for before, one in pairwise(run))
    begins = run[0].after_months == 0 and shorter and contiguous(run)
    return begins and (left < last or (len(run) == 1 and left <= last))


def contiguous(run: tuple[Reservation, ...]) -> bool:
    """Whether each follows on the one before."""
    return all(one.after_months == before.until for before, one in pairwise(run))


SHORT = {"month": ("reserved_1m", 1.8), "quarter": ("reserved_3m", 1.6), "half": ("reserved_6m", 1.3)}


@pytest.mark.slow
@at_most(25)
@given(
    st.integers(3, 8),
    st.tuples(st.floats(0.8, 2.2), st.floats(0.8, 2.2), st.floats(0.8, 2.2)),
    st.floats(0.2, 1.0),
    st.floats(-0.5, 0.4),
    st.booleans(),
)
def test_no_run_of_terms_is_cheaper(
    months: int, usd: tuple[float, float, float], busy: float, change: float, prepaid: bool
) -> None:
    terms = {key: (kind, price) for (key, (kind, _)), price in zip(SHORT.items(), usd, strict=True)}
    there = made(
        work(busy_share=busy),
        terms=terms,
        years=months / 12,
        paths={"rent_change_per_year": change},
        reserve={"prepaid": prepaid},
    )
    runs = [run for run in sequences(terms, months) if run and may_be(run, months)]
    least = min(cost(there, (ReservationTier(run),)) for run in runs)
    assert cost(there) == pytest.approx(least, abs=0.05)


# Eight all along; eight more from month 3 on, for two months.
LATER = work(busy_share=1.0, jobs=({"label": "more", "accelerators": 8, "hours": 2 * 730.0, "first_month": 3},))


@pytest.mark.parametrize(("usd", "prepaid"), [
    ((1.9, 1.2), False),
    *(pytest.param(usd, prepaid, marks=pytest.mark.slow) for usd in ((1.9, 1.2), (1.1, 1.6), (1.7, 1.5), (2.5, 1.9))
      for prepaid in (False, True) if prepaid or usd != (1.9, 1.2)),
])  # fmt: skip
def test_no_steps_are_cheaper(usd: tuple[float, float], prepaid: bool) -> None:
    terms = {"month": ("reserved_1m", usd[0]), "quarter": ("reserved_3m", usd[1])}
    there = made(LATER, terms=terms, years=4 / 12, reserve={"prepaid": prepaid})
    runs = list(sequences(terms, 4))
    steps = [run for run in runs if not run or contiguous(run)]
    pairs = product([run for run in runs if run and may_be(run, 4)], steps)
    least = min(cost(there, (ReservationTier(low, 8), ReservationTier(high, 8))) for low, high in pairs)
    assert cost(there) == pytest.approx(least, rel=1e-3)


def test_what_is_left_after_three_years_costs_no_more_than_on_demand() -> None:
    """3.01 years cost about what 3.00 do; a longer plan never costs less."""
    years = (3.0, 3.01, 3.1, 3.25, 3.5, 4.0, 4.5, 5.0)
    plans = [made(years=year) for year in years]
    costs = [cost(there) for there in plans]
    rents = [present(there, built(there, on_demand.build)) for there in plans]
    for usd, rent in zip(costs, rents, strict=True):
        assert usd <= costs[0] + rent - rents[0] + 0.01
    assert all(later >= sooner - 0.01 for sooner, later in pairwise(costs))


def test_it_is_renewed_for_a_shorter_term() -> None:
    """Three years at 1.2, then a year at 1.5: no month of it is cheaper on demand at 2.0."""
    found = built(made(years=4.0), reserved.build)
    assert found.title == "Reserve for 3 years, then 1 year"
    assert found.what == "P, paid monthly: for 3 years, then 1 year"
    assert total(found) == pytest.approx(HOURS * (36 * 1.2 + 12 * 1.5))
    assert amounts(found)["From month 37 for 1 year: useful hours"] == pytest.approx(HOURS * 12 * 1.5)
    assert recomputes(found.lines)


@pytest.mark.parametrize(("at_end", "title", "usd"), [
    ("roll", "Reserve for 3 years, renewed", 72 * 1.2),
    ("expire", "Reserve for 3 years, then rent on demand", 36 * 1.2 + 6 * 2.0),
    ("shorter", "Reserve for 3 years, then 6 months", 36 * 1.2 + 6 * 1.6),
    ("cheapest", "Reserve for 3 years, then 6 months", 36 * 1.2 + 6 * 1.6),
])  # fmt: skip
def test_what_happens_at_its_end_can_be_said(at_end: str, title: str, usd: float) -> None:
    found = built(made(years=3.5, reserve={"term": "reserved_3y", "at_end": at_end}), reserved.build)
    assert found.title == title
    assert total(found) == pytest.approx(HOURS * usd)


def test_other_sellers_renew_nothing() -> None:
    """Who reserves for three years at one seller renews there, though another asks less for a year."""
    offers = {**market({"years": TERMS["years"]}), "else": offer("reserved_1y", 0.1, provider="q")}
    there = setting(plan(FULL, years=4.0, reserve={"offer": "years"}), offers)
    assert {booking.offer for booking in there.offers.reserved_tiers[0].bookings} == {"years"}


GROWS = work(busy_share=1.0, growth_per_year=0.4)


def test_as_work_grows_more_is_reserved_step_by_step() -> None:
    """8 that become 30 in four years: none is paid for long before there is work, and the last six not at all."""
    there = made(GROWS, years=4.0)
    found = built(there, reserved.build)
    assert found.title == "Reserve in 3 steps, from 8 to 24"
    steps = "8 for 3 years, then 1 year; 8 more from month 13 for 3 years; 8 more from month 37 for 1 year"
    assert found.what == f"P, paid monthly: {steps}; the rest on demand"
    assert cost(there) < 0.95 * min(
        cost(made(GROWS, years=4.0, reserve={"at_end": one})) for one in ("roll", "expire", "shorter")
    )
    assert recomputes(found.lines)
    assert len({line.name for line in found.lines}) == len(found.lines)


def test_steps_that_save_three_percent_are_taken() -> None:
    """Eight more for eight months: a year of them at 1.43 costs 3.4 % of all more than on demand at 2.0."""
    more = work(busy_share=1.0, jobs=({"label": "more", "accelerators": 8, "hours": 8 * 730.0, "first_month": 3},))
    found = built(made(more, terms={"year": ("reserved_1y", 1.43)}, years=1.0), reserved.build)
    assert found.title == "Reserve 8 for 1 year"
    assert total(found) == pytest.approx(HOURS * (12 * 1.43 + 8 * 2.0))


def test_every_hour_of_the_work_is_done_once() -> None:
    found = built(made(GROWS, years=4.0), reserved.build)
    hours = sum(
        float(np.sum(line.usd / np.where(line.usd > 0, price(line), 1.0)))
        for line in found.lines
        if line.part == "compute"
    )
    assert hours == pytest.approx(float(np.sum(found.useful_hours)))


def price(line: Any) -> Any:
    """What an hour of a line costs."""
    return next(one.value for one in line.used if one.name == "usd_per_accelerator_hour")


ORDERS = ({"accelerators": 8, "term": "reserved_3y"}, {"from_month": 13, "accelerators": 16, "term": "reserved_1y"})


def test_what_you_have_decided_on_is_what_is_reserved() -> None:
    """8 for three years, 16 more in the second: in months 25 to 36 the rest is on demand."""
    found = built(made(work(accelerators=16, busy_share=1.0), years=3.0, reserve={"orders": ORDERS}), reserved.build)
    assert found.title == "Reserve 8 for 3 years, 16 more from month 13 for 1 year"
    assert amounts(found)["Step 1, 8 for 3 years: useful hours"] == pytest.approx(HOURS * 36 * 1.2)
    assert amounts(found)["Step 2, 16 from month 13 for 1 year: useful hours"] == pytest.approx(HOURS * 12 * 1.5)
    assert amounts(found)["Step 2, 16 from month 13 for 1 year: idle hours paid for"] == pytest.approx(HOURS * 12 * 1.5)
    assert amounts(found)["Beside what is reserved: useful hours"] == pytest.approx(HOURS * 24 * 2.0)
    assert total(found) == pytest.approx(HOURS * (36 * 1.2 + 24 * 1.5 + 24 * 2.0))


def test_what_you_have_decided_on_and_nobody_sells_is_said() -> None:
    there = made(terms={"year": TERMS["year"]}, years=3.0, reserve={"orders": ORDERS[:1]})
    found = reserved.build(there)
    assert not isinstance(found, OptionLedger)
    assert "for 3 years" in found.reason


def test_an_order_after_the_plan_is_refused() -> None:
    with pytest.raises(ValueError, match="begins in month 13, the plan has 12 months"):
        plan(FULL, reserve={"orders": ORDERS})


def test_your_own_price_holds_for_all_that_you_have_decided_on() -> None:
    reserve = {"orders": ORDERS, "usd_per_accelerator_hour": 1.0}
    found = built(made(work(accelerators=16, busy_share=1.0), years=3.0, reserve=reserve), reserved.build)
    assert total(found) == pytest.approx(HOURS * (36 * 1.0 + 24 * 1.0 + 24 * 2.0))


def test_a_price_for_a_volume_is_for_all_together() -> None:
    """So nothing is reserved in steps: each alone would be too few for it."""
    volume = ({"from_accelerators": 16, "usd_per_accelerator_hour": 1.0},)
    reserve = {"usd_per_accelerator_hour": 1.5, "term": "reserved_1y", "volume": volume}
    assert len(made(GROWS, years=4.0, reserve=reserve).offers.reserved_tiers) == 1


def test_nothing_taken_reserves_nothing() -> None:
    assert ChosenOffers().booked == ()
    assert ReservationInputs().orders == ()


def test_over_another_number_of_years_it_is_reserved_otherwise() -> None:
    """Three years and then one cannot be what a year reserves; nor what is left of five years on demand."""
    for years, title in ((1.0, "Reserve for 1 year"), (6.0, "Reserve for 3 years, renewed")):
        there = made(years=4.0)
        lasting = replace(there, scenario=there.scenario.model_copy(update={"years": years}))
        assert built(lasting, reserved.build).title != title
        assert built(rebook_reservations(lasting), reserved.build).title == title
