"""One set of numbers: what the answer says, the comparison and the drawer come to, each in the same money."""

from datetime import date

import pytest

from planner.money.plan import plan
from planner.money.renting.bill import bills
from planner.money.renting.cheapest_offer import default_offer_filter
from planner.money.renting.offer_inputs import estimated_prices, market_prices
from planner.money.verdict.answer import build_answer
from planner.report.answer.tables import discounted_ledgers
from planner.report.market.compare import purchase_comparison
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from pricing.query import find

MADE = plan(load_catalogue(), Scenario(), date(2026, 11, 21))
FOUND = build_answer(MADE)


def test_the_drawer_ends_at_the_headline() -> None:
    explained = discounted_ledgers(MADE, FOUND)
    assert [float(one.total_usd) for one in explained] == pytest.approx([way.present_usd for way in FOUND.ranked])
    assert {line.used[-1].name for ledger in explained for line in ledger.lines} == {"worth_today"}


def test_buying_costs_the_same_beside_the_offers_as_in_the_answer() -> None:
    bought = FOUND.requested
    own, paid = purchase_comparison(MADE), purchase_comparison(MADE, "bills")
    assert own.total_usd == pytest.approx(bought.present_usd)
    assert own.usd_per_busy_hour == pytest.approx(float(bought.measures.usd_per_useful_hour.value))
    assert paid.total_usd == pytest.approx(float(bought.measures.total_usd))


def test_renting_costs_the_same_among_the_offers_as_in_the_answer() -> None:
    taken = MADE.setting.offers.on_demand
    assert taken is not None
    paid = market_prices(MADE.setting, (taken,), (0.0,))
    among = bills(MADE.setting, MADE.setting.demand.all, (taken,), prices=paid)
    assert float(among.total_usd[0]) == pytest.approx(FOUND.rent.present_usd)
    assert float(among.usd_per_busy_hour[0]) == pytest.approx(float(FOUND.rent.measures.usd_per_useful_hour.value))
    billed = bills(MADE.setting, MADE.setting.demand.all, (taken,), prices=paid, money="bills")
    assert float(billed.total_usd[0]) == pytest.approx(float(FOUND.rent.measures.total_usd))


def test_an_offer_has_one_price_whatever_stands_beside_it() -> None:
    """On Compare also those are shown that could not take the plan's order."""
    taken, setting = MADE.setting.offers, MADE.setting
    assert taken.on_demand is not None
    every = find(setting.catalogue, default_offer_filter(setting.scenario.accelerator), setting.day).ids
    assert not set(every) <= set(taken.prices.keys)
    shown = estimated_prices(setting, every)
    assert shown.keys == every
    assert shown.of(taken.on_demand) == taken.prices.of(taken.on_demand)
