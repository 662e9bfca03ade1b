"""Uncertainty of serving predictions, and their correction by runs of one's own."""

from collections.abc import Sequence

from planner.network.kinds import UnknownShape
from planner.scenario.base import ONE_MACHINE
from planner.scenario.jobs import MeasuredLike, ServingJob
from planner.scenario.measured import MeasuredRun
from planner.speed.bands import Band, attention_kind, is_measured, mixture_kind
from planner.speed.hardware import architecture_family
from planner.speed.pace import SpeedCorrection, band_left, canonical_model_name, combine_runs
from planner.speed.serving.case_of import ServingSetup, measured_level
from planner.speed.serving.cases import ServingLayout
from planner.speed.serving.chips import WEIGHT_BYTES, serving_data
from planner.speed.serving.lookup import find_shape
from pricing import Catalogue

_WIDE = Band(low=0.3, high=1.6, rows=0)  # nobody measured anything like it
UNDER_LOAD = "first token under load"
RATE = "rate"  # what a band is of; runs that print a time instead are the less like it


def serving_traits(setup: ServingSetup, layout: ServingLayout, *, batch: float, figure: str = RATE) -> dict[str, str]:
    """By what a run of so many requests at once on each replica is like another; `figure` is what was measured."""
    weight, together = WEIGHT_BYTES[setup.precision], float(layout.group) * float(layout.stages)
    return {
        "chip": architecture_family(setup.chip.architecture or setup.chip.kind, stacked=setup.chip.hbm),
        "engine": setup.engine,
        "mixture": mixture_kind(setup.shape),
        "size": "one" if together <= 1 else "machine" if together <= ONE_MACHINE else "machines",
        "attention": attention_kind(setup.shape),
        "bits": "16" if weight >= 2 else "8" if weight >= 1 else "4",
        "pipeline": "pipeline" if float(layout.stages) > 1 else "none",
        "load": "one" if batch <= 1 else "many",
        "ranks": "attend" if float(layout.attention_ranks) > 1 else "share",
        "figure": figure,
    }


def band_name(setup: ServingSetup, *, single: bool) -> str:
    """Return which group of runs it is judged with: by the kind of model, machine and engine."""
    chip, mixture = setup.chip, mixture_kind(setup.shape)
    names = {
        "processor": chip.kind == "cpu",
        "encoder": not setup.shape.causal,
        "single": setup.engine == "local",
        "hybrid": setup.shape.is_hybrid,
        "other chips": chip.kind not in ("gpu", "edge"),
        "one request, dense": single and mixture == "dense",
        "one request, experts": single,
        "dense": mixture == "dense",
        "many small experts": mixture == "many",
    }
    return next((name for name, holds in names.items() if holds), "few large experts")


def serving_band(setup: ServingSetup, layout: ServingLayout, *, batch: float, guessed: bool = False) -> Band:
    """The band around a prediction, as factors on it; wide where nobody fitted such work or the shape was guessed."""
    data = serving_data()
    assumed = data.assumed_bands.get(band_name(setup, single=batch <= 1))
    band = assumed or data.spread.band(
        serving_traits(setup, layout, batch=batch), measured=measured_level(setup).runs > 0,
        known_chip=is_measured(setup.engine, setup.chip.name, data.levels),
    )  # fmt: skip
    return band.or_wider(data.assumed_bands.get("guessed shape", _WIDE)) if guessed else band


def serving_correction(catalogue: Catalogue, job: ServingJob, accelerator: str) -> SpeedCorrection:
    """Of a service on that accelerator: runs of its model and engine.

    Those of another model do not predict published runs there, so they count only where no model is named.
    """
    if job.measured_over_predicted is not None:
        return SpeedCorrection(job.measured_over_predicted, "job", 1, band_left("entered"), 1.0)
    return combine_runs(*matching_runs(catalogue, job, accelerator))


def matching_runs(
    catalogue: Catalogue, job: ServingJob, accelerator: str
) -> tuple[Sequence[MeasuredRun], MeasuredLike]:
    """The measured factors that speak of a service on an accelerator, and what each has in common with it."""
    here = [run for run in job.measured if run.kind == "serving" and run.accelerator == accelerator]
    here = [run for run in here if run.engine in (None, job.engine)]
    model = _canonical_name(catalogue, job.model) if here else ""
    same = [run for run in here if run.model is not None and canonical_model_name(catalogue, run.model) == model]
    return (same, "job") if same else ([run for run in here if run.model is None], "accelerator")


def _canonical_name(catalogue: Catalogue, model: str) -> str:
    """The catalogue's name of it, tuned and quantised variants included; else as it is written."""
    try:
        return find_shape(catalogue, model).name
    except UnknownShape:
        return canonical_model_name(catalogue, model)
