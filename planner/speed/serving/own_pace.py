"""How fast a service runs over what is predicted of it, going by runs of one's own that a scenario carries."""

from collections.abc import Sequence

from planner.network.kinds import UnknownShape
from planner.scenario.measured import Measured
from planner.scenario.serving_job import ServingJob
from planner.scenario.training_job import MeasuredLike
from planner.speed.pace import Pace, band_left, believed, called
from planner.speed.serving.lookup import find_shape
from pricing import Catalogue


def serving_correction(catalogue: Catalogue, job: ServingJob, accelerator: str) -> Pace:
    """Of a service on that accelerator: runs of its model and engine.

    Those of another model there told published runs nothing, so they count only where no model is named.
    """
    if job.measured_over_predicted is not None:
        return Pace(job.measured_over_predicted, "job", 1, band_left("entered"), 1.0)
    return believed(*alike(catalogue, job, accelerator))


def alike(catalogue: Catalogue, job: ServingJob, accelerator: str) -> tuple[Sequence[Measured], MeasuredLike]:
    """The measured factors that speak of a service on an accelerator, and what each has in common with it."""
    here = [one for one in job.measured if one.kind == "serving" and one.accelerator == accelerator]
    here = [one for one in here if one.engine in (None, job.engine)]
    model = _called(catalogue, job.model) if here else ""
    same = [one for one in here if one.model is not None and called(catalogue, one.model) == model]
    return (same, "job") if same else ([one for one in here if one.model is None], "accelerator")


def _called(catalogue: Catalogue, model: str) -> str:
    """The catalogue's name of it, tuned and quantised variants included; else as it is written."""
    try:
        return find_shape(catalogue, model).name
    except UnknownShape:
        return called(catalogue, model)
