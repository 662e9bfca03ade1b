"""What a job loses of which nobody says what it computes, beside what was published of one."""

import pytest

from planner.scenario.failures import Failures
from planner.speed.training.goodput import generic_reliability
from pricing import load_catalogue


def test_sixteen_thousand_keep_what_llama_3_kept() -> None:
    """Llama 3 405B on 16,384 H100: 419 unexpected stops in 54 days, and over 90 % of the time useful."""
    kept = generic_reliability(load_catalogue(), 16_384.0, Failures(regime="calm"))
    assert float(kept.hours_between_stops) == pytest.approx(54 * 24 / 419, rel=0.01)
    assert float(kept.useful_share) == pytest.approx(0.90, abs=0.02)


def test_a_larger_job_writes_no_larger_checkpoint() -> None:
    few, many = (generic_reliability(load_catalogue(), count, Failures()) for count in (384.0, 3_840.0))
    assert float(few.checkpoint_hours) == pytest.approx(40 / 3_600)
    assert float(many.checkpoint_hours) == pytest.approx(4 / 3_600)
    assert float(generic_reliability(load_catalogue(), 8.0, Failures()).checkpoint_hours) == few.checkpoint_hours
