"""Profit and loss of an option, month by month: income, costs and depreciation; and where selling hours breaks even.

Income is positive, costs are negative, and each row below is the sum of those above it. Over a plan whose machines are
sold at its end the profits sum to the cash: what is borrowed is paid back, and what is bought is written off or sold.
Day one is in the first year. Time that jobs wait is paid to nobody and stands in neither.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from planner.money.ledger import Ledger, Line, Part
from planner.money.many_ledgers import Array, InputColumns, build_ledger, option_builder
from planner.money.measures import present_usd
from planner.money.option import Option
from planner.money.selling import PRICE, SHARE
from planner.money.setting import PlanContext
from planner.money.tax import book_depreciation_usd, book_value_sold_usd, by_tax_year, vat_in_books_usd
from pricing.caching import cached_property

BOOK_LIFE = "owned-useful-life"
_METER, _LOAN_RATE = "usd_per_kwh", "loan_rate_per_year"
_PARTS: dict[Part, str] = {
    "income": "revenue", "selling": "selling", "power": "power", "space": "space", "staff": "people",
    "upkeep": "upkeep", "finance": "lease", "commitment": "lease", "hardware": "on_sale", "tax": "tax",
}  # fmt: skip
OPERATING = ("revenue", "selling", "power", "space", "people", "upkeep", "lease", "rent")
ROWS = (*OPERATING, "ebitda", "depreciation", "on_sale", "interest", "before_tax", "tax", "profit", "cash")
_STEPS = 129  # values at which a break-even is looked for; between them cost moves in straight lines
MOST_TIMES = 20.0  # a price is tried up to so many times the plan's


@dataclass(frozen=True, eq=False)
class ProfitAndLoss:
    """The rows of one option by year, and where selling breaks even."""

    setting: PlanContext
    option: Option
    by_month: Mapping[str, Array]  # by the names in ROWS, entry 0 being today

    @cached_property
    def rows(self) -> Mapping[str, Array]:
        """The rows by year of twelve months; the last may be shorter."""
        return {name: by_tax_year(usd=usd) + 0.0 for name, usd in self.by_month.items()}

    @cached_property
    def break_even_usd(self) -> float | None:
        """The price of a sold hour at which the profits of all years sum to zero."""
        return self._solve_break_even(PRICE, self._highest_usd, lambda _, ledger: ledger.total_usd)

    @cached_property
    def break_even_usd_today(self) -> float | None:
        """The same discounted to today, discounted."""
        return self._solve_break_even(PRICE, self._highest_usd, present_usd)

    @cached_property
    def break_even_share(self) -> float | None:
        """The share of the idle hours to be sold for that; None where not even all of them are enough."""
        return self._solve_break_even(SHARE, 1.0, lambda _, ledger: ledger.total_usd)

    @cached_property
    def break_even_share_today(self) -> float | None:
        """The same discounted to today."""
        return self._solve_break_even(SHARE, 1.0, present_usd)

    @property
    def _highest_usd(self) -> float:
        sell = self.setting.scenario.sell
        return MOST_TIMES * ((sell.usd_per_accelerator_hour if sell else None) or 1.0)

    def _solve_break_even(self, name: str, most: float, cost: Callable[[PlanContext, Ledger], object]) -> float | None:
        """Return the least value of an input from which on nothing is lost."""
        values = np.linspace(0.0, most, _STEPS)
        columns = InputColumns(self.setting, {name: values}).context()
        ledger = build_ledger(columns, option_builder(self.option))
        if ledger is None:
            return None
        usd = np.broadcast_to(np.asarray(cost(columns, ledger), dtype=np.float64), values.shape)
        above = np.flatnonzero(usd <= 0)
        if not above.size:
            return None
        at = int(above[0])
        return float(np.interp(0.0, [usd[at], usd[at - 1]], [values[at], values[at - 1]])) if at else 0.0


def sells_hours(option: Option) -> bool:
    """Return whether an option has income from idle hours."""
    return any(line.part == "income" for line in option.ledger.lines)


def profit_and_loss(setting: PlanContext, option: Option) -> ProfitAndLoss:
    """Return the profit and loss of an option."""
    ledger = option.ledger
    cash_lines = [line for line in ledger.lines if line.is_cash]
    by_row = {name: _sum_lines(setting, [line for line in cash_lines if profit_row(line) == name])
              for name in (*OPERATING, "interest", "on_sale", "tax")}  # fmt: skip
    life = setting.catalogue.facts[BOOK_LIFE].figure.newest.typical
    rows = dict(by_row)
    rows["ebitda"] = _sum(rows, OPERATING)
    rows["depreciation"] = -_months(setting, book_depreciation_usd(setting, ledger, life))
    rows["on_sale"] = by_row["on_sale"] - _months(setting, book_value_sold_usd(setting, ledger, life))
    rows["before_tax"] = _sum(rows, ("ebitda", "depreciation", "on_sale", "interest"))
    # VAT that does not come back is in what is written off already
    rows["tax"] = by_row["tax"] + _months(setting, vat_in_books_usd(setting, ledger))
    rows["profit"] = _sum(rows, ("before_tax", "tax"))
    rows["cash"] = _sum_lines(setting, cash_lines)
    return ProfitAndLoss(setting, option, {name: rows[name] for name in ROWS})


def profit_row(line: Line) -> str:
    """Return the row of a line; none for what is no profit and no loss: buying, borrowing and paying back."""
    names = line.names
    if line.treatment == "sale":
        return "on_sale"
    if line.treatment in ("capital", "financing"):
        return ""
    if _LOAN_RATE in names:
        return "interest"
    return "power" if _METER in names else _PARTS.get(line.part, "rent")


def _sum_lines(setting: PlanContext, lines: Iterable[Line]) -> Array:
    return _months(setting, -sum((line.priced_usd for line in lines), np.zeros(1)))


def _months(setting: PlanContext, usd: Array) -> Array:
    return np.array(np.broadcast_to(usd, (setting.timeline.last + 1,)))


def _sum(rows: Mapping[str, Array], names: Iterable[str]) -> Array:
    return np.asarray(sum(rows[name] for name in names))
