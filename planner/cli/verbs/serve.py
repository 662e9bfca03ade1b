"""`serve`: its words."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, get_args

from planner.cli.verbs.arguments import add_model, add_output, add_stay, day, length, number, share, whole
from planner.scenario.vocabulary import (
    USUAL_ACCEPTED_SHARE,
    USUAL_BUSY_SHARE,
    CachePrecision,
    EngineName,
    Mode,
    ServingPrecision,
)


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("serve", help="a model that answers: fit, tokens/s, latency, GPUs needed, USD/M tokens")
    verb.set_defaults(verb=_begin)
    add_stay(verb)
    add_model(verb, "llama-3.1-8b …; or other work: flux, whisper …; or --config")
    verb.add_argument(
        "--accelerator", required=True, metavar="NAME", help="H100-SXM5-80GB, mi300x …; several for other work: a,b"
    )
    verb.add_argument("--count", type=whole, metavar="N", help="accelerators there are; as few as fit where empty")
    verb.add_argument("--input-tokens", type=length, metavar="N", help="tokens of a prompt; 1000")
    verb.add_argument("--output-tokens", type=length, metavar="N", help="tokens of an answer; 300")
    verb.add_argument("--requests-per-s", type=number, metavar="R", help="on average")
    verb.add_argument("--peak-requests-per-s", type=number, metavar="R")
    verb.add_argument("--ttft-ms", type=number, metavar="MS", help="promised to the first token")
    verb.add_argument("--tpot-ms", type=number, metavar="MS", help="promised between tokens")
    verb.add_argument("--percentile", type=share, metavar="P", help="of requests that keep the promise; 0.99")
    verb.add_argument("--mode", choices=get_args(Mode), help="offline where nothing else is said")
    _how(verb)
    add_output(verb, csv="write one row")


def _how(verb: Any) -> None:
    verb.add_argument("--precision", choices=get_args(ServingPrecision), help="of weights; as published where empty")
    verb.add_argument("--cache-precision", choices=get_args(CachePrecision))
    verb.add_argument("--engine", choices=get_args(EngineName), help="vllm")
    verb.add_argument("--tp", type=whole, metavar="N", help="accelerators that share each step")
    verb.add_argument("--pp", type=whole, metavar="N", help="stages that follow each other")
    verb.add_argument("--batch", type=whole, metavar="N", help="requests at once; what memory holds where empty")
    verb.add_argument("--draft-tokens", type=whole, metavar="N", help="guessed ahead of each step; none where empty")
    verb.add_argument(
        "--accepted-share", type=share, metavar="S", help=f"of guesses that are right; {USUAL_ACCEPTED_SHARE:g}"
    )
    verb.add_argument("--mig-profile", metavar="NAME", help="one slice: 1g.10gb …")
    verb.add_argument("--lora-adapters", type=whole, metavar="N")
    verb.add_argument("--power-cap-w", type=number, metavar="W")
    verb.add_argument("--have", metavar="NAMES", help="what you have: rtx 4090, apple m2 ultra; is it enough?")
    verb.add_argument("--runs", type=Path, metavar="MINE.csv", help="runs of yours (docs/published-runs.md) to go by")
    verb.add_argument("--constants", type=Path, metavar="FILE", help="constants fitted to or measured on your machines")
    verb.add_argument("--measured-over-predicted", type=number, metavar="X", help="from a run of yours")
    verb.add_argument("--busy-share", type=share, default=USUAL_BUSY_SHARE, metavar="S", help="of the hours; 0.6")
    verb.add_argument("--date", type=day, metavar="YYYY-MM-DD", help="engines as they were on that day")


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.jobs import serving_jobs  # only once the words are understood

    jobs = serving_jobs(wanted)
    from planner.cli.serve import run  # only once there is something to reckon

    return run(jobs, wanted)
