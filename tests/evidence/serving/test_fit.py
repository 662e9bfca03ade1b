from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from planner.evidence.serving.runs import ServingObservations, read_observations
from planner.evidence.table import SERVING, published_runs
from planner.speed.serving.cases import NAMES
from planner.speed.serving.chips import serving_data
from pricing.strict_yaml import read
from tests.evidence.golden import serving_rows
from tests.facts import CATALOGUE
from tools.calibrate import calibrate
from tools.calibration.first_tokens import FIRST_TOKEN, fit_first_tokens, waited
from tools.calibration.serving import EXPECTED, expected, fit, leave_one_group_out, refit, weights_of

ROWS = serving_rows()
OBSERVED = read_observations(CATALOGUE, ROWS)


def test_constants_that_made_the_figures_are_found_again() -> None:
    truth = replace(expected(), flops_share=0.6, bandwidth_share=0.8, layer_us=120.0, inline_sequence_us=70.0)
    made = ServingObservations.of(OBSERVED * 30)  # so many that what was expected hardly pulls
    made = replace(made, per_s=made.per_s * np.exp(made.log_errors(truth)))
    assert np.abs(made.log_errors(truth)).max() < 1e-9
    found = fit(made, free=("flops_share", "bandwidth_share", "layer_us", "inline_sequence_us"))
    for name in ("flops_share", "bandwidth_share", "layer_us", "inline_sequence_us"):
        assert getattr(found, name) == pytest.approx(getattr(truth, name), rel=0.03)


def test_a_fit_is_nearer_than_what_was_expected() -> None:
    made = ServingObservations.of(OBSERVED)
    before, after = made.log_errors(expected()), made.log_errors(refit(CATALOGUE, ROWS))
    assert np.median(np.abs(after)) < np.median(np.abs(before))


@pytest.mark.slow
def test_what_is_left_out_does_not_touch_its_own_constants() -> None:
    groups = [one.source for one in OBSERVED]
    observed = ServingObservations.of(OBSERVED)
    errors, without = leave_one_group_out(observed, groups, fit(observed))
    assert np.isfinite(errors).all()
    assert set(without) == set(groups)
    wild = ServingObservations.of(
        [replace(one, per_s=one.per_s * (9 if one.source == groups[0] else 1)) for one in OBSERVED]
    )
    same = leave_one_group_out(wild, groups, fit(wild))[1][groups[0]]
    assert same.bandwidth_share == pytest.approx(without[groups[0]].bandwidth_share, rel=0.02)


def test_each_source_counts_the_same() -> None:
    weights = weights_of(ServingObservations.of(OBSERVED))
    totals: dict[str, float] = {}
    for one, weight in zip(OBSERVED, weights, strict=True):
        totals[f"{one.source} {one.kind}"] = totals.get(f"{one.source} {one.kind}", 0) + weight
    rows = {name: sum(f"{one.source} {one.kind}" == name for one in OBSERVED) for name in totals}
    for name, total in totals.items():  # all of them are small here: each row weighs the same
        assert total / rows[name] == pytest.approx(weights[0])


@pytest.mark.slow
def test_what_is_written_can_be_read_again() -> None:
    data = read(calibrate("serving", CATALOGUE, ROWS, date(2026, 11, 21)).text, file="made.yaml")
    assert data["fit"]["rows"] == len(OBSERVED)
    assert set(data["constants"]) == set(NAMES) == {*EXPECTED, *FIRST_TOKEN}


def test_the_data_file_holds_every_constant_inside_its_range() -> None:
    constants = serving_data().constants
    assert set(constants) == set(NAMES)
    for name, one in constants.items():
        assert one.low <= one.value <= one.high, name
    for name, band in serving_data().bands.items():
        assert band.low < 1.2, name
        assert band.low < band.high, name


@pytest.mark.slow
def test_constants_of_first_tokens_foretell_what_they_made() -> None:
    seen = waited(CATALOGUE, published_runs(SERVING), serving_data().values())
    assert seen is not None
    assert len(set(seen.source)) > 3
    truth = replace(serving_data().values(), first_token_ms=20.0, prompt_layer_us=800.0, compiled_steps_waited=3.0)
    made = replace(seen, published_s=seen.published_s * np.exp(-seen.log_errors(truth)))
    assert np.median(np.abs(made.log_errors(serving_data().values()))) > 0.1
    found = fit_first_tokens(made, serving_data().values())
    assert np.median(np.abs(made.log_errors(found))) < 0.05  # layers of different kinds go together: not one by one
    assert found.layer_us == serving_data().values().layer_us  # the others stay as they are
