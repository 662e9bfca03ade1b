"""The market for an order: golden numbers of the study that the constants come from, and the laws that must hold."""

import json
import math
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing import load_catalogue
from pricing.market.band import OrderRequest, Seller, order_band
from pricing.market.constants import constants
from pricing.market.depth import DAY_MONTHS, chances, own_term, seller_depth, term_ratio
from pricing.market.hardware import new_price, used_share
from pricing.market.sellers import band_of, level, market_band, sellers, spot_sellers
from pricing.orderable import Order
from tests.frozen import live_catalogue
from tests.rows import each_row, slow_except

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text(encoding="utf-8"))
DAY = date(2026, 11, 23)
H100 = "H100-SXM5-80GB"
Z = (-1.2816, 0.0, 1.2816)


def market_of(chip: str) -> tuple[Seller, ...]:
    """The sellers that the study had."""
    rows = GOLDEN["sellers"][chip]
    return tuple(Seller(**{**row, "terms": {float(key): usd for key, usd in row["terms"].items()}}) for row in rows)


@each_row("case", GOLDEN["order_band"])
def test_the_band_of_an_order(case: dict[str, Any]) -> None:
    """What can be had, and from whom, is the study's; its prices are near: here no seller weighs as much."""
    order = OrderRequest(case["count"], case["months"], case["purchase"], case["fabric"], case["age"])
    band, want = order_band(market_of(case["chip"]), order), case["want"]
    assert band is not None
    for name in {"cheapest", "cheapest_seller", "chance", "standing", "wait_months"} & want.keys():
        value = getattr(band, name)
        assert (
            value == want[name]
            if want[name] is None or isinstance(want[name], str)
            else value == pytest.approx(want[name], rel=3e-5, abs=2e-6)
        )
    if band.standing != "unavailable":
        for name in ("low", "typical", "high"):
            assert getattr(band, name) == pytest.approx(want[name], rel=0.1), name


def test_no_seller_counts_for_more_than_its_limit() -> None:
    """Nor does a seller of two kinds of machines; what is beyond goes to those that publish no price."""
    alike = [Seller(name, kind, math.log(usd), 0.1, 0.9, 10.0, True)
             for name, kind, usd in (("a", "host", 1.0), ("a", "cluster", 1.0), ("b", "pod", 2.0))]  # fmt: skip
    order = OrderRequest(1, DAY_MONTHS, "on_demand", ln_level=math.log(2.0))
    band = order_band(alike, order)
    assert band.unnamed_share == pytest.approx(1 - 2 * constants().band.most_weight)
    level = order_band(alike, replace(order, ln_level=math.log(2.2)))
    assert level.typical > band.typical


def test_the_level_of_a_chip_is_near_what_its_sellers_ask() -> None:
    catalogue, away = live_catalogue(), []
    for key in catalogue.accelerators:
        known = [
            seller
            for seller in sellers(catalogue, key, DAY)
            if seller.kind != "hyperscaler" and seller.ln_price is not None
        ]
        usual = level(catalogue, key)
        if len({one.name for one in known}) >= 3 and usual is not None:
            weights = np.array([one.available * math.exp(-one.age_days / 220) for one in known])
            away.append(usual - np.average([one.ln_price for one in known], weights=weights))
    assert len(away) >= 20
    assert np.median(np.abs(away)) < 0.25
    assert abs(np.median(away)) < 0.15
    assert level(catalogue, "TPU-v6e") is None


@each_row("case", GOLDEN["term_ratio"])
def test_the_price_of_a_term_over_the_price_on_demand(case: dict[str, Any]) -> None:
    assert [term_ratio(*case["args"], z=z) for z in case["z"]] == pytest.approx(case["want"], rel=1e-5)


@each_row("case", GOLDEN["own_term"])
def test_a_sellers_own_list_binds(case: dict[str, Any]) -> None:
    kind, months, points, *rest = case["args"]
    price = own_term(kind, months, {float(term): usd for term, usd in points.items()}, *rest)
    assert price.usd == pytest.approx(case["want"][0], rel=1e-5)
    assert price.is_published == case["want"][1]


@each_row("case", GOLDEN["depth"])
def test_how_many_a_seller_has(case: dict[str, Any]) -> None:
    depth = seller_depth(*case["args"], **case["kwargs"])
    assert list(depth) == pytest.approx(case["want"], rel=1e-5)
    for count, want in case["chance"].items():
        assert chances(float(count), [depth])[0] == pytest.approx(want, abs=2e-6)


def test_what_machines_cost_later() -> None:
    for case in GOLDEN["new_price"]:
        assert [float(new_price(*case["args"], z=z)) for z in Z] == pytest.approx(case["want"], rel=1e-5)
    for case in GOLDEN["used_share"]:
        assert [float(used_share(age, case["machine"])) for age in case["ages"]] == pytest.approx(
            case["want"], rel=1e-5
        )


@pytest.mark.parametrize("months", slow_except((DAY_MONTHS, 12.0), (DAY_MONTHS, 3.0, 12.0, 36.0)))
def test_no_number_is_a_step(months: float) -> None:
    """One GPU more moves the typical price by less than 5 % from 16 on, where a job has come to need a network."""
    purchase = "on_demand" if months == DAY_MONTHS else "reserved"
    before = None
    for count in (*range(8, 40), *(round(8 * 1.016**power) for power in range(102, 500, 4))):
        band = market_band(load_catalogue(), H100, DAY, OrderRequest(count, months, purchase))
        assert band is not None
        if before is not None and count < before[0] * 1.1:
            assert band.typical == pytest.approx(before[1], rel=0.05), count
        before = count, band.typical


def test_no_seller_is_the_market() -> None:
    """Without any one of them the typical price of 8 and of 64 H100 moves by at most 8 %."""
    everybody = sellers(load_catalogue(), H100, DAY)
    for order in (OrderRequest(8, DAY_MONTHS, "on_demand"), OrderRequest(64, 12.0, "reserved")):
        whole = order_band(everybody, order)
        assert whole is not None
        for name in {seller.name for seller in everybody}:
            rest = order_band([seller for seller in everybody if seller.name != name], order)
            assert rest.typical == pytest.approx(whole.typical, rel=0.08), name


@given(st.floats(1, 30_000), st.floats(DAY_MONTHS, 60), st.sampled_from(["on_demand", "reserved", "spot"]))
def test_every_order_has_a_band_in_order(count: float, months: float, purchase: Any) -> None:
    band = order_band(market_of(H100), OrderRequest(count, months, purchase))
    assert 0 < band.low < band.typical < band.high
    assert 0 <= band.chance <= 1
    assert (band.wait_months is None) == (band.standing == "unavailable")


@given(st.floats(1, 5_000), st.floats(0.25, 59))
def test_a_longer_term_never_costs_more_and_is_no_harder_to_get(count: float, months: float) -> None:
    shorter, longer = (
        order_band(market_of(H100), OrderRequest(count, term, "reserved")) for term in (months, months + 1)
    )
    assert longer.typical <= shorter.typical * 1.005
    assert longer.chance >= shorter.chance - 1e-9


def test_a_successor_takes_a_step_off_the_price_in_the_year_after_it_ships() -> None:
    """Where it has shipped already, today's price has a part of the step in it."""
    ships_in_a_year, shipped = (
        [float(new_price(1.0, years, "sxm", successor_in=ship)) for years in (0.0, 1.0, 2.0)] for ship in (1.0, -0.4)
    )
    assert ships_in_a_year == pytest.approx([1.0, math.exp(-0.15), math.exp(-0.3 - 0.1)])
    assert shipped == pytest.approx([1.0, math.exp(-0.15 - 0.06), math.exp(-0.3 - 0.06)])


def test_what_is_bought_used_is_sold_older() -> None:
    """An H100 of 30,000 new that was 3.5 years old when it was bought brings 13,412.64 two years later."""
    assert float(new_price(30_000.0, 2.0, "sxm") * used_share(5.5, "sxm")) == pytest.approx(13_412.637797)
    assert float(new_price(30_000.0, 3.0, "sxm", product_age=4.2)) == pytest.approx(13_752.180339)


def test_used_machines_never_cost_more_than_new_ones() -> None:
    for age in (0.1, 1, 2, 3, 5, 8):
        assert float(used_share(age, "sxm", 3.0)) <= 0.95


def test_one_seller_gives_one_quote() -> None:
    """With one seller the band is that seller's own doubt, around its own price."""
    alone = [Seller("only", "cluster", math.log(3.0), 0.1, 0.9, 10.0, True)]
    band = order_band(alone, OrderRequest(8, DAY_MONTHS, "on_demand"))
    assert band.typical == pytest.approx(3.0, rel=0.02)
    assert band.has_few_sellers
    assert band.unnamed_share == 0
    assert order_band([], OrderRequest(8, 12.0, "reserved")) is None


FEW = 3.01


@each_row(("chip", "count"), [("T4-16GB", 1), ("T4-16GB", 8), ("A10-24GB", 1)])
def test_of_few_sellers_no_small_order_pays_less_than_a_list(chip: str, count: int) -> None:
    band = band_of(live_catalogue(), chip, Order(count), DAY, "on_demand")
    offers = (offer for offer in live_catalogue().offers.values() if offer.accelerator == chip)
    prices = (offer.usd_per_accelerator_hour for offer in offers if offer.purchase == "on_demand" and not offer.doubts)
    assert band is not None
    if band.effective_sellers > FEW:  # the catalogue has grown: others sell it too
        return
    assert band.typical >= 0.98 * min(price.newest.typical for price in prices if price)
    assert band.low < band.typical < band.high
    large = band_of(live_catalogue(), chip, Order(64), DAY, "on_demand")
    assert large is not None
    assert large.typical < 1.05 * band.typical  # an order of many machines is bargained for


def test_a_seller_that_gives_a_new_account_fewer_has_no_order_at_once() -> None:
    alone = [Seller("a", "cluster", math.log(2.0), 0.1, 0.9, 10.0, True, unapproved=16)]
    small, large = (order_band(alone, OrderRequest(count, DAY_MONTHS, "on_demand")) for count in (16, 17))
    assert small is not None
    assert large is not None
    assert (small.standing, large.standing, large.cheapest) == ("likely", "unavailable", None)
    for later in (OrderRequest(17, 12.0, "reserved"), OrderRequest(17, DAY_MONTHS, "on_demand", is_grown=True)):
        band = order_band(alone, later)  # terms are agreed, and an account that grows is approved by then
        assert band is not None
        assert band.standing == "likely"


def test_the_limits_of_new_accounts_are_those_of_the_providers() -> None:
    limits = {seller.name: seller.unapproved for seller in sellers(live_catalogue(), H100, DAY)}
    assert (limits["aws"], limits["gcp"], limits["nebius"], limits["lambda"]) == (0, 0, 16, math.inf)
    assert 15 < limits["runpod"] < 80  # 80 USD an hour


def test_spot_machines_are_named_only_of_sellers_who_publish_a_price_of_them() -> None:
    for chip in ("H100-SXM5-80GB", "H200-SXM-141GB", "A100-SXM4-80GB", "L40S-48GB", "B200-SXM-180GB"):
        published = {
            offer.provider
            for offer in live_catalogue().offers.values()
            if (offer.accelerator, offer.purchase) == (chip, "spot")
        }
        known = spot_sellers(live_catalogue(), chip, DAY)
        assert {seller.name for seller in known if seller.sells_spot} <= published
        band = band_of(live_catalogue(), chip, Order(1), DAY, "spot")
        assert band is not None
        assert band.cheapest_seller is None or band.cheapest_seller in published
        on_demand = band_of(live_catalogue(), chip, Order(1), DAY, "on_demand")
        assert on_demand is not None
        assert band.typical < on_demand.typical


def test_a_published_spot_price_moves_what_spot_machines_typically_cost() -> None:
    chip = "L40S-48GB"
    request = OrderRequest(1, 1 / 30.4, "spot", fabric=False)
    known = spot_sellers(live_catalogue(), chip, DAY)
    half = [replace(it, ln_price=it.ln_price - math.log(2)) if it.sells_spot and it.ln_price else it for it in known]
    usual, cheaper = order_band(known, request), order_band(half, request)
    assert usual is not None
    assert cheaper is not None
    assert cheaper.typical < 0.95 * usual.typical
