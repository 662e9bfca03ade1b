"""Fitting the constants of the serving model to runs, and writing them with the bands that the fit leaves.

Least squares on the logarithm of predicted over published, with outliers held down, every source counting the same,
and a weak pull towards what the constants are expected to be, so that one which no row speaks of stays there.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from planner.evidence.serving.observed import ServingObservation, read_observations
from planner.evidence.serving.runs import ServingRun
from planner.evidence.table import Row
from planner.speed.bands import Band, ErrorSpread, Level
from planner.speed.serving.bands import UNDER_LOAD, band_name, serving_traits
from planner.speed.serving.case_of import level_name
from planner.speed.serving.cases import FIXED, NAMES, ServingConstants
from planner.speed.serving.chips import FittedConstant, serving_data
from pricing.catalogue import Catalogue
from tools.calibration import first_tokens
from tools.calibration.constants_text import constants_text, level_lines
from tools.calibration.cross_validation import (
    ErrorsWithout,
    band_from_errors,
    bands_by_group,
    check_enough_sources,
    leave_one_group_out_errors,
)
from tools.calibration.error_spread import FittedRuns
from tools.calibration.first_tokens import FIRST_TOKEN, fit_first_tokens, leave_one_source_out_errors, waited
from tools.calibration.fit import KindFit
from tools.calibration.least_squares import Array, LeastSquaresProblem, SolverSettings, minimize, within_setups
from tools.calibration.levels import fitted_levels, leveled
from tools.calibration.noise_floor import Measurement
from tools.calibration.observed import FittedObservations

# Where the fit starts and is pulled to, and by how much (in logarithms) it may stray. Plain expectations, no result:
# engines reach three quarters of a peak, a multiplier is one until runs say otherwise.
EXPECTED: dict[str, tuple[float, float]] = {
    "flops_share": (0.75, 0.2), "bandwidth_share": (0.88, 0.15), "link_share": (0.6, 0.1),
    "attention_share": (0.5, 0.3), "activation_bytes": (60.0, 0.5), "layer_us": (50.0, 0.7),
    "moe_layer_us": (80.0, 0.7), "allreduce_us": (10.0, 0.5), "slot_allreduce_us": (45.0, 0.5),
    "eager_layers": (5.0, 0.4), "native_sequence_us": (5.0, 0.7), "hidden_sequence_us": (8.0, 0.7),
    "inline_sequence_us": (40.0, 1.0), "request_ms": (0.5, 0.7), "grace_host": (1.5, 0.4), "expert_skew": (0.6, 0.3),
    "expert_tile": (64.0, 0.5), "fullest_rank": (1.0, 0.15),
    "permute_bytes": (8.0, 0.5), "power": (0.5, 0.1), "fp4_stacked": (1.0, 0.3), "cdna3": (1.0, 0.3),
    "dequantised": (0.6, 0.3), "cdna3_experts": (1.5, 0.4),
    "mxfp4_experts": (0.8, 0.3), "expert_progress": (1.2, 0.3), "old_grouped": (1.5, 0.5), "bubble": (0.1, 0.7),
    "local_bandwidth_share": (0.82, 0.1), "local_compiled": (1.1, 0.1), "local_four_bit": (1.0, 0.3),
    "local_stacked": (1.0, 0.3), "local_unified_four_bit": (0.9, 0.1), "local_two_dies": (0.75, 0.1),
    "local_cache_reading": (2.0, 0.3), "local_stage_us": (200.0, 1.0), "local_layer_us": (60.0, 0.5),
}  # fmt: skip
_OUTLIER = 0.2  # an error beyond a fifth pulls less and less
_NOISE = 0.1  # an error of a tenth is as surprising as a constant one deviation off
_STEPS = SolverSettings(rounds=25, tries=6, shorter=5, least_damping=1e-5, enough_share=1e-4)
_FULL_WEIGHT_ROWS = 15  # a source with fewer rows counts for less than the others

FREE = tuple(name for name in NAMES if name not in (*FIXED, *FIRST_TOKEN))


def expected() -> ServingConstants:
    """The constants nobody has fitted yet."""
    believed = {**EXPECTED, **first_tokens.EXPECTED}
    return ServingConstants(**{name: believed[name][0] for name in NAMES})


def refit(catalogue: Catalogue, rows: Sequence[Row]) -> ServingConstants:
    """The constants that published, or your own, runs ask for."""
    return fit(FittedObservations.of(read_observations(catalogue, rows)))


def fit(
    observed: FittedObservations, start: ServingConstants | None = None, free: Sequence[str] = FREE
) -> ServingConstants:
    """Return the constants, those named in `free` fitted and the others as in `start`."""
    base = start or expected()

    def constants(place: Array) -> ServingConstants:
        return replace(base, **dict(zip(free, np.exp(place).tolist(), strict=True)))

    observed = observed.unleveled()
    # Tables of one user's engines have many chips with a few rows each, whose levels are what they tell.
    alone = np.asarray(observed.case.traits.local) > 0
    setup = np.unique(np.where(alone, -1 - np.arange(len(alone)), observed.setup), return_inverse=True)[1]
    problem = LeastSquaresProblem(
        errors=lambda place: within_setups(observed.log_errors(constants(place)), setup),
        weight=weights_of(observed) / _NOISE**2,
        centre=np.array([np.log(EXPECTED[name][0]) for name in free]),
        sd=np.array([EXPECTED[name][1] for name in free]), outlier=_OUTLIER,
    )  # fmt: skip
    return constants(minimize(problem, np.array([np.log(getattr(base, name)) for name in free]), _STEPS))


def weights_of(observed: FittedObservations) -> Array:
    """Return weights: each source counts the same, however many rows it prints; one of few rows counts for less."""
    rows = Counter(observed.source.tolist())
    weight = np.array([min(1.0, rows[name] / _FULL_WEIGHT_ROWS) / rows[name] for name in observed.source])
    return weight * len(observed.source) / len(rows)


def leave_one_group_out(
    observed: FittedObservations, groups: Sequence[str], start: ServingConstants
) -> tuple[Array, dict[str, ServingConstants]]:
    """Errors of each figure by constants fitted without its group, from a fit to all; and those constants."""
    without: dict[str, ServingConstants] = {}

    def errors(out: NDArray[np.bool_]) -> Array:
        name = groups[int(np.argmax(out))]
        without[name] = fit(observed.where(~out), start)
        return _leveled_errors(observed, out, without[name])

    return leave_one_group_out_errors(groups, errors), without


def errors_without(observed: FittedObservations, start: ServingConstants) -> ErrorsWithout:
    """The errors of some figures by constants fitted to all others, from a fit to all."""
    return lambda out: _leveled_errors(observed, out, fit(observed.where(~out), start))


def levels_of(observed: FittedObservations, constants: ServingConstants) -> dict[str, Level]:
    """Return the levels that figures show beside the constants."""
    return fitted_levels(observed.level, observed.setup, observed.unleveled().log_errors(constants))


def _leveled_errors(observed: FittedObservations, out: NDArray[np.bool_], constants: ServingConstants) -> Array:
    """Return the errors of some figures, with levels from the others."""
    held = observed.where(out)
    return leveled(held.unleveled().log_errors(constants), held.level, levels_of(observed.where(~out), constants))


def traits_in(observations: Sequence[ServingObservation]) -> FittedRuns:
    """Return by what the runs behind published figures are like each other."""
    traits = [
        serving_traits(one.run.setup, one.run.case.layout, batch=float(one.run.case.traffic.batch), figure=one.kind)
        for one in observations
    ]
    level = np.array([level_name(one.run.setup) for one in observations])
    return FittedRuns.of(traits, [one.source for one in observations], level=level)


COMMAND = "python -m tools.calibrate serving"
_FIGURES = {"rate": "rate", "token": "time between tokens", "step": "time of a step", "first": "first token"}
_HEAD = (
    "# yaml-language-server: $schema=../../../schemas/serving_constants.json",
    *("about: Constants of the serving model, fitted to published runs, and the bands that the fit leaves.", ""),
    "# Written by the command below; ranges: what each constant became when one source after the other was left out.",
    "# Bands are published over predicted on runs whose source was left out: 10th and 90th percentile.",
)
_FEWEST_SOURCES = 2
_FEWEST_ROWS = 10  # fewer say nothing about how wide a band is


def fit_of(catalogue: Catalogue, rows: Sequence[Row]) -> KindFit:
    """Return the fit to all figures, beside each figure's error by a fit without its source."""
    observations = read_observations(catalogue, rows)
    sources = [one.source for one in observations]
    check_enough_sources("serving", sources)
    observed = FittedObservations.of(observations)
    best = fit(observed)
    errors, without = leave_one_group_out(observed, sources, best)
    names = [(band_name(one.run.setup, single=float(one.run.case.traffic.batch) <= 1),) for one in observations]
    waits = _with_first_tokens(catalogue, rows, best)
    bands = bands_by_group(names, errors, tells=lambda _, figures: figures >= _FEWEST_ROWS) | waits.bands
    constants = {
        name: _fitted(name, waits.constants, waits.others if name in FIRST_TOKEN else list(without.values()))
        for name in NAMES
    }
    unseen = [
        (f"{one.run.kind}: {_FIGURES[one.kind]}", one.source, float(error))
        for one, error in zip(observations, errors, strict=True)
    ]
    return KindFit(
        traits_in(observations), errors_without(observed, best), [*unseen, *waits.unseen],
        lambda spread, on: serving_file(constants, levels_of(observed, best), bands, spread, sources, on=on),
        [*_measured(observations, errors), *waits.measured],
    )  # fmt: skip


def _measured(observations: Sequence[ServingObservation], errors: Array) -> list[Measurement]:
    """Return each figure of one replica as a measurement of its setup."""
    return [
        _measurement(
            f"{one.run.kind}: {_FIGURES[one.kind]}", one.source, one.run, error=float(error),
            figure=one.per_s / (float(one.run.case.layout.replicas) if one.kind == "rate" else 1.0),
        )
        for one, error in zip(observations, errors, strict=True)
    ]  # fmt: skip


def _measurement(kind: str, source: str, run: ServingRun, *, figure: float, error: float) -> Measurement:
    setup, layout, traffic = run.setup, run.case.layout, run.case.traffic
    alone, busy = astuple(replace(layout, replicas=1.0)), run.arrivals_per_s / float(layout.replicas)
    sizes = (float(traffic.input_tokens), float(traffic.output_tokens), float(traffic.batch), busy)
    return Measurement(
        kind, source,
        (
            run.model, setup.precision, setup.kv_bytes, setup.chip.name, setup.engine, run.limit_ttft_s,
            float(traffic.draft_tokens), float(traffic.all_at_once), *map(str, alone),
        ),
        tuple(size if np.isfinite(size) else 0.0 for size in sizes), float(np.log(figure)), error,
    )  # fmt: skip


def serving_file(
    constants: Mapping[str, FittedConstant], levels: Mapping[str, Level], bands: Mapping[str, Band],
    spread: ErrorSpread | None, sources: Sequence[str],
    *,
    on: date,
) -> str:  # fmt: skip
    """Return the whole of serving_constants.yaml; `sources` has that of each figure."""
    fit_on = f"fit: {{on: {on}, command: {COMMAND}, rows: {len(sources)}, sources: {len(set(sources))}}}"
    fields = {
        name: {"value": one.value, "low": one.low, "high": one.high, "means": f'"{one.means}"'}
        for name, one in constants.items()
    }
    return constants_text([*_HEAD, fit_on], fields, level_lines(levels), bands=bands, spread=spread)


@dataclass(frozen=True)
class _FirstTokenFit:
    """All constants, those of first tokens among them; how far off these are without each source, and their band."""

    constants: ServingConstants
    others: list[ServingConstants]
    unseen: list[tuple[str, str, float]]
    bands: dict[str, Band]
    measured: list[Measurement]


def _with_first_tokens(catalogue: Catalogue, rows: Sequence[Row], best: ServingConstants) -> _FirstTokenFit:
    seen = waited(catalogue, rows, best)
    if seen is None or len(set(seen.source)) < _FEWEST_SOURCES:
        return _FirstTokenFit(best, [], [], {}, [])
    errors, others = leave_one_source_out_errors(seen, best)
    unseen = [(UNDER_LOAD, source, float(error)) for source, error in zip(seen.source, errors, strict=True)]
    # A band is of times here: 10th and 90th percentile of published ones.
    bands = {UNDER_LOAD: band_from_errors(-errors)} if len(errors) >= _FEWEST_ROWS else {}
    measured = [
        _measurement(UNDER_LOAD, source, run, figure=float(published), error=float(error))
        for source, run, published, error in zip(seen.source.tolist(), seen.runs, seen.published_s, errors, strict=True)
    ]
    return _FirstTokenFit(fit_first_tokens(seen, best), others, unseen, bands, measured)


def _fitted(name: str, best: ServingConstants, others: Sequence[ServingConstants]) -> FittedConstant:
    values = [getattr(one, name) for one in others] + [getattr(best, name)]
    round_to = 4 if name not in FIXED else 6
    low, value, high = (float(f"{x:.{round_to}g}") for x in (min(values), getattr(best, name), max(values)))
    return FittedConstant(value=value, low=low, high=high, means=serving_data().constants[name].means)
