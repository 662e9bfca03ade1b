"""Sums over many rows at once are those of the lines, each calculated by itself."""

from dataclasses import replace

import numpy as np
import pytest

from planner.money.formula import OrderStack
from planner.money.ledger import YOUR_INPUT, Ledger, LedgerInput, Line
from planner.money.row_sums import by_month_usd, first_month_usd, worth_usd

ROWS, MONTHS, ORDERS = 5, 7, 3
NOISE = np.random.default_rng(3)
WORTH = 1.01 ** -np.arange(MONTHS)
SHAPES = {
    "number": (), "rows": (ROWS, 1), "months": (MONTHS,), "both": (ROWS, MONTHS), "path": (ROWS, MONTHS),
    "orders": (ORDERS, 1, 1), "stages": (ORDERS, ROWS, MONTHS),
}  # fmt: skip
INPUTS = {
    name: LedgerInput(name, NOISE.uniform(0.5, 2.0, shape)[()], "USD", YOUR_INPUT) for name, shape in SHAPES.items()
}
STACK = OrderStack(ORDERS, 3)


def line(how: str, stack: OrderStack | None = None, **others: float) -> Line:
    more = (LedgerInput(name, value, "USD", YOUR_INPUT) for name, value in others.items())
    used = tuple(each for name, each in INPUTS.items() if name in how)
    return Line(how, "compute", how, (*used, *more), stack=stack)


FORMULAS = (
    "number * rows * months * both", "rows * both * path", "(rows + number) * months", "months * both / rows",
    "rows / both",
    "max(rows, number) * (1 + path) ** 2 / months * both", "-1 * both", "both - path * rows", "rows",
)  # fmt: skip


@pytest.mark.parametrize("stack", [None, STACK])
@pytest.mark.parametrize("worth", [WORTH, WORTH * np.ones((ROWS, 1)) ** 0.5])
def test_sums_are_those_of_the_lines(stack: OrderStack | None, worth: np.ndarray) -> None:
    stages = () if stack is None else ("stages * rows * orders", "stages * months", "orders * both * rows")
    lines = tuple(line(how, stack) for how in (*FORMULAS[:-1], *stages))
    by_month = sum(each.usd for each in lines)
    sums = {}
    assert worth_usd(lines, worth, sums) == pytest.approx((by_month * worth).sum(axis=-1), rel=1e-12)
    assert worth_usd(lines, worth, sums) == pytest.approx((by_month * worth).sum(axis=-1), rel=1e-12)
    assert first_month_usd(lines) == pytest.approx(by_month[..., 0], rel=1e-12)
    if stack is None:
        assert by_month_usd(lines) == pytest.approx(by_month, rel=1e-12)


def test_months_with_an_unknown_price_count_as_nothing() -> None:
    unknown = np.where(np.arange(MONTHS) == 2, np.nan, 1.0)
    holed = line("both * price", price=unknown)  # type: ignore[arg-type]
    lines = (line("rows * months"), holed, line("rows * nothing", nothing=np.nan))
    expected = Ledger("", lines).monthly_usd
    assert worth_usd(lines, WORTH, {}) == pytest.approx((expected * WORTH).sum(axis=-1), rel=1e-12)
    assert first_month_usd(lines) == pytest.approx(expected[..., 0], rel=1e-12)


def test_a_row_has_the_same_sum_whatever_other_rows_there_are() -> None:
    """To the last bit: the rows of a sweep that is resumed are those of one that was not stopped."""
    lines = [line(how) for how in FORMULAS[:-1]]
    few = [replace(each, used=tuple(map(first_two_rows, each.used))) for each in lines]
    assert worth_usd(few, WORTH, {}).tolist() == worth_usd(lines, WORTH, {})[:2].tolist()


def first_two_rows(used: LedgerInput) -> LedgerInput:
    is_by_row = isinstance(used.value, np.ndarray) and used.value.ndim == 2
    return used._replace(value=used.value[:2]) if is_by_row else used  # type: ignore[index]
