"""A figure is dated, sourced and in order, or it is not a figure."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pydantic
import pytest

from pricing import load_catalogue
from pricing.errors import CatalogError
from pricing.exchange import amount_in, rates, unknown_currency
from pricing.figure import Figure, FigureValue, Source
from pricing.load import load
from pricing.stale import as_of
from tests.rows import each_row

MAY, JUNE, JULY = date(2026, 5, 1), date(2026, 6, 1), date(2026, 7, 1)


def value(typical: Any = 1.0, **more: Any) -> FigureValue:
    return FigureValue(**{"typical": typical, "kind": "list_price", "source": "s", **more})


def figure(**more: Any) -> Figure:
    return Figure(**{"unit": "USD", "checked": JULY, "values": {MAY: value(3.0), JUNE: value(2.0)}, **more})


def source(**more: Any) -> Source:
    said = {"title": "T", "url": "https://example.org", "retrieved": MAY, "via": "document", "licence": "MIT"}
    return Source(**{**said, **more})


WRONG_VALUES = [
    ({"typical": "1.0"}, "typical", "valid number"), ({"typical": True}, "typical", "valid number"),
    ({"typical": None}, "typical", "valid number"), ({"typical": float("nan")}, "typical", "finite"),
    ({"typical": float("inf")}, "typical", "finite"), ({"low": float("-inf")}, "low", "finite"),
    ({"low": 2.0}, "", "low <= typical <= high"), ({"high": 0.5}, "", "low <= typical <= high"),
    ({"low": 0.5, "high": 0.9}, "", "low <= typical <= high"), ({"kind": "guess"}, "kind", "'list_price'"),
    ({"source": ""}, "source", "at least 1 character"), ({"note": ""}, "note", "at least 1 character"),
    ({"note": "x" * 2_001}, "note", "at most 2000 characters"), ({"locator": 4}, "locator", "valid string"),
    ({"typcial": 1.0}, "typcial", "not permitted"),
]  # fmt: skip


WRONG_FIGURES = [
    ({"unit": "kW/h"}, "unit", "'USD/kWh'"), ({"unit": "usd"}, "unit", "'USD'"),
    ({"values": {}}, "values", "at least 1 item"),
    ({"checked": MAY}, "", "checked on or after the newest value 2026-06-01, got 2026-05-01"),
    ({"checked": "1 July 2026"}, "checked", "valid date"), ({"checked": None}, "checked", "valid date"),
    ({"label": "x"}, "label", "not permitted"),
]  # fmt: skip


WRONG_SOURCES = [
    ({"url": "ftp://example.org"}, "url", "https://"), ({"url": "javascript:alert(1)"}, "url", "https://"),
    ({"url": "example.org"}, "url", "https://"), ({"url": "https://" + "x" * 500}, "url", "at most 500 characters"),
    ({"via": "hearsay"}, "via", "'price_api'"), ({"title": ""}, "title", "at least 1 character"),
    ({"retrieved": "May 2026"}, "retrieved", "valid date"),
]  # fmt: skip

WRONG = [
    *((value, *row) for row in WRONG_VALUES), *((figure, *row) for row in WRONG_FIGURES),
    *((source, *row) for row in WRONG_SOURCES),
]  # fmt: skip


@each_row(("make", "wrong", "field", "wish"), WRONG)
def test_what_is_wrong_is_refused(make: Callable[..., object], wrong: dict[str, Any], field: str, wish: str) -> None:
    with pytest.raises(pydantic.ValidationError) as refusal:
        make(**wrong)
    first = refusal.value.errors()[0]
    assert ".".join(map(str, first["loc"])) == field
    assert wish in first["msg"]


@pytest.mark.parametrize("url", ["https://example.org/x", "http://example.org", "docs/decisions/0001-the-house.md"])
def test_a_source_points_to_the_web_or_to_our_own_decisions(url: str) -> None:
    assert source(url=url).url == url


@pytest.mark.parametrize("field", ["typical", "low", "source", "new"])
def test_a_value_cannot_be_changed(field: str) -> None:
    with pytest.raises(pydantic.ValidationError):
        setattr(value(), field, 2.0)


def test_a_whole_number_is_a_number() -> None:
    assert value(8).typical == 8.0


def test_the_newest_value_does_not_depend_on_the_order_written() -> None:
    written_backwards = figure(values={JUNE: value(2.0), MAY: value(3.0)})
    assert written_backwards.newest == value(2.0)
    assert written_backwards.since == JUNE
    assert written_backwards == figure()


def test_age_counts_from_the_day_somebody_looked() -> None:
    assert figure().age_days(date(2026, 7, 31)) == 30


@each_row(("text", "number", "code"), [
    ("1.85 EUR", "1.85", "EUR"), ("EUR 250000", "250000", "EUR"), ("€1.85", "1.85", "EUR"),
    ("1.85€", "1.85", "EUR"),
    ("£ 2", "2", "GBP"), ("chf 250k", "250k", "CHF"), ("1.85", "1.85", "USD"), ("US$3", "3", "USD"),
    ("1.4 million", "1.4 million", "USD"), ("1.4 million eur", "1.4 million", "EUR"), ("-5 EUR", "-5", "EUR"),
    ("250,000 JPY", "250,000", "JPY"), ("2 XYZ", "2", "XYZ"), ("100 kr", "100", "KR"), ("¥100", "100", "¥"),
])  # fmt: skip
def test_an_amount_and_its_currency(text: str, number: str, code: str) -> None:
    assert amount_in(text) == (number, code)


@each_row("text", ["", "EUR", "€1 EUR", "cheap", "EUR EUR 1", "two euros"])
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


MACHINES = "servers/machines.yaml"
LINE = b"# yaml-language-server: $schema=../../../schemas/servers.json\n"


@pytest.fixture
def folder(tmp_path: Path, contents: dict[str, bytes]) -> Path:
    for name, raw in contents.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(raw)
    return tmp_path


def test_the_line_that_names_a_schema_to_editors_is_no_fact_and_leaves_the_digest_alone(folder: Path) -> None:
    before = load(folder)
    machines = (folder / MACHINES).read_bytes()
    for line in (LINE, LINE.replace(b"servers", b"machines"), LINE.replace(b"\n", b"\r\n")):
        (folder / MACHINES).write_bytes(line + machines)
        assert load(folder) == before


@pytest.mark.parametrize("other", [
    pytest.param(LINE * 2, id="twice"),
    pytest.param(b"\n" + LINE, id="not first"),
    pytest.param(LINE.replace(b"# ", b"#  "), id="another remark"),
    pytest.param(LINE.replace(b"\n", b" of Tuesday\n"), id="more on the line"),
    pytest.param(LINE.replace(b"\n", b"\r"), id="a line end that hides what follows"),
    pytest.param("# yaml-language-server: $schema=a\u2028b.json\n".encode(), id="a line end inside"),
])  # fmt: skip
def test_whatever_only_looks_like_that_line_changes_the_digest(folder: Path, other: bytes) -> None:
    digest = load(folder).digest
    (folder / MACHINES).write_bytes(other + (folder / MACHINES).read_bytes())
    try:
        assert load(folder).digest != digest
    except CatalogError:
        return  # refused, so nothing was taken for what it was before
