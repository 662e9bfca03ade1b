"""Rented candidates cost what such an order pays on the market: terms, steps of the front, networks, availability."""

from typing import Any

import pytest

from planner.scenario.own import IdleSaleInputs
from planner.scenario.rent import RentalInputs
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.task import TrainingTask
from planner.scenario.work import Work
from planner.speed.training.result import Interval
from planner.study.market import rental_costs
from planner.study.market.candidate import MarketCandidate
from planner.study.market.pareto_front import _without_steep_steps, market_sentences
from planner.study.market.survey import MarketStudy, market
from pricing.market.sellers import band_of
from pricing.orderable import Order
from tests.facts import CATALOGUE, DAY

H100 = "H100-SXM5-80GB"


def studied(model: str, tokens: float, days: float | None, counts: tuple[int, ...] = (), **more: Any) -> MarketStudy:
    task = TrainingTask(model=model, tokens=tokens, deadline_days=days, choose_count=True)
    accelerators = more.pop("accelerators", ())
    scenario = Scenario(**{"accelerator": ANY_ACCELERATOR, "work": (Work(train=task),), **more})
    return market(CATALOGUE, scenario, DAY, accelerators=accelerators, counts=counts)


@pytest.mark.slow
def test_no_year_is_recommended_for_a_day() -> None:
    """Golden: 1,024 B200 reserved for a year, 99.8 million dollars for 20 hours, were recommended."""
    study = studied("llama-3-8b", 1e12, 1.0)
    assert study.best is None
    assert study.selected is not None
    assert study.selected.cost < 200_000
    assert 3 < study.selected.speed < 6  # more than that would have to wait for machines
    assert study.selected.is_likely
    assert study.reasons[0].startswith("Nothing is done within 1 day: the soonest, 128 x ")
    assert "in 8 of 10 cases" in study.reasons[0]
    assert max(candidate.cost for candidate in study.front) < 200_000


@pytest.mark.slow
def test_no_three_years_are_recommended_for_six_weeks() -> None:
    """Golden: a three-year reservation for 200 million dollars was recommended for 45 days."""
    found, longer = (studied("llama-3-70b", 1.5e13, days) for days in (60.0, 120.0))
    assert found.best is None
    assert "the soonest, 2,048 x H200" in found.reasons[0]
    best = longer.best
    assert best is not None
    assert best.cost < 25e6
    assert best.bound_months <= 3
    assert all(candidate.bound_months <= 12 for candidate in longer.front)
    assert best.band is not None
    assert best.band.standing == "likely"
    assert best.speed < 120
    rare = next(
        each for each in longer.front if each.band and each.band.standing == "perhaps" and each.cost < best.cost
    )
    assert rare.band is not None
    assert rare.band.wait_months is not None
    assert rare.wait_days == pytest.approx(rare.band.wait_months * 365 / 12)
    assert any(each.startswith("Perhaps: ") and "which the days count" in each for each in market_sentences(rare))
    assert "It is the cheapest, what few sell aside, within 120 days" in longer.reasons[1]
    cards = CATALOGUE.accelerators
    for candidate in longer.front:  # it listed 16,384 RTX 6000 Ada
        assert candidate.accelerators <= 8 or cards[candidate.accelerator].hardware_class == "sxm"


def test_no_longer_term_would_be_cheaper_than_those_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    weighed = [studied("llama-3-8b", tokens, None, (8,), accelerators=(H100,)) for tokens in (2e9, 2e10, 2e11)]
    monkeypatch.setattr(rental_costs, "_MOST_PAID", 1e9)
    every = [studied("llama-3-8b", tokens, None, (8,), accelerators=(H100,)) for tokens in (2e9, 2e10, 2e11)]
    assert weighed == every


def test_the_rest_of_a_term_is_worth_what_its_hours_are_sold_for() -> None:
    def reserved(**more: Any) -> MarketCandidate:
        study = studied("llama-3-8b", 2e10, None, (8,), accelerators=(H100,), **more)
        return next(candidate for candidate in study.candidates if candidate.way == "reserved")

    sell = IdleSaleInputs(usd_per_accelerator_hour=1.0, share_sold=0.5, fee_share=0.2, reserved=True)
    whole, sold = reserved(), reserved(sell=sell)
    assert whole.days is not None
    unused = 8 * (730 * whole.bound_months - 24 * whole.days.typical)
    assert whole.cost - sold.cost == pytest.approx(0.5 * 0.8 * unused)
    assert reserved(sell=sell.model_copy(update={"reserved": False})).cost == whole.cost


def test_no_number_is_a_step() -> None:
    """512 and 520 H100 for one job cost the same an hour; 39 times as much before."""
    study = studied("gpt-3-175b", 3e11, None, (512, 520, 1024), accelerators=(H100,))
    usd = {
        candidate.accelerators: candidate.band.typical
        for candidate in study.candidates
        if candidate.way == "reserved" and candidate.band
    }
    assert usd[520] == pytest.approx(usd[512], rel=0.001)
    assert usd[1024] == pytest.approx(usd[512], rel=0.05)


def test_what_is_unavailable_says_how_many_are() -> None:
    study = studied("gpt-3-175b", 3e11, None, (8192,), accelerators=(H100,))
    rented = next(candidate for candidate in study.candidates if candidate.way == "on_demand")
    band = band_of(CATALOGUE, H100, Order(8192, 8192), DAY, "on_demand")
    assert band is not None
    number = f"{band.even_chance_count:,} at once are, with an even chance"
    assert str(rented.why_not) == f"so many are likely not available: {number}"


def test_cards_without_a_network_stop_at_a_machine() -> None:
    key = "RTX-4090-24GB"
    card = CATALOGUE.accelerators[key].model_copy(update={"consumer": True})
    catalogue = CATALOGUE.model_copy(update={"accelerators": {**CATALOGUE.accelerators, key: card}})
    task = TrainingTask(model="llama-3-8b", tokens=2e10, choose_count=True)
    scenario = Scenario(accelerator=ANY_ACCELERATOR, work=(Work(train=task),))
    bought = {
        candidate.accelerators: str(candidate.why_not)
        for candidate in market(catalogue, scenario, DAY, accelerators=(key,), counts=(8, 16)).candidates
        if candidate.way == "own"
    }
    assert bought[16] == "no network joins them: a machine holds 8"
    assert bought[8].startswith("more expensive")


def test_a_named_offer_keeps_its_price() -> None:
    named = next(
        key for key, offer in CATALOGUE.offers.items()
        if offer.accelerator == H100 and offer.purchase == "on_demand" and offer.accelerators_per_instance == 8
    )  # fmt: skip
    study = studied("llama-3-8b", 2e10, None, (8,), accelerators=(H100,), rent=RentalInputs(offer=named))
    rented = next(candidate for candidate in study.candidates if candidate.way == "on_demand")
    assert rented.offer == named
    assert rented.band is None


def at(days: float, usd: float) -> MarketCandidate:
    ends = Interval(days, days, days), Interval(usd, usd, usd)
    return MarketCandidate(H100, 8, "on_demand", None, None, *ends, None, "", None, on_front=False)


def test_a_step_that_costs_ten_days_for_a_day_is_left_out() -> None:
    slow, fair, steep = at(10.0, 1_000.0), at(5.0, 2_000.0), at(4.0, 6_100.0)  # 4,100 a day; the run's day is 400
    assert _without_steep_steps([steep, fair, slow], None) == [fair, slow]
    assert _without_steep_steps([at(4.0, 5_900.0), fair, slow], None)[0].cost == 5_900.0
    just = at(4.9, 3_900.0)  # 19,000 a day
    assert just not in _without_steep_steps([just, fair, slow], None)
    assert just in _without_steep_steps([just, fair, slow], 4.95)  # it keeps the deadline for less than twice as much


@pytest.mark.slow
def test_what_can_be_signed_is_recommended_before_what_needs_a_quote() -> None:
    study = studied("llama-3.1-8b", 1e12, 30.0)
    assert study.best is not None
    assert study.best.can_be_signed
    quoted = [it for it in study.candidates if it.why_not and it.why_not.kind == "by_quote"]
    assert quoted
    assert not any(it.can_be_signed for it in quoted)
    assert all(it.can_be_signed for it in study.front)
    cheaper = [it for it in quoted if it.cost < 0.99 * study.best.cost and it.speed <= 30.0]
    said = [reason for reason in study.reasons if reason.startswith("Ask for a quote")]
    assert len(said) == bool(cheaper)


def test_a_quote_is_recommended_where_nothing_can_be_signed() -> None:
    study = studied("llama-3-70b", 1.5e13, 120.0, counts=(2048,), accelerators=("H200-SXM-141GB",))
    assert study.best is not None
    assert not study.best.can_be_signed
    assert not any(it.why_not and it.why_not.kind == "by_quote" for it in study.candidates)


def test_a_chip_is_rented_in_three_ways_only() -> None:
    study = studied("llama-3.1-8b", 1e10, None, counts=(8,), accelerators=(H100,))
    assert {it.way for it in study.candidates} <= {"on_demand", "reserved", "spot", "own", "keep"}
