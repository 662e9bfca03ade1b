"""Prices in any currency: dollars in the plan, what was typed in the file and the link, the rate beside the number."""

from __future__ import annotations

import json
from datetime import date

import numpy as np
import pytest

from planner.money.plan import plan
from planner.report.answer.echo import echo
from planner.report.files.assumptions_csv import assumptions_table
from planner.scenario.fields import leaves
from planner.scenario.file import Saved, file_schema, read_scenario, write_scenario
from planner.scenario.grid import read_grid
from planner.scenario.link import from_address, to_address, usable_address
from planner.scenario.path import with_value
from planner.scenario.refusal import ScenarioError
from planner.scenario.scenario import Scenario
from planner.scenario.short_keys import KEYS
from planner.scenario.typed_money import is_money
from pricing import load_catalogue
from pricing.asof import as_of

CATALOGUE, DAY = load_catalogue(), date(2026, 11, 21)
EURO = 1.1172
WORDS = "1.85 EUR at 1.1172 USD of 2026-10-30 (ECB)"
FILE = """\
rent: {usd_per_accelerator_hour: 1.85 EUR}
own: {usd_per_accelerator: "€25,000", usd_per_kwh: 0.2, capex_usd: CHF 300k}
reserve: {volume: [{from_accelerators: 8, usd_per_accelerator_hour: 1 GBP}]}
tax: {profit_usd_per_year: -1e6 EUR}
"""


def read(text: str) -> Scenario:
    """The scenario of a file."""
    return read_scenario(text.encode(), "plan.yaml", CATALOGUE).scenario


def test_a_file_in_several_currencies_is_read_in_dollars() -> None:
    found = read(FILE)
    assert found.rent.usd_per_accelerator_hour == 1.85 * EURO
    assert found.own.usd_per_accelerator == 25_000 * EURO
    assert found.own.usd_per_kwh == 0.2
    assert found.own.capex_usd == pytest.approx(300_000 * EURO / 0.9194, rel=1e-5)
    assert found.reserve.volume[0].usd_per_accelerator_hour == pytest.approx(EURO / 0.8338, rel=1e-5)
    assert found.tax is not None
    assert found.tax.profit_usd_per_year == -1e6 * EURO
    assert {one.text for one in found.typed} == {"1.85 EUR", "€25,000", "CHF 300k", "1 GBP", "-1e6 EUR"}


def test_the_file_keeps_what_was_typed() -> None:
    found = read(FILE)
    text = write_scenario(Saved(found))
    assert 'usd_per_accelerator_hour: "1.85 EUR"  # USD per accelerator-hour' in text
    assert '"€25,000"' in text
    again = read(text)
    assert again == found
    assert again.typed == found.typed


def test_and_so_does_the_link() -> None:
    found = read(FILE)
    held = to_address(found)
    assert held["rent"] == "1.85 EUR"
    assert held["price"] == "€25,000"
    assert "1 GBP" in held["also"]
    there, told = from_address(held, CATALOGUE)
    assert told == []
    assert there == found
    assert set(there.typed) == set(found.typed)
    assert usable_address(held, CATALOGUE) == (held, [])


def test_another_day_is_another_rate() -> None:
    then = read_scenario(FILE.encode(), "plan.yaml", as_of(CATALOGUE, date(2026, 10, 1))).scenario
    assert then.rent.usd_per_accelerator_hour == 1.85 * 1.1355
    assert to_address(then)["rent"] == "1.85 EUR"


def test_what_is_changed_afterwards_is_no_longer_as_it_was_typed() -> None:
    changed = with_value(read(FILE), ("rent", "usd_per_accelerator_hour"), 3.0)
    assert to_address(changed)["rent"] == "3"
    assert with_value(changed, ("rent", "usd_per_accelerator_hour"), np.ones(2)).typed == changed.typed


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("2 XYZ", "Line 2: rent.usd_per_accelerator_hour: 2 XYZ: no rate of XYZ is known; there are USD, AUD"),
        ("¥300", "¥ may be JPY or CNY: write which"),
        ("1,85 EUR", "1,85 EUR is no amount: write 1.85, 250k, 1.85 EUR or £2"),
        ("cheap", "cheap is no amount"),
        ("2000 EUR", "rent.usd_per_accelerator_hour: 2234.4 must be 0 to 1,000"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_would_do(text: str, wish: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        read(f"years: 2\nrent: {{usd_per_accelerator_hour: {text!r}}}\n")
    assert wish in str(refused.value)


def test_a_link_that_cannot_be_read_says_so_and_the_rest_counts() -> None:
    found, told = from_address({"rent": "2 XYZ", "years": "5"}, CATALOGUE)
    assert found.rent.usd_per_accelerator_hour is None
    assert found.years == 5
    assert told[0].startswith("This link held rent = 2 XYZ: 2 XYZ: no rate of XYZ is known; there are USD, AUD")
    assert "outside 0 to 1,000 USD" in from_address({"rent": "5000 EUR"}, CATALOGUE)[1][0]
    rest, why = from_address(
        {"also": '{"lease":{"left_share":0.1},"own":{"repair_share":0.1,"usd_per_tb_of_disk":"x"}}'}
    )
    assert rest == Scenario()
    assert "own.usd_per_tb_of_disk: x is no amount" in why[0]


def test_every_number_that_rests_on_it_says_the_rate_and_its_day() -> None:
    found = read(FILE)
    made = plan(CATALOGUE, found, DAY)
    table = assumptions_table(made, "$")
    rows = zip(table["name"], table["option"], table["note"], strict=True)
    told = {(name, option): note for name, option, note in rows}
    assert told["usd_per_accelerator_hour", "on_demand"].endswith(WORDS)
    assert WORDS in echo(made, found, "GPU-hours")


def test_every_field_of_money_takes_a_currency_and_no_other_field_does() -> None:
    money = {path for path in leaves() if is_money(path)}
    assert len(money) > 30
    assert {path[-1] for path in leaves() if "usd" in str(path[-1])} - {path[-1] for path in money} == {"usd_per_unit"}
    for key in (one for one in KEYS.values() if is_money(one.path)):
        beside = {"slb": "90"} if key.path[0] == "sale_and_lease_back" else {}  # no such sale without its price
        beside |= {"fwdrent": "1"} if key.key == "fwdfee" else {}  # no fee without what it is for
        assert from_address({**beside, key.key: "0.02 EUR"}, CATALOGUE)[1] == [], key.key


def test_the_schema_of_files_takes_text_where_money_stands() -> None:
    defs = file_schema()["$defs"]
    price = json.dumps(defs["Rent"]["properties"]["usd_per_accelerator_hour"])
    assert all(f'"type": "{kind}"' in price for kind in ("number", "null", "string"))
    assert "anyOf" in defs["Lease"]["properties"]["usd_per_month"]
    assert defs["Work"]["properties"]["growth_per_year"].get("type") == "number"


def test_a_grid_of_plans_may_start_from_a_price_in_any_currency() -> None:
    text = "base: {rent: {usd_per_accelerator_hour: 1.85 EUR}}\nvary: {years: [2, 3]}\n"
    grid = read_grid(text.encode(), "grid.yaml", CATALOGUE, lambda name: Saved(Scenario()))
    assert grid.scenario((2.0,)).rent.usd_per_accelerator_hour == 1.85 * EURO
