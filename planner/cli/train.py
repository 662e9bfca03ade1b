"""`train`: does it fit, in which layout, how fast, how long, at what cost."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from typing import Any, get_args

import pandas as pd

from planner.cli.common import OK, as_json, whole, with_own_prices
from planner.cli.common import day as day_of
from planner.cli.speed import add_output, amount, decimal_year, job_of, number
from planner.inputs.training_job import Engine, Method, Optimizer, Precision, Team, TrainingJob, Zero
from planner.money.hired import Hired, hired
from planner.report.csv import to_csv
from planner.report.training import training_data, training_rows, training_text
from planner.speed.training import Training, train
from pricing import Catalogue, load_catalogue

_FLAGS = {
    "accelerators": "--count",
    "global_batch_sequences": "--global-batch",
    "software_year": "--date",
    "virtual_stages": "--vpp",
    "network_gb_s": "--network-gb-s",
}


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("train", help="a training run: fit, layout, tokens/s, time, GPU-hours, cost")
    verb.set_defaults(verb=_train)
    verb.add_argument("--model", required=True, metavar="NAME", help="a model of the catalogue: llama-3-8b …")
    verb.add_argument("--accelerator", required=True, metavar="NAME", help="H100-SXM5-80GB, mi300x …")
    verb.add_argument("--count", type=whole, default=8, metavar="N", help="accelerators; 8")
    verb.add_argument("--tokens", type=amount, metavar="N", help="15T, 300B, 2e12; best for the model where empty")
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
    verb.add_argument("--zero", choices=get_args(Zero), help="what is sharded; zero3 is FSDP")
    verb.add_argument("--recompute", choices=("none", "full"))
    verb.add_argument("--optimizer", choices=get_args(Optimizer))
    verb.add_argument("--engine", choices=get_args(Engine), help="a maker's stack or plain PyTorch; vendor")
    verb.add_argument("--team", choices=get_args(Team), help="what of a published speed is reached; experienced")
    verb.add_argument("--network-gb-s", type=number, metavar="X", help="network of each accelerator, one way")
    verb.add_argument("--measured-over-predicted", type=number, metavar="X", help="from a run of yours")
    verb.add_argument("--date", type=day_of, metavar="YYYY-MM-DD", help="software as it was on that day")


def _train(wanted: argparse.Namespace) -> int:
    day = wanted.day or date.today()
    catalogue = with_own_prices(load_catalogue(), wanted.quotes, day)
    found = train(catalogue, _job(wanted))
    cost = _hired(catalogue, found, day)
    if wanted.csv:
        wanted.csv.write_bytes(to_csv(pd.DataFrame(training_rows(found, cost), dtype=object)))
    if wanted.json:
        stamp = {"catalogue_digest": catalogue.digest, "catalogue_day": catalogue.day, "day": day}
        sys.stdout.write(as_json({**stamp, **training_data(found, cost)}) + "\n")
    else:
        sys.stdout.write(training_text(found, cost))
    return OK


def _job(wanted: argparse.Namespace) -> TrainingJob:
    taken = ("model", "accelerator", "tokens", "seq_len", "precision", "method", "tp", "pp", "cp", "ep", "dp")
    more = ("micro_batch", "zero", "optimizer", "engine", "team", "network_gb_s", "measured_over_predicted")
    said = {name: getattr(wanted, name) for name in (*taken, *more)}
    said |= {"accelerators": wanted.count, "global_batch_sequences": wanted.global_batch, "virtual_stages": wanted.vpp}
    said["recompute"] = None if wanted.recompute is None else wanted.recompute == "full"
    said["software_year"] = None if wanted.date is None else decimal_year(wanted.date)
    return job_of(TrainingJob, said, _FLAGS)


def _hired(catalogue: Catalogue, found: Training, day: date) -> Hired | None:
    if found.speed is None:
        return None
    count = found.accelerators
    hours = found.speed.accelerator_hours.typical / count
    return hired(catalogue, found.accelerator, accelerators=count, hours=hours, together=count, day=day)
