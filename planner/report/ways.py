"""The ways in words and looks: fixed for each of them, on every chart and in every table."""

from __future__ import annotations

from typing import NamedTuple

from planner.money.option import DOING
from planner.scenario.scenario import Way


class Look(NamedTuple):
    """How a way is named and drawn: differing in dash as well as in colour."""

    name: str  # in a table
    advice: str  # as a verdict
    light: str
    dark: str
    dash: str


LOOKS: dict[Way, Look] = {
    "own": Look("Buy", "Buy", "#0b5cad", "#7cb7ff", "solid"),
    "loan": Look("Buy on credit", "Buy on credit", "#6d28d9", "#c4b5fd", "longdash"),
    "lease": Look("Lease", "Lease", "#0f766e", "#5eead4", "dashdot"),
    "rent_to_own": Look("Rent to own", "Rent to own", "#475569", "#cbd5e1", "longdashdot"),
    "on_demand": Look("Rent on demand", "Rent", "#b45309", "#fbbf77", "dash"),
    "reserved": Look("Reserve", "Rent, reserved", "#9d174d", "#f9a8d4", "dot"),
    "spot": Look("Spot", "Rent, on spot where work may stop", "#4d7c0f", "#bef264", "dashdot"),
    "hosted": Look("Hosted API", "Use a hosted model", "#a16207", "#fde047", "longdash"),
    "keep": Look("Keep what you have", "Keep what you have", "#31333f", "#fafafa", "dot"),
    "mix": Look("Mix", "Own a base, rent the peaks", "#be123c", "#fda4af", "solid"),
}


def doing(way: Way) -> str:
    """What one does who chooses a way, as the first word of a sentence: Buying, Leasing, A hosted model."""
    said = "buying" if way in ("own", "loan") else DOING[way]
    return f"{said[0].upper()}{said[1:]}"
