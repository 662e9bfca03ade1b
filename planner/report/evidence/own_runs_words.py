"""Runs of one's own in words and tables: each beside its prediction, the factors, and what is believed of them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from planner.evidence.checked import CorrectedJob, FactorTable, Job, group_by_reason
from planner.money.plan import Plan
from planner.report import words
from planner.report.forms import join_sections
from planner.report.table import Table
from planner.scenario.measured import MOST_FACTORS, Measured
from planner.scenario.serving_job import ServingJob
from planner.scenario.training_job import TrainingJob
from planner.speed.pace import Pace, believed, training_correction
from planner.speed.serving.own_pace import serving_correction
from planner.speed.training.images import is_image_network
from planner.speed.work_to_hours import serving_job, training_job
from pricing import Catalogue

EVERY_WAY = "every way"
_TIMES = "times what is predicted"
_MOST_REASONS = 5


def finding(catalogue: Catalogue, found: FactorTable) -> str:
    """How far off the predictions are, accelerator by accelerator."""
    used = sum(run.like is not None for run in found.runs)
    first, *others = (
        (_times(one.said.ratio), f"{_model(catalogue, one.said)} on {_label(catalogue, one.said.accelerator)}")
        for one in found.factors
    )
    said = [f"{first[0]} of what is predicted of {first[1]}", *(f"{ratio} of {what}" for ratio, what in others[:2])]
    more = [f"{len(others) - 2:,} more"] if len(others) > 2 else []
    return f"Your {words.count(used, f'{found.kind} run')} reached {words.listed([*said, *more])}"


def runs_table(catalogue: Catalogue, found: FactorTable) -> Table:
    """Each run: what was measured beside what is predicted, or why the run is not used."""
    return Table.of(
        [
            {
                "Run": run.id,
                "Model": run.model,
                "Accelerator": _label(catalogue, run.accelerator),
                "Measured": run.measured,
                "Predicted": run.predicted,
                "Of predicted": run.ratio if run.like is not None else None,
                "Unit": run.unit,
                "Shape": "guessed from its size" if run.guessed else "",
                "Not used because": run.why_not,
                "Look at again": run.doubt,
            }
            for run in found.runs
        ]
    )


def factors_table(catalogue: Catalogue, said: Sequence[Measured]) -> Table:
    """What the runs say together, and how much their factor counts for a job like them."""
    return Table.of(
        [
            {
                "Kind": one.kind,
                "Accelerator": _label(catalogue, one.accelerator),
                "Model": _model(catalogue, one),
                "As": ", ".join(str(part) for part in (one.precision, one.method, one.engine) if part),
                "Runs": one.runs,
                "Of predicted": one.ratio,
                "from": one.low,
                "to": one.high,
                "Believed": believed([one], "job" if one.model else "accelerator").ratio,
                "Source": one.source,
            }
            for one in said
        ]
    )


def used_runs_text(carried: Sequence[Measured]) -> str:
    """How many runs of somebody's own a plan uses."""
    runs = sum(one.runs for one in carried)
    return f"This plan goes by {words.count(runs, 'run')} of yours, in {words.count(len(carried), 'factor')}"


def unused_run_sentences(found: FactorTable, *, carried: int) -> tuple[str, ...]:
    """Which rows of a table are not used, in sentences; none where all are."""
    left = len(found.factors) - carried
    told = (
        unused_reasons((run.why_not, run.id) for run in found.runs if run.like is None),
        look_at_again((run.doubt, run.id) for run in found.runs if run.like is not None),
        f"{words.count(left, 'factor')} of the fewest runs left out: a plan holds {MOST_FACTORS}." if left > 0 else "",
    )
    return tuple(sentence for sentence in told if sentence)


def unused_reasons(told: Iterable[tuple[str, str]]) -> str:
    """Why some runs are not used: how many for each reason, with their ids; empty where all are used."""
    found = group_by_reason(told)
    if not found:
        return ""
    said = [f"{words.some(ids)}: {reason}" for reason, ids in list(found.items())[:_MOST_REASONS]]
    others = sum(len(ids) for ids in list(found.values())[_MOST_REASONS:])
    more = [f"{others:,} for other reasons"] if others else []
    reasons = "; ".join([*said, *more])
    end = "" if reasons.endswith((".", "?")) else "."
    return f"{words.count(sum(map(len, found.values())), 'run')} not used. {reasons}{end}"


def look_at_again(told: Iterable[tuple[str, str]]) -> str:
    """Which runs are used but look like another unit; empty where none does."""
    found = group_by_reason((why, name) for why, name in told if why)
    said = "; ".join(f"{words.some(ids)}: {why}" for why, ids in list(found.items())[:_MOST_REASONS])
    return f"Used, but look again at {said}." if said else ""


def correction_text(catalogue: Catalogue, job: TrainingJob | ServingJob, accelerator: str) -> str:
    """Which runs of one's own moved a prediction, and by how much; empty without any, or with one number entered."""
    kind = "training" if isinstance(job, TrainingJob) else "serving"
    if job.measured_over_predicted is not None or all(one.kind != kind for one in job.measured):
        return ""
    pace, label = _correction(catalogue, job, accelerator), _label(catalogue, accelerator)
    if pace.like is None:
        return f"None of your {kind} runs is like this work on {label}: speed is as predicted without them."
    of = "of this model" if pace.like == "job" else "of other work"
    runs = words.count(pace.runs, "run")
    return f"It goes by {runs} of yours {of} on {label}: {_times(pace.ratio)} of what is predicted without them."


def own_runs_text(catalogue: Catalogue, own: CorrectedJob[Job], accelerator: str) -> str:
    """The same as a section of a text, with the names of the runs; empty where none were brought."""
    said = correction_text(catalogue, own.job, accelerator)
    named = f"They are {words.some(own.runs)}." if own.runs else ""
    left = f"{words.count(own.unused, 'run')} not used." if own.unused else ""
    return "\n" + join_sections([("Your own runs", " ".join(filter(None, (said, named, left))))]) if said else ""


def own_runs_data(own: CorrectedJob[Job]) -> dict[str, Any]:
    """The same as data."""
    return {
        "measured_over_predicted": own.pace.ratio,
        "measured_like": own.pace.like,
        "runs": list(own.runs),
        "unused": own.unused,
    }


def paces(plan: Plan) -> tuple[str, ...]:
    """Which runs of one's own corrected the prediction of each model of a plan; each said once."""
    accelerator = plan.setting.scenario.accelerator
    said = (correction_text(plan.setting.catalogue, job, accelerator) for job in _jobs(plan))
    return tuple(dict.fromkeys(sentence for sentence in said if sentence))


def _jobs(plan: Plan) -> Iterator[TrainingJob | ServingJob]:
    there = plan.setting.written.model_copy(update={"accelerator": plan.setting.scenario.accelerator})
    for work in there.work:
        if work.train and not is_image_network(work.train.model):
            yield training_job(there, work, work.train)
        if work.serve:
            yield serving_job(there, work.serve)


def _correction(catalogue: Catalogue, job: TrainingJob | ServingJob, accelerator: str) -> Pace:
    if isinstance(job, TrainingJob):
        return training_correction(catalogue, job, accelerator)
    return serving_correction(catalogue, job, accelerator)


def assumption_rows(plan: Plan) -> list[dict[str, object]]:
    """The factors as lines of the Assumptions page."""
    return [
        {
            "Option": EVERY_WAY, "Assumption": _name(plan.setting.catalogue, one), "Value": one.ratio, "By month": "",
            "Unit": _TIMES, "Kind": "yours", "Said by": "you", "Since": one.day, "Checked": None, "Note": _note(one),
            "Source": None,
        }
        for one in plan.setting.written.measured
    ]  # fmt: skip


def assumption_lines(plan: Plan) -> list[dict[str, Any]]:
    """The factors as lines of the file of assumptions."""
    return [
        {
            "assumption_id": f"measured.{place}", "name": _name(plan.setting.catalogue, one), "value": one.ratio,
            "unit": _TIMES, "low": one.low, "high": one.high, "as_of": one.day, "verified_by": "you",
            "note": _note(one),
        }
        for place, one in enumerate(plan.setting.written.measured, start=1)
    ]  # fmt: skip


def _name(catalogue: Catalogue, one: Measured) -> str:
    return f"measured speed, {one.kind}: {_about(catalogue, one)}"


def _note(one: Measured) -> str:
    spread = "" if one.low is None or one.high is None else f", eight of ten {one.low:g} to {one.high:g}"
    kept = believed([one], "job" if one.model else "accelerator").ratio
    return f"{words.count(one.runs, 'run')} ({one.source}){spread}; of work like it {kept:.3g} is believed"


def _about(catalogue: Catalogue, one: Measured) -> str:
    parts = (_model(catalogue, one), _label(catalogue, one.accelerator), one.precision, one.method, one.engine)
    return ", ".join(part for part in parts if part)


def _model(catalogue: Catalogue, one: Measured) -> str:
    if one.model is None:
        return "any model"
    return catalogue.models[one.model].label if one.model in catalogue.models else one.model


def _label(catalogue: Catalogue, key: str) -> str:
    return catalogue.accelerator_label(key) if key in catalogue.accelerators else key


def _times(ratio: float) -> str:
    return words.percent(ratio)
