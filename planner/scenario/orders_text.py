"""Orders as people type them: how many, and in which month: `16, 8 in 18, 8 in 30`. The first is of today."""

import json
import re
from collections.abc import Sequence
from typing import Any

import pydantic

from planner.scenario.own import Order, Own

EXAMPLE = "16, 8 in 18, 8 in 30"
_ORDER = re.compile(r"\s*([0-9]{1,7})(?:\s+in(?:\s+month)?\s+([0-9]{1,3}))?\s*", re.ASCII | re.IGNORECASE)


def orders_text(orders: Sequence[Order]) -> str:
    """The orders as they are typed; empty where there are none."""
    return ", ".join(f"{one.accelerators} in {one.month}" if one.month else f"{one.accelerators}" for one in orders)


def read_orders(text: str, before: Sequence[Order] = ()) -> tuple[Order, ...] | None:
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
