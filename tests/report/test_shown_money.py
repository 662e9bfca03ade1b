"""A plan in another currency is the same text with every amount at its rate, wherever it is shown."""

import re
from datetime import date

import pytest

from planner.api.plans import evaluate, plan_result, with_studies
from planner.api.records import LoadedScenario
from planner.report import table
from planner.report.handouts import memo_data, write_memo
from planner.scenario.presets import find_preset, load_presets
from planner.scenario.shown_money import money_of, show_money_of, shown_money, with_money
from planner.scenario.terms import Currency
from pricing.exchange import mark_of, rates
from tests.facts import CATALOGUE, DAY
from tests.rows import slow_except
from tests.shown_money import differences

KEYS = [preset.key for preset in load_presets()]
CODES = ("EUR", "JPY", "INR")
RATES = rates(CATALOGUE)
_OF_DOLLARS = re.compile("^- Money is|It is used as you typed it")  # what was typed stays in its currency


@pytest.fixture(autouse=True)
def whole_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "WIDEST", 10_000)


def texts(key: str, code: str | None, *, every: bool) -> dict[str, str]:
    preset = find_preset(key)
    assert preset is not None
    shown = None if code is None else Currency(code=code, usd_per_unit_by_year=(RATES[code].usd,))  # not drawn
    scenario = preset.scenario.model_copy(update={"currency": shown, "name": "Example"})
    report = evaluate(LoadedScenario(key, scenario, CATALOGUE, DAY, ()))
    report = with_studies(report) if every else report
    rate = shown_money().rate_text
    out = {
        "command line": plan_result(report).text(),
        "memo": write_memo(memo_data(report, report.bars), ".md").decode(),
    }
    show_money_of(None)
    for name, text in out.items():
        assert rate in text, name
        without = text.replace(f", {rate}", "").replace(f"{rate}\n", "") if rate else text
        out[name] = "\n".join(line for line in without.splitlines() if not _OF_DOLLARS.search(line))
    return out


def checked(key: str, code: str, *, every: bool) -> None:
    in_usd, shown, rate = texts(key, None, every=every), texts(key, code, every=every), RATES[code]
    for name, text in shown.items():
        assert "$" not in text, (name, [line for line in text.splitlines() if "$" in line])
        assert not (wrong := differences(in_usd[name], text, mark_of(code), code, rate.usd)), (name, wrong)


@pytest.mark.parametrize("place", slow_except((0, 5), range(len(KEYS))), ids=KEYS)
def test_an_example_in_a_currency_is_dollars_at_its_rate(place: int) -> None:
    checked(KEYS[place], CODES[place % len(CODES)], every=place == 0)


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("key", KEYS)
def test_every_example_in_every_currency_is_dollars_at_its_rate(key: str, code: str) -> None:
    checked(key, code, every=True)


def test_the_money_that_is_shown_has_its_rate_its_day_and_its_source() -> None:
    money = money_of(Currency(code="EUR", usd_per_unit=1.25, day=date(2026, 11, 1), source="ours"))
    assert with_money(money, lambda: shown_money().rate_text) == "1 EUR = 1.25 USD of 2026-11-01 (ours)"
    assert shown_money().rate_text == ""
