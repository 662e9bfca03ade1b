"""`train` for networks that learn from pictures: images a second, hours and cost."""

from __future__ import annotations

import argparse
from datetime import date

from planner.cli.common import BadInput
from planner.cli.speed import job_of
from planner.cli.told import stamp, told
from planner.money.renting.job_hour import hired
from planner.report.speed.image_words import images_data, images_rows, images_text
from planner.report.table import Table
from planner.scenario.image_job import ImageJob
from planner.speed.training.images import image_training
from pricing import Catalogue

_OF_TOKENS = ("tokens", "unique_tokens", "seq_len", "method", "mig_profile", "tp", "pp", "cp", "ep", "runs")


def train_images(wanted: argparse.Namespace, catalogue: Catalogue, day: date) -> int:
    """One run on one kind of accelerator."""
    given = [f"--{name.replace('_', '-')}" for name in _OF_TOKENS if getattr(wanted, name) is not None]
    if given:
        raise BadInput(f"{given[0]}: {wanted.model} learns from pictures; give --images or --epochs, or neither.")
    said = {"model": wanted.model, "accelerator": wanted.accelerator, "accelerators": wanted.count, "team": wanted.team}
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
