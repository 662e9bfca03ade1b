"""`serve`: does it fit, how fast, how long people wait, how many accelerators, what a million tokens cost."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path

from planner.cli.common import BadInput, with_own_prices
from planner.cli.jobs import accelerator_id
from planner.cli.runs import refuse_both, runs_of, say_unused, text_of
from planner.cli.told import stamp, told
from planner.evidence.constants_file import serving_constants_in
from planner.evidence.factors import Anchored
from planner.evidence.serving.check import anchored
from planner.money.by_token import by_token
from planner.money.renting.job_hour import Hired, hired
from planner.report.answer.by_token import by_token_words
from planner.report.answer.small_work import small_sentences
from planner.report.evidence.own_runs_words import own_runs_data, own_runs_text
from planner.report.forms import plain_data
from planner.report.speed.other_work import other_rows, other_text, priced
from planner.report.speed.serving_words import serving_data, serving_row, serving_text
from planner.report.table import Table
from planner.scenario.base import HOURS_PER_YEAR
from planner.scenario.serving_job import ServingJob
from planner.scenario.task import Serve
from planner.speed.serving import Serving, ServingConstants, is_other_work, other_work, serve, small_work
from pricing import Catalogue
from pricing import names as naming
from pricing.feeds.live import current
from pricing.orderable import Stay, staying


def run(jobs: Sequence[ServingJob], wanted: argparse.Namespace) -> int:
    """One model, or other work, on one kind of accelerator."""
    day = wanted.day or date.today()
    catalogue = with_own_prices(current(), wanted.quotes, day)
    have = tuple(accelerator_id(catalogue, name) for one in (wanted.have or "").split(",") if (name := one.strip()))
    if is_other_work(wanted.model):
        return _other(wanted, catalogue, jobs, have, day)
    if len(jobs) > 1:
        raise BadInput(f"--accelerator: {wanted.model} is told on one at a time; several are for work without tokens.")
    (job,) = jobs
    path = wanted.constants
    constants = None if path is None else serving_constants_in(text_of(path), file=path.name)
    own = _own_runs(catalogue, job, wanted.runs, constants)
    job = own.job
    found = serve(catalogue, job, constants)
    runs = {"own_runs": own_runs_data(own)} if wanted.runs else {}
    cost = _hired(catalogue, job, found, day, staying(catalogue, wanted.stay))
    small = small_work(catalogue, job, have, constants)
    about = (job, found, cost, wanted.busy_share)
    return told(
        wanted,
        table=lambda: Table.as_they_are([serving_row(*about)]),
        data=lambda: {
            **stamp(catalogue, day),
            **runs,
            **serving_data(*about),
            "without_gpu": plain_data(asdict(small)),
        },
        text=lambda: (
            serving_text(*about, small_sentences(small), _by_token(catalogue, job, found, cost))
            + own_runs_text(catalogue, own, found.accelerator)
        ),
    )


def _own_runs(
    catalogue: Catalogue, job: ServingJob, path: Path | None, constants: ServingConstants | None
) -> Anchored[ServingJob]:
    """The job corrected by somebody's own runs, where there are any."""
    if path is None:
        return Anchored(job)
    refuse_both(job)
    found = anchored(catalogue, job, runs_of("serving", path), file=path.name, constants=constants)
    say_unused(path, found.why_not)
    return found


def _by_token(catalogue: Catalogue, job: ServingJob, found: Serving, cost: Hired | None) -> tuple[str, ...]:
    """What the service costs by the token, where somebody sells the model and a price of the accelerator is known."""
    if cost is None or job.mig_profile is not None:
        return ()
    task = Serve(model=found.model, input_tokens=job.input_tokens, output_tokens=job.output_tokens)
    sold = by_token(catalogue, found, task, usd_per_accelerator_hour=cost.usd_per_accelerator_hour)
    return () if sold is None else (by_token_words(sold),)


def _hired(catalogue: Catalogue, job: ServingJob, found: Serving, day: date, stay: Stay) -> Hired | None:
    """The offer for all replicas; a slice is rented as the whole accelerator it is cut from."""
    together = found.accelerators_per_replica
    needed = found.accelerators_at_average or together * max(found.replicas, 1)
    key = naming.accelerator(catalogue, job.accelerator)
    return hired(catalogue, key, accelerators=needed, hours=HOURS_PER_YEAR, together=together, day=day, stay=stay)


def _other(
    wanted: argparse.Namespace, catalogue: Catalogue, jobs: Sequence[ServingJob], have: tuple[str, ...], day: date
) -> int:
    """Work that writes no tokens (pictures, films, speech, classifiers): each accelerator with it, side by side."""
    every = [priced(catalogue, other_work(catalogue, job), day) for job in jobs]
    rows = other_rows(every, wanted.busy_share)
    small = small_sentences(small_work(catalogue, jobs[0], have))
    return told(
        wanted,
        table=lambda: Table.as_they_are(rows),
        data=lambda: {**stamp(catalogue, day), "work": rows, "without_gpu": list(small)},
        text=lambda: "\n\n".join((other_text(every, wanted.busy_share), *small)) + "\n",
    )
