"""Predictions beside published runs: near, complete, and honest about what is left out."""

from datetime import date
from typing import Any

import numpy as np
import pytest

from planner.evidence.checked import skip_counts, summary
from planner.evidence.constants_file import training_constants_in
from planner.evidence.training.check import anchored, check_training
from planner.speed.hardware import InvalidJobError
from planner.speed.pace import credibility, prior_runs
from planner.speed.training import TrainingJob, train
from planner.speed.training.constants import NAMES, default_calibration, run_kind, size_class
from pricing import Catalogue, PricingError, strict_yaml
from tests.rows import each_row
from tools.calibrate import calibrate
from tools.calibration.training import (
    build_prior,
    build_sample,
    leave_source_out_errors,
    refit,
    training_bands,
    training_file,
)
from tools.calibration.training import fitted as fitted_to

Rows = list[dict[str, str]]


def test_every_row_comes_back_once_and_in_order(catalogue: Catalogue, rows: Rows) -> None:
    checked = check_training(catalogue, rows)
    assert [row.id for row in checked] == [row["id"] for row in rows]
    assert all(bool(row.skipped_reason) == (not row.predicted) for row in checked)


def test_published_runs_of_many_sources_are_met(catalogue: Catalogue, rows: Rows) -> None:
    checked = [row for row in check_training(catalogue, rows) if row.error is not None]
    assert len({row.source for row in checked}) >= 25
    off = {row.id: round(row.error or 0.0, 2) for row in checked if abs(row.error or 0.0) > np.log(1.35)}
    assert not off
    assert np.median([abs(row.error or 0.0) for row in checked]) < 0.12


def test_runs_that_ran_fit(catalogue: Catalogue, rows: Rows) -> None:
    assert {row.id for row in check_training(catalogue, rows) if row.fits is False} == set()


def test_a_run_that_cannot_fit_does_not(catalogue: Catalogue, rows: Rows) -> None:
    large = next(row for row in rows if row["params_b"] and float(row["params_b"]) > 150 and not row["active_params_b"])
    alone = large | {"n_accelerators": "1", "tp": "1", "pp": "1", "cp": "1", "dp": "1", "global_batch_sequences": "1"}
    assert check_training(catalogue, [alone])[0].fits is False


def test_skips_say_why_and_are_counted(catalogue: Catalogue, rows: Rows) -> None:
    checked = check_training(catalogue, rows)
    reasons = skip_counts(checked)
    assert sum(reasons.values()) == sum(not row.predicted for row in checked) > 0
    assert all(reason.startswith(("tier C", "unknown shape", "the number", "Quadro")) for reason in reasons), reasons
    total = next(group for group in summary(checked) if group.by == "all")
    assert total.skipped == sum(reasons.values())


def test_nothing_but_skips_is_no_error(catalogue: Catalogue, rows: Rows) -> None:
    (only,) = check_training(catalogue, [rows[0] | {"quality_tier": "C"}])
    assert (only.skipped_reason or "").startswith("tier C")
    assert check_training(catalogue, []) == []


@each_row("cell", ["seq_len", "tp", "micro_batch", "published", "precision", "global_batch_sequences"])
def test_garbage_in_a_cell_is_like_nothing_in_it(catalogue: Catalogue, rows: Rows, cell: str) -> None:
    garbage, nothing = (check_training(catalogue, [rows[0] | {cell: said}])[0] for said in ("x", ""))
    assert garbage.rate == nothing.rate


def test_an_unknown_chip_is_a_skip(catalogue: Catalogue, rows: Rows) -> None:
    (only,) = check_training(catalogue, [rows[0] | {"accelerator": "abacus"}])
    assert "abacus" in (only.skipped_reason or "")


def test_bands_hold_the_prediction(catalogue: Catalogue, rows: Rows) -> None:
    for row in check_training(catalogue, rows):
        if row.rate is not None:
            low, high = row.low, row.high
            assert low is not None
            assert high is not None
            assert 0.5 * high < row.rate < 2 * low
            assert low < high


def test_the_house_was_calibrated_on_more_than_these_and_knows_every_kind() -> None:
    assert {"moe", "dense_layout_stated", "dense_layout_chosen"} <= set(default_calibration().bands)
    assert default_calibration().bands["dense_layout_stated"].rows > 500
    assert run_kind(moe=True, layout_stated=True) == "moe"
    assert [size_class(count) for count in (1, 64, 65, 1024, 1025)] == [
        *["up_to_64"] * 2, *["65_to_1024"] * 2, "above_1024",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_fit_meets_what_it_has_seen_and_less_well_what_it_has_not(catalogue: Catalogue, rows: Rows) -> None:
    fitted = refit(catalogue, rows)
    sample = build_sample(catalogue, rows)
    errors = leave_source_out_errors(sample, fitted_to(sample, build_prior(sample.runs)))
    seen = [abs(row.error) for row in check_training(catalogue, rows, calibration=fitted) if row.error is not None]
    assert np.median(seen) < np.median(np.abs(errors))
    assert np.median(np.abs(errors)) < 0.2
    assert len(errors) == len(sample.runs)
    assert set(training_bands(sample, errors)) >= {"moe", "dense_layout_stated"}


def test_one_run_hardly_moves_what_is_believed(catalogue: Catalogue, rows: Rows) -> None:
    house, one = default_calibration().constants, refit(catalogue, rows[:1]).constants
    priors = [getattr(one, name) / getattr(house, name) for name in NAMES]
    assert 0.3 < np.median(priors) < 3


def test_a_calibration_is_written_as_it_is_read(catalogue: Catalogue, rows: Rows) -> None:
    from datetime import date

    sample = build_sample(catalogue, rows)
    text = training_file(
        default_calibration(), default_calibration().bands, default_calibration().spread, sample, on=date(2026, 11, 21)
    )
    again = strict_yaml.read(text, file="constants")
    house = default_calibration()
    assert again["constants"]["e16"]["value"] == pytest.approx(house.constants.e16, rel=1e-3)
    assert again["constants"]["ring_s"]["value"] == pytest.approx(house.constants.ring_s, rel=1e-3)
    assert again["chips"].keys() == house.chips.keys()
    assert again["bands"]["moe"]["low"] == default_calibration().bands["moe"].low


JOB = TrainingJob(model="Llama-3-8B", accelerator="H100-SXM5-80GB", accelerators=64)
ROW = {
    "id": "mine-1", "model": "llama-3-8b", "accelerator": "H100 SXM5", "n_accelerators": "64", "precision": "bf16",
    "seq_len": "8192", "global_batch_sequences": "512", "tp": "1", "pp": "1", "published": "2026-03",
}  # fmt: skip


def rows_at(catalogue: Catalogue, ratio: float, *changes: dict[str, str]) -> list[dict[str, str]]:
    """Runs that were so much faster than we say."""
    rows = [{**ROW, "id": f"mine-{number}", **change} for number, change in enumerate(changes or ({},), 1)]
    found = check_training(catalogue, rows)
    rates = [one.rate or 0.0 for one in found]
    return [row | {"tokens_per_s_per_accelerator": str(ratio * rate)} for row, rate in zip(rows, rates, strict=True)]


def test_runs_of_the_same_job_are_believed_the_more_the_more_there_are(catalogue: Catalogue) -> None:
    one, three = (
        anchored(catalogue, JOB, rows_at(catalogue, 0.8, *({"seq_len": str(length)} for length in lengths)))
        for lengths in ((8_192,), (8_192, 4_096, 2_048))
    )
    assert one.pace.like == three.pace.like == "job"
    assert 0.8 < three.pace.ratio < one.pace.ratio < 1
    assert one.pace.ratio == pytest.approx(0.8 ** (1 / 1.25), rel=1e-6)
    assert three.runs == ("mine-1", "mine-2", "mine-3")


@pytest.mark.parametrize(
    "change", [{"model": "llama-3-70b"}, {"precision": "fp8"}, {"task": "lora"}], ids=["model", "precision", "method"]
)
def test_runs_of_other_jobs_on_the_chip_are_believed_less(catalogue: Catalogue, change: dict[str, str]) -> None:
    other = anchored(catalogue, JOB, rows_at(catalogue, 0.8, change))
    assert other.pace.like == "accelerator"
    assert other.pace.ratio == pytest.approx(0.8 ** (1 / 9), rel=1e-6)
    both = anchored(catalogue, JOB, rows_at(catalogue, 0.8, {}, change))
    assert both.runs == ("mine-1",)
    assert both.unused == 1


def test_they_move_the_answer_and_narrow_it(catalogue: Catalogue) -> None:
    job = JOB.model_copy(update={"accelerators": 256})
    plain = train(catalogue, job).speed
    own = train(catalogue, anchored(catalogue, job, rows_at(catalogue, 0.8)).job).speed
    assert own.tokens_per_s_per_accelerator.typical < 0.9 * plain.tokens_per_s_per_accelerator.typical
    said = default_calibration().bands["own_runs/job/dense_layout_chosen"]
    assert (own.band.low, own.band.high, own.band.rows) == (said.low, said.high, said.rows)
    assert own.band.alike == plain.band.alike
    assert own.band.high / own.band.low < plain.band.high / plain.band.low


def test_runs_on_another_chip_say_nothing(catalogue: Catalogue) -> None:
    rows = rows_at(catalogue, 0.8, {"accelerator": "A100-SXM4-80GB"})
    with pytest.raises(InvalidJobError, match=r"none of 1 run was measured on H100-SXM5-80GB.*A100-SXM4-80GB"):
        anchored(catalogue, JOB, rows)
    with pytest.raises(InvalidJobError, match="none that can be compared"):
        anchored(catalogue, JOB, [ROW])


def test_what_is_believed_of_runs_is_what_helped_with_published_ones() -> None:
    bands = default_calibration().bands
    assert prior_runs("job") < 1 < prior_runs("accelerator")
    assert [credibility(runs, 0.5) for runs in (1, 3)] == [pytest.approx(2 / 3), pytest.approx(6 / 7)]
    for kind in ("dense_layout_stated", "dense_layout_chosen", "moe"):
        job, chip, nothing = (bands[name] for name in (f"own_runs/job/{kind}", f"own_runs/accelerator/{kind}", kind))
        assert job.high / job.low < min(chip.high / chip.low, nothing.high / nothing.low)


def written(catalogue: Catalogue, rows: list[dict[str, str]]) -> str:
    return calibrate("training", catalogue, rows, date(2026, 11, 21)).text


@pytest.mark.slow
def test_constants_come_back_from_the_file_they_were_written_to(
    catalogue: Catalogue, rows: list[dict[str, str]]
) -> None:
    calibration = training_constants_in(written(catalogue, rows), file="mine.yaml")
    fitted = refit(catalogue, rows)
    assert calibration.constants.e16 == pytest.approx(fitted.constants.e16, rel=1e-3)
    assert calibration.chips == pytest.approx(dict(fitted.chips), abs=5e-4)
    plain, own = train(catalogue, JOB).speed, train(catalogue, JOB, calibration=calibration).speed
    assert own.step_time_s != plain.step_time_s
    assert own.band.rows <= len(rows) < plain.band.rows
    assert calibration.spread.seen != default_calibration().spread.seen


GOOD = {"constants": None, "chips": "{}", "families": "{}", "bands": "{}"}


def file_with(**changes: str) -> str:
    house = default_calibration().constants
    constants = {name: f"{{value: {getattr(house, name):.9f}, prior: {getattr(house, name):.9f}, sd: 1, meaning: x}}"
                 for name in house.__dataclass_fields__}  # fmt: skip
    constants |= {key.removeprefix("c_"): value for key, value in changes.items() if key.startswith("c_")}
    top = GOOD | {key: value for key, value in changes.items() if not key.startswith("c_")}
    body = "\n".join(f"  {name}: {value}" for name, value in constants.items() if value)
    rest = "\n".join(f"{name}: {value}" for name, value in top.items() if value)
    return f"constants:\n{body}\n{rest}\n"


@each_row(("changes", "wish"), [
    ({"c_e16": "{value: -1, prior: 1, sd: 1, meaning: x}"}, r"constants.e16.value: want a number above 0, got -1"),
    ({"c_e16": "{value: 5000, prior: 1, sd: 1, meaning: x}"}, "constants.e16: 5000 is beyond 1000 times"),
    ({"c_e16": "{value: true, prior: 1, sd: 1, meaning: x}"}, "constants.e16.value"),
    ({"c_e16": "{value: text, prior: 1, sd: 1, meaning: x}"}, "constants.e16.value"),
    ({"c_e16": ""}, "constants: e16 is missing"),
    ({"c_luck": "{value: 1, prior: 1, sd: 1, meaning: x}"}, "constants.luck: there is no such constant"),
    ({"chips": "{H100-SXM5-80GB: 50}"}, "chips.H100-SXM5-80GB: want a number, at most 20, got 50"),
    ({"bands": "{moe: {low: 1.2, high: 0.8, rows: 9}}"}, "bands.moe: low is above high"),
    ({"colour": "red"}, "colour: there is no such key"),
])  # fmt: skip
def test_a_file_that_is_none_of_ours_is_told_in_one_sentence(changes: dict[str, Any], wish: str) -> None:
    with pytest.raises(PricingError, match=rf"mine.yaml: {wish}"):
        training_constants_in(file_with(**changes), file="mine.yaml")


def test_the_same_file_without_the_mistake_is_taken() -> None:
    assert training_constants_in(file_with(), file="mine.yaml").constants.e16 == pytest.approx(
        default_calibration().constants.e16, rel=1e-6
    )
    with pytest.raises(PricingError, match="the file"):
        training_constants_in("- 1\n", file="mine.yaml")


def test_the_house_file_can_be_read_as_anybodys(catalogue: Catalogue, rows: list[dict[str, str]]) -> None:
    house = default_calibration()
    text = training_file(
        house, default_calibration().bands, house.spread, build_sample(catalogue, rows), on=date(2026, 11, 21)
    )
    assert training_constants_in(text, file="house").bands == house.bands
    assert training_constants_in(text, file="house").spread == house.spread
    assert np.isclose(training_constants_in(text, file="house").constants.host_s, house.constants.host_s)
