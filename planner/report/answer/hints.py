"""What a field that is left empty stands for, as a hint inside it: the figure the plan takes, or a few words."""

import math

from planner.money.plan import Plan
from planner.money.plausibility import numbers
from planner.money.ways import WAYS
from planner.report import words
from planner.scenario.short_keys import KEYS, Key


def hints(plan: Plan) -> dict[str, str]:
    """A hint for each key that may be left empty."""
    used, every = _by_inputs(plan), {name: one.value for name, one in numbers(plan).items()}
    return {
        key.key: _hint(key, used.get(str(key.path[0]), every).get(str(key.path[-1])))
        for key in KEYS.values()
        if key.default is None
    }


def _by_inputs(plan: Plan) -> dict[str, dict[str, object]]:
    """The figures that the ways take, by the part of the scenario that a way's own inputs stand in."""
    found: dict[str, dict[str, object]] = {}
    for way in WAYS.values():
        taken = {name: one.value for name, one in numbers(plan, way.key).items()}
        found[way.inputs] = taken | found.get(way.inputs, {})
    return found


def _hint(key: Key, value: object) -> str:
    if key.usual is not None:
        return f"{key.usual * (100 if key.percent else 1):g}" if isinstance(key.usual, float) else str(key.usual)
    if not isinstance(value, float | int) or not math.isfinite(value):
        return "the catalogue's"
    return f"{words.significant(value * 100 if key.percent else value, 4):,.10g}"
