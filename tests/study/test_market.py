"""The market study: every try is what speed and money say of it alone, and nothing beats the front or the best."""

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from planner.money.demand.stream import DemandLayer
from planner.money.fleet import typical_lead_months
from planner.money.measures import monthly_discount_factors
from planner.money.owning import owning
from planner.money.people import people_lines
from planner.money.renting.cheapest_offer import hired
from planner.money.setting import PlanContext
from planner.scenario.own import ExistingHardware, OwnInputs
from planner.scenario.rent import RentalInputs
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.terms import FinancialTerms
from planner.scenario.work import Work
from planner.speed.hardware import InvalidJobError
from planner.speed.serving import serve
from planner.speed.training import train
from planner.speed.work_to_hours import serving_job, training_job
from planner.study.market.candidate import format_usd_rounded_up
from planner.study.market.hours_needed import Task, _estimates, first_task, usual_chips, work_estimates
from planner.study.market.survey import MarketCandidate, MarketStudy, doubling_candidates, market, without_choice
from planner.study.plan_any import planned
from pricing import PricingError
from pricing.market.sellers import band_of
from pricing.orderable import Order, refusal_reason
from tests.facts import CATALOGUE, DAY
from tests.frozen import live_catalogue
from tests.rows import each_row

SOME = ("H100-SXM5-80GB", "H200-SXM-141GB", "A100-SXM4-80GB", "RTX-4090-24GB", "MI300X-192GB", "L40S-48GB")
TRAIN = TrainingTask(model="llama-3-8b", tokens=2e10, deadline_days=20.0)
CHAT = ServingTask(
    model="llama-3-70b", requests_per_s=20.0, peak_requests_per_s=50.0, input_tokens=800, output_tokens=250
)
RUN = Work(accelerators=8, may_stop=True, train=TRAIN)


def scenario(work: Work, **more: Any) -> Scenario:
    """A plan that leaves the accelerator open."""
    return Scenario(**{"accelerator": ANY_ACCELERATOR, "work": (work,), **more})


def run_within(days: float | None) -> Scenario:
    """The run with another deadline."""
    return scenario(RUN.model_copy(update={"train": TRAIN.model_copy(update={"deadline_days": days})}))


@lru_cache(maxsize=8)
def studied(what: str) -> MarketStudy:
    """Some studies that several tests look at."""
    if what == "run":
        return market(CATALOGUE, scenario(RUN), DAY, accelerators=SOME, counts=(2, 8, 64))
    if what == "service":
        return market(CATALOGUE, scenario(Work(serve=CHAT)), DAY)
    if what == "monthly":
        often = TRAIN.model_copy(update={"runs_per_month": 3.0, "deadline_days": None})
        return market(CATALOGUE, scenario(Work(train=often)), DAY, accelerators=SOME, counts=(8,))
    return market(CATALOGUE, scenario(RUN), DAY, counts=(8,))


def one(found: MarketStudy, accelerator: str, accelerators: int, way: str) -> MarketCandidate:
    """The try of that accelerator, number and way."""
    return next(
        try_
        for try_ in found.candidates
        if (try_.accelerator, try_.accelerators, try_.way) == (accelerator, accelerators, way)
    )


@pytest.mark.parametrize("key", ["H100-SXM5-80GB", "A100-SXM4-80GB", "MI300X-192GB"])
def test_a_rented_run_takes_what_train_says_and_costs_what_the_offer_bills(key: str) -> None:
    candidate = one(studied("run"), key, 8, "on_demand")
    there = scenario(RUN, accelerator=key)
    speed = train(CATALOGUE, training_job(there, RUN, TRAIN)).speed
    assert candidate.days.typical == pytest.approx(speed.days.typical)
    assert ("recompute" in candidate.layout) == bool(speed.layout.plan.again)
    hours = speed.accelerator_hours
    bill = hired(CATALOGUE, key, accelerators=8, hours=hours.typical / 8, together=8, day=DAY)
    assert candidate.usd is not None
    assert candidate.offer == bill.offer
    assert candidate.age_days == bill.price.age_days
    assert candidate.usd.typical == pytest.approx(hours.typical * bill.usd_per_accelerator_hour)
    assert candidate.band is not None
    assert candidate.band == band_of(CATALOGUE, key, Order(8, 8), DAY, "on_demand") == bill.band
    for ends in (hours, candidate.band):  # the range is that of the hours and that of the price
        assert candidate.usd.low / candidate.usd.typical < ends.low / ends.typical
        assert candidate.usd.high / candidate.usd.typical > ends.high / ends.typical


def test_spot_is_longer_and_a_reservation_is_paid_to_its_end() -> None:
    study = studied("run")
    for key in ("H100-SXM5-80GB", "A100-SXM4-80GB"):
        calm, spot, bound = (one(study, key, 8, way) for way in ("on_demand", "spot", "reserved"))
        assert calm.days
        assert spot.days
        assert bound.usd
        assert spot.days.typical > calm.days.typical
        assert bound.bound_months >= 1
        band = band_of(CATALOGUE, key, Order(8, 8), DAY, "reserved", bound.bound_months)
        assert band == bound.band
        assert bound.usd.typical == pytest.approx(band.typical * 8 * 730 * bound.bound_months)
    no_stop = RUN.model_copy(update={"may_stop": False})
    calm_only = market(CATALOGUE, scenario(no_stop), DAY, accelerators=SOME[:1], counts=(8,))
    assert all(try_.way != "spot" for try_ in calm_only.candidates)


@pytest.mark.parametrize("count", [2, 8, 64])
def test_what_is_bought_costs_what_the_ledger_of_owning_says(count: int) -> None:
    candidate = one(studied("run"), "H100-SXM5-80GB", count, "own")
    base = scenario(RUN, accelerator="H100-SXM5-80GB")
    own = base.model_copy(update={"own": base.own.model_copy(update={"accelerators": count})})
    setting = PlanContext(CATALOGUE, own, DAY)
    rented = one(studied("run"), "H100-SXM5-80GB", count, "on_demand")
    assert rented.days
    assert rented.usd
    assert candidate.days
    assert candidate.usd
    months = rented.days.typical * 24 / 730
    before = min(typical_lead_months(setting) / months, 1.0)  # rented until delivery
    need = DemandLayer("H100-SXM5-80GB", float(count), months * (1 - before) / 36, 3.0, 1.0, 0.0, 0.0, "US")
    lines = owning(setting, need)
    assert lines is not None
    worth = monthly_discount_factors(setting)
    bought = sum(float((np.broadcast_to(line.usd, worth.shape) * worth).sum()) for line in lines)
    assert candidate.usd.typical == pytest.approx(bought + before * rented.usd.typical)
    assert candidate.usd.low <= candidate.usd.typical <= candidate.usd.high
    assert candidate.days.typical == pytest.approx(rented.days.typical)
    assert (str(candidate.why_not)[:8] == "too late") == (before == 1.0)


@pytest.mark.slow
def test_a_service_takes_as_many_as_serve_says() -> None:
    study = studied("service")
    for key in ("H100-SXM5-80GB", "MI300X-192GB"):
        alone = serve(CATALOGUE, serving_job(scenario(Work(serve=CHAT), accelerator=key), CHAT))
        rented = one(study, key, alone.accelerators_at_peak or 0, "on_demand")
        assert rented.tpot_p99_ms == pytest.approx(alone.tpot.p99_ms if alone.tpot else None)
        assert rented.usd
        price = rented.usd.typical / (730 * (alone.accelerators_at_average or 0))
        assert 0.3 < price < 30  # a month of busy accelerators at somebody's price for an hour
    assert one(study, "", 0, "hosted").usd


def test_runs_of_every_month_cost_a_month() -> None:
    monthly, once = studied("monthly"), studied("run")
    run, every = (one(found, "H100-SXM5-80GB", 8, "on_demand") for found in (once, monthly))
    assert run.usd
    assert every.usd
    assert every.usd.typical == pytest.approx(3 * run.usd.typical, rel=0.02)  # sessions end within an hour
    assert monthly.monthly
    assert not once.monthly


def beats(other: MarketCandidate, front: MarketCandidate) -> bool:
    """Whether it is no worse on time and money, and better on one."""
    there, here = (other.cost, other.speed), (front.cost, front.speed)
    return there != here and all(a <= b for a, b in zip(there, here, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("what", ["run", "service", "monthly", "all"])
def test_nothing_beats_the_front_and_everything_else_has_a_reason(what: str) -> None:
    study = studied(what)
    free = [try_ for try_ in study.candidates if not try_.why_not]
    assert study.front
    for front in study.front:
        assert not any(beats(other, front) for other in free)
    for lost in study.candidates:
        assert lost.why_not or lost.on_front or lost == study.best
        assert (
            lost.why_not is None
            or not lost.why_not.is_dominated
            or any(front.cost <= lost.cost and front.speed <= lost.speed for front in study.front)
        )


def test_the_best_is_the_cheapest_that_keeps_to_the_limits() -> None:
    study = studied("run")
    assert study.best
    assert study.best.days
    assert study.best.days.typical <= 20
    in_time = [t for t in study.candidates if t.usd and t.days and t.days.typical <= 20 and not t.why_not]
    assert study.best.cost == min(t.cost for t in in_time)
    assert study.best in study.candidates


def test_the_age_of_its_price_is_told() -> None:
    study = studied("all")
    assert study.best
    assert study.best.age_days
    assert any(f"Its price was read {study.best.age_days:,} days ago" in sentence for sentence in study.reasons)


def test_nobody_rents_out_more_than_he_has() -> None:
    found = market(CATALOGUE, run_within(None), DAY, accelerators=SOME[:3], counts=(8, 64, 1_024, 16_384))
    for one_ in found.candidates:
        if one_.offer and one_.way != "own":
            wanted = max(one_.at_once, one_.accelerators)
            assert refusal_reason(CATALOGUE, one_.offer, Order(wanted, one_.accelerators)) is None
    assert not any(one_.offer for one_ in found.candidates if one_.accelerators == 16_384 and one_.way == "on_demand")


def cost_of(days: float | None, budget: float | None = None, chips: tuple[str, ...] = SOME[:3]) -> float:
    best = market(CATALOGUE, run_within(days), DAY, budget_usd=budget, accelerators=chips, counts=(8, 32, 128)).best
    return float("inf") if best is None else best.cost


@pytest.mark.slow
def test_more_time_more_money_or_more_accelerators_never_cost_more() -> None:
    by_time = [cost_of(days) for days in (0.05, 0.5, 2.0, 30.0)]
    assert by_time == sorted(by_time, reverse=True)
    assert by_time[0] == float("inf")
    by_budget = [cost_of(2.0, budget) for budget in (100.0, by_time[2], 1e9)]
    assert by_budget == sorted(by_budget, reverse=True)
    by_chips = [cost_of(2.0, chips=SOME[:many]) for many in (1, 2, 3, 6)]
    assert by_chips == sorted(by_chips, reverse=True)


def test_without_a_deadline_a_day_saved_has_its_value() -> None:
    found = market(CATALOGUE, run_within(None), DAY, accelerators=SOME[:1], counts=(8, 16, 32))
    costs = [t for t in found.candidates if t.usd and t.days and t.way != "own"]
    least = min(t.cost for t in costs)
    assert found.best
    assert found.best.cost + 200 * found.best.speed == pytest.approx(min(t.cost + 200 * t.speed for t in costs))
    assert found.best.cost <= 1.5 * least


def test_a_limit_that_cannot_be_kept_is_named_with_what_would_do() -> None:
    late = market(CATALOGUE, run_within(0.01), DAY, accelerators=SOME[:1], counts=(8,))
    assert late.best is None
    assert late.nearest_miss
    assert late.nearest_miss.days
    assert "Nothing is done within 14.4 minutes" in late.reasons[0]
    assert "would do" in late.reasons[0]
    assert late.candidates[0].why_not.kind == "late"
    poor = market(CATALOGUE, run_within(20.0), DAY, budget_usd=10.0, accelerators=SOME[:1], counts=(8,))
    assert "costs $10.00 or less" in poor.reasons[0]
    assert poor.nearest_miss
    assert f"A budget of {format_usd_rounded_up(poor.nearest_miss.cost)} would do" in poor.reasons[0]
    for usd in (9.99, 150_400.0, 999_999.0, 2.345e6):
        said = format_usd_rounded_up(usd).removeprefix("$").replace(",", "")
        number, _, unit = said.partition(" ")
        assert float(number) * (1e6 if unit else 1) >= usd
    enough = market(
        CATALOGUE, run_within(20.0), DAY, budget_usd=poor.nearest_miss.cost + 1, accelerators=SOME[:1], counts=(8,)
    )
    assert enough.best == enough.selected


def test_the_whole_catalogue_is_there_and_progress_only_rises() -> None:
    study = studied("all")
    assert {try_.accelerator for try_ in study.candidates} == set(usual_chips(CATALOGUE, first_task(scenario(RUN))))
    kinds = {try_.why_not.kind for try_ in study.candidates if try_.why_not}
    assert "speed_unknown" in kinds
    assert "does_not_fit" in kinds
    heard: list[float] = []
    market(CATALOGUE, scenario(RUN), DAY, accelerators=SOME[:1], counts=(8, 16), progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == 1.0


def test_your_price_wins_and_what_you_have_is_there() -> None:
    kept = ExistingHardware(label="RTX 4090", accelerators=4, power_w_each=450.0, running_usd_per_month=20.0)
    mine = scenario(RUN, accelerator="H100-SXM5-80GB", rent=RentalInputs(usd_per_accelerator_hour=0.01), kept=kept)
    found = market(CATALOGUE, mine, DAY, counts=(8,), accelerators=("H100 SXM5", "RTX 4090"))
    assert found.best
    assert found.best.provider == "your price"
    assert found.best.usd
    assert found.best.usd.typical == pytest.approx(0.01 * found.best.days.typical * 24 * 8 if found.best.days else None)
    assert one(found, "RTX-4090-24GB", 4, "keep").accelerators == 4


def test_what_cannot_be_studied_is_refused_in_words() -> None:
    with pytest.raises(InvalidJobError, match="no work names a model"):
        market(CATALOGUE, Scenario(), DAY)
    with pytest.raises(PricingError, match="lama-9"):
        market(CATALOGUE, scenario(Work(train=TrainingTask(model="lama-9"))), DAY)


@pytest.mark.slow
def test_another_accelerator_or_name_leaves_the_doublings_as_they_are() -> None:
    one, other = (scenario(RUN, accelerator=key, name=key) for key in SOME[:2])
    assert without_choice(one) == without_choice(other)
    known = doubling_candidates(CATALOGUE, without_choice(one), DAY, accelerators=SOME[:2])
    assert known == doubling_candidates(CATALOGUE, other, DAY, accelerators=SOME[:2])
    found = market(CATALOGUE, other, DAY, accelerators=SOME[:2], tries=known)
    assert found == market(CATALOGUE, other, DAY, accelerators=SOME[:2])


@pytest.mark.parametrize("yours", [
    {"own": OwnInputs(usd_per_accelerator=20_000.0)},
    {"rent": RentalInputs(usd_per_accelerator_hour=1.5)},
    {"kept": ExistingHardware(label=SOME[0], accelerators=4)},
])  # fmt: skip
def test_what_is_entered_for_an_accelerator_stays_with_it(yours: dict[str, Any]) -> None:
    one, other = (scenario(RUN, accelerator=key, **yours) for key in SOME[:2])
    assert without_choice(one) != without_choice(other)


@each_row("changes", [
    {"years": 5.0}, {"site": "DE"}, {"own": OwnInputs(usd_per_accelerator=20_000.0)},
    {"rent": RentalInputs(usd_per_accelerator_hour=1.5)},
    {"terms": FinancialTerms(discount_rate_per_year=0.2, hours_per_month=720.0)}, {"accelerator": SOME[1]},
])  # fmt: skip
@each_row("work", [RUN, Work(serve=ServingTask(model="llama-3-8b", requests_per_s=2.0))])
def test_hours_follow_from_the_work_alone(work: Work, changes: dict[str, Any]) -> None:
    asked = scenario(work, **({"accelerator": SOME[0]} | changes))
    here = list(_estimates(CATALOGUE, Task(asked, work), SOME[:2], (8, 16), lambda _: None))
    assert here == list(work_estimates(CATALOGUE, Task(asked, work), SOME[:2], (8, 16), lambda _: None))


@pytest.mark.slow
@pytest.mark.parametrize("work", [RUN, Work(train=TrainingTask(model="llama-3-8b", tokens=1e10, runs_per_month=4.0))])
def test_another_number_only_adds_its_own_tries(work: Work) -> None:
    at_48, at_24 = (scenario(work.model_copy(update={"accelerators": many}), accelerator=SOME[0]) for many in (48, 24))
    assert without_choice(at_48) == without_choice(at_24)
    known = doubling_candidates(CATALOGUE, without_choice(at_24), DAY, accelerators=SOME[:2])
    found = market(CATALOGUE, at_48, DAY, accelerators=SOME[:2], tries=known)
    assert found == market(CATALOGUE, at_48, DAY, accelerators=SOME[:2])
    assert {candidate.accelerator for candidate in found.candidates if candidate.accelerators == 48} == {SOME[0]}
    assert {one.accelerators for one in found.candidates} == {one.accelerators for one in known} | {48}


def test_a_candidate_has_the_people_that_a_plan_of_it_has() -> None:
    facts, work = live_catalogue(), Work(serve=CHAT)
    studies = [market(facts, scenario(work, run_by_fte=people), DAY, accelerators=SOME[:1]) for people in (None, 0.0)]
    paid, free = (next(it for it in study.candidates if it.way == "on_demand" and it.usd) for study in studies)
    hosted = [next(it for it in found.candidates if it.way == "hosted") for found in studies]
    assert hosted[0].cost == hosted[1].cost
    setting = planned(facts, Scenario(accelerator=SOME[0], work=(work,)), DAY).setting
    (line,) = people_lines(setting)
    assert setting.usual_demand.all.peak_accelerators == paid.at_once
    assert paid.cost - free.cost == pytest.approx(float(line.usd[1]), rel=0.005)  # of the first month
