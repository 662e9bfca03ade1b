"""The frozen catalogue and the day on which almost every test looks at it."""

from datetime import date

from planner.money.ways import WAYS, Side
from planner.scenario.ways import Way
from pricing.load import load_catalogue

DAY = date(2026, 11, 21)
CATALOGUE = load_catalogue()
# What a spread of errors is told apart by, in the order in which its cases are kept.
TRAINING_TRAITS = (
    "chip",
    "software",
    "mixture",
    "size",
    "attention",
    "bits",
    "pipeline",
    "context",
    "weights",
    "width",
)
SERVING_TRAITS = ("chip", "engine", "mixture", "size", "attention", "bits", "pipeline", "load", "ranks", "figure")


def options_of_side(*sides: Side) -> tuple[Way, ...]:
    """The ways that speak for one of these answers."""
    return tuple(key for key, spec in WAYS.items() if spec.side in sides)
