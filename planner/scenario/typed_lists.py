"""Lists that people type: orders of machines, and power by load."""

import json
import re
from collections.abc import Sequence
from typing import Any

import pydantic

from planner.scenario.own import Order, Own, PowerCurvePoint

ORDERS_EXAMPLE = "16, 8 in 18, 8 in 30"
_ORDER = re.compile(r"\s*([0-9]{1,7})(?:\s+in(?:\s+month)?\s+([0-9]{1,3}))?\s*", re.ASCII | re.IGNORECASE)


def format_orders(orders: Sequence[Order]) -> str:
    """The orders as they are typed; empty where there are none."""
    return ", ".join(f"{one.accelerators} in {one.month}" if one.month else f"{one.accelerators}" for one in orders)


def parse_orders(text: str, before: Sequence[Order] = ()) -> tuple[Order, ...] | None:
    """The orders that a text tells, None where it tells none. What was said of an order stays with its month."""
    if not text.strip():
        return ()
    told = [_ORDER.fullmatch(one) for one in re.split(r"[,;]", text.strip().rstrip(",;"))]
    pairs = [(int(one[1]), int(one[2] or 0)) for one in told if one is not None]
    terms = {one.month: one.model_dump(exclude_defaults=True) for one in before}
    found = [{**terms.get(month, {}), "accelerators": count, "month": month} for count, month in pairs]
    return ordered(found) if len(pairs) == len(told) else None


def ordered(orders: Any) -> tuple[Order, ...] | None:
    """The orders of plain data; None where they do not follow each other."""
    try:
        return Own.model_validate_json(json.dumps({"orders": orders})).orders
    except pydantic.ValidationError:
        return None


POWER_EXAMPLE = "0:25, 50:60, 100:76"
_PAIR = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*%?\s*:\s*([0-9]+(?:\.[0-9]+)?)\s*%?\s*", re.ASCII)


def format_power_curve(points: Sequence[PowerCurvePoint]) -> str:
    """The points as pairs; empty where there are none."""
    return ", ".join(f"{one.load * 100:.10g}:{one.power_share * 100:.10g}" for one in points)


def parse_power_curve(text: str) -> tuple[PowerCurvePoint, ...] | None:
    """The points that a text tells; none of an empty one, and None where they are no curve."""
    if not text.strip():
        return ()
    pairs = [_PAIR.fullmatch(pair) for pair in re.split(r"[,;]", text.strip().rstrip(",;"))]
    told = [(float(one[1]) / 100, float(one[2]) / 100) for one in pairs if one is not None]
    if len(told) < len(pairs):
        return None
    return checked([{"load": load, "power_share": share} for load, share in told])


def checked(points: object) -> tuple[PowerCurvePoint, ...] | None:
    """The points of plain data; None where they are no curve."""
    try:
        return Own.model_validate_json(json.dumps({"power_at_load": points})).power_at_load
    except pydantic.ValidationError:
        return None
