"""Futures: counted, repeatable, and as wide as what they are drawn from."""

import hashlib
import math
from collections import defaultdict
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from planner.money.many_ledgers import build_ledger, option_builder
from planner.money.measures import present_usd
from planner.money.owning.machine_price import PATH, POSITION
from planner.money.plan import plan
from planner.money.verdict.answer import build_answer
from planner.report.futures.counted import limit_probability_sentences
from planner.scenario.own import OwnInputs
from planner.scenario.rent import RentalInputs
from planner.scenario.scenario import Scenario
from planner.scenario.task import TrainingTask
from planner.scenario.terms import FinancialTerms
from planner.scenario.work import Work
from planner.study.data_files import load_futures_assumptions
from planner.study.uncertainty import draws
from planner.study.uncertainty.draws import draw_inputs, normal_draws, sobol_points
from planner.study.uncertainty.futures import Futures, _evaluate_futures, _p10_p50_p90, draw_futures
from planner.study.uncertainty.uncertain_inputs import (
    DistributionError,
    InputDistribution,
    UncertainParameter,
    uncertain_inputs,
    values_at_z,
)
from tests.facts import DAY
from tests.study.planned import catalogue, certain, planned


def of(scenario: Scenario, count: int = 1_024) -> Futures:
    futures = draw_futures(plan(catalogue(), scenario, DAY), count)
    assert futures is not None
    return futures


def test_the_first_draws_are_the_same_on_every_machine() -> None:
    """As numpy 2.4 and scipy 1.17 make them on Python 3.11 and on 3.13."""
    first = sobol_points(3, 4, 7)
    assert first.tolist() == [
        [0.6504268515855074, 0.9173101615160704, 0.10045647248625755],
        [0.1471061259508133, 0.25034659542143345, 0.6244625495746732],
        [0.4642063342034817, 0.6283815763890743, 0.35680509079247713],
        [0.9608894269913435, 0.03955060988664627, 0.8642092309892178],
    ]
    many = hashlib.sha256(sobol_points(28, 1_024, 7).tobytes()).hexdigest()
    assert many == "b7ccfe229599fbee4efb1bbb1510fcead831a4882c2f0912c83d9a921d50beb9"


def test_the_same_seed_gives_the_same_bytes_and_another_one_others() -> None:
    one, again = of(certain(), 64), of(certain(), 64)
    other = of(certain(seed=8), 64)
    assert one.present_usd.tobytes() == again.present_usd.tobytes()
    assert one.present_usd.tobytes() != other.present_usd.tobytes()


@pytest.mark.parametrize("count", [0, 65_537])
def test_no_futures_and_too_many_are_refused(count: int) -> None:
    with pytest.raises(DistributionError, match=r"want 1 to 65,536 futures"):
        sobol_points(2, count, 7)


def test_shares_of_all_options_sum_to_one_and_ties_go_to_less_cash() -> None:
    futures = of(Scenario(), 256)
    assert math.fsum(futures.cheapest_share.values()) == pytest.approx(1.0, abs=1e-12)
    twins = replace(futures, present_usd=np.ones_like(futures.present_usd))
    assert twins.cheapest_share["on_demand"] == 1.0
    assert twins.share_cheaper("own", "on_demand") == 0.5


def test_a_future_at_all_middles_is_the_plan_itself() -> None:
    """One draw with every input at its typical value gives the ledgers' own totals, a mix and spot among them."""
    scenario = Scenario(work=(Work(may_stop=True),), own=OwnInputs(refresh_years=2.0))
    made = plan(catalogue(), scenario, DAY)
    inputs = uncertain_inputs(made)
    middles = {each.name: np.array([each.spread.typical]) for each in inputs}
    assert "warranty_years" in middles
    tried = made.setting.with_tried({name: values[:, None] for name, values in middles.items()})
    for option in made.options:
        ledger = build_ledger(tried, option_builder(option))
        assert ledger is not None
        there = float(np.asarray(present_usd(tried, ledger)).reshape(-1)[0])
        assert there == pytest.approx(float(present_usd(made.setting, option.ledger)), rel=1e-9), option.key


@pytest.mark.slow
def test_sobol_agrees_with_two_hundred_thousand_plain_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planner.money.many_ledgers.CELLS", 1_000_000)  # a plan of seven numbers for each draw is small
    made = plan(catalogue(), certain(years=0.5), DAY)
    inputs = uncertain_inputs(made)
    few = of(certain(years=0.5))
    plain = np.random.default_rng(1).standard_normal((200_000, len(inputs)))
    many = _evaluate_futures(made, inputs, dict(values_at_z(inputs, plain)))
    saved, reference = few.saved_usd("own", "on_demand"), many.saved_usd("own", "on_demand")
    error = float(reference.std()) / math.sqrt(reference.size)
    assert abs(saved.mean() - reference.mean()) < 4 * error
    assert few.share_cheaper("own", "on_demand") == pytest.approx(many.share_cheaper("own", "on_demand"), abs=0.005)
    assert few.present("on_demand").high == pytest.approx(many.present("on_demand").high, rel=0.005)


def test_a_wider_spread_makes_a_wider_band() -> None:
    made = planned()
    inputs = uncertain_inputs(made)

    def width(times: float) -> float:
        wider = tuple(replace(one, spread=one.spread.over(times)) for one in inputs)
        futures = _evaluate_futures(made, wider, dict(draw_inputs(wider, 512, 7)))
        return futures.present("own").high - futures.present("own").low

    widths = [width(times) for times in (0.5, 1.0, 1.5)]
    assert widths == sorted(widths)
    assert widths[0] < 0.7 * widths[1]


def test_what_you_entered_is_as_you_say() -> None:
    names = {one.name for one in uncertain_inputs(plan(catalogue(), certain(), DAY))}
    assert names - {"reserved_price_factor"} == {"busy_factor", "rent_change_per_year"}
    open_ones = {one.name for one in uncertain_inputs(planned())}
    assert {"usd_per_accelerator", "lead_time_months", POSITION, PATH, "usd_per_kwh", "pue"} <= open_ones
    told = {one.name for one in uncertain_inputs(planned(own=OwnInputs(lead_time_months=1.0, residual_share=0.3)))}
    assert open_ones - told == {"lead_time_months", POSITION, PATH}


def test_every_input_says_why_and_who() -> None:
    for one in uncertain_inputs(planned(work=(Work(may_stop=True),), ways=())):
        assert one.reason
        assert one.source
        assert one.spread.low < one.spread.high


def test_rents_and_the_price_of_new_machines_move_together() -> None:
    z = normal_draws(uncertain_inputs(planned()), 1_024, 7)
    names = [one.name for one in uncertain_inputs(planned())]
    rent, left = z[:, names.index("rent_change_per_year")], z[:, names.index(PATH)]
    assert np.corrcoef(rent, left)[0, 1] == pytest.approx(load_futures_assumptions().together.coefficient, abs=0.03)
    assert np.std(left) == pytest.approx(1.0, abs=0.03)
    power = z[:, names.index("usd_per_kwh")]
    assert np.corrcoef(rent, power)[0, 1] == pytest.approx(0.0, abs=0.05)


def test_a_years_change_held_for_long_spreads_less() -> None:
    def spread(years: float) -> InputDistribution:
        found = uncertain_inputs(planned(years=years))
        return next(one.spread for one in found if one.name == "rent_change_per_year")

    assert (spread(1.0).low, spread(1.0).high) == pytest.approx((-0.25, 0.3))
    assert (spread(4.0).low, spread(4.0).high) == pytest.approx((-0.125, 0.15))
    yours = uncertain_inputs(planned(terms=FinancialTerms(rent_change_per_year=-0.1)))
    assert next(one.spread.typical for one in yours if one.name == "rent_change_per_year") == -0.1


def test_a_path_of_your_own_drifts_too() -> None:
    made = planned(terms=FinancialTerms(rent_by_year=(1.0, 0.8)))
    names = {one.name for one in uncertain_inputs(made)}
    assert "rent_drift_per_year" in names
    assert "rent_change_per_year" not in names
    futures = draw_futures(made, 64)
    assert futures.present("on_demand").high > futures.present("on_demand").low * 1.05


def listed() -> dict[tuple[str, str], dict[date, list[float]]]:
    """What each seller has asked on demand for each machine, by day: histories and offers together."""
    facts = catalogue()
    found: dict[tuple[str, str], dict[date, list[float]]] = defaultdict(lambda: defaultdict(list))
    for key, series in facts.series.items():
        if series.purchase == "on_demand" and series.measure != "minimum_bid":
            seller = key.split("/")[1] if series.measure in ("list", "lowest_listing") else key
            for day, value in series.usd_per_accelerator_hour.values.items():
                found[seller, series.accelerator][day].append(value.typical)
    for offer in facts.offers.values():
        figure = offer.usd_per_accelerator_hour
        if offer.purchase == "on_demand" and figure is not None and not offer.doubts:
            for day, value in figure.values.items():
                found[offer.provider, offer.accelerator][day].append(value.typical)
    return found


def test_the_listings_that_are_quoted_are_in_the_catalogue() -> None:
    """The yearly change of the lowest listing of each seller and machine, from its first day to its last."""
    told, changes = load_futures_assumptions().rents.listings, []
    for days in listed().values():
        first, last = min(days), max(days)
        years = (last - first).days / 365
        if years >= told.least_years:
            changes.append((min(days[last]) / min(days[first])) ** (1 / years) - 1)
    assert len(changes) == told.count
    assert np.quantile(changes, [0.1, 0.5, 0.9]) == pytest.approx([told.low, told.typical, told.high], abs=1e-3)


TRAINED = Work(accelerators=64, train=TrainingTask(model="Llama-2-7B", tokens=1e12, deadline_days=21.0))


def test_a_deadline_is_kept_as_often_as_the_model_is_fast_enough() -> None:

    made = plan(catalogue(), Scenario(years=1.0, work=(TRAINED,), ways=("on_demand",)), DAY)
    futures = draw_futures(made)
    speed = made.setting.resolved.trainings[0].speed
    share = futures.deadline_share
    assert share is not None
    assert 0.5 < share < 0.9  # the middle is in time; one in ten takes longer than speed.days.high, which is late
    assert speed.days.typical < 21 < speed.days.high
    assert futures.present("on_demand").high > futures.present("on_demand").middle * 1.2  # slower is dearer


def test_a_budget_is_kept_or_not() -> None:
    made = planned(terms=FinancialTerms(cash_on_day_one_usd=90_000.0))
    futures = draw_futures(made)
    share = futures.upfront_budget_share("own")
    assert share is not None
    assert 0.2 < share < 0.8
    assert futures.upfront_budget_share("on_demand") == 1.0
    assert of(certain(), 16).upfront_budget_share("own") is None


def test_a_budget_of_a_year_is_kept_or_not() -> None:
    """Counted from the dearest year of each future, beside day one."""
    made = planned(terms=FinancialTerms(cash_on_day_one_usd=90_000.0, cash_per_year_usd=330_000.0))
    futures = draw_futures(made)
    share = futures.yearly_budget_share("own")
    assert share is not None
    assert share == float(np.mean(futures.dearest_year_usd[futures.row("own")] <= 330_000.0))
    assert 0.0 < share < 1.0
    assert np.all(futures.dearest_year_usd >= futures.cash_today_usd - 1e-6)
    assert of(certain(), 16).yearly_budget_share("own") is None
    told = limit_probability_sentences(build_answer(made, futures.costs), futures)
    assert len(told) == 2
    assert told[1].startswith("Every year stays within $330,000 in ")


def test_fifty_dots_are_fifty_futures() -> None:
    futures = of(certain())
    dots = futures.dots("own", "on_demand")
    assert dots.shape == (50,)
    assert np.all(np.diff(dots) >= 0)
    assert np.mean(dots > 0) == pytest.approx(futures.share_cheaper("own", "on_demand"), abs=0.02)


def test_bands_over_time_end_in_the_band_of_the_whole() -> None:
    futures = of(Scenario(), 512)
    for row, option in enumerate(futures.options):
        ends = futures.cumulative_usd_bands[row, :, -1]
        band = futures.present(option.key)
        assert ends == pytest.approx([band.low, band.middle, band.high])
        assert np.all(futures.cumulative_usd_bands[row, 0] <= futures.cumulative_usd_bands[row, 2])


@pytest.mark.parametrize("count", [1, 2, 3, 64, 1_000])
def test_the_middle_eighty_are_the_quantiles(count: int) -> None:
    values = np.random.default_rng(3).lognormal(size=(2, 5, count))
    assert _p10_p50_p90(values) == pytest.approx(np.moveaxis(np.quantile(values, [0.1, 0.5, 0.9], axis=-1), 0, 1))


def test_a_plan_without_ways_has_no_futures() -> None:
    made = replace(planned(), options=())
    assert draw_futures(made) is None


def test_spot_that_is_interrupted_too_often_is_given_up() -> None:
    scenario = Scenario(work=(Work(may_stop=True),), rent=RentalInputs(), ways=("spot", "on_demand"))
    futures = of(scenario, 512)
    assert np.all(futures.saved_usd("spot", "on_demand") >= 0)


def test_inputs_that_are_not_there_leave_the_rest_alone() -> None:
    one = (UncertainParameter("usd_per_kwh", "USD/kWh", InputDistribution(0.05, 0.1, 0.2), "why", "assumption", "us"),)
    z = np.zeros((4, 1))
    assert draws.correlate(one, z) is z
