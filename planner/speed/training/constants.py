"""The calibrated constants of the training model, as they stand in data/training_constants.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from planner.network.network import Network
from planner.scenario.base import ONE_MACHINE
from planner.speed.arrays import Num
from planner.speed.bands import (
    UNLEVELED,
    UNTOLD,
    Band,
    BandTraits,
    ErrorSpread,
    Level,
    attention_kind,
    is_measured,
    mixture_kind,
)
from planner.speed.hardware import read_data
from planner.speed.training.plan import TrainingPlan
from pricing.caching import cached


@dataclass(frozen=True)
class TrainingConstants:
    """The fitted constants; `meaning` and prior of each stand in the data file. All are positive numbers."""

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
    spread: ErrorSpread = UNTOLD
    levels: Mapping[str, Level] = field(default_factory=dict)

    def level(self, name: str) -> float:
        """Return how fast published runs of a setup were, over what the constants alone predict; else 1."""
        return self.levels.get(name, UNLEVELED).ratio

    def chip_factor(self, chip: str, family: str) -> float:
        """The multiplier of one chip; an unknown one is like its family, an unknown family like the rest."""
        return self.chips.get(chip, 1.0) * self.families.get(family, 1.0)


@cached(1)
def default_calibration() -> TrainingCalibration:
    """The calibration this house was delivered with."""
    data = read_data("training_constants.yaml")
    constants = TrainingConstants(**{name: float(data["constants"][name]["value"]) for name in NAMES})
    bands = {name: Band(**band) for name, band in data["bands"].items()}
    spread = ErrorSpread.model_validate(data["spread"]) if "spread" in data else UNTOLD
    levels = {name: Level(**level) for name, level in data.get("levels", {}).items()}
    return TrainingCalibration(constants, data["chips"], data["families"], bands, spread, levels)


SCALES = {"up_to_64": 64.0, "65_to_1024": 1024.0}
_NARROW = 3_000.0  # wide: below, launching kernels rather than arithmetic sets the pace of most accelerators
_LONG = 32_768.0  # tokens of a sequence: beyond, attention is most of the work

# Of a shape that was guessed from its size. Where the shapes of 888 published runs are so guessed, 86 % lie inside.
GUESSED = Band(low=0.6, high=1.25, rows=888)


class UnseenKind(NamedTuple):
    """What a kind of accelerator without a published run is assumed to reach of what a GPU of its rates would."""

    pace: float
    band: Band  # around it


# Assumptions. Processors: 0.15 to 1, a step wider at the low end than serving is measured to be on them. Apple: MLX's
# own examples (lora/README.md, read November 2026) name 475 tokens/s on an M2 Ultra and 250 on an M1 Max, a third of
# the rate assumed of them; small machines of one chip: as those.
UNSEEN_KINDS = {
    "cpu": UnseenKind(0.4, Band(low=0.4, high=2.5, rows=0)),
    "apple": UnseenKind(0.75, Band(low=0.6, high=1.6, rows=0)),
    "edge": UnseenKind(0.75, Band(low=0.5, high=1.6, rows=0)),
}


def kind_pace(kind: str) -> float:
    """Return what accelerators of a kind are assumed to reach of what a GPU of their rates would; 1 where runs say."""
    return UNSEEN_KINDS[kind].pace if kind in UNSEEN_KINDS else 1.0


def run_kind(*, moe: bool, layout_stated: bool) -> str:
    """The kinds of runs whose errors differ."""
    if moe:
        return "moe"
    return "dense_layout_stated" if layout_stated else "dense_layout_chosen"


def size_class(accelerators: float) -> str:
    """Small, middle, large."""
    return next((name for name, most in SCALES.items() if max(accelerators, 1.0) <= most), "above_1024")


def level_name(model: str, chip: str, plan: TrainingPlan) -> str:
    """Return by what the level of a setup is known: software, accelerator, model, format and what is trained."""
    software = "library" if not plan.eager else "compiled" if plan.compiled else "eager"
    trained = "all" if plan.trainable_share >= 1 else "some"
    return " | ".join((software, chip, model, f"{float(plan.bits):.0f} bits", trained))


def training_traits(shape: Network, plan: TrainingPlan, family: str) -> dict[str, str]:
    """By what a run is like another: one network on one plan."""
    parallel = "parallel" if plan.cp > 1 else "long" if plan.seq_len > _LONG else "usual"
    return {
        "chip": family,
        "software": "library" if not plan.eager else "compiled" if plan.compiled else "eager",
        "mixture": mixture_kind(shape),
        "size": "machine" if plan.accelerators <= ONE_MACHINE else size_class(float(plan.accelerators)),
        "attention": attention_kind(shape),
        "bits": f"{float(plan.bits):.0f}",
        "pipeline": "pipeline" if plan.pp > 1 else "none",
        "context": parallel,
        "weights": "all" if plan.trainable_share >= 1 else "some",
        "width": "narrow" if shape.hidden < _NARROW else "wide",
    }


def training_band(
    traits: BandTraits,
    *,
    layout_stated: bool = False,
    calibration: TrainingCalibration | None = None,
    own: str = "",
    kind: str = "gpu",
    level: str = "",
) -> Band:
    """The band of a run with these traits; the house's where a fit was too small to have one.

    `own` says that measured runs of one's own corrected the speed: of the same `job` or others on the accelerator;
    `level` is by what the level of its setup is known, `kind` that of the accelerator.
    """
    if kind in UNSEEN_KINDS and not own:
        return UNSEEN_KINDS[kind].band
    fitted = calibration is not None and calibration.spread is not UNTOLD
    spread = (calibration if calibration and fitted else default_calibration()).spread
    levels = (calibration or default_calibration()).levels
    software, _, chip = level.partition(" | ")
    known_chip = not level or is_measured(software, chip.split(" | ")[0], levels)
    general = spread.band(traits, measured=level in levels, known_chip=known_chip)
    group = run_kind(moe=traits["mixture"] != "dense", layout_stated=layout_stated)
    bands = calibration.bands if calibration is not None and group in calibration.bands else default_calibration().bands
    theirs = bands.get(f"own_runs/{own}/{group}") if own else None
    # Runs of one's own never make it less sure.
    if theirs is None or general.high / general.low <= theirs.high / theirs.low:
        return general
    return theirs.model_copy(update={"alike": general.alike, "unlike": general.unlike})
