"""Distributions: their quantiles are the ends they were told, and one that says nothing is refused in a sentence."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from planner.money.owning.inputs import CHANGES
from planner.money.plan import plan
from planner.report.answer.advice import guarantee_sentence
from planner.scenario.own import OwnInputs, PurchaseOrder
from planner.scenario.scenario import Scenario
from planner.study.market.candidate import Rejection
from planner.study.uncertainty.draws import BITS, most_inputs, sobol, sobol_points
from planner.study.uncertainty.futures import Futures, draw_futures, guarantee_value
from planner.study.uncertainty.uncertain_inputs import DistributionError, InputDistribution
from pricing import Catalogue
from pricing.figure import Figure, FigureValue
from tests.facts import DAY
from tests.rows import each_row
from tests.study.planned import catalogue, planned

ENDS = st.tuples(st.floats(-1e3, 0.0) | st.floats(1e-6, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))


SHARES = (np.arange(100_000) + 0.5) / 100_000


@given(ENDS)
def test_the_middle_moves_at_most_half_way_to_an_end(ends: tuple[float, float, float]) -> None:
    low, up, more = ends
    spread = InputDistribution(low, low + up, low + up + more)
    middle = float(spread.at(0.0))
    slack = 1e-9 * max(abs(spread.low), abs(spread.high))
    assert spread.low - slack <= middle <= spread.high + slack
    many = spread.at(np.linspace(-4, 4, 50))
    assert np.all(np.diff(many) >= 0)
    assert low <= 0 or np.all(many > 0)


@pytest.mark.parametrize("ends", [(50.0, 80.0, 100.0), (0.6, 1.0, 1.7), (-0.25, 0.0, 0.3), (4.5, 5.0, 5.2)])
def test_the_typical_value_is_the_mean_and_the_range_stays_as_wide(ends: tuple[float, float, float]) -> None:
    drawn = InputDistribution(*ends).at(ndtri(SHARES))
    assert np.mean(drawn) == pytest.approx(ends[1], rel=2e-4, abs=2e-4)
    low, middle, high = np.quantile(drawn, [0.1, 0.5, 0.9])
    if ends[0] > 0:
        assert (high / low, middle / low) == pytest.approx((ends[2] / ends[0], ends[1] / ends[0]), rel=1e-3)
    else:
        assert (high - low, middle - low) == pytest.approx((ends[2] - ends[0], ends[1] - ends[0]), rel=1e-3)


def test_a_lopsided_range_stays_skewed() -> None:
    drawn = InputDistribution(50.0, 80.0, 300.0).at(ndtri(SHARES))
    assert np.median(drawn) == pytest.approx(np.sqrt(50.0 * 80.0), rel=1e-3)


def test_bounds_hold_and_a_narrower_spread_keeps_its_middle() -> None:
    share = InputDistribution(0.5, 0.9, 0.99, least=0.0, most=1.0)
    assert share.at(10.0) == 1.0
    half = InputDistribution(-0.25, 0.0, 0.3).over(0.5)
    assert (half.low, half.typical, half.high) == pytest.approx((-0.125, 0.0, 0.15))


@pytest.mark.parametrize(("told", "wish"), [
    ((2.0, 1.0, 3.0), "want low <= typical <= high, got 2, 1, 3"), ((1.0, 2.0, 1.5), "want low <= typical <= high"),
    ((math.nan, 1.0, 2.0), "want three numbers"), ((1.0, 2.0, math.inf), "want three numbers"),
])  # fmt: skip
def test_a_contradictory_or_empty_distribution_is_refused(told: tuple[float, float, float], wish: str) -> None:
    with pytest.raises(DistributionError, match=wish):
        InputDistribution(*told)


def test_a_middle_outside_its_bounds_is_refused() -> None:
    with pytest.raises(DistributionError, match="within 0 to 1, got 2"):
        InputDistribution(1.0, 2.0, 3.0, least=0.0, most=1.0)


def of_scipy(inputs: int, seed: int) -> Any:
    """Their generator. Loading it takes the better part of a second: only who runs these tests waits for it."""
    from scipy.stats import qmc

    return qmc.Sobol(inputs, scramble=True, rng=np.random.default_rng(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 7, 2**40 + 1])
@pytest.mark.parametrize(("inputs", "power"), [(1, 0), (1, 10), (2, 1), (3, 4), (28, 10), (100, 12), (40, 16)])
def test_points_are_those_of_scipy(inputs: int, power: int, seed: int) -> None:
    theirs = of_scipy(inputs, seed).random_base2(power)
    ours = sobol(inputs, power, seed)
    assert ours.tobytes() == theirs.tobytes()
    assert ours.shape == (2**power, inputs)


@pytest.mark.slow
def test_every_input_of_the_file_has_the_direction_numbers_of_scipy() -> None:
    theirs = of_scipy(most_inputs(), 1)
    assert theirs.bits == BITS
    assert np.array_equal(sobol(most_inputs(), 13, 1), theirs.random_base2(13))


def test_more_inputs_than_there_are_direction_numbers_for_are_refused() -> None:
    with pytest.raises(DistributionError, match="want at most 256 uncertain inputs"):
        sobol_points(most_inputs() + 1, 2, 7)


LATER = ("wage_change_per_year", "space_price_change_per_year", "maintenance_change_per_year")


def ranged() -> Catalogue:
    """The facts with a range for each of the three: falling by a tenth to rising by a fifth."""
    plain, facts = catalogue(), {}
    for name in LATER:
        fact = plain.facts[CHANGES[name]]
        source = fact.figure.newest.source
        value = FigureValue(low=-0.1, typical=0.03, high=0.2, kind="assumption", source=source)
        figure = Figure(unit="1", checked=DAY, values={DAY: value})
        facts[CHANGES[name]] = fact.model_copy(update={"figure": figure})
    return plain.model_copy(update={"facts": plain.facts | facts, "digest": "later"})


@pytest.mark.parametrize("yours", [None, 0.01])
def test_a_range_is_drawn_and_yours_is_as_you_say(yours: float | None) -> None:
    own = OwnInputs(**dict.fromkeys(LATER, yours))
    drawn = draw_futures(plan(ranged(), Scenario(own=own, ways=("own", "on_demand")), DAY), 64)
    assert drawn is not None
    found = {one.name: one.spread for one in drawn.inputs if one.name in LATER}
    assert set(found) == (set(LATER) if yours is None else set())
    assert all((one.low, one.typical, one.high) == (-0.1, 0.03, 0.2) for one in found.values())


@each_row(("lost", "words", "counted"), [
    (Rejection("speed_unknown", "no memory on record"), "speed unknown: no memory on record", "speed unknown"),
    (Rejection("does_not_fit", "needs 160 GB of 80"), "does not fit: needs 160 GB of 80", "does not fit"),
    (Rejection("over_a_year", amount=900.0), "takes 2.47 years: over a year", "takes so many years: over a year"),
    (Rejection("outlasts_the_plan"), "takes longer than the plan", "takes longer"),
    (Rejection("late", amount=1.0), "1 day late", "so many day late"),
    (Rejection("late", amount=0.1), "2.4 hours late", "so many hours late"),
    (Rejection("over_budget", amount=2e6), "over the budget by $2 million", "over the budget by so many million"),
    (Rejection("costs_more_and_slower", "A"), "more expensive and slower than A", "more expensive and slower"),
])  # fmt: skip
def test_the_words_say_it_and_the_kind_is_gone_by(lost: Rejection, words: str, counted: str) -> None:
    assert str(lost) == words
    assert lost.heading("so many") == counted
    assert lost.is_dominated is (lost.kind == "costs_more_and_slower")


def drawn(**own: Any) -> Futures:
    futures = draw_futures(planned(own=OwnInputs(**own)), 256)
    assert futures is not None
    return futures


ORDERS = (PurchaseOrder(accelerators=4), PurchaseOrder(accelerators=4, month=12, residual_share=0.45))


@pytest.mark.parametrize("orders", [(), ORDERS], ids=["at once", "in two orders"])
def test_its_worth_is_what_owning_costs_less_on_average(orders: tuple[PurchaseOrder, ...]) -> None:
    """The same draws, with and without it."""
    cost = {"guaranteed_residual_share": 0.5, "guarantee_cost_share": 0.03}
    without, with_it = drawn(orders=orders), drawn(orders=orders, **cost)
    value = guarantee_value(with_it)
    rows = [one.present_usd[one.row("own")] for one in (without, with_it)]
    assert value.gain_usd == pytest.approx((rows[0] - rows[1]).mean())
    free = drawn(orders=orders, guaranteed_residual_share=0.5).present_usd[with_it.row("own")]
    assert value.payout_share == pytest.approx((free < rows[0] - 1e-6).mean())
    assert value.cost_usd == pytest.approx((rows[1] - free).mean())


def test_it_is_said_beside_its_cost() -> None:
    """Of the whole price it is nearly always paid, at nothing never."""
    always = guarantee_sentence(drawn(guaranteed_residual_share=1.0, guarantee_cost_share=0.01))
    assert always.startswith("The guarantee of the resale costs $")
    assert "it pays in 98 of 100 futures" in always  # in the others new ones cost so much that a used one brings all
    assert always.endswith("more than it costs, discounted to today and before tax.")
    free = guarantee_sentence(drawn(guaranteed_residual_share=0.0))
    assert free.startswith("The guarantee of the resale is entered as free; it pays in")
    assert "$0 on average" in free
    assert guarantee_sentence(drawn()) == guarantee_sentence(None) == ""


def test_what_is_agreed_is_not_drawn() -> None:
    inputs = {one.name for one in drawn(forward_residual_share=0.3).inputs}
    assert "residual_position" not in inputs
    assert "residual_position" in {one.name for one in drawn().inputs}
