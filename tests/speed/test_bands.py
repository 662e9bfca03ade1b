"""Bands by likeness: narrow where the like was seen, wider where not, and no run more or less makes one jump."""

from math import log

import pytest

from planner.scenario.jobs import ServingJob, TrainingJob
from planner.speed.bands import STEPS, UNTOLD, Band, ErrorEnds, ErrorSpread, Seen, novelty
from planner.speed.serving.chips import serving_data
from planner.speed.serving.serve import serve
from planner.speed.training.constants import default_calibration, training_band
from planner.speed.training.train import train
from tests.facts import CATALOGUE, SERVING_TRAITS, TRAINING_TRAITS

SPREAD = ErrorSpread(
    traits=("chip", "engine"), ends={"dense": ErrorEnds(below=0.3, above=0.2, rows=90)}, step=1.5,
    wider={"chip": {"Old": 0.8}},
    seen=(Seen(like=("Old", "a"), runs=49, roots=9.0), Seen(like=("Old", "b"), runs=16, roots=4.0)),
)  # fmt: skip


def of(chip: str, engine: str, spread: ErrorSpread = SPREAD) -> Band:
    return spread.band({"chip": chip, "engine": engine})


def test_a_band_is_narrow_where_the_like_was_seen_and_says_how_often() -> None:
    seen, other, new = of("Old", "a"), of("New", "a"), of("New", "c")
    assert (seen.alike, seen.unlike) == (49, ())
    assert (other.alike, other.unlike) == (0, ("chip",))
    assert (new.alike, new.unlike) == (0, ("chip", "engine"))
    assert new.low < other.low < seen.low < 1 < seen.high < other.high < new.high
    assert log(seen.low) / log(seen.high) == pytest.approx(-1.5)  # both ends are as far as runs were, each to its side


def test_a_measured_setup_goes_by_the_scale_of_measured_ones() -> None:
    scaled = SPREAD.model_copy(update={"classes": {"dense, Old": 2.0, "dense, Old, measured": 0.5}})
    traits = {"chip": "Old", "engine": "a"}
    assert log(scaled.band(traits).low) == pytest.approx(2 * log(of("Old", "a").low), rel=1e-6)
    assert scaled.band(traits, measured=True).high < SPREAD.band(traits, measured=True).high


@pytest.mark.parametrize("runs", [1, 4, 30])
def test_a_run_more_moves_a_band_by_little(runs: int) -> None:
    """The first of a kind takes a quarter of a step back at most; the thirtieth hardly anything."""
    bands = []
    for many in (runs - 1, runs):
        mine = (Seen(like=("New", "a"), runs=many, roots=many**0.5),) if many else ()
        bands.append(of("New", "a", SPREAD.model_copy(update={"seen": (*SPREAD.seen, *mine)})))
    steps = log(log(bands[0].low) / log(bands[1].low)) / log(SPREAD.step)
    assert 0 < steps < (0.4 if runs == 1 else 0.2)


def test_novelty_counts_traits_in_which_the_nearest_differ() -> None:
    assert novelty([1e9, 1e9, 1e9]) == pytest.approx(0, abs=1e-6)
    assert novelty([0, 1e9, 1e9]) == pytest.approx(1, abs=1e-6)
    assert novelty([0, 0, 0]) == STEPS
    assert novelty([3, 3, 3]) > novelty([3, 6, 6]) > novelty([6, 6, 6])


def test_the_house_has_seen_what_its_bands_go_by() -> None:
    for spread, traits in ((default_calibration().spread, TRAINING_TRAITS), (serving_data().spread, SERVING_TRAITS)):
        assert spread.traits == traits
        assert sum(one.rows for one in spread.ends.values()) > 500
        assert set(spread.ends) == {"dense", "mixture", "dense, measured", "mixture, measured"}
        assert spread.step >= 1.2
        assert set(spread.wider) == set(traits)
        assert sum(one.runs for one in spread.seen) > 500


def test_a_job_that_others_ran_is_surer_than_one_like_none() -> None:
    usual = TrainingJob(model="llama-3.1-8b", accelerator="H100-SXM5-80GB", accelerators=64, tokens=1e12)
    odd = usual.model_copy(update={"accelerator": "Trainium2-96GB"})
    widths = []
    for job in (usual, odd):
        speed = train(CATALOGUE, job).speed
        widths.append(log(speed.band.high / speed.band.low))
        assert bool(speed.band.alike) != bool(speed.band.unlike)
    assert widths[0] < widths[1]


def test_a_service_says_which_runs_its_range_goes_by() -> None:
    job = ServingJob(model="llama-3.1-8b", accelerator="H100-SXM5-80GB", input_tokens=1_000, output_tokens=300)
    band = serve(CATALOGUE, job).band
    assert band.alike > 0
    local = serve(CATALOGUE, job.model_copy(update={"model": "deepseek-v3", "accelerators": 8, "engine": "local"})).band
    assert local is None or local.unlike


def test_a_file_of_constants_from_before_has_wide_bands_and_claims_no_run() -> None:
    band = UNTOLD.band({"chip": "New", "mixture": "many"})
    assert band.low < 0.7
    assert band.high > 1.4
    assert (band.alike, band.unlike, band.rows) == (0, (), 0)


def test_one_of_ones_own_fits_without_a_spread_goes_by_the_houses() -> None:
    traits = dict(zip(TRAINING_TRAITS, default_calibration().spread.seen[0].like, strict=True))
    assert training_band(traits) == default_calibration().spread.band(traits)
