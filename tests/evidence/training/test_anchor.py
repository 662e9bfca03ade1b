"""Runs of one's own: which count, how much of what they say is believed, and constants from a file."""

from datetime import date
from typing import Any

import numpy as np
import pytest

from planner.evidence.constants_file import training_constants_in
from planner.evidence.table import RunTableError
from planner.evidence.training.check import anchored, check_training
from planner.speed.hardware import InvalidJobError
from planner.speed.pace import credibility, prior_runs
from planner.speed.training import TrainingJob, train
from planner.speed.training.constants import default_bands, default_calibration
from pricing import Catalogue
from tools.calibrate import calibrate
from tools.calibration.training import build_sample, refit, training_file

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
    assert one.pace.ratio == pytest.approx(0.8 ** (1 / 1.5), rel=1e-6)
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
    assert plain is not None
    assert own is not None
    assert own.tokens_per_s_per_accelerator.typical < 0.9 * plain.tokens_per_s_per_accelerator.typical
    said = default_bands()["own_runs/job/dense_layout_chosen"]
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
    bands = default_bands()
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
    found = training_constants_in(written(catalogue, rows), file="mine.yaml")
    fitted = refit(catalogue, rows)
    assert found.constants.e16 == pytest.approx(fitted.constants.e16, rel=1e-3)
    assert found.chips == pytest.approx(dict(fitted.chips), abs=5e-4)
    plain, own = train(catalogue, JOB).speed, train(catalogue, JOB, calibration=found).speed
    assert plain is not None
    assert own is not None
    assert own.step_time_s != plain.step_time_s
    assert own.band.rows <= len(rows) < plain.band.rows
    assert found.spread.seen != default_calibration().spread.seen


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


@pytest.mark.parametrize(("changes", "wish"), [
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
    with pytest.raises(RunTableError, match=rf"mine.yaml: {wish}"):
        training_constants_in(file_with(**changes), file="mine.yaml")


def test_the_same_file_without_the_mistake_is_taken() -> None:
    assert training_constants_in(file_with(), file="mine.yaml").constants.e16 == pytest.approx(
        default_calibration().constants.e16, rel=1e-6
    )
    with pytest.raises(RunTableError, match="the file"):
        training_constants_in("- 1\n", file="mine.yaml")


def test_the_house_file_can_be_read_as_anybodys(catalogue: Catalogue, rows: list[dict[str, str]]) -> None:
    house = default_calibration()
    text = training_file(house, default_bands(), house.spread, build_sample(catalogue, rows), on=date(2026, 11, 21))
    assert training_constants_in(text, file="house").bands == house.bands
    assert training_constants_in(text, file="house").spread == house.spread
    assert np.isclose(training_constants_in(text, file="house").constants.host_s, house.constants.host_s)
