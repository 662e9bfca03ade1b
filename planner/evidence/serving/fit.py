"""Fitting the serving constants to runs.

Least squares on the logarithm of predicted over published, with outliers held down, every source counting the same,
and a weak pull towards what the constants are expected to be, so that one which no row speaks of stays there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from planner.evidence.cells import Row
from planner.evidence.least_squares import Array, Steps, least
from planner.evidence.left_out import ErrorsWithout, without_each
from planner.evidence.serving import first_tokens
from planner.evidence.serving.first_tokens import FIRST_TOKEN
from planner.evidence.serving.observed import Observed, observe
from planner.speed.serving.constants import FIXED, NAMES, ServingConstants
from pricing.catalogue import Catalogue

# Where the fit starts and is pulled to, and by how much (in logarithms) it may stray. Plain expectations, no result:
# engines reach three quarters of a peak, a multiplier is one until runs say otherwise.
EXPECTED: dict[str, tuple[float, float]] = {
    "flops_share": (0.75, 0.2), "bandwidth_share": (0.88, 0.15), "link_share": (0.6, 0.1),
    "attention_share": (0.5, 0.3), "activation_bytes": (60.0, 0.5), "layer_us": (50.0, 0.7),
    "moe_layer_us": (80.0, 0.7), "allreduce_us": (10.0, 0.5), "slot_allreduce_us": (45.0, 0.5),
    "eager_layers": (5.0, 0.4), "native_sequence_us": (5.0, 0.7), "hidden_sequence_us": (8.0, 0.7),
    "inline_sequence_us": (40.0, 1.0), "request_ms": (0.5, 0.7), "grace_host": (1.5, 0.4), "expert_skew": (0.6, 0.3),
    "spread_expert_work": (1.5, 0.5), "power": (0.5, 0.1), "fp4_stacked": (1.0, 0.3), "cdna3": (1.0, 0.3),
    "dequantised": (0.6, 0.3), "fp8_experts": (1.0, 0.4), "cdna3_experts": (1.5, 0.4), "latent_blackwell": (0.8, 0.3),
    "mxfp4_experts": (0.8, 0.3), "young_experts": (1.4, 0.3), "old_grouped": (1.5, 0.5), "bubble": (0.1, 0.7),
    "local_bandwidth_share": (0.82, 0.1), "local_compiled": (1.1, 0.1), "local_four_bit": (1.0, 0.3),
    "local_stacked": (1.0, 0.3), "local_unified_four_bit": (0.9, 0.1), "local_two_dies": (0.75, 0.1),
    "local_cache_reading": (2.0, 0.3), "local_stage_us": (200.0, 1.0), "local_layer_us": (60.0, 0.5),
}  # fmt: skip
_OUTLIER = 0.2  # an error beyond a fifth pulls less and less
_SPREAD = 0.1  # an error of a tenth is as surprising as a constant one deviation off
_STEPS = Steps(rounds=25, tries=6, shorter=5, least_damping=1e-5, enough_share=1e-4)
_NUDGE = 1e-4

FREE = tuple(name for name in NAMES if name not in (*FIXED, *FIRST_TOKEN))


def expected() -> ServingConstants:
    """The constants nobody has fitted yet."""
    believed = {**EXPECTED, **first_tokens.EXPECTED}
    return ServingConstants(**{name: believed[name][0] for name in NAMES})


def refit(catalogue: Catalogue, rows: Sequence[Row]) -> ServingConstants:
    """The constants that published, or your own, runs ask for."""
    return fit(Observed.of(observe(catalogue, rows)))


def fit(observed: Observed, start: ServingConstants | None = None, free: Sequence[str] = FREE) -> ServingConstants:
    """The constants named in `free`, fitted; the others as in `start`."""
    problem = _Problem(observed, start or expected(), tuple(free))
    return problem.constants(least(problem, problem.start, _STEPS))


class _Problem:
    """The least squares to solve, in logarithms of the free constants."""

    def __init__(self, observed: Observed, base: ServingConstants, free: tuple[str, ...]) -> None:
        self.observed, self.base, self.free = observed, base, free
        self.start = np.array([np.log(getattr(base, name)) for name in free])
        self.centre = np.array([np.log(EXPECTED[name][0]) for name in free])
        self.stiff = 1 / np.array([EXPECTED[name][1] for name in free]) ** 2
        self.weight = observed.weights() / _SPREAD**2

    def constants(self, place: Array) -> ServingConstants:
        """The constants at a place."""
        moved = {name: float(np.exp(value)) for name, value in zip(self.free, place, strict=True)}
        return replace(self.base, **moved)

    def errors(self, place: Array) -> Array:
        """How far each figure is off there."""
        return self.observed.log_errors(self.constants(place))

    def cost(self, errors: Array, place: Array) -> float:
        """What is made small: errors with outliers held down, and the pull to what is expected."""
        pull = np.sum(self.stiff * (place - self.centre) ** 2)
        held = np.sum(self.weight * (np.sqrt(1 + (errors / _OUTLIER) ** 2) - 1))
        return float(2 * _OUTLIER**2 * held + pull)

    def around(self, place: Array, errors: Array) -> tuple[Array, Array]:
        """Curvature and the way down there."""
        nudges = np.eye(len(place)) * _NUDGE
        slopes = np.stack([(self.errors(place + nudge) - errors) / _NUDGE for nudge in nudges], axis=1)
        held = self.weight / np.sqrt(1 + (errors / _OUTLIER) ** 2)
        curve = slopes.T @ (slopes * held[:, None]) + np.diag(self.stiff)
        return curve, -(slopes.T @ (held * errors) + self.stiff * (place - self.centre))


def without_each_of(
    observed: Observed, groups: Sequence[str], start: ServingConstants
) -> tuple[Array, dict[str, ServingConstants]]:
    """Errors of each figure by constants fitted without its group, from a fit to all; and those constants."""
    without: dict[str, ServingConstants] = {}

    def errors(out: NDArray[np.bool_]) -> Array:
        name = groups[int(np.argmax(out))]
        without[name] = fit(observed.where(~out), start)
        return observed.where(out).log_errors(without[name])

    return without_each(groups, errors), without


def errors_without(observed: Observed, start: ServingConstants) -> ErrorsWithout:
    """The errors of some figures by constants fitted to all others, from a fit to all."""
    return lambda out: observed.where(out).log_errors(fit(observed.where(~out), start))
