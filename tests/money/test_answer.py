"""The answer: one function of the discounted ledgers, whose words, range and break-evens cannot differ."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.inputs.need import Need
from planner.inputs.terms import Terms
from planner.money.answer import Answer, answer, usual_terms
from planner.money.choice import choose, usual_offer, usual_wish
from planner.money.rented import bills
from planner.report.answer import TITLES, cash_table, told
from pricing import load_catalogue
from pricing.query import find, may_be_cheapest

DAY = date(2026, 11, 21)
CATALOGUE = load_catalogue()
USUAL = usual_terms(CATALOGUE)
OFFER = "runpod/H100-SXM5-80GB/1x/global/on_demand/secure-cloud"
NEED = Need(accelerator="H100-SXM5-80GB")

NEEDS = st.builds(
    Need,
    accelerator=st.just("H100-SXM5-80GB"),
    accelerators=st.integers(1, 2_048),
    busy_share=st.floats(0.02, 1.0),
    years=st.sampled_from([0.5, 1.0, 2.25, 3.0, 5.0, 7.0]),
    storage_tb=st.floats(0.0, 500.0),
)
TERMS = st.builds(
    Terms,
    discount_rate_per_year=st.floats(0.0, 0.3),
    rent_change_per_year=st.floats(-0.5, 0.4),
    timing=st.sampled_from(["month_end", "month_middle", "year_end", "year_middle"]),
)


def found(need: Need = NEED, terms: Terms | None = None, offer: str = OFFER) -> Answer:
    """The answer for a need."""
    result = answer(CATALOGUE, need, terms or USUAL, offer)
    assert result is not None
    return result


@settings(max_examples=40)
@given(NEEDS, TERMS)
def test_the_verdict_never_contradicts_its_own_totals(need: Need, terms: Terms) -> None:
    """A published error: BUY printed beside a negative net present value."""
    result = found(need, terms)
    saves = result.rent.present_usd - result.buy.present_usd
    if "buy" in result.verdict:
        assert saves > 0
    if "rent" in result.verdict:
        assert saves < 0
    if result.verdict == "close":
        assert result.gap_share < 0.05
    for way in (result.buy, result.rent):
        assert way.low_usd <= way.present_usd * (1 + 1e-9)
        assert way.present_usd <= way.high_usd * (1 + 1e-9)
        assert way.cumulative_usd[-1] == pytest.approx(way.present_usd)


@settings(max_examples=25)
@given(NEEDS, TERMS)
def test_at_the_break_even_use_both_cost_the_same(need: Need, terms: Terms) -> None:
    result = found(need, terms)
    assume(result.busy.value is not None and result.busy.value >= 0.01)
    assert result.busy.value is not None
    there = found(need.model_copy(update={"busy_share": result.busy.value}), terms)
    assert there.buy.present_usd == pytest.approx(there.rent.present_usd, rel=1e-6)
    assert there.verdict == "close"


@settings(max_examples=25)
@given(NEEDS, TERMS)
def test_at_the_break_even_rent_both_cost_the_same(need: Need, terms: Terms) -> None:
    result = found(need, terms)
    assume(result.rent_usd_per_hour.value is not None)
    offer = CATALOGUE.offers[OFFER]
    figure = offer.usd_per_accelerator_hour
    assert figure is not None
    value = figure.newest.model_copy(update={"typical": result.rent_usd_per_hour.value, "low": None, "high": None})
    moved = type(figure)(unit=figure.unit, checked=figure.checked, values={figure.since: value})
    offers = {**CATALOGUE.offers, OFFER: offer.model_copy(update={"usd_per_accelerator_hour": moved})}
    there = answer(CATALOGUE.model_copy(update={"offers": offers}), need, terms, OFFER)
    assert there is not None
    assert there.buy.present_usd == pytest.approx(there.rent.present_usd, rel=1e-6)


def test_at_no_discount_the_totals_are_plain_sums() -> None:
    result = found(terms=Terms(discount_rate_per_year=0.0))
    assert result.rent.present_usd == pytest.approx(float(result.rent.ledger.total_usd))
    assert result.buy.present_usd == pytest.approx(result.bought.total_usd)


def test_dearer_money_speaks_for_renting() -> None:
    savings = [
        one.rent.present_usd - one.buy.present_usd
        for one in (found(terms=Terms(discount_rate_per_year=rate)) for rate in (0.0, 0.05, 0.1, 0.2, 0.4))
    ]
    assert savings == sorted(savings, reverse=True)


def test_falling_rents_speak_for_renting() -> None:
    rents = [
        found(terms=USUAL.model_copy(update={"rent_change_per_year": change})).rent.present_usd
        for change in (-0.5, -0.2, 0.0, 0.2, 0.5)
    ]
    assert rents == sorted(rents)


def test_a_reservation_keeps_its_price_until_it_ends() -> None:
    need = NEED.model_copy(update={"years": 2.0})
    reserved = next(
        key
        for key, offer in CATALOGUE.offers.items()
        if offer.purchase == "reserved_1y" and offer.accelerator == "H100-SXM5-80GB" and not offer.doubts
    )
    ledger = bills(CATALOGUE, need, (reserved,), 0.2).one(reserved, "reserved")
    compute = next(line.usd for line in ledger.lines if line.name == "Useful hours")
    assert np.unique(np.round(compute[1:13], 6)).size == 1
    assert compute[13] == pytest.approx(compute[12] * 1.2)


def test_buying_pays_back_in_the_month_the_lines_cross() -> None:
    result = found(NEED.model_copy(update={"busy_share": 0.9}))
    month = int(float(result.payback.month))
    assert result.buy.cumulative_usd[month] <= result.rent.cumulative_usd[month]
    assert result.buy.cumulative_usd[month - 1] > result.rent.cumulative_usd[month - 1]


def test_what_cannot_be_bought_has_no_answer() -> None:
    assert answer(CATALOGUE, NEED.model_copy(update={"accelerator": "L40S-48GB"}), USUAL, OFFER) is None


def test_the_offer_chosen_is_the_cheapest_one_that_can_be_believed() -> None:
    offer = usual_offer(CATALOGUE, NEED, DAY, 0.0)
    assert offer is not None
    assert may_be_cheapest(CATALOGUE.offers[offer], DAY)
    among = bills(CATALOGUE, NEED, find(CATALOGUE, usual_wish(NEED.accelerator), DAY).ids)
    chosen = choose(CATALOGUE, among, DAY)
    assert chosen is not None
    assert among.offers[chosen.at] == offer
    believed = [i for i, key in enumerate(among.offers) if may_be_cheapest(CATALOGUE.offers[key], DAY)]
    complete = [i for i in believed if not among.not_priced[i]]
    assert among.total_usd[chosen.at] <= min(among.total_usd[i] for i in complete)
    assert choose(CATALOGUE, bills(CATALOGUE, NEED, ()), DAY) is None


@pytest.mark.parametrize("busy", [0.05, 0.3, 0.41, 0.7, 1.0])
def test_the_words_are_the_numbers(busy: float) -> None:
    need = NEED.model_copy(update={"busy_share": busy})
    result = found(need)
    said = told(CATALOGUE, need, USUAL, result)
    assert said.title == TITLES[result.verdict]
    assert len(said.figures) == 4
    assert all(len(figure.value) <= 9 for figure in said.figures)
    text = " ".join(said.sentences)
    assert f"you are at {busy:.0%}" in text
    assert ("cash and freedom" in text) == (result.verdict == "close")


def test_the_table_by_year_sums_to_the_ledgers() -> None:
    for years in (0.5, 1.0, 2.25, 3.0):
        result = found(NEED.model_copy(update={"years": years}))
        table = cash_table(result)
        assert table["Rent, USD"].sum() == pytest.approx(float(result.rent.ledger.total_usd))
        assert table["Buy, USD"].sum() == pytest.approx(float(result.buy.ledger.total_usd))
        assert table["Buy so far, today's money"].iloc[-1] == pytest.approx(result.buy.present_usd)
        assert table["Year"].iloc[0] == "today"
