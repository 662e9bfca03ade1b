"""Where the work must stay binds rent, spot, hosted models and ownership alike."""

from dataclasses import replace
from typing import Any

import pytest

from planner.cli import main
from planner.money.plan import Plan, plan
from planner.money.renting.orders import busiest_order, placement_limits
from planner.scenario.scenario import Scenario
from pricing.market.sellers import sellers
from pricing.orderable import ANYWHERE, ResidencyRequirement, bloc_members, country, eu, sales
from tests.facts import CATALOGUE, DAY

EUROPE = ResidencyRequirement(areas=frozenset({"europe"}))
SERVICE = {"serve": {"model": "llama-3.3-70b", "requests_per_s": 2.0}}


def staying(work: dict[str, Any] | None = None, **said: Any) -> Plan:
    asked = {"accelerator": "H100-SXM5-80GB", "work": (work or {"accelerators": 8, "may_stop": True},), **said}
    return plan(CATALOGUE, Scenario.model_validate(asked), DAY)


def reasons(made: Plan) -> dict[str, str]:
    return {one.way: one.reason for one in made.absent}


@pytest.mark.parametrize("said", [{"site": "DE", "stay": "eu"}, {"site": "FI", "stay": "country"}])
def test_what_is_rented_stands_where_it_must_stay(said: dict[str, Any]) -> None:
    made = staying(**said)
    allowed = placement_limits(CATALOGUE, made.setting.scenario).countries
    taken = made.setting.offers
    rented = [key for key in (taken.on_demand, taken.reserved, taken.spot) if key is not None]
    assert rented
    for key in rented:
        assert any(place <= allowed for place in sales(CATALOGUE)[key].places), key


def test_europe_is_wider_than_the_union() -> None:
    """Iceland, Norway, Britain and offers that only say Europe count; of several places one has to lie there."""
    prices = [staying(site="DE", stay=stay).setting.offers.prices for stay in ("eu", "europe", "anywhere")]
    union, europe, anywhere = (set() if price is None else set(price.keys) for price in prices)
    assert union < europe < anywhere
    crusoe = "crusoe/H100-SXM5-80GB/1x/us-iceland/on_demand"
    assert crusoe in europe
    assert crusoe not in union
    made = staying(site="US", stay="europe")
    assert "yours would stand in United States, and the work must stay in Europe" in reasons(made)["own"]
    assert "own" not in reasons(staying(site="NO", stay="europe"))


def test_a_site_in_the_union_binds_what_is_rented_and_hosted_unless_anywhere_will_do() -> None:
    limits = [
        placement_limits(CATALOGUE, Scenario.model_validate({"site": "EU", **said}))
        for said in ({}, {"stay": "eu"}, {"stay": "anywhere"})
    ]
    assert limits[0] == limits[1] != limits[2]
    assert "own" not in reasons(staying(site="EU"))
    service = {"serve": {"model": "llama-3.3-70b", "requests_per_s": 2.0}}
    assert "let the work be anywhere" in reasons(staying(service, site="EU"))["hosted"]
    assert "hosted" not in reasons(staying(service, site="EU", stay="anywhere"))
    assert placement_limits(CATALOGUE, Scenario(site="DE")) == limits[2]  # a country binds where you say so


@pytest.mark.parametrize(("site", "count", "stay"), [
    ("DE", 8, eu(CATALOGUE)), ("EU", 8, eu(CATALOGUE)), ("CH", 8, EUROPE), ("GB", 8, EUROPE), ("NO", 8, EUROPE),
    ("US-TX", 16, country(CATALOGUE, "US")), ("IN", 96, country(CATALOGUE, "IN")),
    ("DE", 100_000, ANYWHERE),
])  # fmt: skip
def test_near_is_the_nearest_place_where_somebody_takes_the_order(
    site: str, count: int, stay: ResidencyRequirement
) -> None:  # fmt: skip
    """One seller does in the Union and outside Europe; three have to in a country of Europe alone."""
    made = staying({"accelerators": count}, site=site, stay="near")
    assert busiest_order(made.setting).stay == stay
    assert "own" not in reasons(made)
    if stay != ANYWHERE:
        names = {seller.name for seller in sellers(CATALOGUE, "H100-SXM5-80GB", DAY, stay)}
        assert names, "the price is of sellers there"
        price = made.setting.offers.market_price(made.setting.offers.on_demand or "", 0.0)
        assert price is not None
        assert price.sellers <= len(names)


def test_near_keeps_a_hosted_model_and_leaves_out_the_sellers_that_are_not_wanted() -> None:
    assert "hosted" in reasons(staying(SERVICE, site="DE", stay="eu"))
    assert "hosted" not in reasons(staying(SERVICE, site="DE", stay="near"))
    without = busiest_order(staying(site="CH", stay="near", not_from=("oracle",)).setting).stay
    assert without == replace(EUROPE, without=frozenset({"oracle"}))
    bound = busiest_order(staying(site="DE", stay="near", stay_in=("FR",)).setting).stay
    assert bound.countries == {"FR"}


def test_anywhere_is_cheaper_than_somewhere() -> None:
    anywhere, there = (staying(site="DE", **more) for more in ({}, {"stay": "eu"}))
    prices = [made.setting.offers.prices for made in (anywhere, there)]
    usd = [
        price.of(made.setting.offers.on_demand or "").typical
        for made, price in zip((anywhere, there), prices, strict=True)
        if price is not None
    ]
    assert usd[0] < usd[1]


def test_ones_own_machines_must_stand_there_too() -> None:
    assert (
        "yours would stand in United States, and the work must stay in Germany or France"
        in reasons(staying(site="US", stay_in=("DE", "FR")))["own"]
    )
    assert "own" not in reasons(staying(site="DE", stay_in=("DE", "FR")))
    assert "own" not in reasons(staying(site="DE", stay="country"))


def test_nobody_says_where_a_hosted_model_runs() -> None:
    hosted = {"million_input_tokens_per_month": 100.0, "million_output_tokens_per_month": 50.0}
    priced = {**hosted, "price": next(iter(CATALOGUE.hosted))}
    yours = {**hosted, "usd_per_million_input_tokens": 0.2, "usd_per_million_output_tokens": 0.4}
    assert (
        "the place of a hosted model is unknown"
        in reasons(staying(SERVICE, site="DE", stay="eu", hosted=priced))["hosted"]
    )
    assert "hosted" not in reasons(staying(SERVICE, site="DE", stay="eu", hosted=yours))


def test_a_place_that_nobody_serves_gets_a_sentence_with_the_places_that_there_are() -> None:
    why = reasons(staying(site="NZ" if "NZ" in CATALOGUE.sites else "DE", stay_in=("NZ",)))["on_demand"]
    assert "stands where the work must stay: there is some in" in why
    assert "a quote of yours, would do" in why


def test_the_command_line_asks_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prices", "--accelerator", "h100 sxm5 80gb", "--stay", "de,fi", "--day", "2026-11-21"]) == 0
    assert "elsewhere" in capsys.readouterr().err
    assert main(["prices", "--stay", "XX"]) == 2
    assert "No country is called 'XX': want two letters, such as DE." in capsys.readouterr().err


def test_the_union_is_its_members() -> None:
    assert {"DE", "FR", "FI"} <= bloc_members(CATALOGUE, "EU")
    assert not {"GB", "CH", "NO", "US"} & bloc_members(CATALOGUE, "EU")
