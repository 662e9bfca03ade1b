"""What a field that is left empty stands for, as a hint inside it: the figure the plan takes, or a few words."""

from __future__ import annotations

import math

from planner.money.plan import Plan
from planner.money.plausibility import numbers
from planner.report import words
from planner.scenario.scenario import Way
from planner.scenario.short_keys import KEYS, Key

# Which way's ledger knows the figure, by the part of the scenario a key belongs to.
_WAYS: dict[str, Way] = {
    "own": "own", "rent": "on_demand", "reserve": "reserved", "spot": "spot", "loan": "loan", "lease": "lease",
}  # fmt: skip


def hints(plan: Plan) -> dict[str, str]:
    """A hint for each key that may be left empty."""
    used = {way: {name: one.value for name, one in numbers(plan, way).items()} for way in {*_WAYS.values()}}
    every = {name: one.value for name, one in numbers(plan).items()}
    return {
        key.key: _hint(key, used.get(_WAYS.get(str(key.path[0]), "mix"), every).get(str(key.path[-1])))
        for key in KEYS.values()
        if key.default is None
    }


def _hint(key: Key, value: object) -> str:
    if key.usual is not None:
        return str(key.usual)
    if not isinstance(value, float | int) or not math.isfinite(value):
        return "the catalogue's"
    return f"{words.significant(value * 100 if key.percent else value, 4):,.10g}"
