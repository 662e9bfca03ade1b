"""Tables for paper: every cell as text, written as on the screen, in parts where there are many columns."""

import pytest
from streamlit.testing.v1 import AppTest

from planner.web.print_table import format_number


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
    from planner.web.print_table import print_table

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
