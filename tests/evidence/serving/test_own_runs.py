"""Predictions that go by measured runs and constants that somebody brings."""

import re

import numpy as np
import pytest

from planner.evidence.constants_file import serving_constants_in
from planner.evidence.serving.check import anchored
from planner.scenario.jobs import ServingJob
from planner.speed.hardware import DATA
from planner.speed.serving import serve
from planner.speed.serving.chips import serving_data
from pricing import PricingError
from tests.facts import CATALOGUE
from tests.rows import each_row

HOUSE = (DATA / "serving_constants.yaml").read_text(encoding="utf-8")
FLOPS_SHARE = re.findall(r"  flops_share: {value: [0-9.]+", HOUSE)[0]
JOB = ServingJob(model="llama-3.1-8b", accelerator="H100-SXM5-80GB", batch=64)


def row(name: str = "mine", **changed: str) -> dict[str, str]:
    """A run of ours on the engine and lengths of the job."""
    run = {
        "id": name, "model": "llama-3.1-8b", "accelerator": "H100 SXM5", "n_accelerators": "1", "engine": "vLLM",
        "input_tokens": "1000", "output_tokens": "300", "concurrency_or_batch": "64", "mode": "offline",
        "output_tokens_per_s_total": "3000", "published": "2026-06",
    }  # fmt: skip
    return {**run, **changed}


def test_a_run_of_mine_moves_the_prediction_and_narrows_its_band() -> None:
    bare = serve(CATALOGUE, JOB)
    mine = anchored(CATALOGUE, JOB, [row()], file="mine.csv")
    by_mine = serve(CATALOGUE, mine.job)
    assert (mine.runs, mine.unused) == (("mine",), 0)
    assert by_mine.output_tokens_per_s == pytest.approx(bare.output_tokens_per_s * mine.pace.ratio)
    # One run is believed for four fifths, as a logarithm: 1 / (1 + 0.25).
    predicted = bare.output_tokens_per_s
    assert by_mine.output_tokens_per_s == pytest.approx(predicted * (3_000 / predicted) ** 0.8, rel=0.02)
    widths = [np.log(one.output_tokens_per_s_high / one.output_tokens_per_s_low) for one in (bare, by_mine)]
    assert widths[1] == pytest.approx(widths[0] * 0.7)


def test_runs_of_another_engine_are_not_gone_by() -> None:
    other = anchored(CATALOGUE, JOB, [row(engine="TensorRT-LLM 1.0")], file="mine.csv")
    assert (other.runs, other.unused, other.pace.like) == ((), 1, None)
    assert serve(CATALOGUE, other.job) == serve(CATALOGUE, JOB)


def test_a_slower_machine_answers_later_and_promises_less() -> None:
    promised = JOB.model_copy(update={"batch": None, "ttft_ms": 500.0, "tpot_ms": 30.0, "requests_per_s": 2.0})
    as_said = serve(CATALOGUE, promised)
    half = serve(CATALOGUE, promised.model_copy(update={"measured_over_predicted": 0.5}))
    assert half.requests_per_s_within_promise < as_said.requests_per_s_within_promise * 0.5
    assert half.tpot.mean_ms > 1.9 * as_said.tpot.mean_ms


def test_a_table_without_a_usable_run_is_refused() -> None:
    with pytest.raises(PricingError, match=r"mine.csv: none of 1 run can be used"):
        anchored(CATALOGUE, JOB, [row(model="Nobody-7")], file="mine.csv")


def test_the_houses_own_constants_are_read_back() -> None:
    assert serving_constants_in(HOUSE, file="c.yaml") == serving_data().values()


@each_row(("before", "after", "wish"), [
    ("  flops_share:", "  flop_share:", "Did you mean flops_share?"),
    (FLOPS_SHARE, "  flops_share: {value: 79.39", "within 30 times of 0[.]"),
    (FLOPS_SHARE, "  flops_share: {value: .inf", "c.yaml"),
    (FLOPS_SHARE, "  flops_share: {value: -1", "a number above 0"),
    ("  expert_skew: {value: 0.6", "  expert_skew: {value: 0.7", "want 0.6"),
    ("about:", "more: 1\nabout:", "c.yaml: more"),
    ("constants:", "constants:\n  &a", "c.yaml"),
])  # fmt: skip
def test_constants_that_cannot_be_are_refused(before: str, after: str, wish: str) -> None:
    with pytest.raises(Exception, match=wish) as refusal:
        serving_constants_in(HOUSE.replace(before, after, 1), file="c.yaml")
    assert str(refusal.value).count("\n") == 0


def test_a_file_of_before_with_likeness_is_still_read() -> None:
    assert serving_constants_in(f"{HOUSE}likeness:\n  share: 0.9669\n", file="c.yaml") == serving_data().values()


def test_a_set_with_one_constant_missing_is_refused() -> None:
    lines = [line for line in HOUSE.splitlines() if not line.startswith("  cdna3:")]
    with pytest.raises(PricingError, match="cdna3 is missing"):
        serving_constants_in("\n".join(lines), file="c.yaml")
