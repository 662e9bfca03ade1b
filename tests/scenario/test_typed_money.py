"""Prices in any currency: dollars in the plan, what was typed in the file and the link, the rate beside the number."""

import json
from datetime import date

import numpy as np
import pytest

from planner.money.plan import plan
from planner.report.answer.phrases import echo
from planner.report.answer.plan_report import conventions
from planner.report.files.csv import assumptions_table, cash_table
from planner.scenario.fields import leaf_fields
from planner.scenario.file import SavedScenario, file_schema, read_scenario, write_scenario
from planner.scenario.grid import read_grid
from planner.scenario.known_names import ScenarioError
from planner.scenario.link import clean_link, scenario_from_link, scenario_to_link
from planner.scenario.path import with_value
from planner.scenario.question import KEYS
from planner.scenario.scenario import Scenario
from planner.scenario.shown_money import money_of, with_money
from planner.scenario.typed_money import is_money, to_dollars
from pricing.exchange import rates
from pricing.stale import as_of
from tests.facts import CATALOGUE, DAY
from tests.rows import each_row

EURO = 1.1172
WORDS = "1.85 EUR at 1.1172 USD of 2026-10-30 (ECB)"
FILE = """\
rent: {usd_per_accelerator_hour: 1.85 EUR}
own: {usd_per_accelerator: "€25,000", usd_per_kwh: 0.2, capex_usd: CHF 300k}
reserve: {volume: [{from_accelerators: 8, usd_per_accelerator_hour: 1 GBP}]}
tax: {profit_usd_per_year: -1e6 EUR}
"""


def read(text: str) -> Scenario:
    return read_scenario(text.encode(), "plan.yaml", CATALOGUE).scenario


def test_a_file_in_several_currencies_is_read_in_dollars() -> None:
    scenario = read(FILE)
    assert scenario.rent.usd_per_accelerator_hour == 1.85 * EURO
    assert scenario.own.usd_per_accelerator == 25_000 * EURO
    assert scenario.own.usd_per_kwh == 0.2
    assert scenario.own.capex_usd == pytest.approx(300_000 * EURO / 0.9194, rel=1e-5)
    assert scenario.reserve.volume[0].usd_per_accelerator_hour == pytest.approx(EURO / 0.8338, rel=1e-5)
    assert scenario.tax.profit_usd_per_year == -1e6 * EURO
    assert {one.text for one in scenario.typed} == {"1.85 EUR", "€25,000", "CHF 300k", "1 GBP", "-1e6 EUR"}


def test_the_file_keeps_what_was_typed() -> None:
    scenario = read(FILE)
    text = write_scenario(SavedScenario(scenario))
    assert 'usd_per_accelerator_hour: "1.85 EUR"  # USD per accelerator-hour' in text
    assert '"€25,000"' in text
    again = read(text)
    assert again == scenario
    assert again.typed == scenario.typed


def test_and_so_does_the_link() -> None:
    scenario = read(FILE)
    held = scenario_to_link(scenario)
    assert held["rent"] == "1.85 EUR"
    assert held["price"] == "€25,000"
    assert "1 GBP" in held["also"]
    there, told = scenario_from_link(held, CATALOGUE)
    assert told == []
    assert there == scenario
    assert set(there.typed) == set(scenario.typed)
    assert clean_link(held, CATALOGUE) == (held, [])


def test_another_day_is_another_rate() -> None:
    then = read_scenario(FILE.encode(), "plan.yaml", as_of(CATALOGUE, date(2026, 10, 1))).scenario
    assert then.rent.usd_per_accelerator_hour == 1.85 * 1.1355
    assert scenario_to_link(then)["rent"] == "1.85 EUR"


def test_what_is_changed_afterwards_is_no_longer_as_it_was_typed() -> None:
    changed = with_value(read(FILE), ("rent", "usd_per_accelerator_hour"), 3.0)
    assert scenario_to_link(changed)["rent"] == "3"
    assert with_value(changed, ("rent", "usd_per_accelerator_hour"), np.ones(2)).typed == changed.typed


def rent(text: str) -> str:
    return f"years: 2\nrent: {{usd_per_accelerator_hour: {text!r}}}\n"


@each_row(("text", "wish"), [
    (rent("2 XYZ"), "Line 2: rent.usd_per_accelerator_hour: 2 XYZ: no rate of XYZ is known; there are USD, AUD"),
    (rent("¥300"), "¥ may be JPY or CNY: write which"),
    (rent("1.850 EUR"), "1.850 EUR: is that 1,850 or 1.85? Write 1850 EUR or 1.85 EUR; nothing was changed."),
    (rent("1,8,5 EUR"), "1,8,5 EUR is no amount: write 1.85, 250k, 1.85 EUR or £2"),
    (rent("cheap"), "cheap is no amount"),
    (rent("2000 EUR"), "rent.usd_per_accelerator_hour: 2234.4 must be 0 to 1,000"),
    ("currency: {code: XYZ}\n", "currency: no rate of XYZ is known; there are USD, AUD"),
    ("currency: {code: eur}\n", "currency.code: 'eur' must be text like"),
])  # fmt: skip
def test_what_cannot_be_read_is_refused_with_what_would_do(text: str, wish: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        read(text)
    assert wish in str(refused.value)


def test_a_link_that_cannot_be_read_says_so_and_the_rest_counts() -> None:
    found, told = scenario_from_link({"rent": "2 XYZ", "years": "5"}, CATALOGUE)
    assert found.rent.usd_per_accelerator_hour is None
    assert found.years == 5
    assert told[0].startswith("This link held rent = 2 XYZ: 2 XYZ: no rate of XYZ is known; there are USD, AUD")
    assert "outside 0 to 1,000 USD" in scenario_from_link({"rent": "5000 EUR"}, CATALOGUE)[1][0]
    rest, why = scenario_from_link(
        {"also": '{"lease":{"left_share":0.1},"own":{"repair_share":0.1,"usd_per_tb_of_disk":"x"}}'}
    )
    assert rest == Scenario()
    assert "own.usd_per_tb_of_disk: x is no amount" in why[0]


def test_every_number_that_rests_on_it_says_the_rate_and_its_day() -> None:
    scenario = read(FILE)
    made = plan(CATALOGUE, scenario, DAY)
    table = assumptions_table(made, "$")
    rows = zip(table["name"], table["option"], table["note"], strict=True)
    told = {(name, option): note for name, option, note in rows}
    assert told["usd_per_accelerator_hour", "on_demand"].endswith(WORDS)
    assert WORDS in echo(made, scenario, "GPU-hours")


def test_every_field_of_money_takes_a_currency_and_no_other_field_does() -> None:
    money = {path for path in leaf_fields() if is_money(path)}
    assert len(money) > 30
    assert {path[-1] for path in leaf_fields() if "usd" in str(path[-1])} - {path[-1] for path in money} == {
        "usd_per_unit", "usd_per_unit_by_year"
    }  # fmt: skip
    for key in (one for one in KEYS.values() if is_money(one.path)):
        beside = {"slb": "90"} if key.path[0] == "sale_and_lease_back" else {}  # no such sale without its price
        beside |= {"have": "1"} if key.path[0] == "kept" else {}  # nothing fetches a price where nothing is there
        beside |= {"fwdrent": "1"} if key.key == "fwdfee" else {}  # no fee without what it is for
        assert scenario_from_link({**beside, key.key: "0.02 EUR"}, CATALOGUE)[1] == [], key.key


def test_the_schema_of_files_takes_text_where_money_stands() -> None:
    defs = file_schema()["$defs"]
    price = json.dumps(defs["RentalInputs"]["properties"]["usd_per_accelerator_hour"])
    assert all(f'"type": "{kind}"' in price for kind in ("number", "null", "string"))
    assert "anyOf" in defs["Lease"]["properties"]["usd_per_month"]
    assert defs["Work"]["properties"]["growth_per_year"].get("type") == "number"


def test_a_grid_of_plans_may_start_from_a_price_in_any_currency() -> None:
    text = "base: {rent: {usd_per_accelerator_hour: 1.85 EUR}}\nvary: {years: [2, 3]}\n"
    grid = read_grid(text.encode(), "grid.yaml", CATALOGUE, lambda name: SavedScenario(Scenario()))
    assert grid.scenario((2.0,)).rent.usd_per_accelerator_hour == 1.85 * EURO


def test_a_currency_alone_takes_the_rate_of_the_catalogue_with_its_day_and_source() -> None:
    scenario = read("currency: {code: EUR}")
    made = plan(CATALOGUE, scenario, DAY)
    table = cash_table(made).to_pandas()
    assert set(table["fx_rate"]) == {1 / EURO}
    assert set(table["fx_date"]) == {date(2026, 10, 30)}
    assert set(table["reporting_currency"]) == {"EUR"}
    lines = with_money(money_of(made.setting.currency), conventions, made)
    assert any("in EUR (1 EUR = 1.1172 USD of 2026-10-30 (ECB)); what says USD" in line for line in lines)
    assert read(write_scenario(SavedScenario(scenario))) == scenario
    then = plan(as_of(CATALOGUE, date(2026, 10, 1)), scenario, date(2026, 10, 1)).setting.currency
    assert then.usd_per_unit == 1.1355


@pytest.mark.parametrize(("text", "shown"), [
    ("{code: EUR, day: 2026-10-01}", (1.1355, date(2026, 9, 30), "ECB")),
    ("{code: EUR, usd_per_unit: 1.2}", (1.2, DAY, "the plan")),
    ("{code: XYZ, usd_per_unit: 1.2, day: 2026-11-01, source: ours}", (1.2, date(2026, 11, 1), "ours")),
])  # fmt: skip
def test_a_day_names_the_rate_and_a_rate_of_your_own_wins(text: str, shown: tuple[float, date, str]) -> None:
    found = plan(CATALOGUE, read(f"currency: {text}"), DAY).setting.currency
    assert (found.usd_per_unit, found.day, found.source) == shown


def test_dollars_alone_need_no_rate() -> None:
    made = plan(CATALOGUE, read("currency: {code: USD}"), DAY)
    assert set(cash_table(made).to_pandas()["fx_rate"]) == {1.0}


@each_row("text", ["1,85 EUR", "EUR 1,85", "€1,85", "1,85 €", "1.85 EUR", "€ 1.85"])
def test_a_decimal_comma_is_read(text: str) -> None:
    scenario = read(f"rent: {{usd_per_accelerator_hour: {text!r}}}")
    assert scenario.rent.usd_per_accelerator_hour == 1.85 * EURO
    assert read(write_scenario(SavedScenario(scenario))) == scenario
    assert scenario_from_link(scenario_to_link(scenario), CATALOGUE) == (scenario, [])


@each_row("text", ["250.000,00 EUR", "250 000 EUR", "250'000 EUR", "EUR 250,000", "250k EUR", "250000 EUR"])
def test_a_server_in_euros_is_read_however_its_thousands_are_parted(text: str) -> None:
    assert read(f'own: {{usd_per_server: "{text}"}}').own.usd_per_server == 250_000 * EURO


@each_row("path", [path for path in leaf_fields() if is_money(path)])
def test_every_sum_that_can_be_read_two_ways_is_asked_about(path: tuple[str | int, ...]) -> None:
    data: object = "250.000 EUR"
    for step in reversed(path):
        data = (data,) if isinstance(step, int) else {step: data}
    assert isinstance(data, dict)
    ((where, wish),) = to_dollars(data, rates(CATALOGUE)).wrong
    assert where == path
    assert "is that 250,000 or 250.00? Write 250000 EUR or 250.00 EUR" in wish


def test_a_link_asks_the_same() -> None:
    for text in ("250.000 EUR", "250.000"):
        found, told = scenario_from_link({"server": text}, CATALOGUE)
        assert found.own.usd_per_server is None
        assert f"server = {text}: {text}: is that 250,000 or 250.00? Write 250000" in told[0]
    assert scenario_from_link({"rent": "1.125"}, CATALOGUE)[0].rent.usd_per_accelerator_hour == 1.125
