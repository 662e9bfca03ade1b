"""Amounts as people type them, and what a unit of another currency is worth."""

from datetime import date

import pytest

from pricing import load_catalogue
from pricing.exchange import amount_in, rates, unknown_currency
from pricing.stale import as_of


@pytest.mark.parametrize(("text", "number", "code"), [
    ("1.85 EUR", "1.85", "EUR"), ("EUR 250000", "250000", "EUR"), ("€1.85", "1.85", "EUR"),
    ("1.85€", "1.85", "EUR"),
    ("£ 2", "2", "GBP"), ("chf 250k", "250k", "CHF"), ("1.85", "1.85", "USD"), ("US$3", "3", "USD"),
    ("1.4 million", "1.4 million", "USD"), ("1.4 million eur", "1.4 million", "EUR"), ("-5 EUR", "-5", "EUR"),
    ("250,000 JPY", "250,000", "JPY"), ("2 XYZ", "2", "XYZ"), ("100 kr", "100", "KR"), ("¥100", "100", "¥"),
])  # fmt: skip
def test_an_amount_and_its_currency(text: str, number: str, code: str) -> None:
    assert amount_in(text) == (number, code)


@pytest.mark.parametrize("text", ["", "EUR", "€1 EUR", "cheap", "EUR EUR 1", "two euros"])
def test_what_is_no_amount(text: str) -> None:
    assert amount_in(text) is None


def test_the_rate_is_of_the_day_one_looks_from() -> None:
    euro = rates(load_catalogue())["EUR"]
    assert (euro.usd, euro.day, euro.said_by) == (1.1172, date(2026, 10, 30), "ECB")
    assert rates(as_of(load_catalogue(), date(2026, 10, 1)))["EUR"].usd == 1.1355


def test_every_rate_is_positive_and_of_the_central_bank() -> None:
    found = rates(load_catalogue())
    assert len(found) >= 29
    assert all(one.usd > 0 and one.said_by == "ECB" and len(code) == 3 for code, one in found.items())
    assert found["GBP"].usd > 1 > found["PLN"].usd > found["JPY"].usd


def test_a_currency_without_a_rate_is_told_with_what_there_is() -> None:
    assert unknown_currency("XYZ", rates(load_catalogue())).startswith(
        "no rate of XYZ is known; there are USD, AUD, BRL, "
    )
    assert unknown_currency("¥", rates(load_catalogue())) == "¥ may be JPY or CNY: write which"
