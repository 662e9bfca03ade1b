"""A plan as a table of names and values, or in a zip: read back to the last digit, or refused in one sentence."""

import io
import zipfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.report.files.csv import ASSUMPTION_COLUMNS, plan_assumptions
from planner.report.files.csv_style import DECIMALS, ENCODINGS, SEPARATORS, CsvStyle
from planner.report.table import Table
from planner.scenario.file import (
    HEAD,
    MOST_BYTES,
    SavedScenario,
    build_scenario,
    plan_table_rows,
    read_scenario,
    write_scenario,
)
from planner.scenario.known_names import ScenarioError
from planner.scenario.own import OwnInputs
from planner.scenario.plan_csv import read_plan_csv
from planner.scenario.scenario import Scenario
from pricing.strict_yaml import MAX_BYTES
from tests.facts import CATALOGUE, DAY
from tests.office import saved_again
from tests.rows import each_row
from tests.scenario.scenarios import scenarios

COLUMNS = ("name", "value", "unit", "meaning")
STYLES = [CsvStyle(*style) for style in product(SEPARATORS, DECIMALS, ENCODINGS)]
GOOD = b"name,value\none_half,0.5\nyears,3.25\n"


def read(text: str | bytes, name: str = "plan.csv") -> SavedScenario:
    return read_scenario(text if isinstance(text, bytes) else text.encode(), name, CATALOGUE)


def refusal(data: str | bytes, name: str = "plan.csv") -> str:
    with pytest.raises(ScenarioError) as caught:
        read(data, name)
    assert "\n" not in str(caught.value)
    assert "othing was changed" in str(caught.value)
    return str(caught.value)


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, data in files.items():
            pack.writestr(name, data)
    return out.getvalue()


def encoded(style: CsvStyle, rows: list[Sequence[object]]) -> bytes:
    """Return rows, the first of them names, as a file."""
    return b"".join(style.chunks({str(name): cells for name, *cells in zip(*rows, strict=True)}))


@given(scenarios(), st.sampled_from(STYLES), st.integers(0, 2**32))
def test_any_plan_comes_back_to_the_last_digit_in_any_style_and_order(
    scenario: Scenario, style: CsvStyle, seed: int
) -> None:
    random, saved = Random(seed), SavedScenario(scenario, DAY, CATALOGUE.digest)
    assumed = Table.of([*plan_assumptions(saved), {"assumption_id": "usd_per_kwh", "value": 0.1}], ASSUMPTION_COLUMNS)
    files = ([COLUMNS, *plan_table_rows(saved), ("",) * 4], [ASSUMPTION_COLUMNS, *assumed.rows()])
    for head, *rows in files:
        random.shuffle(rows)
        places = random.sample(range(len(head)), len(head))
        raw = encoded(style, [[row[place] for place in places] for row in (head, *rows)])
        data, lines = read_plan_csv(raw, "plan.csv")
        assert data.pop("schema") == 1
        assert (data.pop("day"), data.pop("catalogue")) == (DAY.isoformat(), CATALOGUE.digest)
        assert build_scenario(data, "plan.csv", lines) == scenario


@pytest.mark.parametrize("style", STYLES[::5], ids=str)
def test_a_few_assumptions_change_these_fields_of_a_plan(style: CsvStyle) -> None:
    text = b"years: 2\nown: {usd_per_kwh: '0,21 EUR'}\nwork: [{accelerators: 16}, {label: second}]\n"
    base = read(text, "plan.yaml").scenario
    rows = [("assumption_id", "value", "text"), ("plan.years", 3.25, None), ("plan.work.1.busy_share", 0.25, None),
            ("plan.own.usd_per_server", None, "180.000,50 EUR"), ("usd_per_kwh", 9.0, None)]  # fmt: skip
    got = read_scenario(encoded(style, rows), "assumptions.csv", CATALOGUE, base).scenario
    first, second = got.work
    assert (got.years, first.accelerators, second.label, second.busy_share) == (3.25, 16, "second", 0.25)
    assert [amount.text for amount in got.typed] == ["0,21 EUR", "180.000,50 EUR"]
    assert got.own.usd_per_kwh == base.own.usd_per_kwh


def test_what_was_typed_in_another_currency_comes_back_as_typed() -> None:
    saved = read(b"own:\n  usd_per_kwh: 0,21 EUR\n", "plan.yaml")
    assert saved.scenario.typed
    for style in STYLES:
        back = read(encoded(style, [COLUMNS, *plan_table_rows(saved)]))
        assert (back, back.scenario.typed) == (saved, saved.scenario.typed)


@each_row(("text", "usd"), [
    ("0.21", 0.21), ("1.234,56", 1234.56), ("1,234.56", 1234.56), ("1,234", 1234.0), ("1 234.5", 1234.5),
    ("2.5e-1", 0.25), (".5", 0.5), ("12'345", 12345.0), ("0.21 USD", 0.21), ("1.234,56 USD", 1234.56),
])  # fmt: skip
def test_numbers_of_a_file_with_a_decimal_point(text: str, usd: float) -> None:
    for separator in ";\t":
        rows = [("name", "value"), ("one_half", "0.5"), ("own.usd_per_server", text)]
        saved = read("\r\n".join(separator.join(row) for row in rows))
        assert saved.scenario.own.usd_per_server == pytest.approx(usd, rel=1e-15)


@each_row(("text", "usd"), [
    ("0,21", 0.21), ("1.234,56", 1234.56), ("1,234.56", 1234.56), ("1.234", 1234.0), ("1.234.567", 1234567.0),
    ("1234", 1234.0), ("2,5E+3", 2500.0),
])  # fmt: skip
def test_numbers_of_a_file_with_a_decimal_comma(text: str, usd: float) -> None:
    saved = read(f"name;value\none_half;0,5\nown.usd_per_server;{text}\n")
    assert saved.scenario.own.usd_per_server == usd


def test_a_table_that_a_spreadsheet_or_a_person_has_changed_is_read() -> None:
    want = Scenario(
        years=3.25, name="Fleet, two\u00a0sites", site="NO", work=({"may_stop": True}, {"busy_share": 0.25})
    )
    text = (
        'sep=;\r\nnote;VALUE; Name \r\n;0,5;one_half\r\n"several\r\nlines";0,25;work.1.busy_share\r\n\r\n;;\r\n'
        ";WAHR;work.0.may_stop\r\n;3,25;years\r\n;;terms.discount_rate_per_year\r\n;Fleet, two\u00a0sites;name\r\n"
        ";norway;site\r\n"
    )
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        saved = read(text.encode(encoding))
        assert saved.scenario == Scenario.model_validate(want.model_dump())
        assert saved.notes == ("site: norway is taken for NO.",)
    assert read(text.replace("\r\n", "\r").encode()).scenario == saved.scenario
    assert read("name,value\n").scenario == Scenario()
    assert read("name,value\nmix,{}\n").scenario == read(b"mix: {}\n", "plan.yaml").scenario


@each_row(("text", "said"), [
    ("", "Line 1: no column name and no column value in an empty line; in a pack the plan is plan.csv"),
    ("option,key,value\n", "Line 1: no column name in option,key,value; in a pack the plan is plan.csv"),
    ("option,assumption_id,name,value\n", "Line 1: no column text in option,assumption_id,name,value"),
    ("assumption_id,value,text\nyears,3,\n", "no row plan.…: all else follows from a plan. Export it again"),
    ("assumption_id,value,text\nplan.years,3,\n", "a part of a plan, without the row plan.schema: load it over a plan"),
    ("text,assumption_id,value\n,plan.years,300\n,plan.schema,1\n", "Line 2 of plan.csv, column value: years: 300"),
    ("text,assumption_id,value\n,plan.yeers,3\n", "Line 2 of plan.csv, column assumption_id: yeers: there is no such"),
    ("assumption_id,value,text\nplan.years,3,\nplan.years,4,\n", "column assumption_id: years stands there twice"),
    ("sep=;\nname\n", "Line 2: no column value in name"),
    ("name,value\nyears,300\n", "Line 2 of plan.csv, column value: years: 300 must be 0.25 to 10; nothing"),
    ("value,name\n3,yeers\n", "Line 2 of plan.csv, column name: yeers: there is no such key; did you mean years?"),
    ("name,value\nwork.0.busy,1\n", "Line 2 of plan.csv, column name: work.0.busy: there is no such key; did you mean"),
    ("name,value\nwork.x.label,1\n", "column name: work.x: there is no such key"),
    ("name,value\nyears,3\nyears,4\n", "Line 3 of plan.csv, column name: years stands there twice, first in line 2"),
    ("name,value\n\nyears\n", "Line 3 of plan.csv, column value: no such cell in years: is it cut off?"),
    ("name,value\n,3\n", "Line 2 of plan.csv, column name: nothing stands beside 3"),
    ('name,value\nname,"x\nyears,3\n', "Line 2: no row of a CSV (unexpected end of data): is a quote not closed?"),
    ('name,value\nname,"x"y\n', "Line 2: no row of a CSV"),
    ("name;value\nown.usd_per_server;1.234\n", "1.234: is that 1.234 or 1234? Add a row one_half with 0.5 or 0,5"),
    ("name;value\none_half;0.5\nyears;3,5\n", "Line 3 of plan.csv, column value: years: 3,5: want a number with"),
    ("name;value\nyears;3.5\none_half;0,5\n", "years: 3.5: want a number with a decimal comma, as in one_half"),
    ("name;value\nyears;1.2.3\n", "years: 1.2.3: want a number with one sign for decimals"),
    ("name,value\nyears,three\n", "Line 2 of plan.csv, column value: years: 'three' must be a number, 0.25 to 10"),
    ("name,value\nyears,1e999\n", "Line 2 of plan.csv, column value: years: "),
    ("name,value\nschema,2\n", "Line 2 of plan.csv, column value: schema: 2 was written by a newer version"),
    ("name,value\nday,21.11.2026\n", "column value: day: '21.11.2026' must be a day such as 2026-11-21"),
    ("name,value\nwork.0.may_stop,perhaps\n", "work.0.may_stop: 'perhaps' must be true or false"),
    ("name,value\nwork.1.label,x\n", "Line 2 of plan.csv, column value: work.1: work.0 is missing: count from 0"),
    ("name,value\nmix,{}\nmix.own_accelerators,8\n", "mix: has a value and fields of its own: leave one"),
    ("name,value\nways,own\n", "Line 2 of plan.csv, column value: ways: 'own' must be a list of"),
    ("name,value\nname,a\u202eb\n", "column value: a?b: U+202E at character 2 does not show"),
    ("name,value\naccelerator,h1000\n", "column value: accelerator: No accelerator is called 'h1000'"),
    ("name,value\nwork.0.train.tokens,1000\n", "work.0.train.model: missing"),
    ("name,value\nyears,300\npue,1\nown.pue,0.5\n", "Line 3 of plan.csv, column name: pue: there is no such key"),
    (b"name,value\nname,\xe4\n", "Line 2: not UTF-8 text: byte 0xe4; save it as CSV UTF-8"),
    (b"\xff\xfen\x00a", "not UTF-8 text"),
    (b"\x00\x01\x02", "no column name"),
    (b"name,value\nname," + b"x" * 200_000, "no row of a CSV (field larger than field limit"),
    (b"name,value\n" + b"years,3\n" * 125_001, "more than 1,000,000 bytes: no plan is so long"),
])  # fmt: skip
def test_a_table_that_cannot_be_read_is_refused_with_line_and_column(text: str | bytes, said: str) -> None:
    assert said in refusal(text)


@pytest.mark.slow
def test_ten_thousand_rows_of_a_field_that_is_no_list_are_refused() -> None:
    assert "stands there twice" in refusal("name,value\n" + "years,3\n" * 10_000)
    assert "must be 1 to 6" in refusal("name,value\n" + "".join(f"work.{n}.label,x\n" for n in range(10_000)))


@pytest.mark.slow
def test_a_million_rows_of_assumptions_without_a_plan_are_refused() -> None:
    assert "no row plan." in refusal(b"assumption_id,value,text\n" + b"a,1,\n" * 1_000_000)


@pytest.mark.slow
def test_fifty_megabytes_or_a_million_rows_are_refused_at_once() -> None:
    for data in (b"name,value\n" + b"years,3\n" * 6_250_000, b"name,value\n" + b"a,1\n" * 1_000_000):
        assert "more than 1,000,000 bytes" in refusal(data)
    assert "more than 20,000,000 bytes" in refusal(b"assumption_id,value,text\n" + b"plan.years,3,\n" * 3_500_000)
    assert f"a pack has at most {MOST_BYTES:,} bytes and 200 files" in refusal(
        b"PK\x03\x04" + bytes(50_000_000), "a.zip"
    )


def test_a_plan_comes_out_of_a_zip_whatever_else_is_in_it() -> None:
    want = Scenario(years=3.25)
    mac = {"__MACOSX/._plan.csv": b"\x00", "pack/._plan.csv": b"\x00", "pack/plan.csv": GOOD, "pack/cash-flow.csv": b""}
    for files in ({"plan.csv": GOOD}, {"Plan.CSV": GOOD, "sub/": b""}, {"my.yaml": b"years: 3.25\n"}, mac):
        assert read(zipped(files), "any.zip") == SavedScenario(want)
    assert read(zipped({"plan.csv": GOOD}), "no ending").scenario == want


def test_what_was_changed_beside_the_plan_is_said_and_not_read() -> None:
    table = b"value;1\n" * 1_000
    sums = (
        "file,rows,bytes,checksum\nplan.csv,1,1,crc32-00000000\nassumptions.csv,1,1,crc32-{}\nresults.csv,1,1,crc32-1\n"
    )
    files = {"plan.csv": GOOD, "assumptions.csv": table, "files.csv": sums.format("00000000").encode()}
    said = (
        "assumptions.csv, results.csv: changed or missing since the export. Only plan.csv is read: type changes there."
    )
    assert read(zipped(files), "a.zip").notes == (said,)


@pytest.mark.slow
@each_row(("files", "said"), [
    ({}, "no plan.csv is in it, but nothing: export the pack again, or send a plan"),
    ({"cash-flow.csv": b"", "x.xlsx": b""}, "no plan.csv is in it, but cash-flow.csv, x.xlsx: export the pack again"),
    ({"plan.csv": GOOD, "b/plan.csv": GOOD}, "2 plans are in it (plan.csv, b/plan.csv): leave one"),
    ({"plan.csv": GOOD, "scenario.yaml": b""}, "2 plans are in it (plan.csv, scenario.yaml): leave one"),
    ({"plan.csv": b"0" * 30_000_000}, "plan.csv has more than 1,000,000 bytes: no plan is so long"),
    ({"plan.csv": GOOD, "files.csv": b"x"}, "Line 1: no column file and no column checksum in x"),
    ({"plan.csv": b"name,value\nyears,300\n"}, "Line 2 of plan.csv, column value: years: 300 must be 0.25 to 10"),
    ({f"{n}": b"" for n in range(201)}, "a pack has at most 20,000,000 bytes and 200 files: send plan.csv alone"),
])  # fmt: skip
def test_a_zip_that_is_no_pack_is_refused(files: dict[str, bytes], said: str) -> None:
    assert said in refusal(zipped(files), "pack.zip")


def test_a_zip_that_is_broken_locked_or_lies_is_refused() -> None:
    good = zipped({"plan.csv": GOOD * 200})
    for broken in (good[:60], good[:-30], good[:40] + b"\xff" * 8 + good[48:], good.replace(b"\x08\x00", b"\x63\x00")):
        assert "no zip that can be read" in refusal(broken, "pack.zip")
    locked = bytearray(good)
    for start in (locked.find(b"PK\x03\x04") + 6, locked.find(b"PK\x01\x02") + 8):
        locked[start] |= 1
    assert "no zip that can be read" in refusal(bytes(locked), "pack.zip")
    assert "no zip that can be read" in refusal(b"PK\x03\x04", "pack.zip")


@given(st.binary(max_size=300), st.integers(0, 400))
def test_any_bytes_are_read_or_refused_in_one_sentence(noise: bytes, at: int) -> None:
    good = zipped({"plan.csv": GOOD})
    for data, name in ((good[:at] + noise + good[at + len(noise) :], "a.zip"), (GOOD[:at] + noise, "plan.csv")):
        try:
            assert isinstance(read(data, name).scenario, Scenario)
        except ScenarioError as refused:
            assert "\n" not in str(refused)


@pytest.mark.slow
@pytest.mark.parametrize(("style", "language"), [(CsvStyle(), 1033), (CsvStyle("semicolon", "comma"), 1031)])
def test_a_plan_that_a_spreadsheet_saved_is_the_same_plan(style: CsvStyle, language: int, tmp_path: Path) -> None:
    work = {"accelerators": 16, "busy_share": 0.625, "may_stop": True, "season": (1.0,) * 11 + (0.125,)}
    own = {"usd_per_kwh": 0.123456789012, "usd_per_server": 250_000.5}
    scenario = Scenario.model_validate({"name": "=1+1", "years": 3.25, "site": "NO", "own": own, "work": (work,)})
    saved = SavedScenario(scenario, DAY, CATALOGUE.digest)
    data = encoded(style, [COLUMNS, *plan_table_rows(saved)])
    again = saved_again(data, SEPARATORS[style.separator], language, tmp_path)
    assert again != data
    assert read(again) == saved


def test_a_table_and_a_file_say_the_same() -> None:
    saved = SavedScenario(Scenario(own=OwnInputs(usd_per_kwh=0.1), ways=("own", "on_demand")), DAY, CATALOGUE.digest)
    assert read(write_scenario(saved).encode(), "plan.yaml") == saved
    rows = list(plan_table_rows(saved))
    assert [row[0] for row in rows] == ["one_half", *HEAD, "own.usd_per_kwh", "ways.0", "ways.1"]
    assert rows[4][2] == "USD per kWh"
    assert len(encoded(CsvStyle(), [COLUMNS, *rows])) < MAX_BYTES
