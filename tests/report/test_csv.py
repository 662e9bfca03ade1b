"""CSV that a spreadsheet reads as data."""

import csv
import io
import math
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from planner.report.files.csv import to_csv
from planner.report.table import Table
from pricing.formulas import guarded
from tests.rows import each_row


@each_row(("text", "cell"), [
    ('=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'), ("@SUM(1)", "'@SUM(1)"), ("-2+3|cmd", "'-2+3|cmd"),
    ("+1", "'+1"), ("\t=1", "'\t=1"), ("\r=1", "'\r=1"), ("\n=1", "'\n=1"), ("  =1", "'  =1"), ("＝1", "'＝1"),
    ("plain", "plain"), ("a=b", "a=b"), ("", ""),
])  # fmt: skip
def test_text_never_becomes_a_formula(text: str, cell: str) -> None:
    assert guarded(text) == cell


def test_the_examples_of_owasp_stay_one_guarded_cell() -> None:
    names = ['=1+2";=1+2', "=1+2'\" ;,=1+2"]
    raw = to_csv(Table({"name": names})).decode("utf-8-sig")
    assert raw.splitlines()[1:] == ['"\'=1+2"";=1+2"', '"\'=1+2\'"" ;,=1+2"']


def test_numbers_stay_numbers_and_days_are_iso() -> None:
    table = Table.from_columns(
        {"usd": [-123.45, None], "day": [date(2026, 11, 15), None], "n": [1, 2], "=x": ["a", None]}
    )
    raw = to_csv(table).decode("utf-8-sig")
    assert raw == '"usd","day","n","\'=x"\r\n-123.45,"2026-11-15",1,"a"\r\n"","",2,""\r\n'


def test_it_says_that_it_is_utf8() -> None:
    assert to_csv(Table({"a": ["é"]})).startswith(b"\xef\xbb\xbf")


@given(st.lists(st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=20)), min_size=1))
def test_what_is_written_is_read_back(rows: list[tuple[float, str]]) -> None:
    table = Table.listed(["number", "text"], rows)
    back = list(csv.reader(io.StringIO(to_csv(table).decode("utf-8-sig"), newline="")))[1:]
    assert [float(number) for number, _ in back] == [number for number, _ in rows]
    assert [text for _, text in back] == [guarded(text) for _, text in rows]


def test_a_table_goes_to_a_browser_whatever_its_columns_hold() -> None:
    days, mixed = [date(2026, 11, 21), None], ["none", 1.5]
    sent = Table({"Day": days, "USD": [1.0, math.nan], "Either": mixed, "Words": ["a", None]}).to_arrow()
    assert sent.to_pydict() == {"Day": days, "USD": [1.0, None], "Either": ["none", "1.5"], "Words": ["a", None]}
