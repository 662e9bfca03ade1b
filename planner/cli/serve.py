"""`serve`: does it fit, how fast, how long people wait, how many accelerators, what a million tokens cost."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from planner.cli.common import (
    UsageError,
    add_location_argument,
    add_model_arguments,
    add_output_arguments,
    day,
    emit,
    keep_flags,
    length,
    number,
    share,
    stamp,
    whole,
    with_quote_file,
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
    from planner.evidence.checked import CorrectedJob
    from planner.money.renting.cheapest_offer import JobHourQuote
    from planner.scenario.jobs import ServingJob
    from planner.speed.serving import ServingConstants, ServingResult
    from pricing import Catalogue
    from pricing.orderable import ResidencyRequirement


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
    verb.add_argument("--mode", choices=get_args(Mode), help="offline where nothing else is said")
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
        "--ep",
        dest="expert_parallel",
        type=whole,
        metavar="N",
        help="accelerators that hold whole experts",
    )
    verb.add_argument(
        "--attention-dp", action="store_true", default=None, help="each accelerator attends to requests of its own"
    )
    verb.add_argument(
        "--prefill-gpus",
        dest="prefill_accelerators",
        type=whole,
        metavar="N",
        help="of all, that only work on prompts",
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
    from planner.cli.jobs import accelerator_id, serving_jobs
    from pricing.feeds.live import current

    jobs = serving_jobs(args)
    day = args.day or date.today()
    catalogue = with_quote_file(current(), args.quotes, day)
    names = (name.strip() for name in (args.have or "").split(","))
    have = tuple(accelerator_id(catalogue, name) for name in names if name)
    from planner.speed.serving import is_non_llm_work

    if is_non_llm_work(args.model):
        return _print_other_work(args, catalogue, jobs, have, day)
    if len(jobs) > 1:
        raise UsageError(f"--accelerator: want one for {args.model}; several are for work without tokens.")
    return _print_model(args, catalogue, jobs[0], have, day)


def _print_model(
    args: argparse.Namespace, catalogue: Catalogue, job: ServingJob, have: tuple[str, ...], day: date
) -> int:
    """Print one model on one kind of accelerator."""
    from planner.report.answer.feasibility import cpu_sentences
    from planner.report.forms import to_plain_data
    from planner.report.speed.runs import own_runs_data, own_runs_text
    from planner.report.speed.serving_words import serving_data, serving_row, serving_text
    from planner.report.table import Table
    from planner.speed.serving import cpu_feasibility, serve
    from pricing.orderable import staying

    own, constants = _with_own_runs(catalogue, job, args)
    job = own.job
    result = serve(catalogue, job, constants)
    runs = {"own_runs": own_runs_data(own)} if args.runs else {}
    cost = _offer(catalogue, job, result, day, staying(catalogue, args.stay))
    cpu = cpu_feasibility(catalogue, job, have, constants)
    answer = (job, result, cost, args.busy_share)
    return emit(
        args,
        table=lambda: Table.from_raw_rows([serving_row(*answer)]),
        data=lambda: {
            **stamp(catalogue, day),
            **runs,
            **serving_data(*answer),
            "without_gpu": to_plain_data(asdict(cpu)),
        },
        text=lambda: (
            serving_text(*answer, cpu_sentences(cpu), _by_token(catalogue, job, result, cost))
            + own_runs_text(catalogue, own, result.accelerator)
        ),
    )


def _with_own_runs(
    catalogue: Catalogue, job: ServingJob, args: argparse.Namespace
) -> tuple[CorrectedJob[ServingJob], ServingConstants | None]:
    """Return the job corrected by your own runs, where there are any, and the constants of your file."""
    from planner.cli.jobs import load_runs, read_text_file, refuse_both, warn_unused_runs
    from planner.evidence.checked import CorrectedJob
    from planner.evidence.constants_file import serving_constants_in
    from planner.evidence.serving.check import anchored

    path = args.constants
    constants = None if path is None else serving_constants_in(read_text_file(path), file=path.name)
    if args.runs is None:
        return CorrectedJob(job), constants
    refuse_both(job)
    own = anchored(catalogue, job, load_runs("serving", args.runs), file=args.runs.name, constants=constants)
    warn_unused_runs(args.runs, own.why_not)
    return own, constants


def _by_token(
    catalogue: Catalogue, job: ServingJob, result: ServingResult, cost: JobHourQuote | None
) -> tuple[str, ...]:
    """Return the cost by the token, where the model is price and a price of the accelerator is known."""
    from planner.money.by_token import token_break_even
    from planner.report.answer.sensitivity import describe_token_price
    from planner.scenario.task import ServingTask

    if cost is None or job.mig_profile is not None:
        return ()
    task = ServingTask(model=result.model, input_tokens=job.input_tokens, output_tokens=job.output_tokens)
    price = token_break_even(catalogue, result, task, usd_per_accelerator_hour=cost.usd_per_accelerator_hour)
    return () if price is None else (describe_token_price(price),)


def _offer(
    catalogue: Catalogue, job: ServingJob, result: ServingResult, day: date, stay: ResidencyRequirement
) -> JobHourQuote | None:
    """Return the offer for all replicas; a slice is rented as the whole accelerator it is cut from."""
    from planner.money.renting.cheapest_offer import hired
    from planner.scenario.base import HOURS_PER_YEAR
    from pricing import names as naming

    together = result.accelerators_per_replica
    needed = result.accelerators_at_average or together * max(result.replicas, 1)
    key = naming.accelerator(catalogue, job.accelerator)
    return hired(catalogue, key, accelerators=needed, hours=HOURS_PER_YEAR, together=together, day=day, stay=stay)


def _print_other_work(
    args: argparse.Namespace, catalogue: Catalogue, jobs: Sequence[ServingJob], have: tuple[str, ...], day: date
) -> int:
    """Print work without tokens (pictures, films, speech, classifiers) on each accelerator, side by side."""
    from planner.report.answer.feasibility import cpu_sentences
    from planner.report.speed.serving_words import other_work_rows, other_work_text, priced
    from planner.report.table import Table
    from planner.speed.serving import cpu_feasibility, non_llm_serving

    works = [priced(catalogue, non_llm_serving(catalogue, job), day) for job in jobs]
    rows = other_work_rows(works, args.busy_share)
    cpu = cpu_sentences(cpu_feasibility(catalogue, jobs[0], have))
    return emit(
        args,
        table=lambda: Table.from_raw_rows(rows),
        data=lambda: {**stamp(catalogue, day), "work": rows, "without_gpu": list(cpu)},
        text=lambda: "\n\n".join((other_work_text(works, args.busy_share), *cpu)) + "\n",
    )
