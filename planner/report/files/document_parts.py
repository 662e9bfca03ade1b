"""Parts of the JSON documents (orders, profit and loss, other measures), and ledger lines as quantity and price."""

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
    """Emissions of an option over the plan, in CO2 equivalent; null where unknown."""

    grid: str = Field(description="for people: the grid of most of the electricity")
    notes: Sentences = Field(description="assumptions for unknown figures")


class ActualOptionSchema(SchemaModel):
    """Bills beside what an option had planned. More than planned is positive; the four parts sum to the difference."""

    key: str = Field(description="of the option")
    billed_usd: float = Field(description="in the months that the bill covers")
    planned_usd: float = Field(description="in the same months; what is paid today is in the first")
    price_usd: float = Field(description="of the difference: hours at another price")
    volume_usd: float = Field(description="more or fewer hours")
    mix_usd: float = Field(description="other shares of on demand, committed and spot")
    other_usd: float = Field(description="what is not billed by the hour")
    plan_usd: float = Field(description="all months, as planned")
    rest_as_planned_usd: float = Field(description="what was billed, and the rest as planned")
    rest_at_rate_usd: float = Field(description="the same, hours at the cost that they had against the plan")


class RestSchema(SchemaModel):
    """The months that are left as a plan of their own, with work and prices as they were billed."""

    day: date = Field(description="of the plan: where the bills end")
    title: str = Field(description="its answer")
    link: str = Field(description="what a link to it holds")
    file: str = Field(description="the plan as YAML")
    sentences: Sentences = Field(description="what was taken from the bills")


class ActualsSchema(SchemaModel):
    """Bills beside the plan: `plan --actuals`."""

    notes: Sentences = Field(description="what was read, and how it is compared")
    billed_by_month_usd: tuple[float, ...] = Field(description="month 1 first, as far as the bill goes")
    options: tuple[ActualOptionSchema, ...] = Field(description="those that the bill is of, in the plan's order")
    rest: RestSchema | None = Field(None, description="null where fewer than three months are left")


class ProfitRowSchema(SchemaModel):
    """One row of profit and loss, bills as they are paid: income positive, costs negative."""

    name: str = Field(description="revenue, selling, power ... ebitda, depreciation, interest, tax, profit, cash")
    label: str = Field(description="for people")
    by_year_usd: tuple[float, ...] = Field(description="each year of twelve months; day one is in the first")
    total_usd: float = Field(description="over the plan")


class ProfitAndLossSchema(SchemaModel):
    """Profit and loss of an option that sells idle hours, and its break-even."""

    rows: tuple[ProfitRowSchema, ...] = Field(description="each sum stands below what it sums")
    break_even_usd_per_hour_sold: float | None = Field(description="at which the profits of all years sum to zero")
    break_even_usd_per_hour_sold_today: float | None = Field(description="the same, discounted to today")
    break_even_sold_share: float | None = Field(description="of idle hours; null: not even all are enough")
    break_even_sold_share_today: float | None = Field(description="the same, discounted to today")


class OtherMeasureSchema(SchemaModel):
    """One more measure of the plan; sums are discounted to today."""

    name: str = Field(description="usd_per_useful_hour, peak_cash_usd (not discounted), peak_cash_discounted_usd ...")
    option: str | None = Field(description="its option; null: of the two compared")
    label: str = Field(description="for people")
    value: float | None = Field(description="null: none, and `how` says why")
    unit: str = Field(description="of the value")
    how: str = Field(description="for people: how it is calculated")


class UtilizationByYearsSchema(SchemaModel):
    """The utilization at which the two compared cost the same, for a plan of so many years."""

    years: float = Field(description="that the plan would last")
    hours_per_month: float | None = Field(description="of one accelerator; null: one option always wins")
    busy_share: float | None = Field(description="the same as a share of all hours")
    first_wins_when_full: bool = Field(description="whether the first compared wins at full utilization")


class OldFigureSchema(SchemaModel):
    """A figure of the catalogue that is past the age limit of its kind."""

    name: str = Field(description="as the formulas of the ledger call it")
    label: str = Field(description="for people")
    option: str = Field(description="the option with its largest share")
    bills_share: float = Field(description="of that option's cost: the lines that use it")
    checked: date = Field(description="day of the last check")
    age_days: int = Field(description="since then")
    limit_days: int = Field(description="age limit of such a figure")
    source: str = Field(description="of the figure")
    source_url: str | None = Field(description="of the figure")
    sentence: str = Field(description="for people")


class CurrencySchema(SchemaModel):
    """The plan's own currency; CSV files show it beside dollars."""

    code: str = Field(description="ISO 4217")
    usd_per_unit: float = Field(description="dollars for one of it")
    day: date = Field(description="of that rate")


class ExtraSchema(SchemaModel):
    """The same answer in other measures."""

    sentences: tuple[str, ...] = Field(description="for people: a rule of thumb, where it fails, and the usual split")
    numbers: tuple[OtherMeasureSchema, ...] = Field(description="each with its calculation")
    use_and_years: tuple[UtilizationByYearsSchema, ...] = Field(
        description="the break-even curve; empty: no comparison"
    )


LUMP = "lump sum"
_PRICE = re.compile("(forward_)?usd_per_.+|capex_usd|running_usd_per_month")
_UNITS = {"capex_usd": "all of day one", "running_usd_per_month": "month", "usd_per_month": "month",
          "usd_per_hour_sold": "accelerator-hour", "usd_per_month_to_sell": "month"}  # fmt: skip
_MOVES = "rent_level"
_SUMS = frozenset({"finance", "commitment", "tax"})  # parts that are money only
# A share of a price is a sum of money, not a number of things.
_SHARE = re.compile(
    "(install|((forward|host)_)?residual|guarantee|selling_cost|decommissioning|repair|support|sale_fee|tax|vat|maintenance"
    "|insurance|loan|balloon).*share.*"
)


@dataclass(frozen=True)
class PricedLine:
    """A ledger line as quantity x unit price, by month."""

    quantity: NDArray[np.float64]
    unit: str
    usd_per_unit: NDArray[np.float64]
    price: LedgerInput | None


def priced(line: Line) -> PricedLine:
    """Return the line by months as quantity and price; a lump sum where it is not a number of things at one price."""
    usd = np.asarray(line.usd, dtype=np.float64)
    factors = None if line.part in _SUMS else _split_formula(line.how)
    if factors is None:
        moves = np.where(np.isnan(usd), np.nan, (usd != 0).astype(np.float64))
        price = next((used for used in line.used if _PRICE.fullmatch(used.name)), None)
        return PricedLine(moves, LUMP, usd, price)
    quantity_formula, price_formula, name = factors
    values = {used.name: used.value for used in line.used}
    quantity = np.asarray(np.broadcast_to(formula(quantity_formula)(values), usd.shape))
    usd_per_unit = np.asarray(np.broadcast_to(formula(price_formula)(values), usd.shape))
    price = next(used for used in line.used if used.name == name)
    unit = _UNITS.get(name) or price_unit(name) or name.partition("usd_per_")[2].replace("_", " ")
    return PricedLine(quantity, unit, usd_per_unit, price)


@cached(1_000)
def _split_formula(how: str) -> tuple[str, str, str] | None:
    """Return the formula as two products, quantity and price, with the name of the price; None without one price."""
    factors = list(_factors(ast.parse(how, mode="eval").body, False))
    prices = [name for node, _ in factors if (name := _price_input(node))]
    inner = {node.id for factor, _ in factors for node in ast.walk(factor) if isinstance(node, ast.Name)}
    if len(prices) != 1 or any(_SHARE.fullmatch(name) for name in inner):
        return None
    sides: dict[bool, list[str]] = {True: ["1"], False: ["1"]}
    for node, divides in factors:
        sides[_is_price(node)].append(f"{'/' if divides else '*'} ({ast.unparse(node)})")
    return " ".join(sides[False]), " ".join(sides[True]), prices[0]


def _factors(node: ast.expr, divides: bool) -> list[tuple[ast.expr, bool]]:
    """Return the factors of a product, each with whether it divides."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        return _factors(node.left, divides) + _factors(node.right, divides is not isinstance(node.op, ast.Div))
    return [(node, divides)]


def _price_input(node: ast.expr) -> str | None:
    """Return the price that a factor is; of a price agreed from some month on, the price before."""
    if isinstance(node, ast.Name):
        return node.id if _PRICE.fullmatch(node.id) else None
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "where"):
        return None
    branches = [[_price_input(factor) for factor, _ in _factors(branch, False)] for branch in node.args[1:]]
    return next((name for name in branches[-1] if name), None) if all(any(names) for names in branches) else None


def _is_price(node: ast.expr) -> bool:
    """Return whether a factor is a price, a change of the price by then, or a load on it: `1 + host_share`."""
    if not isinstance(node, ast.BinOp):
        return _price_input(node) is not None or (isinstance(node, ast.Name) and node.id == _MOVES)
    loads = isinstance(node.op, ast.Add) and isinstance(node.left, ast.Constant) and node.left.value == 1
    return loads or isinstance(node.op, ast.Pow)
