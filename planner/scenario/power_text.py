"""A curve of power as people type it: pairs of load and power in percent, `0:25, 50:60, 100:76`."""

import json
import re
from collections.abc import Sequence

import pydantic

from planner.scenario.own import Own, PowerAtLoad

EXAMPLE = "0:25, 50:60, 100:76"
_PAIR = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*%?\s*:\s*([0-9]+(?:\.[0-9]+)?)\s*%?\s*", re.ASCII)


def power_text(points: Sequence[PowerAtLoad]) -> str:
    """The points as pairs; empty where there are none."""
    return ", ".join(f"{one.load * 100:.10g}:{one.power_share * 100:.10g}" for one in points)


def read_power(text: str) -> tuple[PowerAtLoad, ...] | None:
    """The points that a text tells; none of an empty one, and None where they are no curve."""
    if not text.strip():
        return ()
    pairs = [_PAIR.fullmatch(pair) for pair in re.split(r"[,;]", text.strip().rstrip(",;"))]
    told = [(float(one[1]) / 100, float(one[2]) / 100) for one in pairs if one is not None]
    if len(told) < len(pairs):
        return None
    return checked([{"load": load, "power_share": share} for load, share in told])


def checked(points: object) -> tuple[PowerAtLoad, ...] | None:
    """The points of plain data; None where they are no curve."""
    try:
        return Own.model_validate_json(json.dumps({"power_at_load": points})).power_at_load
    except pydantic.ValidationError:
        return None
