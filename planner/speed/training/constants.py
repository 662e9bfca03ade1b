"""The calibrated constants of the training model, as they stand in data/training_constants.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from planner.speed.arrays import Num
from planner.speed.bands import UNTOLD, Band, Spread
from planner.speed.data_files import read_data
from pricing.caching import cached


@dataclass(frozen=True)
class TrainingConstants:
    """What was fitted; `meaning` and the prior of each stand in the data file. All are positive numbers."""

    e16: Num
    e8: Num
    e4: Num
    attention: Num
    elementwise: Num
    cast: Num
    half_tokens: Num
    half_width: Num
    half_hidden: Num
    half_expert: Num
    odd_head: Num
    host_s: Num
    tensor_exposed: Num
    data_exposed: Num
    shard_exposed: Num
    expert_exposed: Num
    context_exposed: Num
    expert: Num
    expert_low: Num
    permute: Num
    optimizer: Num
    bubble: Num
    unfused: Num
    scale: Num
    offload: Num
    power: Num
    moe_host_s: Num
    moe_progress: Num
    progress: Num
    odd_width: Num
    attention_progress: Num
    half_context: Num
    torch_attention: Num
    torch_cast: Num
    torch_elementwise: Num
    ring_s: Num
    shard_ring_s: Num
    launch_s: Num
    launched_ahead: Num
    old_attention: Num


NAMES = tuple(field.name for field in fields(TrainingConstants))


@dataclass(frozen=True)
class TrainingCalibration:
    """Constants, and what each chip and family of chips reaches of what they say."""

    constants: TrainingConstants
    chips: Mapping[str, float]
    families: Mapping[str, float]
    bands: Mapping[str, Band] = field(default_factory=dict)
    spread: Spread = UNTOLD

    def chip_factor(self, chip: str, family: str) -> float:
        """The multiplier of one chip; an unknown one is like its family, an unknown family like the rest."""
        return self.chips.get(chip, 1.0) * self.families.get(family, 1.0)


@cached(1)
def default_calibration() -> TrainingCalibration:
    """The calibration this house was delivered with."""
    data = read_data("training_constants.yaml")
    constants = TrainingConstants(**{name: float(data["constants"][name]["value"]) for name in NAMES})
    bands = {name: Band(**band) for name, band in data["bands"].items()}
    spread = Spread.model_validate(data["spread"]) if "spread" in data else UNTOLD
    return TrainingCalibration(constants, data["chips"], data["families"], bands, spread)
