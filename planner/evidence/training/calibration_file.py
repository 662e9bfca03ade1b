"""Calibrated constants as text for a data file, with what they were fitted on, when and by which command."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from pydantic import Field, ValidationError

from planner.evidence.checked import Group, group_of
from planner.evidence.table import BadTable
from planner.evidence.training.calibration import Array, Sample
from planner.speed.bands import Band
from planner.speed.data_files import read_data
from planner.speed.training.constants import NAMES, TrainingCalibration, TrainingConstants
from pricing import strict_yaml
from pricing.figure import Strict
from pricing.schema import editor_schema
from pricing.wishes import first_wish

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


def calibration_in(text: str, *, file: str) -> TrainingCalibration:
    """The constants in a file that `calibrate training --out` wrote; anything else raises `BadTable`."""
    try:
        found = _File.model_validate(strict_yaml.read(text, file=file))
    except ValidationError as error:
        place, wish, _ = first_wish(error)
        where = ".".join(map(str, place)) or "the file"
        raise BadTable(f"{file}: {where}: {wish}; give what {COMMAND} --out writes.") from error
    _check_names(found, file)
    far = {name: one for name, one in found.constants.items() if not 1 / FARTHEST < one.value / one.prior < FARTHEST}
    for name, one in far.items():
        raise BadTable(f"{file}: constants.{name}: {one.value:g} is beyond {FARTHEST:g} times its prior {one.prior:g}.")
    values = TrainingConstants(**{name: found.constants[name].value for name in NAMES})
    return TrainingCalibration(values, found.chips, found.families, found.bands)


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


def judged(sample: Sample, errors: Array) -> list[Group]:
    """How far off we are on sources that were not fitted: all, by kind, and by source with the worst first."""
    members: dict[tuple[str, str], list[float]] = {}
    for run, error, usable in zip(sample.runs, errors, sample.usable, strict=True):
        for key in (("all", "all"), ("kind", run.kind), ("source", run.source)) if usable else ():
            members.setdefault(key, []).append(float(error))
    groups = [group_of(by, name, found) for (by, name), found in members.items()]
    return sorted(groups, key=lambda one: (("all", "kind", "source").index(one.by), -one.median_error))


def constants_text(calibration: TrainingCalibration, bands: Mapping[str, Band], sample: Sample, *, on: date) -> str:
    """The whole of training_constants.yaml with these values; priors and meanings stay as they are."""
    data = read_data("training_constants.yaml")
    lines = [f'about: "{data["about"]}"', *_provenance(sample, on), "constants:"]
    for name in NAMES:
        entry, value = data["constants"][name], getattr(calibration.constants, name)
        lines.append(
            f"  {name}: {{value: {_plain(value)}, prior: {_plain(entry['prior'])}, sd: {_plain(entry['sd'])}, "
            f'meaning: "{entry["meaning"]}"}}'
        )
    for section, factors in (("chips", calibration.chips), ("families", calibration.families)):
        lines += ["", f"# {data_comment(section)}", f"{section}:"]
        lines += [f"  {name}: {factor:.3f}" for name, factor in factors.items()]
    lines += ["", "# Beliefs about families that data sheets flatter: what large products were measured to reach."]
    lines += [f"family_priors: {{{', '.join(f'{k}: {v}' for k, v in data['family_priors'].items())}}}"]
    lines += ["", "# Judged by models instead of as a whole: without it hardly a mixture is left."]
    lines += [f"left_out_by_model: [{', '.join(data['left_out_by_model'])}]"]
    lines += ["", "# Runs that contradict physics or themselves.", "not_fitted:"]
    lines += [f"  {run}: {why}" for run, why in data["not_fitted"].items()]
    lines += [
        "",
        "# Published over predicted where its source, or half of all, was left out: a tenth lies below, a tenth above.",
        "bands:",
    ]
    lines += [f"  {name}: {{low: {band.low}, high: {band.high}, rows: {band.rows}}}" for name, band in bands.items()]
    return "\n".join(lines) + "\n"


def data_comment(section: str) -> str:
    """What a list of factors means."""
    what = "chip, on top of its family's" if section == "chips" else "family of chips"
    return f"What each {what}, reaches of the constants, drawn hard to 1."


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
