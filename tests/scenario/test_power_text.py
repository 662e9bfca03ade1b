"""A curve of power as people type it, and back."""

import pytest

from planner.scenario.own import PowerCurvePoint
from planner.scenario.typed_money import POWER_EXAMPLE, format_power_curve, parse_power_curve

CURVE = tuple(PowerCurvePoint(load=load, power_share=share) for load, share in ((0.0, 0.25), (0.5, 0.6), (1.0, 0.76)))


@pytest.mark.parametrize("text", [POWER_EXAMPLE, "0:25,50:60,100:76", " 0 % : 25 % ; 50:60.0; 100:76;"])
def test_pairs_are_read(text: str) -> None:
    assert parse_power_curve(text) == CURVE
    assert format_power_curve(CURVE) == POWER_EXAMPLE


def test_nothing_typed_is_no_curve() -> None:
    assert parse_power_curve("  ") == ()
    assert format_power_curve(()) == ""


@pytest.mark.parametrize(
    "text",
    ["0:25", "25, 76", "0:25, 100:760", "0:25, 100:10", "10:25, 100:76", "0:25, 50, 100:76", "0:25, 0:30, 100:40"],
)
def test_what_is_no_curve_is_none(text: str) -> None:
    assert parse_power_curve(text) is None
