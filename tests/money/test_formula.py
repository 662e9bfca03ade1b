"""A formula computes what it says, on numbers and arrays, and can say nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.formula import Formula, FormulaError, formula
from tests.rows import each_row

NUMBER = st.floats(-1e6, 1e6, allow_nan=False)


@each_row(("text", "names", "value"), [
    ("1 + 2 * 3", {}, 7.0), ("a / b", {"a": 1.0, "b": 4.0}, 0.25), ("-a ** 2", {"a": 3.0}, -9.0),
    ("ceil(gpus / 8) * 8", {"gpus": 9.0}, 16.0), ("max(traffic - free, 0)", {"traffic": 5.0, "free": 9.0}, 0.0),
    ("min(a, 2)", {"a": 5.0}, 2.0), ("where(a > 0, a, 7)", {"a": 0.0}, 7.0),
    ("where(a <= 0, 1, 2)", {"a": 0.0}, 1.0),
])  # fmt: skip
def test_a_formula_gives_what_it_says(text: str, names: dict[str, float], value: float) -> None:
    assert Formula(text)(names) == value


@each_row("text", [
    "__import__('os').system('true')", "a.b", "a[0]", "'text'", "True", "lambda: 1", "[1, 2]", "a if b else c",
    "open('x')", "max(1)", "max(*a)", "ceil(a, b=1)", "a and b", "1 < a < 2", "a := 1", "f'{a}'", "1; 2", "",
    "a" * 901,
])  # fmt: skip
def test_a_formula_cannot_say_anything_else(text: str) -> None:
    with pytest.raises(FormulaError):
        Formula(text)


def test_a_missing_input_is_named() -> None:
    with pytest.raises(FormulaError, match=r"'a \* b' needs b"):
        Formula("a * b")({"a": 1.0})


def test_names_come_in_the_order_they_are_read() -> None:
    assert Formula("max(rent, 0) * hours + rent * fee").names == ("rent", "hours", "fee")


def test_a_formula_is_parsed_once() -> None:
    assert formula("a + 1") is formula("a + 1")


@given(st.lists(st.tuples(NUMBER, NUMBER), min_size=1, max_size=20))
def test_arrays_give_what_scalars_give(pairs: list[tuple[float, float]]) -> None:
    how = Formula("where(a > b, max(a - b, 1) * 2, ceil(b) + a / 3)")
    a, b = (np.array(column) for column in zip(*pairs, strict=True))
    assert np.asarray(how({"a": a, "b": b})).tolist() == [float(how({"a": x, "b": y})) for x, y in pairs]


def test_a_power_is_that_of_the_arrays_it_is_asked_with() -> None:
    months, grows = np.arange(4.0), np.array([[0.1], [0.2]])
    first, other = Formula("a * (1 + r) ** (t / 12)"), Formula("(1 + r) ** (t / 12) + b")
    for rate in (grows, grows * 2, grows, 0.5):
        path = (1 + rate) ** (months / 12)
        assert np.array_equal(first({"a": 3.0, "r": rate, "t": months}), 3.0 * path)
        assert np.array_equal(other({"b": 3.0, "r": rate, "t": months}), path + 3.0)
        assert np.array_equal(other({"b": 3.0, "r": rate, "t": months + 1}), (1 + rate) ** ((months + 1) / 12) + 3.0)
