"""`serve`: does it fit, how fast, how long people wait, how many accelerators, what a million tokens cost."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from typing import Any, get_args

import pandas as pd

from planner.cli.common import OK, as_json, whole, with_own_prices
from planner.cli.common import day as day_of
from planner.cli.speed import add_output, job_of, number, share
from planner.inputs.serving_job import CachePrecision, EngineName, Mode, Precision, ServingJob
from planner.inputs.work import USUAL_BUSY_SHARE
from planner.money.hired import Hired, hired
from planner.report.csv import to_csv
from planner.report.serving import serving_data, serving_row, serving_text
from planner.speed.serving import Serving, serve
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
    verb.add_argument("--model", required=True, metavar="NAME", help="a model of the catalogue: llama-3.1-8b …")
    verb.add_argument("--accelerator", required=True, metavar="NAME", help="H100-SXM5-80GB, mi300x …")
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
    verb.add_argument("--measured-over-predicted", type=number, metavar="X", help="from a run of yours")
    verb.add_argument("--busy-share", type=share, default=USUAL_BUSY_SHARE, metavar="S", help="of the hours; 0.6")
    verb.add_argument("--date", type=day_of, metavar="YYYY-MM-DD", help="engines as they were on that day")


def _serve(wanted: argparse.Namespace) -> int:
    day = wanted.day or date.today()
    catalogue = with_own_prices(load_catalogue(), wanted.quotes, day)
    job = _job(wanted)
    found = serve(catalogue, job)
    cost = _hired(catalogue, job, found, day)
    if wanted.csv:
        row = serving_row(job, found, cost, wanted.busy_share)
        wanted.csv.write_bytes(to_csv(pd.DataFrame([row], dtype=object)))
    if wanted.json:
        stamp = {"catalogue_digest": catalogue.digest, "catalogue_day": catalogue.day, "day": day}
        sys.stdout.write(as_json({**stamp, **serving_data(job, found, cost, wanted.busy_share)}) + "\n")
    else:
        sys.stdout.write(serving_text(job, found, cost, wanted.busy_share))
    return OK


def _job(wanted: argparse.Namespace) -> ServingJob:
    taken = ("model", "accelerator", "input_tokens", "output_tokens", "peak_requests_per_s", "ttft_ms", "tpot_ms")
    more = ("percentile", "mode", "cache_precision", "engine", "batch", "mig_profile", "lora_adapters", "power_cap_w")
    said = {name: getattr(wanted, name) for name in (*taken, *more, "measured_over_predicted")}
    said |= {"accelerators": wanted.count, "average_requests_per_s": wanted.requests_per_s, "engine_on": wanted.date}
    said |= {"weight_precision": wanted.precision, "tensor_parallel": wanted.tp, "pipeline_parallel": wanted.pp}
    return job_of(ServingJob, said, _FLAGS)


def _hired(catalogue: Catalogue, job: ServingJob, found: Serving, day: date) -> Hired | None:
    """The offer for all replicas; a slice is rented as the whole accelerator it is cut from."""
    together = found.accelerators_per_replica
    needed = found.accelerators_at_average or together * max(found.replicas, 1)
    key = naming.accelerator(catalogue, job.accelerator)
    return hired(catalogue, key, accelerators=needed, hours=8_760.0, together=together, day=day)
