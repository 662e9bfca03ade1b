"""`train`: does it fit, in which layout, how fast, how long, at what cost."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

from planner.cli.common import BadInput, with_own_prices
from planner.cli.jobs import accelerator_id
from planner.cli.runs import refuse_both, runs_of, say_unused, text_of
from planner.cli.speed import job_of
from planner.cli.told import stamp, told
from planner.evidence.constants_file import training_constants_in
from planner.evidence.factors import Anchored
from planner.evidence.training.check import anchored
from planner.money.renting.job_hour import Hired, hired
from planner.report.evidence.own_runs_words import own_runs_data, own_runs_text
from planner.report.speed.image_words import images_data, images_rows, images_text
from planner.report.speed.training_words import training_data, training_rows, training_text
from planner.report.table import Table
from planner.scenario.image_job import ImageJob
from planner.scenario.training_job import TrainingJob
from planner.speed.training import Training, TrainingCalibration, train
from planner.speed.training.images import image_training, learns_from_images
from pricing import Catalogue
from pricing.feeds.live import current
from pricing.orderable import Stay, staying

_OF_TOKENS = (
    "tokens", "unique_tokens", "seq_len", "method", "precision", "mig_profile", "tp", "pp", "cp", "ep", "runs",
)  # fmt: skip


def run(job: TrainingJob, wanted: argparse.Namespace) -> int:
    """One training run on one kind of accelerator."""
    day = wanted.day or date.today()
    catalogue = with_own_prices(current(), wanted.quotes, day)
    if learns_from_images(wanted.model):
        return _on_images(wanted, catalogue, day)
    if wanted.images is not None or wanted.epochs is not None:
        raise BadInput(f"--images and --epochs are for networks that learn from pictures, not {wanted.model}.")
    calibration = _calibration(wanted.constants)
    own = _own_runs(catalogue, job, wanted.runs, calibration)
    found = train(catalogue, own.job, calibration=calibration)
    cost = _hired(catalogue, found, day, staying(catalogue, wanted.stay))
    runs = {"own_runs": own_runs_data(own)} if wanted.runs else {}
    return told(
        wanted,
        table=lambda: Table.as_they_are(training_rows(found, cost)),
        data=lambda: {**stamp(catalogue, day), **runs, **training_data(found, cost)},
        text=lambda: training_text(found, cost) + own_runs_text(catalogue, own, found.accelerator),
    )


def _calibration(path: Path | None) -> TrainingCalibration | None:
    return None if path is None else training_constants_in(text_of(path), file=path.name)


def _own_runs(
    catalogue: Catalogue, job: TrainingJob, path: Path | None, known: TrainingCalibration | None
) -> Anchored[TrainingJob]:
    """The job corrected by somebody's own runs, where there are any."""
    if path is None:
        return Anchored(job)
    refuse_both(job)
    found = anchored(catalogue, job, runs_of("training", path), calibration=known)
    say_unused(path, found.why_not)
    return found


def _hired(catalogue: Catalogue, found: Training, day: date, stay: Stay) -> Hired | None:
    if found.speed is None:
        return None
    count = found.accelerators
    hours = found.speed.accelerator_hours.typical / count
    return hired(catalogue, found.accelerator, accelerators=count, hours=hours, together=count, day=day, stay=stay)


def _on_images(wanted: argparse.Namespace, catalogue: Catalogue, day: date) -> int:
    """The result of a network that learns from pictures, told in the form that was asked for."""
    given = [f"--{name.replace('_', '-')}" for name in _OF_TOKENS if getattr(wanted, name) is not None]
    if given:
        raise BadInput(f"{given[0]}: {wanted.model} learns from pictures; give --images or --epochs, or neither.")
    accelerator = accelerator_id(catalogue, wanted.accelerator)
    said = {"model": wanted.model, "accelerator": accelerator, "accelerators": wanted.count, "team": wanted.team}
    job = job_of(ImageJob, said | {"images": wanted.images, "epochs": wanted.epochs}, {"accelerators": "--count"})
    found = image_training(catalogue, job)
    count = found.accelerators
    cost = hired(catalogue, found.accelerator, accelerators=count, hours=found.hours.typical, together=count, day=day)
    label = catalogue.accelerator_label(found.accelerator)
    return told(
        wanted,
        table=lambda: Table.as_they_are(images_rows(found, cost)),
        data=lambda: {**stamp(catalogue, day), **images_data(found, label, cost)},
        text=lambda: images_text(found, label, cost),
    )
