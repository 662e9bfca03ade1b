"""Bands from runs left out: with their source, with each class they are of, never by their own errors."""

from dataclasses import replace

import numpy as np
import pytest

from tools.calibration.error_spread import (
    FEWEST,
    SOURCE,
    FittedRuns,
    fit_error_spread,
    fitted_groups,
    held_out_bands,
    held_out_class_bands,
    left_out,
)

CHANCE = np.random.default_rng(3)
MANY = 600
CHIPS = np.array(["old", "new", "odd"])[CHANCE.choice(3, MANY, p=[0.45, 0.35, 0.2])]
ENGINES = np.array(["a", "b"])[CHANCE.choice(2, MANY, p=[0.6, 0.4])]
SOURCES = np.array([f"s{number}" for number in CHANCE.integers(0, 30, MANY)])
RUNS = FittedRuns.of([{"chip": chip, "engine": engine} for chip, engine in zip(CHIPS, ENGINES, strict=True)], SOURCES)
# What nobody can foretell, to one side more than to the other: twice as much of an odd chip.
NOISE = CHANCE.gamma(2.0, 0.05, MANY) * np.where(CHANCE.random(MANY) < 0.3, 1.0, -1.0) * np.where(CHIPS == "odd", 2, 1)


def errors_without(out: np.ndarray) -> np.ndarray:
    """Predicted over published by a fit that is three times as wrong about chips that it has not seen."""
    unseen = ~np.isin(CHIPS, CHIPS[~out])
    return np.asarray(np.where(unseen, 3 * NOISE, NOISE)[out])


FOUND = left_out(RUNS, errors_without)


def test_every_run_is_left_out_with_its_source_and_with_each_class_that_is_not_most_of_all() -> None:
    assert sorted(FOUND.run[FOUND.by == SOURCE].tolist()) == list(range(MANY))
    assert sorted(FOUND.run[FOUND.by == "chip"].tolist()) == list(range(MANY))
    assert set(ENGINES[FOUND.run[FOUND.by == "engine"]]) == {"b"}  # without the usual engine there is nothing to fit
    assert FOUND.ratio[FOUND.by == SOURCE] == pytest.approx(-NOISE[FOUND.run[FOUND.by == SOURCE]])
    assert FOUND.novelty[FOUND.by == "chip"].min() > 0.9 > FOUND.novelty[FOUND.by == SOURCE].max()


def test_bands_are_wider_of_what_is_harder_to_foretell_and_of_what_was_never_seen() -> None:
    spread = fit_error_spread(RUNS, FOUND)
    assert spread is not None
    assert spread.wider["chip"]["odd"] > 1.15 * spread.wider["chip"]["old"]
    assert spread.step > 1.5
    assert spread.ends["dense"].above > 1.3 * spread.ends["dense"].below  # published is above more often and further
    assert spread.ends["dense"].rows == MANY
    assert sum(one.runs for one in fitted_groups(RUNS)) == MANY


def test_four_of_five_lie_inside_on_both_sides_alike_judged_by_other_sources_alone() -> None:
    judged = held_out_bands(RUNS, FOUND)
    below, above = judged.ratio < judged.low, judged.ratio > judged.high
    for chip in np.unique(CHIPS):
        here = CHIPS[judged.run] == chip
        assert 0.7 < 1 - np.mean((below | above)[here]) < 0.9, chip
    assert abs(np.mean(below) - np.mean(above)) < 0.05


def test_of_a_class_that_nobody_had_seen_most_lie_inside_too() -> None:
    judged = held_out_class_bands(RUNS, FOUND, CHIPS == "new", errors_without)
    assert set(CHIPS[judged.run]) == {"new"}
    assert 0.65 < np.mean((judged.low <= judged.ratio) & (judged.ratio <= judged.high)) < 0.95


def test_the_band_of_a_run_does_not_know_its_source() -> None:
    wild = FOUND.ratio.copy()
    wild[SOURCES[FOUND.run] == "s1"] *= 50
    before, after = held_out_bands(RUNS, FOUND), held_out_bands(RUNS, replace(FOUND, ratio=wild))
    mine = SOURCES[before.run] == "s1"
    assert before.low[mine] == pytest.approx(after.low[mine])
    assert not np.allclose(before.low[~mine], after.low[~mine])


def test_too_few_runs_say_nothing() -> None:
    few = FittedRuns.of([{"chip": "old"}] * (FEWEST - 1), ["a", "b"] * ((FEWEST - 1) // 2))
    assert fit_error_spread(few, left_out(few, lambda out: np.zeros(int(out.sum())))) is None
