"""What a measured run tells of another, and predictions that go by somebody's own runs and constants."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from planner.evidence.serving.constants_file import read_constants
from planner.evidence.serving.likeness import fit_likeness
from planner.evidence.serving.likeness import with_one_run_known as one_run_known
from planner.evidence.serving.observed import Observation, observe
from planner.evidence.serving.own_anchor import anchored
from planner.evidence.table import BadTable
from planner.scenario.serving_job import ServingJob
from planner.speed.data_files import DATA
from planner.speed.serving import serve
from planner.speed.serving.engine_data import known
from pricing import load_catalogue
from tests.evidence.golden import serving_rows

CATALOGUE = load_catalogue()
GOLDEN = observe(CATALOGUE, serving_rows())
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


def family(errors_of: dict[str, float]) -> tuple[list[Observation], np.ndarray]:
    """Fifteen runs of each source on rising batches, all off by what their source is off."""
    one = next(one for one in GOLDEN if one.kind == "rate" and one.run.setup.engine == "vllm")
    made, errors = [], []
    for source, error in errors_of.items():
        for step in range(1, 16):
            traffic = replace(one.run.case.traffic, batch=2.0 ** (step / 4), held_by_memory=0.0)
            run = replace(one.run, case=replace(one.run.case, traffic=traffic))
            made.append(replace(one, id=f"{source}{step}", source=source, run=run))
            errors.append(error)
    return made, np.array(errors)


def test_one_run_takes_away_what_its_whole_source_shares() -> None:
    made, errors = family({"a": 0.3, "b": -0.2, "c": 0.25})
    left = one_run_known(made, errors)
    assert len(left) == 3 * 15 * 14
    assert np.median(np.abs(left)) < 0.02
    found = fit_likeness(made, errors)
    assert found is not None
    assert found.share > 0.95
    assert found.batch < 0.05


def test_runs_that_share_nothing_do_not_move_each_other() -> None:
    made, _ = family({"a": 0.0, "b": 0.0, "c": 0.0})
    noise = np.random.default_rng(3).normal(0.0, 0.2, len(made))
    found = fit_likeness(made, noise)
    assert found is not None
    assert np.abs(one_run_known(made, noise)).std() < 1.1 * np.abs(noise).std()
    assert found.share * np.exp(-found.batch) < 0.5
    assert fit_likeness(made[:1], noise[:1]) is None


def test_a_run_of_mine_moves_the_prediction_and_narrows_its_band() -> None:
    bare = serve(CATALOGUE, JOB)
    mine = anchored(CATALOGUE, JOB, [row()], file="mine.csv")
    by_mine = serve(CATALOGUE, mine.job)
    assert (mine.runs, mine.unused) == (("mine",), 0)
    assert by_mine.output_tokens_per_s == pytest.approx(bare.output_tokens_per_s * mine.pace.ratio)
    # One run is believed for two thirds, as a logarithm: 1 / (1 + 0.5).
    predicted = bare.output_tokens_per_s
    assert by_mine.output_tokens_per_s == pytest.approx(predicted * (3_000 / predicted) ** (2 / 3), rel=0.02)
    widths = [np.log(one.output_tokens_per_s_high / one.output_tokens_per_s_low) for one in (bare, by_mine)]
    assert widths[1] == pytest.approx(widths[0] * 0.7)


def test_runs_of_another_engine_are_not_gone_by() -> None:
    other = anchored(CATALOGUE, JOB, [row(engine="TensorRT-LLM 1.0")], file="mine.csv")
    assert (other.runs, other.unused, other.pace.like) == ((), 1, None)
    assert serve(CATALOGUE, other.job) == serve(CATALOGUE, JOB)


def test_a_slower_machine_answers_later_and_promises_less() -> None:
    promised = JOB.model_copy(update={"batch": None, "ttft_ms": 500.0, "tpot_ms": 30.0, "average_requests_per_s": 2.0})
    as_said = serve(CATALOGUE, promised)
    half = serve(CATALOGUE, promised.model_copy(update={"measured_over_predicted": 0.5}))
    assert half.requests_per_s_within_promise < as_said.requests_per_s_within_promise * 0.5
    assert half.tpot is not None
    assert as_said.tpot is not None
    assert half.tpot.mean_ms > 1.9 * as_said.tpot.mean_ms


def test_a_table_without_a_usable_run_is_refused() -> None:
    with pytest.raises(BadTable, match=r"mine.csv: none of 1 run can be gone by"):
        anchored(CATALOGUE, JOB, [row(model="Nobody-7")], file="mine.csv")


def test_the_houses_own_constants_are_read_back() -> None:
    assert read_constants(HOUSE, "c.yaml") == known().values()


@pytest.mark.parametrize(
    ("before", "after", "wish"),
    [
        ("  flops_share:", "  flop_share:", "Did you mean flops_share?"),
        (FLOPS_SHARE, "  flops_share: {value: 79.39", "within 30 times of 0[.]"),
        (FLOPS_SHARE, "  flops_share: {value: .inf", "c.yaml"),
        (FLOPS_SHARE, "  flops_share: {value: -1", "a number above 0"),
        ("  expert_skew: {value: 0.6", "  expert_skew: {value: 0.7", "want 0.6"),
        ("about:", "more: 1\nabout:", "c.yaml: more"),
        ("constants:", "constants:\n  &a", "c.yaml"),
    ],
)
def test_constants_that_cannot_be_are_refused(before: str, after: str, wish: str) -> None:
    with pytest.raises(Exception, match=wish) as refusal:
        read_constants(HOUSE.replace(before, after, 1), "c.yaml")
    assert str(refusal.value).count("\n") == 0


def test_a_set_with_one_constant_missing_is_refused() -> None:
    lines = [line for line in HOUSE.splitlines() if not line.startswith("  cdna3:")]
    with pytest.raises(BadTable, match="cdna3 is missing"):
        read_constants("\n".join(lines), "c.yaml")
