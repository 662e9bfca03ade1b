"""Prices of your own in a plan: discounts, quotes for a number and a term, rents and blocks agreed for later."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from planner.money.plan import Plan, plan
from planner.money.renting.orders import own_price_notes, with_own_prices
from planner.scenario.file import SavedScenario, read_scenario, write_scenario
from planner.scenario.link import scenario_from_link, scenario_to_link
from planner.scenario.own_prices import quotes_for_later
from planner.scenario.scenario import Scenario
from planner.study.market.survey import market
from pricing.errors import QuoteError
from pricing.quotes import parse_quotes, with_quotes
from tests.facts import CATALOGUE, DAY

pytestmark = pytest.mark.slow

H200 = "H200-SXM-141GB"
FRIDAY = date(2026, 11, 27)
YEAR = {"accelerators": 64, "purchase": "reserved_1y", "usd_per_accelerator_hour": 2.1, "valid_until": FRIDAY}


def asked(accelerators: int = 64, **own: Any) -> Plan:
    work = {"accelerators": accelerators, "busy_share": 0.9, "storage_tb": 0.0}
    scenario = Scenario.model_validate({"accelerator": H200, "years": 1.0, "work": (work,), **own})
    return plan(CATALOGUE, scenario, DAY)


def usd(made: Plan, way: str) -> float:
    option = made.option(way)
    assert option is not None
    return float(option.ledger.total_usd)


def notes(made: Plan) -> str:
    return " ".join(own_price_notes(made.setting))


def test_a_quote_for_a_number_and_a_term_until_friday() -> None:
    made = asked(quotes=(YEAR,))
    assert made.setting.offers.reserved == f"yours/your supplier/{H200}/1x/yours/reserved_1y"
    assert usd(made, "reserved") == pytest.approx(64 * 8_760 * 2.1, rel=1e-3)
    assert notes(made) == "Your quote of 2.1 USD from your supplier holds until 2026-11-27: order by then."
    assert made.setting.written.quotes[0].valid_until == FRIDAY


def test_a_quote_for_fewer_or_of_yesterday_is_not_used_and_says_so() -> None:
    usual = asked(96)
    for quote, why in (
        (YEAR, "is for 64, and the plan orders 96: ask for so many"),
        ({**YEAR, "accelerators": 96, "valid_until": date(2026, 11, 20)}, "was valid until 2026-11-20: it is not used"),
        ({**YEAR, "accelerators": 96, "accelerator": "H100-SXM5-80GB"}, "is for H100 SXM5 80 GB: it is not used here"),
    ):
        made = asked(96, quotes=(quote,))
        assert usd(made, "reserved") == pytest.approx(usd(usual, "reserved"), rel=1e-9)
        assert why in notes(made)


@pytest.mark.parametrize("each", [0.021, 210.0])
def test_a_quote_far_from_the_market_is_asked_about_with_both_figures(each: float) -> None:
    text = notes(asked(quotes=({**YEAR, "usd_per_accelerator_hour": each},)))
    assert f"Your quote of {each:.4g} USD from your supplier is far from the " in text
    assert "that such an order pays for a GPU and hour: is it for a GPU and hour, in dollars?" in text
    assert "far from" not in notes(asked(quotes=(YEAR,)))


def test_a_quote_above_the_market_leaves_the_plan_to_others() -> None:
    made = asked(quotes=({"usd_per_accelerator_hour": 9.0},))
    assert usd(made, "on_demand") == pytest.approx(usd(asked(), "on_demand"), rel=1e-9)
    assert "is above the " in notes(made)


def test_a_discount_makes_a_seller_cheaper_and_no_market() -> None:
    usual, small, deep = (
        asked(discounts=less) for less in (
            (), ({"provider": "coreweave", "discount_share": 0.1},), ({"provider": "coreweave", "discount_share": 0.7},)
        )
    )  # fmt: skip
    key = deep.setting.offers.on_demand
    assert key is not None
    assert key.startswith("coreweave/")
    listed = CATALOGUE.offers[key].usd_per_accelerator_hour
    assert listed is not None
    hours = 64 * 8_760 * 0.9
    assert usd(deep, "on_demand") == pytest.approx(hours * 0.3 * listed.newest.typical, rel=0.01)
    assert usd(small, "on_demand") == pytest.approx(usd(usual, "on_demand"), rel=0.05)  # its list is above the market


def test_a_rent_agreed_for_later_holds_from_its_month() -> None:
    made = asked(quotes=({"usd_per_accelerator_hour": 2.0, "starts": date(2027, 3, 1)},))
    assert made.setting.scenario.rent.forward_from_month == 4
    hours = 64 * 730 * 0.9
    band = made.setting.offers.market_price(made.setting.offers.on_demand)
    assert band is not None
    assert usd(made, "on_demand") == pytest.approx(hours * (3 * band.band.typical + 9 * 2.0), rel=0.001)


def test_a_block_with_days_is_reserved_and_the_rest_rented() -> None:
    block = {"accelerators": 64, "usd_per_accelerator_hour": 2.0, "starts": date(2027, 3, 1), "ends": date(2027, 7, 31)}
    made = asked(quotes=(block,))
    assert [(order.from_month, order.term) for order in made.setting.scenario.reserve.orders] == [
        (4, "reserved_3m"), (7, "reserved_1m"), (8, "reserved_1m")
    ]  # fmt: skip
    rented = usd(asked(), "on_demand") * 7 / 12
    assert usd(made, "reserved") == pytest.approx(rented + 5 * 64 * 730 * 2.0, rel=0.001)
    with pytest.raises(ValueError, match="say the earlier day on which it starts"):
        asked(quotes=({**block, "starts": None},))
    with pytest.raises(ValueError, match="say how many are reserved"):
        asked(quotes=({**block, "accelerators": None},))


def test_file_and_link_hold_them_and_know_the_names() -> None:
    text = (
        "quotes: [{seller: Acme, accelerator: h200 sxm, accelerators: 64, purchase: reserved_1y, "
        "usd_per_accelerator_hour: 2.1, valid_until: 2026-11-27}]\n"
        "discounts: [{provider: Amazon Web Services, discount_share: 0.1}]\n"
    )
    scenario = read_scenario(text.encode(), "plan.yaml", CATALOGUE).scenario
    assert (scenario.quotes[0].accelerator, scenario.discounts[0].provider) == (H200, "aws")
    assert scenario_from_link(scenario_to_link(scenario), CATALOGUE) == (scenario, [])
    saved = read_scenario(write_scenario(SavedScenario(scenario, DAY)).encode(), "plan.yaml", CATALOGUE)
    assert saved.scenario == scenario


def test_they_may_be_laid_over_the_facts_twice() -> None:
    made = asked(quotes=(YEAR,), discounts=({"provider": "aws", "discount_share": 0.1},))
    facts = made.setting.catalogue
    assert facts is not CATALOGUE
    assert with_own_prices(facts, made.setting.scenario, DAY) is facts


def test_the_front_of_speed_rents_at_them() -> None:
    work = {"train": {"model": "llama-3-8b", "tokens": 2e10}, "accelerators": 8}
    own = {"quotes": ({"usd_per_accelerator_hour": 0.5},)}
    dear, cheap = (
        market(CATALOGUE, Scenario.model_validate({"accelerator": H200, "work": (work,), **more}), DAY,
               accelerators=(H200,), counts=(8,)).candidates for more in ({}, own)
    )  # fmt: skip
    usual, quoted = (next(one.cost for one in each if one.way == "on_demand") for each in (dear, cheap))
    assert quoted < usual / 4


def test_a_file_of_quotes_says_for_how_many() -> None:
    rows = (
        "kind,provider,accelerator,purchase,most_accelerators,usd_per_accelerator_hour\n"
        "offer,Acme,h200 sxm,reserved_1y,64,2.1\n"
    )
    facts = with_quotes(CATALOGUE, parse_quotes(rows.encode(), name="q.csv", catalogue=CATALOGUE, day=DAY))
    key = next(key for key in facts.offers if key not in CATALOGUE.offers)
    for count, is_taken in ((64, True), (65, False)):
        work = {"accelerators": count, "busy_share": 1.0}
        scenario = Scenario.model_validate({"accelerator": H200, "years": 1.0, "work": (work,)})
        assert (plan(facts, scenario, DAY).setting.offers.reserved == key) == is_taken


def test_dated_rows_of_a_file_of_quotes_are_the_plans() -> None:
    head = "kind,provider,accelerator,purchase,most_accelerators,usd_per_accelerator_hour,starts,ends\n"
    rows = (
        "offer,Acme,h200 sxm,on_demand,,2.0,2027-03-01,\n"
        "offer,Acme,h200 sxm,capacity_block,64,1.9,2027-03-01,2027-04-30\n"
    )
    quotes = parse_quotes((head + rows).encode(), name="q.csv", catalogue=CATALOGUE, day=DAY)
    assert not quotes.problems
    assert with_quotes(CATALOGUE, quotes) is CATALOGUE
    rent, block = quotes_for_later(quotes)
    assert (rent.starts, rent.is_block, rent.usd_per_accelerator_hour) == (date(2027, 3, 1), False, 2.0)
    assert (block.ends, block.is_block, block.accelerators) == (date(2027, 4, 30), True, 64)
    wrong = head + "offer,Acme,h200 sxm,on_demand,,2.0,2027-03-01,2027-02-01\n"
    with pytest.raises(QuoteError, match="say the earlier day"):
        quotes_for_later(parse_quotes(wrong.encode(), name="q.csv", catalogue=CATALOGUE, day=DAY))


def test_the_command_line_takes_a_file_with_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own, work = tmp_path / "q.csv", tmp_path / "plan.yaml"
    own.write_text("kind,provider,accelerator,usd_per_accelerator_hour,starts\noffer,Acme,h200 sxm,1.0,2027-01-21\n")
    work.write_text("accelerator: h200\nyears: 1\nwork: [{accelerators: 8, busy_share: 0.9}]\nways: [on_demand]\n")
    assert main(["plan", str(work), "--quotes", str(own), "--day", "2026-11-21"]) == 0
    assert "an hour on demand costs the 1 USD that were agreed" in capsys.readouterr().out


def test_the_last_day_of_a_quote_binds_its_renewals() -> None:
    """Ordered until Friday for a year: the second and third year cost what the market asks; an open one is renewed."""
    year = {**YEAR, "usd_per_accelerator_hour": 1.6}
    three = {"years": 3.0, "reserve": {"at_end": "roll"}}
    bound, free = (asked(**three, quotes=({**year, "valid_until": day},)) for day in (FRIDAY, None))
    long = asked(**three, quotes=({**year, "valid_until": date(2029, 12, 1)},))
    assert usd(free, "reserved") == pytest.approx(3 * 64 * 8_760 * 1.6, rel=2e-3)
    assert usd(long, "reserved") == pytest.approx(usd(free, "reserved"))
    assert usd(bound, "reserved") > 1.2 * usd(free, "reserved")
    first = bound.option("reserved").ledger.lines[0].usd[1]  # type: ignore[union-attr]
    assert float(first) == pytest.approx(64 * 730 * 1.6 * 0.9, rel=0.15)
