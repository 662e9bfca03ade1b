"""Calibrated constants as text for a data file, with what they were fitted on, when and by which command."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from pydantic import Field

from planner.evidence.constants_file import band_lines, entry, read_as, spread_lines
from planner.evidence.table import BadTable
from planner.evidence.training.fit import Sample
from planner.speed.bands import UNTOLD, Band, Spread
from planner.speed.data_files import read_data
from planner.speed.training.constants import NAMES, TrainingCalibration, TrainingConstants
from pricing import strict_yaml
from pricing.figure import Strict
from pricing.schema import editor_schema

COMMAND = "python -m planner calibrate training"


class _Entry(Strict):
    value: float = Field(gt=0, le=1e6, description="as fitted")
    prior: float = Field(gt=0, le=1e6, description="to which it was drawn")
    sd: float = Field(gt=0, le=10, description="how far it may stray from that, as a logarithm")
    meaning: str = Field(max_length=400, description="what it is, and in which unit")


_Factor = Annotated[float, Field(ge=0.05, le=20)]


class _File(Strict):
    """What `constants_text` writes; beyond what is needed to predict, only that it looks like that is checked."""

    about: str = Field(default="", description="what this file holds and where it came from")
    fitted: dict[str, date | int | str] = Field(
        default_factory=dict, description="on which day, from what and by which command"
    )
    constants: dict[str, _Entry] = Field(description="by name; all of them are wanted")
    chips: dict[str, _Factor] = Field(description="what each chip, on top of its family, reaches of the constants")
    families: dict[str, _Factor] = Field(description="what each family of chips reaches of the constants")
    family_priors: dict[str, _Factor] = Field(
        default_factory=dict, description="beliefs about families that data sheets flatter"
    )
    own_runs: dict[str, float] = Field(default_factory=dict, description="in files of before; not used")
    left_out_by_model: tuple[str, ...] = Field(
        default=(), description="sources that are judged by models instead of as a whole"
    )
    not_fitted: dict[str, str] = Field(
        default_factory=dict, description="runs that contradict physics or themselves, and why"
    )
    bands: dict[str, Band] = Field(description="published over predicted, where the source was left out")
    spread: Spread | None = Field(default=None, description="how wide the band of a run is, by what it is like")


def calibration_in(text: str, *, file: str) -> TrainingCalibration:
    """The constants in a file that `calibrate training --out` wrote; anything else raises `BadTable`."""
    found = read_as(_File, strict_yaml.read(text, file=file), file=file, writer=f"{COMMAND} --out")
    _check_names(found, file)
    far = {name: one for name, one in found.constants.items() if not 1 / FARTHEST < one.value / one.prior < FARTHEST}
    for name, one in far.items():
        raise BadTable(f"{file}: constants.{name}: {one.value:g} is beyond {FARTHEST:g} times its prior {one.prior:g}.")
    values = TrainingConstants(**{name: found.constants[name].value for name in NAMES})
    return TrainingCalibration(values, found.chips, found.families, found.bands, found.spread or UNTOLD)


def constants_schema() -> dict[str, Any]:
    """What such a file may hold, as JSON schema."""
    return editor_schema(_File)


FARTHEST = 1_000.0


def _check_names(found: _File, file: str) -> None:
    missing, odd = set(NAMES) - set(found.constants), set(found.constants) - set(NAMES)
    if missing or odd:
        wrong = f"{min(missing)} is missing" if missing else f"there is no constant {min(odd)!r}"
        raise BadTable(f"{file}: constants: {wrong}; write the file again with {COMMAND} --out.")
    upside_down = [name for name, band in found.bands.items() if band.low > band.high]
    if upside_down:
        raise BadTable(f"{file}: bands.{upside_down[0]}: low is above high.")


def constants_text(
    calibration: TrainingCalibration, bands: Mapping[str, Band], spread: Spread | None, sample: Sample, *, on: date
) -> str:
    """The whole of training_constants.yaml with these values; priors and meanings stay as they are."""
    data = read_data("training_constants.yaml")
    lines = [f'about: "{data["about"]}"', *_provenance(sample, on), "constants:"]
    for name in NAMES:
        known = data["constants"][name]
        value, prior, sd = map(_plain, (getattr(calibration.constants, name), known["prior"], known["sd"]))
        lines.append(entry(name, value=value, prior=prior, sd=sd, meaning=f'"{known["meaning"]}"'))
    what_each = {"chips": "chip, on top of its family's", "families": "family of chips"}
    for section, what in what_each.items():
        lines += ["", f"# What each {what}, reaches of the constants, drawn hard to 1.", f"{section}:"]
        lines += [f"  {name}: {factor:.3f}" for name, factor in getattr(calibration, section).items()]
    lines += ["", "# Beliefs about families that data sheets flatter: what large products were measured to reach."]
    lines += [f"family_priors: {{{', '.join(f'{k}: {v}' for k, v in data['family_priors'].items())}}}"]
    lines += ["", "# Judged by models instead of as a whole: without it hardly a mixture is left."]
    lines += [f"left_out_by_model: [{', '.join(data['left_out_by_model'])}]"]
    lines += ["", "# Runs that contradict physics or themselves.", "not_fitted:"]
    lines += [f"  {run}: {why}" for run, why in data["not_fitted"].items()]
    lines += [
        "",
        "# Published over predicted where its source was left out: 10th and 90th percentile.",
        *band_lines(bands),
        *spread_lines(spread),
    ]
    return "\n".join(lines) + "\n"


def _provenance(sample: Sample, on: date) -> list[str]:
    used = int(sample.usable.sum())
    return [
        "fitted:",
        f"  on: {on.isoformat()}",
        f"  runs: {used}",
        f"  sources: {len(set(sample.source.tolist()))}",
        f'  command: "{COMMAND}"',
        '  from: "published training runs of tiers A and B, planner/speed/data/training_runs.csv"',
        "",
    ]


def _plain(value: float) -> str:
    text = f"{float(value):.4g}"
    if "e" not in text:
        return text
    return f"{float(value):.12f}".rstrip("0")
