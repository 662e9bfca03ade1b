"""A curve of power as people type it, and back."""

import pytest

from planner.scenario.own import PowerAtLoad
from planner.scenario.typed_lists import POWER_EXAMPLE, power_text, read_power

CURVE = tuple(PowerAtLoad(load=load, power_share=share) for load, share in ((0.0, 0.25), (0.5, 0.6), (1.0, 0.76)))


@pytest.mark.parametrize("text", [POWER_EXAMPLE, "0:25,50:60,100:76", " 0 % : 25 % ; 50:60.0; 100:76;"])
def test_pairs_are_read(text: str) -> None:
    assert read_power(text) == CURVE
    assert power_text(CURVE) == POWER_EXAMPLE


def test_nothing_typed_is_no_curve() -> None:
    assert read_power("  ") == ()
    assert power_text(()) == ""


@pytest.mark.parametrize(
    "text",
    ["0:25", "25, 76", "0:25, 100:760", "0:25, 100:10", "10:25, 100:76", "0:25, 50, 100:76", "0:25, 0:30, 100:40"],
)
def test_what_is_no_curve_is_none(text: str) -> None:
    assert read_power(text) is None
