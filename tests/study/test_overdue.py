"""Overdue figures: what moves the usual plans most stands first, weighed as the plans themselves move."""

from datetime import date
from functools import lru_cache

import pytest

from planner.money.plan import Plan, plan_from_context
from planner.money.verdict.answer import build_answer
from planner.study.uncertainty.futures import DEFAULT, OverdueImpact, overdue_impacts, usual_plans
from pricing import Catalogue, Figure, load_catalogue
from pricing.stale import ALLOWED_DAYS, days_over, limit_days, stale
from tests.facts import DAY

H100 = "H100-SXM5-80GB"


@lru_cache(maxsize=1)
def plans() -> dict[str, Plan]:
    return usual_plans(load_catalogue(), DAY)


@lru_cache(maxsize=1)
def found() -> tuple[OverdueImpact, ...]:
    return overdue_impacts(load_catalogue(), plans(), DAY)


def of(field: str, record: str = H100) -> OverdueImpact:
    return next(one for one in found() if one.placed.record == record and one.placed.field == field)


def test_every_overdue_figure_is_there_once_and_no_other() -> None:
    assert sorted(one.placed[:3] for one in found()) == sorted(one.placed[:3] for one in stale(load_catalogue(), DAY))


def test_the_weightiest_comes_first_then_what_is_used_then_the_oldest() -> None:
    weights = [one.weight for one in found()]
    assert weights == sorted(weights, reverse=True)
    still = [one for one in found() if not one.weight]
    used = [bool(one.impact_by_plan) for one in still]
    assert used == sorted(used, reverse=True)
    ages = [one.days_over for one in still if not one.impact_by_plan]
    assert ages == sorted(ages, reverse=True)
    assert found()[0].weight > 0
    assert not found()[-1].impact_by_plan


@pytest.mark.parametrize("name", [DEFAULT, "chat-service"])
def test_a_weight_is_what_the_plan_moves_between_the_ends(name: str) -> None:
    """The price of one H100, by plans made again with it at its low and at its high end."""
    plan = plans()[name]
    there = build_answer(plan)
    keys, value = (there.best.option.key, there.against.option.key), of("price_usd").placed.figure.newest
    saved = []
    for usd in (value.low, value.high):
        assert usd is not None
        again = build_answer(plan_from_context(plan.setting.with_tried({"usd_per_accelerator": usd})))
        cost = {way.option.key: way.present_usd for way in again.ranked}
        saved.append(cost[keys[1]] - cost[keys[0]])
    dearer = max(there.best.present_usd, there.against.present_usd)
    assert of("price_usd").impact_by_plan[name] == pytest.approx(abs(saved[1] - saved[0]) / dearer, rel=1e-6)


def test_a_price_without_a_range_moves_as_prices_of_its_age_do() -> None:
    used = [one for one in found() if one.weight and one.placed.figure.newest.low is None]
    assert any(one.placed.section != "offers" for one in used), "none without a range: the rule is not tried"


def test_what_was_looked_at_today_is_not_overdue() -> None:
    catalogue = load_catalogue()
    old = of("price_usd").placed.figure
    fresh = Figure.model_construct(unit=old.unit, checked=DAY, values=old.values, note=None)
    chip = catalogue.accelerators[H100].model_copy(update={"price_usd": fresh})
    again: Catalogue = catalogue.model_copy(update={"accelerators": catalogue.accelerators | {H100: chip}})
    assert [one.placed.record for one in stale(again, DAY) if one.placed.field == "price_usd"].count(H100) == 0


def test_a_figure_holds_as_long_as_its_kind_and_no_longer() -> None:
    figure = of("price_usd").placed.figure
    assert limit_days(figure) == ALLOWED_DAYS[figure.newest.kind]
    last = date.fromordinal(figure.checked.toordinal() + limit_days(figure))
    assert days_over(figure, last) == 0
    assert days_over(figure, date.fromordinal(last.toordinal() + 1)) == 1
