"""The rate of the currency that a plan is shown in is drawn: dollars of a month at the rate of that month, by line."""

import math

import numpy as np
import pytest

from planner.money.inflation import CURRENCY_CHANGE as CHANGE
from planner.money.many_ledgers import InputColumns, build_ledger, option_builder
from planner.money.measures import monthly_discount_factors
from planner.money.plan import Plan
from planner.scenario.file import read_scenario
from planner.study.plan_any import planned
from planner.study.uncertainty.futures import draw_futures
from planner.study.uncertainty.tornado import sobol_indices, tornado
from planner.study.uncertainty.uncertain_inputs import UncertainParameter, uncertain_inputs
from pricing.exchange import moves_per_year
from tests.facts import CATALOGUE, DAY

PLAN = "accelerator: H100-SXM5-80GB\nyears: 3\nwork: [{accelerators: 8, busy_share: 0.6}]\n"


def plan(more: str = "") -> Plan:
    return planned(CATALOGUE, read_scenario(f"{PLAN}{more}".encode(), "plan", CATALOGUE).scenario, DAY)


def drawn(made: Plan) -> dict[str, UncertainParameter]:
    return {each.name: each for each in uncertain_inputs(made)}


def test_a_rate_is_drawn_where_a_plan_is_shown_in_another_currency_and_only_there() -> None:
    change = drawn(plan("currency: {code: EUR}"))[CHANGE]
    per_year = 1.5 * moves_per_year(CATALOGUE)["EUR"]
    assert change.spread.high == pytest.approx(math.expm1(1.2815515655446004 * per_year / math.sqrt(3)))
    assert 0.03 < per_year < 0.12
    for fixed in ("", "currency: {code: USD}", "currency: {code: EUR, usd_per_unit_by_year: [1.1, 1.2]}"):
        assert CHANGE not in drawn(plan(fixed)), fixed


def test_every_line_of_a_future_is_its_dollars_at_the_rate_of_the_month() -> None:
    made = plan("currency: {code: EUR}")
    months = np.arange(made.setting.timeline.last + 1)
    for option in made.options:
        at = InputColumns(made.setting, {CHANGE: np.array([0.25])}).context()
        moved, usual = (build_ledger(context, option_builder(option)) for context in (at, made.setting))
        assert moved is not None
        assert usual is not None
        for line, plain in zip(moved.lines, usual.lines, strict=True):
            assert line.usd.reshape(-1) == pytest.approx((plain.usd * 1.25 ** -(months / 12)).reshape(-1), nan_ok=True)


def test_futures_are_the_ledgers_at_their_own_rates() -> None:
    made = plan("currency: {code: EUR}")
    futures = draw_futures(made, 16)
    assert futures is not None
    draw = {name: values[3:4] for name, values in futures.draws.items()}
    for row, option in enumerate(futures.options):
        context = InputColumns(made.setting, draw).context()
        ledger = build_ledger(context, option_builder(option))
        assert ledger is not None
        present = float((ledger.monthly_usd * monthly_discount_factors(context)).sum())
        if option.way in ("own", "on_demand"):
            assert futures.present_usd[row, 3] == pytest.approx(present, rel=1e-9)


def test_hours_that_are_paid_in_the_currency_stay_what_they_cost_there() -> None:
    made = plan("currency: {code: EUR}\nrent: {usd_per_accelerator_hour: 2 EUR}")
    context = InputColumns(made.setting, {CHANGE: np.array([0.5])}).context()
    rent = next(option for option in made.options if option.way == "on_demand")
    moved, usual = build_ledger(context, option_builder(rent)), build_ledger(made.setting, option_builder(rent))
    assert moved is not None
    assert usual is not None
    hours = [(line, two) for line, two in zip(moved.lines, usual.lines, strict=True) if line.part == "compute"]
    assert hours
    assert all((one.usd == two.usd).all() for one, two in hours)


def test_it_is_one_input_with_its_share_of_what_moves_the_answer() -> None:
    made = plan("currency: {code: KRW}")
    own, rent = (next(option for option in made.options if option.way == way) for way in ("own", "on_demand"))
    assert CHANGE in {bar.input.name for bar in tornado(made, own, rent)}
    shares = {index.name: index.total for index in sobol_indices(made, own, rent, 256)}
    assert 0 < shares[CHANGE] < 1


def test_few_dates_say_little_of_one_currency() -> None:
    moves = moves_per_year(CATALOGUE)
    assert moves["HKD"] < moves["EUR"] < moves["KRW"]
    assert moves["HKD"] > max(moves.values()) / 4  # half is what all have moved
    others = {key: fact for key, fact in CATALOGUE.facts.items() if "eur" not in key}
    assert "EUR" not in moves_per_year(CATALOGUE.model_copy(update={"facts": others}))
