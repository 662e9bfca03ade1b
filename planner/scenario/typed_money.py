"""Amounts that were typed in any currency: read at the day's rate into dollars, and kept as they were typed.

A field in dollars holds dollars. Who typed 1.85 EUR finds it again in the file and in the link, and its rate with its
day beside every number that rests on it; on another day the same plan is read at that day's rate.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import pydantic

from planner.scenario.amounts import AmbiguousNumberError, parse_sum
from planner.scenario.base import EnteredAmount
from planner.scenario.fields import field_spec
from planner.scenario.own import OwnInputs, PowerCurvePoint, PurchaseOrder
from planner.scenario.path import Path, set_value
from planner.scenario.scenario import Scenario
from pricing.exchange import DOLLAR, ExchangeRate, Rates, amount_in, unknown_currency
from pricing.formulas import printable

_LONGEST = 40
_TEXT = {"type": "string", "pattern": "[0-9]", "description": "an amount in any currency with a rate: 1.85 EUR"}
_RATE_ITSELF = ("currency", "usd_per_unit")


class AmountError(ValueError):
    """A text that is no amount, or of a currency without a rate: the sentence says what would do."""


def is_money(path: Path) -> bool:
    """Return whether a field holds dollars."""
    spec = field_spec(path)
    return spec is not None and spec.kind == "number" and spec.unit.startswith(DOLLAR) and path != _RATE_ITSELF


def parse_money(text: str, rates: Rates) -> tuple[float, ExchangeRate | None]:
    """A text as dollars, and the rate where it names another currency. Raises `AmountError`."""
    amount = amount_in(text) if len(text) <= _LONGEST else None
    try:
        number = None if amount is None else _number(amount.number)
    except AmbiguousNumberError as two:
        large, small = (printable(text).replace(two.digits, reading) for reading in (two.large, two.small))
        question = f"is that {int(two.large):,} or {two.small}? Write {large} or {small}"
        raise AmountError(f"{printable(text)}: {question}") from two
    if amount is None or number is None:
        raise AmountError(f"{printable(text, _LONGEST)} is no amount: write 1.85, 250k, 1.85 EUR or £2")
    if amount.code == DOLLAR:
        return number, None
    rate = rates.get(amount.code)
    if rate is None:
        raise AmountError(f"{printable(text)}: {unknown_currency(amount.code, rates)}")
    return number * rate.usd, rate


def _number(text: str) -> float | None:
    number = parse_sum(text.removeprefix("-"))
    return -number if number is not None and text.startswith("-") else number


class ConvertedAmounts(NamedTuple):
    """Plain data of a scenario with dollars in all fields of money, what was typed, and what could not be read."""

    data: dict[str, Any]
    typed: tuple[EnteredAmount, ...]
    wrong: tuple[tuple[Path, str], ...]


def to_dollars(data: Mapping[str, Any], rates: Rates) -> ConvertedAmounts:
    """The data with every amount that stands as text turned into dollars; what cannot be read stays text."""
    converted, typed, wrong = dict(data), [], []
    for path, text in _texts(data, ()):
        try:
            usd, rate = parse_money(text, rates)
        except AmountError as error:
            wrong.append((path, str(error)))
            continue
        set_value(converted, path, usd)
        if rate is not None:
            typed.append(EnteredAmount(path, text.strip(), usd, rate.usd, rate.day, rate.said_by))
    return ConvertedAmounts(converted, tuple(typed), tuple(wrong))


def _texts(data: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(data, str):
        if is_money(path):
            yield path, data
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from _texts(value, (*path, str(key)))
    elif isinstance(data, list | tuple):
        for place, value in enumerate(data):
            yield from _texts(value, (*path, place))


def with_entered_amounts(scenario: Scenario, data: dict[str, Any]) -> dict[str, Any]:
    """Plain data of a scenario with the amounts as they were typed."""
    for amount in scenario.typed:
        set_value(data, amount.path, amount.text)
    return data


def schema_with_amount_text(schema: Any) -> Any:
    """A JSON schema of scenarios in which every amount of dollars may also be text."""
    if isinstance(schema, list):
        return [schema_with_amount_text(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    node = {key: schema_with_amount_text(value) for key, value in schema.items()}
    if not str(node.get("unit", "")).startswith(DOLLAR):
        return node
    kinds = node.pop("anyOf", None) or [
        {key: node.pop(key) for key in ("type", "minimum", "maximum", "exclusiveMinimum") if key in node}
    ]
    return {"anyOf": [*kinds, _TEXT], **node}


ORDERS_EXAMPLE = "16, 8 in 18, 8 in 30"
_ORDER = re.compile(r"\s*([0-9]{1,7})(?:\s+in(?:\s+month)?\s+([0-9]{1,3}))?\s*", re.ASCII | re.IGNORECASE)


def format_orders(orders: Sequence[PurchaseOrder]) -> str:
    """The orders as they are typed; empty where there are none."""
    return ", ".join(
        f"{order.accelerators} in {order.month}" if order.month else f"{order.accelerators}" for order in orders
    )


def parse_orders(text: str, before: Sequence[PurchaseOrder] = ()) -> tuple[PurchaseOrder, ...] | None:
    """The orders that a text tells, None where it tells none. What was said of an order stays with its month."""
    if not text.strip():
        return ()
    matches = [_ORDER.fullmatch(part) for part in re.split(r"[,;]", text.strip().rstrip(",;"))]
    pairs = [(int(match[1]), int(match[2] or 0)) for match in matches if match is not None]
    terms = {order.month: order.model_dump(exclude_defaults=True) for order in before}
    orders = [{**terms.get(month, {}), "accelerators": count, "month": month} for count, month in pairs]
    return own_list("orders", orders) if len(pairs) == len(matches) else None


def own_list(name: Literal["orders", "power_at_load"], entries: object) -> tuple[Any, ...] | None:
    """The orders of plain data, or the points of a curve; None where they do not follow each other."""
    try:
        own = OwnInputs.model_validate_json(json.dumps({name: entries}))
    except pydantic.ValidationError:
        return None
    return own.orders if name == "orders" else own.power_at_load


POWER_EXAMPLE = "0:25, 50:60, 100:76"
_PAIR = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*%?\s*:\s*([0-9]+(?:\.[0-9]+)?)\s*%?\s*", re.ASCII)


def format_power_curve(points: Sequence[PowerCurvePoint]) -> str:
    """The points as pairs; empty where there are none."""
    return ", ".join(f"{point.load * 100:.10g}:{point.power_share * 100:.10g}" for point in points)


def parse_power_curve(text: str) -> tuple[PowerCurvePoint, ...] | None:
    """The points that a text tells; none of an empty one, and None where they are no curve."""
    if not text.strip():
        return ()
    pairs = [_PAIR.fullmatch(pair) for pair in re.split(r"[,;]", text.strip().rstrip(",;"))]
    points = [(float(match[1]) / 100, float(match[2]) / 100) for match in pairs if match is not None]
    if len(points) < len(pairs):
        return None
    return own_list("power_at_load", [{"load": load, "power_share": share} for load, share in points])
