"""Measured runs, published or your own, beside their predictions: rows for CSV and JSON, tables and text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from planner.evidence.checked import (
    CheckedRun,
    CorrectedJob,
    ErrorSummary,
    FactorTable,
    Job,
    doubted,
    group_by_reason,
    skipped,
    summary,
)
from planner.money.plan import Plan
from planner.report import words
from planner.report.forms import join_sections, to_plain_data
from planner.report.table import Table, cut, text_table
from planner.scenario.jobs import ServingJob, TrainingJob
from planner.scenario.measured import MOST_FACTORS, MeasuredRun
from planner.speed.pace import combine_runs, training_correction
from planner.speed.serving.bands import serving_correction
from planner.speed.training.images import is_image_network
from planner.speed.work_to_hours import serving_job, training_job
from pricing import Catalogue

_GROUPS = {
    "all": "all runs",
    "kind": "kind",
    "source": "source, worst first",
    "accelerator": "accelerator",
    "precision": "precision",
    "engine": "engine",
    "scale": "accelerators at once",
}
_FEWEST = 3  # runs in a group of the text; the JSON has all
_WIDEST = 58
_UNIT = "times what is predicted"
_MOST_REASONS = 5


def checked_row(run: CheckedRun) -> dict[str, Any]:
    """Return a run with its predictions, then the band; None where there is none."""
    predicted = {f"predicted_{column}": run.predicted.get(column) for column in run.table.predicts}
    band = {
        f"{end}_{rate}": value if rate == run.rate_column else None
        for rate in run.table.rates
        for end, value in (("low", run.low), ("high", run.high))
    }
    row = {"id": run.id, **predicted, "fits": run.fits, "skipped_reason": run.skipped_reason or "",
           "guessed": run.guessed, **band, "look_at_again": run.doubt}  # fmt: skip
    return {name: to_plain_data(value) for name, value in row.items()}


def groups_table(groups: Sequence[ErrorSummary], head: str) -> Table:
    """Return groups of runs as a table: number, error, shares within bounds, bias, skipped."""
    return Table.of(
        {
            head: cut(group.name, _WIDEST),
            "runs": group.n,
            "median error": _percent(group.median_error),
            "within 20 %": _percent(group.within_20),
            "within 25 %": _percent(group.within_25),
            "predicted/published": f"{group.bias:.2f}" if group.n else "–",
            "skipped": group.skipped,
        }
        for group in groups
    )


def checked_text(checked: Sequence[CheckedRun]) -> str:
    """Return the errors of our predictions, group by group, then the skipped and the doubtful runs."""
    groups, sections = summary(checked), []
    for by, head in _GROUPS.items():
        large = [group for group in groups if group.by == by and (group.n >= _FEWEST or by in ("all", "kind"))]
        if large:
            sections.append(text_table(groups_table(large, head)))
    skips = skipped(checked).items()
    lines = [f"{len(ids):>6,}  {_one_line(f'{reason} ({words.some(ids)})')}" for reason, ids in skips]
    doubts = [f"        {_one_line(f'{words.some(ids)}: {why}')}" for why, ids in doubted(checked).items()]
    sections += ["\n".join([head, *rows]) for head, rows in (("skipped", lines), ("look at again", doubts)) if rows]
    return "\n\n".join(sections)


def _one_line(text: str) -> str:
    """Names come from tables of others: a line end in a name must not start a line of ours."""
    return " ".join(text.split())


def check_summary(checked: Sequence[CheckedRun]) -> str:
    """Return how many runs were predicted, compared, guessed, skipped and predicted not to fit."""
    predicted = sum(run.skipped_reason is None for run in checked)
    compared = sum(run.error is not None for run in checked)
    not_fitting = sum(run.fits is False for run in checked)
    guessed = sum(run.guessed for run in checked)
    return (
        f"{words.count(len(checked), 'run')}: {predicted:,} predicted, {compared:,} of them beside a published figure, "
        f"{guessed:,} by a shape guessed from the size, {len(checked) - predicted:,} skipped, "
        f"{not_fitting:,} predicted not to fit."
    )


def _percent(share: float) -> str:
    return "–" if np.isnan(share) else f"{share * 100:.1f} %"


def own_runs_finding(catalogue: Catalogue, factors: FactorTable) -> str:
    """Return how far off the predictions are, accelerator by accelerator."""
    used = sum(run.like is not None for run in factors.runs)
    first, *others = (
        (words.percent(it.run.ratio), f"{_model(catalogue, it.run)} on {_label(catalogue, it.run.accelerator)}")
        for it in factors.factors
    )
    parts = [f"{first[0]} of the prediction for {first[1]}", *(f"{ratio} for {work}" for ratio, work in others[:2])]
    parts += [f"{len(others) - 2:,} more"] if len(others) > 2 else []
    return f"Your {words.count(used, f'{factors.kind} run')} reached {words.listed(parts)}"


def runs_table(catalogue: Catalogue, factors: FactorTable) -> Table:
    """Return each run: the measured and the predicted figure, or why the run is not used."""
    return Table.of(
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
        for run in factors.runs
    )


def factors_table(catalogue: Catalogue, factors: Sequence[MeasuredRun]) -> Table:
    """Return the factors that runs give together, and how much each counts for a job like them."""
    return Table.of(
        {
            "Kind": factor.kind,
            "Accelerator": _label(catalogue, factor.accelerator),
            "Model": _model(catalogue, factor),
            "As": ", ".join(str(part) for part in (factor.precision, factor.method, factor.engine) if part),
            "Runs": factor.runs,
            "Of predicted": factor.ratio,
            "from": factor.low,
            "to": factor.high,
            "Believed": _believed_ratio(factor),
            "Source": factor.source,
        }
        for factor in factors
    )


def used_runs_text(factors: Sequence[MeasuredRun]) -> str:
    """Return how many of your runs a plan uses."""
    runs = sum(factor.runs for factor in factors)
    return f"This plan uses {words.count(runs, 'run')} of yours, in {words.count(len(factors), 'factor')}"


def unused_run_sentences(factors: FactorTable, *, carried: int) -> tuple[str, ...]:
    """Return which rows of a table are not used, in sentences; none where all are."""
    left = len(factors.factors) - carried
    doubts = group_by_reason((run.doubt, run.id) for run in factors.runs if run.like is not None and run.doubt)
    listed = "; ".join(f"{words.some(ids)}: {why}" for why, ids in list(doubts.items())[:_MOST_REASONS])
    sentences = (
        unused_reasons((run.why_not, run.id) for run in factors.runs if run.like is None),
        f"Used, but look again at {listed}." if listed else "",
        f"{words.count(left, 'factor')} of the fewest runs left out: a plan holds {MOST_FACTORS}." if left > 0 else "",
    )
    return tuple(filter(None, sentences))


def unused_reasons(reasons: Iterable[tuple[str, str]]) -> str:
    """Return why runs are not used: the number for each reason, with their ids; empty where all are used."""
    groups = group_by_reason(reasons)
    if not groups:
        return ""
    parts = [f"{words.some(ids)}: {reason}" for reason, ids in list(groups.items())[:_MOST_REASONS]]
    others = sum(len(ids) for ids in list(groups.values())[_MOST_REASONS:])
    text = "; ".join([*parts, *([f"{others:,} for other reasons"] if others else [])])
    end = "" if text.endswith((".", "?")) else "."
    return f"{words.count(sum(map(len, groups.values())), 'run')} not used. {text}{end}"


def correction_text(catalogue: Catalogue, job: TrainingJob | ServingJob, accelerator: str) -> str:
    """Return which of your runs moved a prediction, and by how much; empty without runs, or with one ratio entered."""
    kind = "training" if isinstance(job, TrainingJob) else "serving"
    if job.measured_over_predicted is not None or all(factor.kind != kind for factor in job.measured):
        return ""
    label = _label(catalogue, accelerator)
    if isinstance(job, TrainingJob):
        pace = training_correction(catalogue, job, accelerator)
    else:
        pace = serving_correction(catalogue, job, accelerator)
    if pace.like is None:
        return f"None of your {kind} runs is like this work on {label}: speed is as predicted without them."
    of = "of this model" if pace.like == "job" else "of other work"
    runs = words.count(pace.runs, "run")
    return f"Uses {runs} of yours {of} on {label}: {words.percent(pace.ratio)} of the prediction without them."


def own_runs_text(catalogue: Catalogue, own: CorrectedJob[Job], accelerator: str) -> str:
    """Return the correction as a section of a text, with the names of the runs; empty without runs."""
    text = correction_text(catalogue, own.job, accelerator)
    names = f"They are {words.some(own.runs)}." if own.runs else ""
    unused = f"{words.count(own.unused, 'run')} not used." if own.unused else ""
    return "\n" + join_sections([("Your own runs", " ".join(filter(None, (text, names, unused))))]) if text else ""


def own_runs_data(own: CorrectedJob[Job]) -> dict[str, Any]:
    return {
        "measured_over_predicted": own.pace.ratio,
        "measured_like": own.pace.like,
        "runs": list(own.runs),
        "unused": own.unused,
    }


def correction_sentences(plan: Plan) -> tuple[str, ...]:
    """Return which of your runs corrected the prediction of each model of a plan, each sentence once."""
    accelerator = plan.setting.scenario.accelerator
    texts = (correction_text(plan.setting.catalogue, job, accelerator) for job in _jobs(plan))
    return tuple(dict.fromkeys(filter(None, texts)))


def _jobs(plan: Plan) -> Iterator[TrainingJob | ServingJob]:
    scenario = plan.setting.written.model_copy(update={"accelerator": plan.setting.scenario.accelerator})
    for work in scenario.work:
        if work.train and not is_image_network(work.train.model):
            yield training_job(scenario, work, work.train)
        if work.serve:
            yield serving_job(scenario, work.serve)


def assumption_lines(plan: Plan) -> list[dict[str, Any]]:
    """Return the factors of your runs as rows of the file of assumptions."""
    return [
        {
            "assumption_id": f"measured.{place}", "name": _name(plan.setting.catalogue, factor), "value": factor.ratio,
            "unit": _UNIT, "low": factor.low, "high": factor.high, "as_of": factor.day, "verified_by": "you",
            "note": _note(factor),
        }
        for place, factor in enumerate(plan.setting.written.measured, start=1)
    ]  # fmt: skip


def _name(catalogue: Catalogue, factor: MeasuredRun) -> str:
    parts = (
        _model(catalogue, factor),
        _label(catalogue, factor.accelerator),
        factor.precision,
        factor.method,
        factor.engine,
    )
    return f"measured speed, {factor.kind}: {', '.join(part for part in parts if part)}"


def _note(factor: MeasuredRun) -> str:
    spread = "" if factor.low is None or factor.high is None else f", eight of ten {factor.low:g} to {factor.high:g}"
    used = f"{_believed_ratio(factor):.3g} is used for similar work"
    return f"{words.count(factor.runs, 'run')} ({factor.source}){spread}; {used}"


def _believed_ratio(factor: MeasuredRun) -> float:
    return combine_runs([factor], "job" if factor.model else "accelerator").ratio


def _model(catalogue: Catalogue, factor: MeasuredRun) -> str:
    if factor.model is None:
        return "any model"
    return catalogue.models[factor.model].label if factor.model in catalogue.models else factor.model


def _label(catalogue: Catalogue, key: str) -> str:
    return catalogue.accelerator_label(key) if key in catalogue.accelerators else key
