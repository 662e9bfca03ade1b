"""Predictions beside published runs: near, complete, and honest about what is left out."""

import numpy as np
import pytest

from planner.evidence.checked import skip_counts, summary
from planner.evidence.training.check import check_training
from planner.speed.training.constants import NAMES, default_bands, default_calibration, run_kind, size_class
from pricing import Catalogue, strict_yaml
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


@pytest.mark.parametrize("cell", ["seq_len", "tp", "micro_batch", "published", "precision", "global_batch_sequences"])
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
    assert {"moe", "dense_layout_stated", "dense_layout_chosen"} <= set(default_bands())
    assert default_bands()["dense_layout_stated"].rows > 500
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
        default_calibration(), default_bands(), default_calibration().spread, sample, on=date(2026, 11, 21)
    )
    again = strict_yaml.read(text, file="constants")
    house = default_calibration()
    assert again["constants"]["e16"]["value"] == pytest.approx(house.constants.e16, rel=1e-3)
    assert again["constants"]["ring_s"]["value"] == pytest.approx(house.constants.ring_s, rel=1e-3)
    assert again["chips"].keys() == house.chips.keys()
    assert again["bands"]["moe"]["low"] == default_bands()["moe"].low
