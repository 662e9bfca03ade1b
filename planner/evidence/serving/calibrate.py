"""From serving runs to a file of constants: their values, the ranges they took, and the bands that the fit leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from planner.evidence.cells import Row
from planner.evidence.checked import group_of
from planner.evidence.left_out import Calibrated, band_of_errors, bands_of, enough_sources, judged
from planner.evidence.serving.constants_file import constants_text
from planner.evidence.serving.first_tokens import FIRST_TOKEN, fit_first_tokens, waited, without_each_source
from planner.evidence.serving.fit import errors_without, fit, without_each_of
from planner.evidence.serving.likeness import fit_likeness, with_one_run_known
from planner.evidence.serving.observed import Observed, observe, traits_in
from planner.evidence.spread import left_out, spread_of
from planner.speed.bands import Band
from planner.speed.serving.bands import UNDER_LOAD, band_name
from planner.speed.serving.constants import FIXED, NAMES, ServingConstants
from planner.speed.serving.engine_data import Fitted, known
from pricing.catalogue import Catalogue

_FIGURES = {"rate": "rate", "token": "time between tokens", "step": "time of a step", "first": "first token"}
_FEWEST_SOURCES = 2
_FEWEST_ROWS = 10  # fewer say nothing about how wide a band is


def calibrate_serving(catalogue: Catalogue, rows: Sequence[Row], on: date) -> Calibrated:
    """Fit, then fit again without each source, alone and with each class of its runs: so come ranges and bands."""
    observations = observe(catalogue, rows)
    sources = [one.source for one in observations]
    enough_sources("serving", sources)
    observed = Observed.of(observations)
    best = fit(observed)
    errors, without = without_each_of(observed, sources, best)
    runs = traits_in(observations)
    spread = spread_of(runs, left_out(runs, errors_without(observed, best)))
    names = [(band_name(one.run.setup, single=one.batch <= 1),) for one in observations]
    bands = bands_of(names, errors, tells=lambda _, figures: figures >= _FEWEST_ROWS)
    waits = _with_first_tokens(catalogue, rows, best)
    bands |= waits.bands
    constants = {
        name: _fitted(name, waits.constants, waits.others if name in FIRST_TOKEN else list(without.values()))
        for name in NAMES
    }
    told = [
        (f"{one.group}: {_FIGURES[one.kind]}", one.source, float(error))
        for one, error in zip(observations, errors, strict=True)
    ]
    groups = judged([*told, *waits.told])
    pairs = group_of("pair", "one run of the same model, chip, engine known", with_one_run_known(observations, errors))
    text = constants_text(constants, bands, spread, fit_likeness(observations, errors), sources, on=on)
    return Calibrated(text, [*groups, pairs])


@dataclass(frozen=True)
class _FirstTokens:
    """All constants, those of first tokens among them; how far off these are without each source, and their band."""

    constants: ServingConstants
    others: list[ServingConstants]
    told: list[tuple[str, str, float]]
    bands: dict[str, Band]


def _with_first_tokens(catalogue: Catalogue, rows: Sequence[Row], best: ServingConstants) -> _FirstTokens:
    seen = waited(catalogue, rows, best)
    if seen is None or len(set(seen.source)) < _FEWEST_SOURCES:
        return _FirstTokens(best, [], [], {})
    errors, others = without_each_source(seen, best)
    told = [(UNDER_LOAD, source, float(error)) for source, error in zip(seen.source, errors, strict=True)]
    # A band is of times here: 10th and 90th percentile of published ones.
    bands = {UNDER_LOAD: band_of_errors(-errors)} if len(errors) >= _FEWEST_ROWS else {}
    return _FirstTokens(fit_first_tokens(seen, best), others, told, bands)


def _fitted(name: str, best: ServingConstants, others: Sequence[ServingConstants]) -> Fitted:
    values = [getattr(one, name) for one in others] + [getattr(best, name)]
    round_to = 4 if name not in FIXED else 6
    low, value, high = (float(f"{x:.{round_to}g}") for x in (min(values), getattr(best, name), max(values)))
    return Fitted(value=value, low=low, high=high, means=known().constants[name].means)
