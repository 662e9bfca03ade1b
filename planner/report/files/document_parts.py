"""Parts of the printed documents that stand by themselves: an order, profit and loss, the other numbers."""

import ast
import re
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from planner.money.formula import formula
from planner.money.ledger import LedgerInput, Line
from planner.scenario.fields import price_unit
from pricing.caching import cached

Sentences = tuple[str, ...]


class SchemaModel(BaseModel):
    """A part of a document that is printed as JSON."""

    model_config = ConfigDict(
        frozen=True, allow_inf_nan=False, json_schema_serialization_defaults_required=True, defer_build=True
    )


class EmissionsSchema(SchemaModel):
    """What a way emits over the plan, in CO2 equivalent; null where nobody knows."""

    grid: str = Field(description="for people: where most of it is drawn")
    notes: Sentences = Field(description="what stands in for what is not known")


class OrderSchema(SchemaModel):
    """One order of machines, of a fleet that is bought at once or in stages."""

    accelerators: int = Field(description="in this order")
    ordered_after_months: int = Field(description="0 is today")
    there_after_months: float = Field(description="from today")
    what: str = Field(description="for people: 2 servers with 8 x H100 each")
    spare_accelerators: int = Field(description="boards on the shelf, bought with it")
    usd: float = Field(description="paid for the machines, their premium included, in the money of the day")
    resale_usd: float = Field(description="what they fetch when they are sold, costs of selling taken off")
    fleet_accelerators: int = Field(description="that there are with it")


class ProfitRowSchema(SchemaModel):
    """One row of profit and loss, bills as they are paid: income positive, costs negative."""

    name: str = Field(description="revenue, selling, power ... ebitda, depreciation, interest, tax, profit, cash")
    label: str = Field(description="for people")
    by_year_usd: tuple[float, ...] = Field(description="each year of twelve months; day one is in the first")
    total_usd: float = Field(description="over the plan")


class ProfitAndLossSchema(SchemaModel):
    """Profit and loss of a way that sells idle hours, and where it breaks even."""

    rows: tuple[ProfitRowSchema, ...] = Field(description="each sum stands below what it sums")
    break_even_usd_per_hour_sold: float | None = Field(description="at which the profits of all years sum to nought")
    break_even_usd_per_hour_sold_today: float | None = Field(description="the same in today's money")
    break_even_sold_share: float | None = Field(description="of idle hours; null: not even all of them are enough")
    break_even_sold_share_today: float | None = Field(description="the same in today's money")


class OtherMeasureSchema(SchemaModel):
    """One more number of the plan, all sums in today's money."""

    name: str = Field(description="usd_per_useful_hour, peak_cash_usd (not discounted), peak_cash_discounted_usd ...")
    option: str | None = Field(description="the option that it is of; null where it is of the two compared")
    label: str = Field(description="for people")
    value: float | None = Field(description="null: there is none, and `how` says why")
    unit: str = Field(description="of the value")
    how: str = Field(description="for people: how it follows")


class UtilizationByYearsSchema(SchemaModel):
    """How much use makes the two compared cost the same, if the plan lasts so many years."""

    years: float = Field(description="that the plan would last")
    hours_per_month: float | None = Field(description="of one accelerator; null: one way wins at every use")
    busy_share: float | None = Field(description="the same as a share of all hours")
    first_wins_when_full: bool = Field(description="whether the first compared wins where machines are always busy")


class OldFigureSchema(SchemaModel):
    """A figure of the catalogue that nobody has looked at for longer than its kind allows."""

    name: str = Field(description="as the formulas of the ledger call it")
    label: str = Field(description="for people")
    option: str = Field(description="the option in which it weighs most")
    bills_share: float = Field(description="of that option's bills: the lines that it stands in")
    checked: date = Field(description="when somebody last looked")
    age_days: int = Field(description="since then")
    limit_days: int = Field(description="for how long such a figure holds without another look")
    source: str = Field(description="who says so")
    source_url: str | None = Field(description="where")
    sentence: str = Field(description="for people")


class CurrencySchema(SchemaModel):
    """The plan's own currency; CSV files show it beside dollars."""

    code: str = Field(description="ISO 4217")
    usd_per_unit: float = Field(description="dollars for one of it")
    day: date = Field(description="of that rate")


class ExtraSchema(SchemaModel):
    """The same answer in the other numbers that people ask for."""

    sentences: tuple[str, ...] = Field(description="for people: a rule of thumb, where it fails, and the usual split")
    numbers: tuple[OtherMeasureSchema, ...] = Field(description="each with how it follows")
    use_and_years: tuple[UtilizationByYearsSchema, ...] = Field(
        description="the break-even as a curve; empty: nothing to compare"
    )


LUMP = "lump sum"
_PRICE = re.compile("(forward_)?usd_per_.+|capex_usd|running_usd_per_month")
_UNITS = {"capex_usd": "all of day one", "running_usd_per_month": "month", "usd_per_month": "month",
          "usd_per_hour_sold": "accelerator-hour", "usd_per_month_to_sell": "month"}  # fmt: skip
_MOVES = "rent_level"
_SUMS = frozenset({"finance", "commitment", "tax"})  # of these parts nothing is counted but money
# A share of a price is a sum of money, not a number of things.
_SHARE = re.compile(
    "(install|((forward|host)_)?residual|guarantee|selling_cost|decommissioning|repair|support|sale_fee|tax|vat|maintenance"
    "|insurance|loan|balloon).*share.*"
)


@dataclass(frozen=True)
class PricedLine:
    """How many of what at which price; quantity x unit price is the amount of the line."""

    quantity: NDArray[np.float64]
    unit: str
    usd_per_unit: NDArray[np.float64]
    price: LedgerInput | None


def priced(line: Line) -> PricedLine:
    """The line by months as quantity and price."""
    usd = np.asarray(line.usd, dtype=np.float64)
    parts = None if line.part in _SUMS else _parts(line.how)
    if parts is None:
        moves = np.where(np.isnan(usd), np.nan, (usd != 0).astype(np.float64))
        return PricedLine(moves, LUMP, usd, _single_price(line))
    names = {used.name: used.value for used in line.used}
    quantity, price = (np.broadcast_to(formula(text)(names), usd.shape) for text in (parts.quantity, parts.price))
    used = next(used for used in line.used if used.name == parts.name)
    return PricedLine(np.asarray(quantity), _UNITS.get(parts.name) or price_unit(parts.name), np.asarray(price), used)


def _single_price(line: Line) -> LedgerInput | None:
    return next((used for used in line.used if _PRICE.fullmatch(used.name)), None)


@dataclass(frozen=True)
class _Parts:
    quantity: str
    price: str
    name: str


@cached(1_000)
def _parts(how: str) -> _Parts | None:
    """The formula as two products; None where it is not a number of things at a price."""
    factors = list(_factors(ast.parse(how, mode="eval").body, False))
    prices = [name for node, _ in factors if (name := _price_input(node))]
    inner = {node.id for factor, _ in factors for node in ast.walk(factor) if isinstance(node, ast.Name)}
    if len(prices) != 1 or any(_SHARE.fullmatch(name) for name in inner):
        return None
    sides: dict[bool, list[str]] = {True: ["1"], False: ["1"]}
    for node, divides in factors:
        sides[_is_price(node)].append(f"{'/' if divides else '*'} ({ast.unparse(node)})")
    return _Parts(" ".join(sides[False]), " ".join(sides[True]), prices[0])


def _factors(node: ast.expr, divides: bool) -> list[tuple[ast.expr, bool]]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _factors(node.left, divides) + _factors(node.right, divides)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return _factors(node.left, divides) + _factors(node.right, not divides)
    return [(node, divides)]


def _price_input(node: ast.expr) -> str | None:
    """The price that a factor is; of one that was agreed from some month on, the price before."""
    if isinstance(node, ast.Name):
        return node.id if _PRICE.fullmatch(node.id) else None
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "where"):
        return None
    either = [[_price_input(one) for one, _ in _factors(branch, False)] for branch in node.args[1:]]
    return next((name for name in either[-1] if name), None) if all(any(names) for names in either) else None


def _is_price(node: ast.expr) -> bool:
    """Whether a factor is a price, what the price has become by then, or what is loaded on it: `1 + host_share`."""
    if not isinstance(node, ast.BinOp):
        return _price_input(node) is not None or (isinstance(node, ast.Name) and node.id == _MOVES)
    loads = isinstance(node.op, ast.Add) and isinstance(node.left, ast.Constant) and node.left.value == 1
    return loads or isinstance(node.op, ast.Pow)
