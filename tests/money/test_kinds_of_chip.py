"""What hangs on the kind of chip: which curve says what is left of its price, and whether a host is put around it."""

import pytest

from planner.money.owning import machine
from planner.money.owning.inputs import CURVE, curve_of, left
from planner.money.plan import build_context, plan
from planner.money.setting import PlanContext
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.uncertain_inputs import OF_CURVE, uncertain_inputs
from pricing import Catalogue, load_catalogue
from tests.facts import DAY
from tests.money.owning import lines

CARD, BOARD = "RTX-4090-24GB", "H100-SXM5-80GB"
SHARES = (0.9, 0.8, 0.7)


def with_a_curve_of_cards() -> Catalogue:
    """The frozen facts, and a curve for what is sold to private people, which the RTX 4090 is."""
    facts = load_catalogue()
    there = facts.residuals[CURVE].model_copy(
        update={"used_market": "consumer", "age_months": (12, 24, 36), "low": SHARES, "typical": SHARES,
                "high": SHARES, "note": "cards keep more"}
    )  # fmt: skip
    chips = {**facts.accelerators, CARD: facts.accelerators[CARD].model_copy(update={"consumer": True})}
    return facts.model_copy(update={"accelerators": chips, "residuals": {**facts.residuals, "cards": there}})


def of(catalogue: Catalogue, accelerator: str) -> PlanContext:
    """One of it for three years, delivered at once."""
    asked = {"accelerator": accelerator, "years": 3.0, "own": {"lead_time_months": 0.0}}
    return build_context(catalogue, Scenario.model_validate(asked), DAY)


def test_what_is_left_follows_the_kind_of_chip() -> None:
    facts = with_a_curve_of_cards()
    general = facts.residuals[CURVE]
    assert curve_of(of(facts, CARD)).typical == SHARES
    assert curve_of(of(facts, BOARD)) == general, "no curve of its kind: the general one"
    assert curve_of(of(load_catalogue(), CARD)) == general
    with_host = of(facts, CARD)
    before = of(load_catalogue(), CARD)
    kept, usual = (float(lines(one)["Resale"].total_usd) for one in (with_host, before))
    at_three_years = left((0, *general.age_months), (1.0, *general.typical), 36)
    assert kept / usual == pytest.approx(0.7 / at_three_years)


def test_the_futures_draw_from_the_same_curve() -> None:
    facts = with_a_curve_of_cards()
    said = [
        one.reason
        for one in uncertain_inputs(plan(facts, of(facts, CARD).scenario, DAY))
        if one.reason.startswith(OF_CURVE)
    ]
    assert said == [f"{OF_CURVE}. cards keep more"]


def test_a_machine_that_is_sold_whole_has_no_host_around_it() -> None:
    facts = load_catalogue()
    key = "DGX-Spark-GB10-128GB"
    spark = facts.accelerators[key]
    assert spark.price_usd is not None
    sold = of(facts, key)
    found = machine(sold)
    assert found is not None
    assert (found.is_complete, found.order_text(1)) == (True, f"one whole {spark.label}")
    box = float(lines(sold)["Servers, with spares"].total_usd)
    number = round(box / spark.price_usd.newest.typical)
    assert box == pytest.approx(number * spark.price_usd.newest.typical)
