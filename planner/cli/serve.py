"""`serve`: does it fit, how fast, how long people wait, how many accelerators, what a million tokens cost."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from planner.cli.common import (
    UsageError,
    add_location_argument,
    add_model_arguments,
    add_output_arguments,
    dated_facts,
    day,
    keep_flags,
    length,
    number,
    share,
    whole,
    write_result,
)
from planner.scenario.vocabulary import (
    USUAL_ACCEPTED_SHARE,
    USUAL_BUSY_SHARE,
    CachePrecision,
    EngineName,
    LoadStart,
    Mode,
    ServingPrecision,
)

if TYPE_CHECKING:
    from planner.scenario.jobs import ServingJob
    from pricing import Catalogue


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("serve", help="a model that answers: fit, tokens/s, latency, GPUs needed, USD/M tokens")
    verb.set_defaults(verb=run)
    add_location_argument(verb)
    add_model_arguments(verb, "llama-3.1-8b …; or other work: flux, whisper …; or --config")
    verb.add_argument(
        "--accelerator", required=True, metavar="NAME", help="H100-SXM5-80GB, mi300x …; several for other work: a,b"
    )
    verb.add_argument(
        "--count",
        dest="accelerators",
        type=whole,
        metavar="N",
        help="accelerators there are; as few as fit where empty",
    )
    verb.add_argument("--input-tokens", type=length, metavar="N", help="tokens of a prompt; 1000")
    verb.add_argument("--output-tokens", type=length, metavar="N", help="tokens of an answer; 300")
    verb.add_argument("--requests-per-s", type=number, metavar="R", help="on average")
    verb.add_argument("--peak-requests-per-s", type=number, metavar="R")
    verb.add_argument("--ttft-ms", type=number, metavar="MS", help="promised to the first token")
    verb.add_argument("--tpot-ms", type=number, metavar="MS", help="promised between tokens")
    verb.add_argument("--percentile", type=share, metavar="P", help="of requests that keep the promise; 0.99")
    verb.add_argument("--mode", choices=get_args(Mode), help="offline unless another is given")
    _how(verb)
    add_output_arguments(verb, csv="write one row")
    keep_flags(verb)


def _how(verb: Any) -> None:
    verb.add_argument(
        "--precision",
        dest="weight_precision",
        choices=get_args(ServingPrecision),
        help="of weights; as published where empty",
    )
    verb.add_argument("--cache-precision", choices=get_args(CachePrecision))
    verb.add_argument("--engine", choices=get_args(EngineName), help="vllm")
    verb.add_argument("--tp", dest="tensor_parallel", type=whole, metavar="N", help="accelerators that share each step")
    verb.add_argument(
        "--ep", dest="expert_parallel", type=whole, metavar="N", help="accelerators that hold whole experts"
    )
    verb.add_argument(
        "--attention-dp", action="store_true", default=None, help="each accelerator attends to requests of its own"
    )
    verb.add_argument(
        "--prefill-gpus", dest="prefill_accelerators", type=whole, metavar="N", help="of all, that only work on prompts"
    )
    verb.add_argument("--pp", dest="pipeline_parallel", type=whole, metavar="N", help="stages that follow each other")
    verb.add_argument("--release", dest="engine_release", metavar="V", help="of the engine: 1.0; today's where empty")
    verb.add_argument("--load-start", choices=get_args(LoadStart), help="how requests come; random where empty")
    verb.add_argument("--batch", type=whole, metavar="N", help="requests at once; what memory holds where empty")
    verb.add_argument("--draft-tokens", type=whole, metavar="N", help="guessed ahead of each step; none where empty")
    verb.add_argument(
        "--accepted-share", type=share, metavar="S", help=f"of guesses that are right; {USUAL_ACCEPTED_SHARE:g}"
    )
    verb.add_argument("--mig-profile", metavar="NAME", help="one slice: 1g.10gb …")
    verb.add_argument("--lora-adapters", type=whole, metavar="N")
    verb.add_argument("--power-cap-w", type=number, metavar="W")
    verb.add_argument("--have", metavar="NAMES", help="hardware you have: rtx 4090, apple m2 ultra; is it enough?")
    verb.add_argument("--runs", type=Path, metavar="MINE.csv", help="runs of yours (docs/published-runs.md) to go by")
    verb.add_argument("--constants", type=Path, metavar="FILE", help="constants fitted to or measured on your machines")
    verb.add_argument("--measured-over-predicted", type=number, metavar="X", help="from a run of yours")
    verb.add_argument("--busy-share", type=share, default=USUAL_BUSY_SHARE, metavar="S", help="of the hours; 0.6")
    verb.add_argument(
        "--date", dest="engine_on", type=day, metavar="YYYY-MM-DD", help="engines as they were on that day"
    )


def run(args: argparse.Namespace) -> int:
    """Check the jobs before the engine is loaded, then print one model on one accelerator, or other work."""
    from planner.cli.inputs import accelerator_id, serving_jobs

    jobs = serving_jobs(args)
    catalogue, day = dated_facts(args)
    names = (name.strip() for name in (args.have or "").split(","))
    have = tuple(accelerator_id(catalogue, name) for name in names if name)
    from planner.speed.serving import is_non_llm_work

    if is_non_llm_work(args.model):
        from planner.api.speed import ServingTerms, other_work_result

        return write_result(
            args, other_work_result(catalogue, jobs, day, ServingTerms(args.busy_share, args.stay, have))
        )
    if len(jobs) > 1:
        raise UsageError(f"--accelerator: want one for {args.model}; several are for work without tokens.")
    return _print_model(args, catalogue, jobs[0], have, day)


def _print_model(
    args: argparse.Namespace, catalogue: Catalogue, job: ServingJob, have: tuple[str, ...], day: date
) -> int:
    from planner.api.speed import ServingTerms, serve_result
    from planner.cli.inputs import corrected_job, read_text_file
    from planner.evidence.constants_file import serving_constants_in
    from planner.evidence.serving.check import anchored

    path = args.constants
    constants = None if path is None else serving_constants_in(read_text_file(path), file=path.name)
    own = corrected_job(
        "serving", job, args.runs,
        lambda rows: anchored(catalogue, job, rows, file=args.runs.name, constants=constants),
    )  # fmt: skip
    terms = ServingTerms(args.busy_share, args.stay, have)
    return write_result(args, serve_result(catalogue, own, day, terms=terms, constants=constants))
