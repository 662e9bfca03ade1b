"""A file is made when its button is pressed, without a session; where it cannot be made, the page says so."""

import re
from collections.abc import Callable
from threading import Thread

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from planner.web.show import format_number
from tests.web.test_pages import SLOW, visit

Make = Callable[[], bytes]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Make]:
    """What each button of a page would give, by the name of the file."""
    files: dict[str, Make] = {}

    def button(label: str, data: Make, file_name: str, mime: str, **_: object) -> None:
        files[re.sub(r"-\d{4}-\d\d-\d\d", "", file_name)] = data  # without the day of the prices

    monkeypatch.setattr(st, "download_button", button)
    return files


def pressed(make: Make) -> bytes:
    """What a button gives: its callable runs in another thread, as Streamlit runs it."""
    given: list[bytes] = []
    thread = Thread(target=lambda: given.append(make()))
    thread.start()
    thread.join()
    assert given, "the callable raised: it asked for something that is gone by then"
    return given[0]


@pytest.mark.slow
def test_no_file_asks_the_session_when_it_is_made(offered: dict[str, Make]) -> None:
    app = visit("Answer")
    app.session_state["share"] = True
    app.run()
    assert not app.exception
    assert {
        "pack.zip",
        "cash-flow.csv",
        "assumptions.csv",
        "results.csv",
        "scenario.yaml",
        "memo.pdf",
    } <= offered.keys()
    assert all(len(pressed(make)) > 0 for make in offered.values())


def one_broken_file() -> None:
    """A page with a button whose file cannot be made."""
    from planner.web import frame
    from planner.web.show import download

    frame.begin_run()

    def broken() -> bytes:
        raise ZeroDivisionError

    download("Broken", "broken.csv", broken, "broken")


@pytest.mark.slow
def test_a_file_that_cannot_be_made_is_said(offered: dict[str, Make]) -> None:
    app = AppTest.from_function(one_broken_file, default_timeout=SLOW).run()
    assert not app.error
    with pytest.raises(ZeroDivisionError):
        offered["broken.csv"]()
    app.run()
    assert app.error[0].value.replace("\\", "").startswith("broken.csv could not be made the last time. Your plan")


@pytest.mark.parametrize(("value", "form", "said"), [
    (12345.6, "$%,.0f", "$12,346"), (0.3512, "percent", "35.12%"), (0.35, "percent", "35%"),
    (99.93, "%.3g", "99.9"), (12.0, "%d%%", "12%"), (1234.5, "%,.1f", "1,234.5"), (7.0, "%g", "7"),
    (1234.5, "", "1,234.5"), (1000.0, "", "1,000"),
])  # fmt: skip
def test_a_number_is_written_as_its_column_says(value: float, form: str, said: str) -> None:
    assert format_number(value, form) == said


def _page() -> None:
    from datetime import date

    import streamlit as st

    from planner.report.table import Table
    from planner.web.show import print_table

    long = "https://example.org/" + "a" * 40
    table = Table({
        "Who": ["<b>A & B</b>", None], "Paid": [1234.5, float("nan")], "Read": [date(2026, 7, 1), None],
        "Where": [long, ""], **{f"Column {n}": ["x", "y"] for n in range(20)},
    })  # fmt: skip
    money = {"Paid": st.column_config.NumberColumn("Paid, all", format="$%,.0f")}
    print_table(table, column_config=money, placeholder="none", alt='"All" of it', hide_index=True)


def test_a_table_of_many_columns_is_in_parts_and_each_says_whose_row_it_is() -> None:
    parts = [one.proto.body for one in AppTest.from_function(_page).run(timeout=30).get("html")]
    assert len(parts) == 2
    for part in parts:
        assert part.count("<tr>") == 3
        assert "&lt;b&gt;A &amp; B&lt;/b&gt;" in part
        assert "&quot;All&quot; of it" in part
    whole = "".join(parts)
    assert all(f">Column {n}</th>" in whole for n in range(20))
    assert ">Paid, all</th>" in whole
    assert ">$1,234<" in whole or ">$1,235<" in whole
    assert ">none<" in whole
    assert "1 Jul 2026" in whole
    assert "https:/<wbr>/<wbr>example.<wbr>org/<wbr>" + "a" * 18 + "<wbr>" in whole
