"""How far repeated measurements differ, beside how far off they are predicted."""

import math
from typing import Any

import pytest

from tools.calibration.noise_floor import Measurement, noise_table


def measured(value: float, **wish: Any) -> Measurement:
    """One of a setup, unless wished otherwise, predicted a fifth too high."""
    known: dict[str, Any] = {
        "kind": "dense", "source": "MLPerf", "setup": "8 H100", "sizes": (1000.0, 0.0), "error": 0.2, **wish
    }  # fmt: skip
    return Measurement(**known, log_value=math.log(value))


def test_the_noise_is_a_difference_of_repeats_over_the_root_of_two() -> None:
    teams = [measured(100.0 * times, source=name) for name in ("a", "b", "c") for times in (1, 1)]
    apart = [measured(100.0, source="d", setup="4 H100"), measured(110.0, source="e", setup="4 H100")]
    table = noise_table([*teams, *apart])
    rows = dict(zip(table.cells["by"], zip(*(table.cells[name] for name in table.columns), strict=True), strict=True))
    assert rows["the same source"] == ("dense", "the same source", 6, "0.0%", "0.0%", "0.0%", "20.0%", "0%")
    assert rows["another source"][2:5] == (8, "0.0%", "9.5%")
    share = 2 / 8 * math.log(1.1) ** 2 / 2 / 0.2**2
    assert rows["another source"][-1] == f"{share:.0%}"


@pytest.mark.parametrize("other", [
    {"setup": "8 H200"}, {"kind": "moe"}, {"sizes": (1200.0, 0.0)}, {"sizes": (1000.0, 8.0)}, {"error": math.nan},
])  # fmt: skip
def test_what_is_not_the_same_is_no_repeat(other: dict[str, Any]) -> None:
    near = {"sizes": (1050.0, 0.0)}
    assert len(noise_table([measured(100.0)] * 2 + [measured(120.0, **near)] * 2))
    assert not len(noise_table([measured(100.0), measured(120.0, **other)] * 1))


def test_a_few_repeats_say_nothing() -> None:
    assert not len(noise_table([measured(100.0), measured(120.0)]))
