"""`serve`: does it fit, how fast, how long people wait, how many accelerators, what a million tokens cost."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any, get_args

import pandas as pd

from planner.cli.common import OK, versioned, whole, with_own_prices
from planner.cli.common import day as day_of
from planner.cli.files import write_file
from planner.cli.runs import runs_of, say_unused, text_of
from planner.cli.serve_other import serve_other
from planner.cli.speed import add_output, job_of, number, share
from planner.inputs.base import EngineName
from planner.inputs.serving_job import CachePrecision, Mode, Precision, ServingJob
from planner.inputs.task import Serve
from planner.inputs.work import USUAL_BUSY_SHARE
from planner.money.by_token import by_token
from planner.money.hired import Hired, hired
from planner.report.by_token import by_token_words
from planner.report.csv import to_csv
from planner.report.serving import serving_data, serving_row, serving_text
from planner.report.small_work import small_sentences
from planner.report.training import plain_data
from planner.speed.serving import (
    Constants,
    OwnRuns,
    Serving,
    is_other_work,
    own_runs,
    read_constants,
    serve,
    small_work,
)
from pricing import Catalogue, load_catalogue
from pricing import names as naming

_FLAGS = {
    "accelerators": "--count",
    "weight_precision": "--precision",
    "average_requests_per_s": "--requests-per-s",
    "engine_on": "--date",
    "tensor_parallel": "--tp",
    "pipeline_parallel": "--pp",
}


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("serve", help="a model that answers: fit, tokens/s, latency, GPUs needed, USD/M tokens")
    verb.set_defaults(verb=_serve)
    verb.add_argument("--model", required=True, metavar="NAME", help="llama-3.1-8b …; or other work: flux, whisper …")
    verb.add_argument(
        "--accelerator", required=True, metavar="NAME", help="H100-SXM5-80GB, mi300x …; several for other work: a,b"
    )
    verb.add_argument("--count", type=whole, metavar="N", help="accelerators there are; as few as fit where empty")
    verb.add_argument("--input-tokens", type=whole, metavar="N", help="tokens of a prompt; 1000")
    verb.add_argument("--output-tokens", type=whole, metavar="N", help="tokens of an answer; 300")
    verb.add_argument("--requests-per-s", type=number, metavar="R", help="on average")
    verb.add_argument("--peak-requests-per-s", type=number, metavar="R")
    verb.add_argument("--ttft-ms", type=number, metavar="MS", help="promised to the first token")
    verb.add_argument("--tpot-ms", type=number, metavar="MS", help="promised between tokens")
    verb.add_argument("--percentile", type=share, metavar="P", help="of requests that keep the promise; 0.99")
    verb.add_argument("--mode", choices=get_args(Mode), help="offline where nothing else is said")
    _how(verb)
    add_output(verb, csv="write one row")


def _how(verb: Any) -> None:
    verb.add_argument("--precision", choices=get_args(Precision), help="of weights; as published where empty")
    verb.add_argument("--cache-precision", choices=get_args(CachePrecision))
    verb.add_argument("--engine", choices=get_args(EngineName), help="vllm")
    verb.add_argument("--tp", type=whole, metavar="N", help="accelerators that share each step")
    verb.add_argument("--pp", type=whole, metavar="N", help="stages that follow each other")
    verb.add_argument("--batch", type=whole, metavar="N", help="requests at once; what memory holds where empty")
    verb.add_argument("--mig-profile", metavar="NAME", help="one slice: 1g.10gb …")
    verb.add_argument("--lora-adapters", type=whole, metavar="N")
    verb.add_argument("--power-cap-w", type=number, metavar="W")
    verb.add_argument("--have", metavar="NAMES", help="what you have: rtx 4090, apple m2 ultra; is it enough?")
    verb.add_argument("--runs", type=Path, metavar="MINE.csv", help="runs of yours (docs/published-runs.md) to go by")
    verb.add_argument("--constants", type=Path, metavar="FILE", help="what `calibrate serving --out FILE` wrote")
    verb.add_argument("--measured-over-predicted", type=number, metavar="X", help="from a run of yours")
    verb.add_argument("--busy-share", type=share, default=USUAL_BUSY_SHARE, metavar="S", help="of the hours; 0.6")
    verb.add_argument("--date", type=day_of, metavar="YYYY-MM-DD", help="engines as they were on that day")


def _serve(wanted: argparse.Namespace) -> int:
    day = wanted.day or date.today()
    catalogue = with_own_prices(load_catalogue(), wanted.quotes, day)
    have = tuple(name for name in _listed(wanted.have or "") if name)
    if is_other_work(wanted.model):
        jobs = [_job(wanted, accelerator) for accelerator in _listed(wanted.accelerator)]
        return serve_other(wanted, catalogue, jobs, have, day)
    job = _job(wanted, wanted.accelerator)
    constants = None if wanted.constants is None else read_constants(text_of(wanted.constants), wanted.constants.name)
    own = None if wanted.runs is None else _own_runs(catalogue, wanted.runs, constants)
    found = serve(catalogue, job, constants, own)
    cost = _hired(catalogue, job, found, day)
    small = small_work(catalogue, job, have, constants)
    if wanted.csv:
        row = serving_row(job, found, cost, wanted.busy_share)
        write_file(wanted.csv, to_csv(pd.DataFrame([row], dtype=object)))
    if wanted.json:
        stamp = {"catalogue_digest": catalogue.digest, "catalogue_day": catalogue.day, "day": day}
        told = {**stamp, **serving_data(job, found, cost, wanted.busy_share), "without_gpu": plain_data(asdict(small))}
        sys.stdout.write(versioned(told) + "\n")
    else:
        sold = _by_token(catalogue, job, found, cost)
        sys.stdout.write(serving_text(job, found, cost, wanted.busy_share, small_sentences(small), sold))
    return OK


def _own_runs(catalogue: Catalogue, path: Path, constants: Constants | None) -> OwnRuns:
    found = own_runs(catalogue, runs_of("serving", path), constants)
    say_unused(path, found.unused)
    return found


def _by_token(catalogue: Catalogue, job: ServingJob, found: Serving, cost: Hired | None) -> tuple[str, ...]:
    """What the same costs by the token, where somebody sells the model and a price of the accelerator is known."""
    if cost is None or job.mig_profile is not None:
        return ()
    task = Serve(model=found.model, input_tokens=job.input_tokens, output_tokens=job.output_tokens)
    sold = by_token(catalogue, found, task, usd_per_accelerator_hour=cost.usd_per_accelerator_hour)
    return () if sold is None else (by_token_words(sold),)


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",")]


def _job(wanted: argparse.Namespace, accelerator: str) -> ServingJob:
    taken = ("model", "input_tokens", "output_tokens", "peak_requests_per_s", "ttft_ms", "tpot_ms")
    more = ("percentile", "mode", "cache_precision", "engine", "batch", "mig_profile", "lora_adapters", "power_cap_w")
    said = {name: getattr(wanted, name) for name in (*taken, *more, "measured_over_predicted")}
    said |= {"accelerators": wanted.count, "average_requests_per_s": wanted.requests_per_s, "engine_on": wanted.date}
    said |= {
        "accelerator": accelerator,
        "weight_precision": wanted.precision,
        "tensor_parallel": wanted.tp,
        "pipeline_parallel": wanted.pp,
    }
    return job_of(ServingJob, said, _FLAGS)


def _hired(catalogue: Catalogue, job: ServingJob, found: Serving, day: date) -> Hired | None:
    """The offer for all replicas; a slice is rented as the whole accelerator it is cut from."""
    together = found.accelerators_per_replica
    needed = found.accelerators_at_average or together * max(found.replicas, 1)
    key = naming.accelerator(catalogue, job.accelerator)
    return hired(catalogue, key, accelerators=needed, hours=8_760.0, together=together, day=day)
