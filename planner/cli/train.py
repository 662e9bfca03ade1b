"""`train`: does it fit, in which layout, how fast, how long, at what cost."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path
from typing import Any, get_args

import pandas as pd

from planner.cli.common import OK, BadInput, versioned, whole, with_own_prices
from planner.cli.common import day as day_of
from planner.cli.files import write_file
from planner.cli.runs import runs_of, say_unused, text_of
from planner.cli.speed import add_output, amount, decimal_year, job_of, number
from planner.cli.train_images import train_images
from planner.inputs.training_job import Engine, Method, Optimizer, Precision, Recompute, Team, TrainingJob, Zero
from planner.money.hired import Hired, hired
from planner.report.csv import to_csv
from planner.report.together import together_data, together_text
from planner.report.training import own_runs_data, own_runs_text, training_data, training_rows, training_text
from planner.speed.pace import NO_RUNS
from planner.speed.training import Anchored, Calibration, Training, anchored, calibration_in, train
from planner.speed.training.images import learns_from_images
from planner.speed.training.together import ON_A_BASE, Together, together
from pricing import Catalogue, load_catalogue

_FLAGS = {
    "accelerators": "--count",
    "global_batch_sequences": "--global-batch",
    "software_year": "--date",
    "virtual_stages": "--vpp",
    "network_gb_s": "--network-gb-s",
}
# Arguments that are called as the field of the job is.
_AS_THEY_ARE = (
    *("model", "accelerator", "tokens", "unique_tokens", "seq_len", "precision", "method", "mig_profile"),
    *("tp", "pp", "cp", "ep", "dp", "micro_batch", "zero", "recompute", "optimizer", "engine", "fused_attention"),
    *("compiled", "power_cap_w", "team", "network_gb_s", "measured_over_predicted"),
)


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("train", help="a training run: fit, layout, tokens/s, time, GPU-hours, cost")
    verb.set_defaults(verb=_train)
    verb.add_argument("--model", required=True, metavar="NAME", help="a model of the catalogue: llama-3-8b …")
    verb.add_argument("--accelerator", required=True, metavar="NAME", help="H100-SXM5-80GB, mi300x …")
    verb.add_argument("--count", type=whole, metavar="N", help="accelerators; 8, or 1 slice")
    verb.add_argument("--tokens", type=amount, metavar="N", help="15T, 300B, 2e12; best for the model where empty")
    verb.add_argument("--images", type=amount, metavar="N", help="of a run of resnet-50, ssd300 …; what is usual")
    verb.add_argument("--epochs", type=number, metavar="N", help="or so many times through the usual data set")
    verb.add_argument("--unique-tokens", type=amount, metavar="N", help="that there are; the rest are repeats")
    verb.add_argument("--seq-len", type=whole, metavar="N", help="tokens of a sequence; 4096")
    verb.add_argument("--global-batch", type=whole, metavar="N", help="sequences of a step")
    verb.add_argument("--precision", choices=get_args(Precision))
    verb.add_argument("--method", choices=get_args(Method), help="what is trained; full")
    _layout(verb)
    add_output(verb, csv="write the layouts")


def _layout(verb: Any) -> None:
    for name, what in (("tp", "tensor"), ("pp", "pipeline"), ("cp", "context"), ("ep", "expert"), ("dp", "data")):
        verb.add_argument(f"--{name}", type=whole, metavar="N", help=f"{what} parallel ranks; searched where empty")
    verb.add_argument("--vpp", type=whole, metavar="N", help="virtual stages on each pipeline rank")
    verb.add_argument("--micro-batch", type=whole, metavar="N")
    verb.add_argument("--zero", choices=get_args(Zero), help="what is sharded; zero3 is FSDP, hybrid HSDP")
    verb.add_argument("--recompute", choices=get_args(Recompute), help="selective: only what moves bytes")
    verb.add_argument("--optimizer", choices=get_args(Optimizer))
    verb.add_argument("--engine", choices=get_args(Engine), help="a maker's stack or plain PyTorch; vendor")
    verb.add_argument("--team", choices=get_args(Team), help="what of a published speed is reached; experienced")
    verb.add_argument("--power-cap-w", type=number, metavar="W", help="watts that each accelerator is held to")
    verb.add_argument("--fused-attention", action=argparse.BooleanOptionalAction, help="flash kernels; since 2023")
    verb.add_argument("--compiled", action=argparse.BooleanOptionalAction, help="a compiler fuses small work")
    verb.add_argument("--mig-profile", metavar="NAME", help="on one slice of one accelerator: 1g.10gb")
    verb.add_argument("--network-gb-s", type=number, metavar="X", help="network of each accelerator, one way")
    verb.add_argument("--measured-over-predicted", type=number, metavar="X", help="from a run of yours")
    verb.add_argument(
        "--runs", type=Path, metavar="RUNS.csv", help="your own measured runs; those on this accelerator count"
    )
    verb.add_argument("--constants", type=Path, metavar="FILE", help="what `calibrate training --out` wrote")
    verb.add_argument("--date", type=day_of, metavar="YYYY-MM-DD", help="software as it was on that day")


def _train(wanted: argparse.Namespace) -> int:
    day = wanted.day or date.today()
    catalogue = with_own_prices(load_catalogue(), wanted.quotes, day)
    if learns_from_images(wanted.model):
        return train_images(wanted, catalogue, day)
    if wanted.images is not None or wanted.epochs is not None:
        raise BadInput(f"--images and --epochs are for networks that learn from pictures, not {wanted.model}.")
    calibration = _calibration(wanted.constants)
    own = _own_runs(catalogue, _job(wanted), wanted.runs, calibration)
    found = train(catalogue, own.job, calibration=calibration)
    cost = _hired(catalogue, found, day)
    several = _several(catalogue, own.job, calibration)
    whole = _hired_one(catalogue, found.accelerator, several, day)
    if wanted.csv:
        write_file(wanted.csv, to_csv(pd.DataFrame(training_rows(found, cost), dtype=object)))
    if wanted.json:
        stamp = {"catalogue_digest": catalogue.digest, "catalogue_day": catalogue.day, "day": day}
        stamp |= {"own_runs": own_runs_data(own)} if own.runs else {}
        sys.stdout.write(
            versioned({**stamp, **training_data(found, cost), "several_at_once": together_data(several, whole)}) + "\n"
        )
    else:
        sys.stdout.write(training_text(found, cost) + together_text(several, whole) + own_runs_text(own))
    return OK


def _calibration(path: Path | None) -> Calibration | None:
    return None if path is None else calibration_in(text_of(path), file=path.name)


def _own_runs(catalogue: Catalogue, job: TrainingJob, path: Path | None, known: Calibration | None) -> Anchored:
    """The job corrected by somebody's own runs, if there are any."""
    if path is None:
        return Anchored(job, NO_RUNS, (), 0, "")
    if job.measured_over_predicted is not None:
        raise BadInput("--runs and --measured-over-predicted say the same thing; give one of them.")
    found = anchored(catalogue, job, runs_of("training", path), calibration=known)
    say_unused(path, found.why_not)
    return found


def _job(wanted: argparse.Namespace) -> TrainingJob:
    said = {name: getattr(wanted, name) for name in _AS_THEY_ARE}
    said |= {
        "accelerators": wanted.count or (8 if wanted.mig_profile is None else 1),
        "global_batch_sequences": wanted.global_batch,
        "virtual_stages": wanted.vpp,
    }
    said["software_year"] = None if wanted.date is None else decimal_year(wanted.date)
    return job_of(TrainingJob, said, _FLAGS)


def _several(catalogue: Catalogue, job: TrainingJob, known: Calibration | None) -> tuple[Together, ...]:
    """Ways to do several runs on one accelerator, where adapters are tuned."""
    return together(catalogue, job, calibration=known) if job.method in ON_A_BASE else ()


def _hired_one(catalogue: Catalogue, accelerator: str, several: tuple[Together, ...], day: date) -> Hired | None:
    """One whole accelerator for a run that has it to itself; None where there is nothing to price."""
    if not several or several[0].pace is None:
        return None
    hours = several[0].pace.hours_each.typical
    return hired(catalogue, accelerator, accelerators=1, hours=hours, together=1, day=day)


def _hired(catalogue: Catalogue, found: Training, day: date) -> Hired | None:
    if found.speed is None:
        return None
    count = found.accelerators
    hours = found.speed.accelerator_hours.typical / count
    return hired(catalogue, found.accelerator, accelerators=count, hours=hours, together=count, day=day)
