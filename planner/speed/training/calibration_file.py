"""Calibrated constants as text for a data file, with what they were fitted on, when and by which command."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from planner.speed.bands import Band
from planner.speed.checked import Group, group_of
from planner.speed.data_files import read_data
from planner.speed.training.bands import kind_of
from planner.speed.training.calibration import Array, Sample
from planner.speed.training.constants import NAMES, Calibration

COMMAND = "python -m planner calibrate training"


def judged(sample: Sample, errors: Array) -> list[Group]:
    """How far off we are on sources that were not fitted: all, by kind, and by source with the worst first."""
    members: dict[tuple[str, str], list[float]] = {}
    for run, error, usable in zip(sample.runs, errors, sample.usable, strict=True):
        kind = kind_of(moe=bool(run.shape.moe_layers), layout_stated=run.layout_stated)
        for key in (("all", "all"), ("kind", kind), ("source", run.source)) if usable else ():
            members.setdefault(key, []).append(float(error))
    groups = [group_of(by, name, found) for (by, name), found in members.items()]
    return sorted(groups, key=lambda one: (("all", "kind", "source").index(one.by), -one.median_error))


def constants_text(calibration: Calibration, bands: Mapping[str, Band], sample: Sample, *, on: date) -> str:
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
        "# Published over predicted for sources left out of the fit: a tenth lies below, a tenth above.",
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
