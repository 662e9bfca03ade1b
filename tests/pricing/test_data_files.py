"""Each data file by itself: one id per file, so that a red test names the file to open."""

import typing
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from pydantic import BaseModel

from pricing import strict_yaml
from pricing.catalogue import SECTIONS, Catalogue
from pricing.figure import Figure
from pricing.load import read_file
from pricing.records import DataFile, Offer, PriceSeries, Record
from tests.frozen import LIVE

FILES = {path.relative_to(LIVE).as_posix(): path for path in sorted(LIVE.rglob("*.yaml"))}

# How a field's name says its unit, where it is not the unit itself written in words (USD/kWh: usd_per_kwh).
IN_WORDS = {
    "1": ("_share", "pue"), "GB/s": ("_gb_s",), "TFLOP/s": ("_tflops",), "TOP/s": ("_tops",), "U": ("rack_units",),
    "count": ("_accelerators", "_at_once"), "second": ("_s",),
}  # fmt: skip
RECORDS = sorted(Record.__subclasses__(), key=lambda record: record.__name__)
each_file = pytest.mark.parametrize("name", FILES)


@cache
def data_file(name: str) -> DataFile:
    return read_file(name, FILES[name].read_bytes())


def figures_in(data: DataFile) -> Iterator[tuple[str, str, Figure]]:
    for section in SECTIONS:
        for key, record in getattr(data, section).items():
            for field, value in record:
                if isinstance(value, Figure):
                    yield f"{section}.{key}", field, value


def texts_in(record: Any) -> Iterator[str]:
    if isinstance(record, str):
        yield record
    elif isinstance(record, BaseModel):
        for _, value in record:
            yield from texts_in(value)
    elif isinstance(record, dict):
        for key, value in record.items():
            yield from texts_in(key)
            yield from texts_in(value)
    elif isinstance(record, tuple):
        for value in record:
            yield from texts_in(value)


def test_there_are_data_files_and_nothing_that_only_looks_like_one() -> None:
    assert FILES
    others = {path.name for path in LIVE.rglob("*") if path.is_file()} - {path.name for path in FILES.values()}
    assert others <= {"README.md"}, "only .yaml is read: a file with another ending would be overlooked"


@each_file
def test_it_loads_by_itself_and_holds_something(name: str) -> None:
    data = data_file(name)
    assert any(getattr(data, section) for section in SECTIONS)


@each_file
def test_it_says_in_one_sentence_what_it_holds(name: str) -> None:
    about = data_file(name).about
    assert about[0].isupper() or about[0].isdigit()
    assert about.endswith(".")
    assert "\n" not in about.strip()
    assert len(about) <= 250


@each_file
def test_its_texts_are_clean(name: str) -> None:
    for text in texts_in(data_file(name)):
        assert text.strip() == text or text.endswith("\n"), text
        invisible = {character for character in text if unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs"}}
        assert invisible <= {"\n"}, text
        assert not {"TODO", "FIXME", "XXX", "???"} & set(text.split()), text


@each_file
def test_its_figures_have_the_unit_their_name_says_and_no_impossible_number(name: str) -> None:
    for place, field, figure in figures_in(data_file(name)):
        if field == "figure":  # a fact is named by its label, and may fall below nothing
            continue
        assert names_unit(field, figure.unit), f"{place}.{field}: {figure.unit}"
        for day, value in figure.values.items():
            assert value.typical >= 0, f"{place}.{field} of {day}"
            assert value.low is None or value.low >= 0, f"{place}.{field} of {day}"


@each_file
def test_nothing_is_sold_for_nothing(name: str) -> None:
    data = data_file(name)
    priced: list[Offer | PriceSeries] = [*data.offers.values(), *data.series.values()]
    hourly = [record.usd_per_accelerator_hour for record in priced]
    bought = [record.price_usd for record in (*data.accelerators.values(), *data.servers.values())]
    for figure in (*hourly, *bought):
        for value in figure.values.values() if figure is not None else ():
            assert value.typical > 0
            assert value.low is None or value.low > 0


@each_file
def test_every_line_of_it_can_be_pointed_at(name: str) -> None:
    text = FILES[name].read_text(encoding="utf-8")
    where = strict_yaml.lines(text, file=name)
    data = data_file(name)
    count = text.count("\n") + 1
    for section in SECTIONS:
        for key in getattr(data, section):
            assert 1 <= where[section, key] <= count


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_every_figure_of_a_record_has_one_unit_and_a_name_that_says_it(record: type[Record]) -> None:
    hints = typing.get_type_hints(record)
    fields = {field for field in record.model_fields if Figure in (hints[field], *typing.get_args(hints[field]))}
    assert fields == record.FIGURE_UNITS.keys()
    assert [field for field, unit in record.FIGURE_UNITS.items() if not names_unit(field, unit)] == []


def test_the_whole_is_the_sum_of_the_files(real: Catalogue) -> None:
    for section in SECTIONS:
        ids = [key for name in FILES for key in getattr(data_file(name), section)]
        assert len(ids) == len(set(ids))
        assert set(ids) == getattr(real, section).keys()


def names_unit(field: str, unit: str) -> bool:
    in_words = IN_WORDS.get(unit, (unit.casefold().replace("/", "_per_").replace("-", "_"),))
    return field.endswith(in_words)
