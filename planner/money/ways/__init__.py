"""The ways to supply the work. Each is one file here that ends with its record: the file alone adds a way.

What else the program wants to know of a way, it asks the record. A new way with inputs of its own also has a field in
planner/scenario/scenario.py.
"""

from importlib import import_module

from planner.money.option import OptionSpec, Side
from planner.scenario.ways import DECLARED, Way

__all__ = ["WAYS", "OptionSpec", "Side"]

WAYS: dict[Way, OptionSpec] = {spec.key: import_module(f"{__name__}.{spec.module}").WAY for spec in DECLARED}
