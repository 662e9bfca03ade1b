"""How large a model one person can use on a machine: what its memory can read in the time between two words."""

from __future__ import annotations

from dataclasses import dataclass

from planner.speed.arrays import Num
from planner.speed.serving.chips import WEIGHT_BYTES, Chip
from planner.speed.serving.constants import ServingConstants
from planner.speed.serving.engine_data import known

_FOUR_BITS = WEIGHT_BYTES["q4_k_m"]


@dataclass(frozen=True)
class Largest:
    """Active parameters in 1e9, with the range that published runs leave open."""

    params_b: Num
    low_b: Num
    high_b: Num


def largest_params_b(*, bandwidth: Num, tokens_per_s: Num, bytes_per_weight: Num, bandwidth_share: Num) -> Num:
    """Parameters that can be read for each token at that pace. [1e9] Prompts and caches are left out."""
    return bandwidth * bandwidth_share / (tokens_per_s * bytes_per_weight) / 1e9


def largest_model(chip: Chip, *, tokens_per_s: float, constants: ServingConstants | None = None) -> Largest:
    """The largest model in 4 bits that writes so many tokens a second for one person on that chip.

    Of a mixture of experts only the active parameters count, though all of them have to fit.
    """
    fitted = constants or known().values()
    share = fitted.local_bandwidth_share * fitted.local_four_bit * (fitted.local_stacked if chip.hbm else 1.0)
    typical = largest_params_b(
        bandwidth=chip.bandwidth, tokens_per_s=tokens_per_s, bytes_per_weight=_FOUR_BITS, bandwidth_share=share
    )
    said = known()
    band = said.assumed_bands["processor"] if chip.kind == "cpu" else said.bands["single"]
    return Largest(typical, typical * band.low, typical * band.high)
