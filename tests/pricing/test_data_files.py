"""Each data file by itself: one id per file, so that a red test names the file to open."""

import typing
import unicodedata
from collections.abc import Iterator
from datetime import date
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from pricing import strict_yaml
from pricing.catalogue import SECTIONS, Catalogue
from pricing.errors import CatalogError
from pricing.figure import Figure
from pricing.load import read_file
from pricing.record import Record
from pricing.records import DataFile, Offer, PriceSeries
from pricing.strict_yaml import MAX_BYTES, MAX_DEPTH
from tests.frozen import LIVE
from tests.rows import each_row

FILES = {path.relative_to(LIVE).as_posix(): path for path in sorted(LIVE.rglob("*.yaml"))}

# How a field's name says its unit, where it is not the unit itself written in words (USD/kWh: usd_per_kwh).
IN_WORDS = {
    "1": ("_share", "pue"), "GB/s": ("_gb_s",), "TFLOP/s": ("_tflops",), "TOP/s": ("_tops",), "U": ("rack_units",),
    "count": ("_accelerators", "_at_once"), "second": ("_s",),
}  # fmt: skip
RECORDS = sorted(Record.__subclasses__(), key=lambda record: record.__name__)
each_file = each_row("name", FILES)


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
    bought = [*(chip.price_usd for chip in data.accelerators.values()), *(it.price_usd for it in data.servers.values())]
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


@each_row("record", RECORDS)
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


READ_RIGHT: list[tuple[str, Any]] = [
    # words that YAML 1.1 takes for truth values
    ("NO", "NO"),
    ("no", "no"),
    ("on", "on"),
    ("off", "off"),
    ("yes", "yes"),
    ("y", "y"),
    ("True", "True"),
    ("FALSE", "FALSE"),
    ("Null", "Null"),
    ("true", True),
    ("false", False),
    ("null", None),
    ("~", None),
    ("", None),
    # numbers, and what only looks like one
    ("8", 8),
    ("-3", -3),
    ("+7", 7),
    ("0", 0),
    ("1_000_000", 1_000_000),
    ("0.35", 0.35),
    ("1.10", 1.1),
    (".5", 0.5),
    ("1.", 1.0),
    ("1e6", 1e6),
    ("1E-3", 0.001),
    ("2.5e+3", 2500.0),
    ("1e-400", 0.0),
    ("1__0", "1__0"),
    ("1_000.5", "1_000.5"),
    ("1,000", "1,000"),
    ("3,25", "3,25"),
    ("1.2.3", "1.2.3"),
    ("0b11", "0b11"),
    ("12:30", "12:30"),
    ("190:20:30", "190:20:30"),
    ("nan", "nan"),
    ("inf", "inf"),
    ("=", "="),
    ("1" * 40, int("1" * 40)),
    ("1" * 41, "1" * 41),  # nothing here is that large: text, so that a number's field refuses it
    ("٣", "٣"),  # a digit, but not one of ours
    # days
    ("2026-05-01", date(2026, 5, 1)),
    ("2026-05", "2026-05"),
    ("2026-5-1", "2026-5-1"),
    ("2026-05-01T12:00:00Z", "2026-05-01T12:00:00Z"),
    ("20260501", 20_260_501),
    # quoted is text, whatever it looks like
    ("'8'", "8"),
    ('"true"', "true"),
    ("'2026-05-01'", "2026-05-01"),
    ("'.nan'", ".nan"),
    ("'010'", "010"),
    ('""', ""),
    # blocks are text too
    ("|\n  NO\n", "NO\n"),
    (">\n  8\n", "8\n"),
    ("\tb", "b"),
    # collections
    ("[]", ()),
    ("{}", {}),
    ("[1, NO, 2026-05-01]", (1, "NO", date(2026, 5, 1))),
    ("{a: {b: [c]}}", {"a": {"b": ("c",)}}),
]


@each_row(("text", "value"), READ_RIGHT)
def test_a_value_is_what_it_looks_like(text: str, value: Any) -> None:
    read = strict_yaml.read(f"a: {text}", file="f.yaml")["a"]
    assert read == value
    assert type(read) is type(value)


WHOLE_FILES: list[tuple[str, Any]] = [
    ("", None),
    ("\n\n# only a remark\n", None),
    ("---\na: 1\n", {"a": 1}),
    ("%YAML 1.2\n---\na: 1\n", {"a": 1}),
    ("\ufeffa: 1\n", {"a": 1}),
    ("a: 1\r\nb: 2\r\n", {"a": 1, "b": 2}),
    ("- 1\n- 2\n", (1, 2)),
    ("a: 1 # why\n", {"a": 1}),
    ("2026-05-01: x\n", {date(2026, 5, 1): "x"}),
    ("NO: Norway\n", {"NO": "Norway"}),
    ("'<': 1\n", {"<": 1}),
]


@each_row(("text", "data"), WHOLE_FILES)
def test_a_file_is_what_it_looks_like(text: str, data: Any) -> None:
    assert strict_yaml.read(text, file="f.yaml") == data


LAUGHS = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"
REFUSED = [
    ("a: .nan", 1, "a", ".nan is a trap"), ("a: .NaN", 1, "a", "is a trap"), ("a: .inf", 1, "a", "is a trap"),
    ("a: -.INF", 1, "a", "is a trap"), ("a: 010", 1, "a", "010 is a trap"), ("a: 08", 1, "a", "is a trap"),
    ("a: 0o17", 1, "a", "is a trap"), ("a: 0x1F", 1, "a", "0x1F is a trap"), ("a: 0_7", 1, "a", "is a trap"),
    ("a: 1e400", 1, "a", "too large"), ("a: 2026-02-30", 1, "a", "not a day of the calendar"),
    ("a: 2026-13-01", 1, "a", "not a day of the calendar"), ("x: 1\na: 1\na: 2", 3, "", "'a' stands here twice"),
    ("a: {b: 1, b: 2}", 1, "a", "'b' stands here twice"), ("1: x\n1.0: y", 2, "", "'1.0' stands here twice"),
    ("2026-05-01: x\n2026-05-01: y", 2, "", "stands here twice"), ("a: &x 1", 1, "a", "anchors"),
    ("a: &x [1]", 1, "a", "anchors"), ("&x a: 1", 1, "", "anchors"), (LAUGHS, 1, "a", "anchors"),
    ("a: *x", 1, "a", "aliases"), ("*x", 1, "", "aliases"), ("a: !!str 1", 1, "a", "tags"),
    ("a: !!python/object/apply:os.system [ls]", 1, "a", "tags"), ("a: !x {b: 1}", 1, "a", "tags"),
    ("<<: {a: 1}", 1, "", "merge keys"), ("a:\n  '<<': {b: 1}", 2, "a", "merge keys"),
    ("? [a, b]\n: 1", 1, "", "plain word as key"), ("{{a: 1}: 2}", 1, "", "plain word as key"),
    ("a: 1\n---\nb: 2", 2, "", "one document"), ("a:\n\tb: 1", 2, "", "not YAML"), ("a: b: c", 1, "", "not YAML"),
    ("a: [1, 2", 1, "", "not YAML"), ("a: 'x", 1, "", "not YAML"), ("a: @x", 1, "", "not YAML"),
    ("a: \x07", None, "", "control characters are not allowed"),
    ("a: '\x00'", None, "", "control characters are not allowed"), ("a: \ud800", None, "", "half a character"),
    ("[" * (MAX_DEPTH + 1), 1, ".".join("0" * MAX_DEPTH), f"at most {MAX_DEPTH} levels"),
    ("{a: " * (MAX_DEPTH + 1), 1, ".".join("a" * MAX_DEPTH), f"at most {MAX_DEPTH} levels"),
    ("[" * 100_000, 1, ".".join("0" * MAX_DEPTH), f"at most {MAX_DEPTH} levels"),
    ("a: " + "x" * MAX_BYTES, None, "", f"at most {MAX_BYTES:,} bytes"),
    ("a: " + "é" * (MAX_BYTES // 2), None, "", f"at most {MAX_BYTES:,} bytes"),
]  # fmt: skip


@each_row(("text", "line", "key", "wish"), REFUSED)
def test_a_trap_is_refused_with_its_place(text: str, line: int | None, key: str, wish: str) -> None:
    with pytest.raises(CatalogError) as refusal:
        strict_yaml.read(text, file="f.yaml")
    place = refusal.value.place
    assert place.file == "f.yaml"
    assert wish in refusal.value.wanted
    assert place.key == key
    if wish != "not YAML":  # there the parser knows best where it lost the thread
        assert place.line == line


def test_a_refusal_is_one_line() -> None:
    for text, *_ in REFUSED:
        with pytest.raises(CatalogError) as refusal:
            strict_yaml.read(text, file="f.yaml")
        assert "\n" not in str(refusal.value)


def test_a_long_text_within_the_limit_is_read_whole() -> None:
    assert strict_yaml.read("a: " + "x" * 900_000, file="f.yaml") == {"a": "x" * 900_000}


def test_lines_says_where_each_key_and_item_stands() -> None:
    text = "# remark\na: 1\nb:\n  c: 2\n  d:\n    - x\n    - {e: 3,\n       f: 4}\n"
    assert strict_yaml.lines(text, file="f.yaml") == {
        ("a",): 2, ("b",): 3, ("b", "c"): 4, ("b", "d"): 5, ("b", "d", "0"): 6, ("b", "d", "1"): 7,
        ("b", "d", "1", "e"): 7, ("b", "d", "1", "f"): 8,
    }  # fmt: skip


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        strict_yaml.read(text, file="f.yaml")
    except CatalogError as error:
        refusal = str(error)
    else:
        return
    assert refusal.startswith("f.yaml")


@given(st.text(alphabet="ab:-[]{}&*!|>'\"%@ \n\t,#?0.1", max_size=60))
def test_any_punctuation_is_read_or_refused(text: str) -> None:
    try:
        strict_yaml.read(text, file="f.yaml")
    except CatalogError as error:
        refusal = error.wanted
    else:
        return
    assert refusal


PLAIN = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**9), 10**9),
        st.dates(),
        st.text(alphabet="abcNO:#-'\"&*!%@|> \t.e10é", max_size=12),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text("abcdef", min_size=1, max_size=3), inner, max_size=3),
    ),
    max_leaves=12,
)


@given(PLAIN)
def test_what_is_written_carefully_is_read_back(data: Any) -> None:
    assert repr(strict_yaml.read(f"a: {_written(data)}", file="f.yaml")) == repr({"a": data})  # 1 == True, but not here


def _written(data: Any) -> str:
    if isinstance(data, dict):
        return "{" + ", ".join(f'"{key}": {_written(value)}' for key, value in data.items()) + "}"
    if isinstance(data, tuple):
        return "[" + ", ".join(_written(item) for item in data) + "]"
    if isinstance(data, str):
        return '"' + data.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") + '"'
    if data is None:
        return "null"
    return str(data).lower() if isinstance(data, bool) else str(data)
