"""`cheapest`: which accelerator, how many, from whom, paid for how, for one piece of work."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from planner.cli.common import (
    UsageError,
    add_location_argument,
    add_output_arguments,
    add_runs_argument,
    amount,
    dated_facts,
    keep_flags,
    length,
    number,
    whole,
    write_result,
)
from planner.cli.terminal import redraw_line
from planner.scenario.vocabulary import Method, ServingPrecision, TrainingPrecision

if TYPE_CHECKING:
    from planner.api.records import LoadedScenario
    from planner.scenario.work import Work
    from planner.study.market.hours_needed import Progress
    from pricing import Catalogue


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("cheapest", help="which GPU, how many, from whom, rented or bought: time against cost")
    verb.set_defaults(verb=run)
    add_location_argument(verb)
    verb.add_argument("scenario", nargs="?", metavar="SCENARIO", help="a YAML file or a preset that names a model")
    verb.add_argument("--model", metavar="NAME", help="a model of the catalogue: llama-3-8b …")
    verb.add_argument("--deadline-days", type=number, metavar="D", help="deadline of training; the cheapest if empty")
    verb.add_argument("--budget-usd", type=number, metavar="B", help="of the run; of a month for continuous work")
    verb.add_argument("--accelerator", action="append", default=[], metavar="NAME", help="only these; all where empty")
    verb.add_argument("--count", action="append", default=[], type=whole, metavar="N", help="only so many at once")
    verb.add_argument("--spot", action="store_true", help="the work may be interrupted: spot machines too")
    verb.add_argument("--years", type=number, metavar="Y", help="of owning, for what you buy; 3")
    _add_training_arguments(verb)
    _add_serving_arguments(verb)
    add_runs_argument(verb)
    add_output_arguments(verb, csv="write every candidate, with the reason it lost")
    keep_flags(verb)


def _add_training_arguments(verb: Any) -> None:
    verb.add_argument("--tokens", type=amount, metavar="N", help="to train on: 15T, 300B; best for the model if empty")
    verb.add_argument("--method", choices=get_args(Method), help="what is trained; full")
    verb.add_argument("--seq-len", type=length, metavar="N", help="tokens of a sequence; 4096")
    verb.add_argument("--runs-per-month", type=number, metavar="R", help="one run where empty")
    every = tuple(dict.fromkeys((*get_args(TrainingPrecision), *get_args(ServingPrecision))))
    verb.add_argument("--precision", choices=every, help="bf16 to train; of weights as published to serve")


def _add_serving_arguments(verb: Any) -> None:
    verb.add_argument("--requests-per-s", type=number, metavar="R", help="to serve, on average")
    verb.add_argument(
        "--peak",
        dest="peak_requests_per_s",
        type=number,
        metavar="R",
        help="requests a second at the peak; the average if empty",
    )
    verb.add_argument("--input-tokens", type=length, metavar="N", help="of a prompt; 1000")
    verb.add_argument("--output-tokens", type=length, metavar="N", help="of an answer; 300")
    verb.add_argument("--ttft-ms", type=number, metavar="MS", help="promised to the first token")
    verb.add_argument("--tpot-ms", type=number, metavar="MS", help="promised between tokens")


def run(args: argparse.Namespace) -> int:
    """Print the market of one job, or the GPU to choose for typical uses where no job is named."""
    if args.scenario is None and args.model is None:
        flags = [args.flags[name] for name, value in vars(args).items() if value and name not in _WITHOUT_JOB]
        if flags:
            raise UsageError(f"{flags[0]} needs a job: want --model NAME, or a SCENARIO that names a model.")
        return _print_uses(args)
    from planner.cli.inputs import accelerator_id

    loaded = _load_requested(args)
    if args.budget_usd is not None and not args.budget_usd > 0:
        raise UsageError(f"--budget-usd: want more than 0, got {args.budget_usd:g}.")
    args.accelerator = [accelerator_id(loaded.facts, name) for name in args.accelerator]
    return _print_market(loaded, args)


_WITHOUT_JOB = frozenset({"verb", "flags", "day", "quotes", "json", "csv"})  # arguments allowed without a job


def _load_requested(args: argparse.Namespace) -> LoadedScenario:
    """Return the scenario of a file changed by the arguments, or one made of the arguments."""
    from planner.api.records import LoadedScenario
    from planner.cli.inputs import load_scenario, parse_job, with_own_runs
    from planner.scenario.scenario import ANY_ACCELERATOR, Scenario

    if (args.scenario is None) == (args.model is None):
        raise UsageError("want --model NAME, or a SCENARIO that names a model, and not both.")
    if args.scenario is None:
        values = {"accelerator": ANY_ACCELERATOR, "work": (_work(args),), "years": args.years}
        facts, day = dated_facts(args)
        scenario = parse_job(Scenario, values | _staying(facts, args), args.flags)
        return LoadedScenario(args.model, with_own_runs(scenario, facts, args.runs, day), facts, day, ())
    loaded = load_scenario(args.scenario, args)
    years = {} if args.years is None else {"years": args.years}
    works = tuple(_with_deadline(work, args) for work in loaded.scenario.work)
    changes = {"work": works, **years, **_staying(loaded.facts, args)}
    return replace(loaded, scenario=loaded.scenario.model_copy(update=changes), is_dated=False)


def _staying(facts: Catalogue, args: argparse.Namespace) -> dict[str, Any]:
    from pricing.orderable import staying

    allowed = staying(facts, args.stay).countries
    if not allowed:
        return {}
    site = next((code for code in (args.stay.upper(), *sorted(allowed)) if code in facts.sites), None)
    return {"stay_in": tuple(sorted(allowed))} | ({} if site is None else {"site": site})


def _with_deadline(work: Work, args: argparse.Namespace) -> Work:
    from planner.cli.inputs import parse_job
    from planner.scenario.task import TrainingTask

    changed: dict[str, Any] = {"may_stop": work.may_stop or args.spot}
    if work.train is not None and args.deadline_days is not None:
        values = work.train.model_dump() | {"deadline_days": args.deadline_days}
        changed["train"] = parse_job(TrainingTask, values, args.flags)
    return work.model_copy(update=changed)


def _work(args: argparse.Namespace) -> Work:
    from planner.cli.inputs import parse_job
    from planner.scenario.task import ServingTask, TrainingTask
    from planner.scenario.work import Work

    if args.requests_per_s is not None:
        if args.deadline_days is not None or args.tokens is not None:
            raise UsageError("--requests-per-s is of a service, --tokens and --deadline-days are of a training run.")
        flags = {**args.flags, "weight_precision": args.flags["precision"]}
        served = parse_job(ServingTask, vars(args) | {"weight_precision": args.precision}, flags)
        return Work(serve=served, may_stop=args.spot)
    trained = parse_job(TrainingTask, vars(args) | {"choose_count": True}, args.flags)
    return Work(accelerators=1, train=trained, may_stop=args.spot)


_SECONDS_BEFORE_A_BAR, _BAR = 1.0, 30


def _print_market(loaded: LoadedScenario, args: argparse.Namespace) -> int:
    """Print one piece of work on every accelerator, in every number and way of paying."""
    from planner.api.offers import market_of

    chosen = {"budget_usd": args.budget_usd, "accelerators": args.accelerator, "counts": args.count}
    return write_result(args, market_of(loaded, **chosen, progress=_bar() if sys.stderr.isatty() else None))


def _print_uses(args: argparse.Namespace) -> int:
    """Print the GPU to choose for learning, fine-tuning, training, serving and a bit of everything."""
    from planner.api.offers import typical_uses

    facts, day = dated_facts(args)
    return write_result(args, typical_uses(facts, day, _bar() if sys.stderr.isatty() else None))


def _bar() -> Progress:
    start = time.monotonic()
    shown = False

    def tell(share: float) -> None:
        nonlocal shown
        if time.monotonic() - start > _SECONDS_BEFORE_A_BAR or shown:
            shown = True
            done = round(share * _BAR)
            end = "\r\033[K" if share >= 1 else ""
            redraw_line(f"[{'#' * done}{'.' * (_BAR - done)}] {share:.0%}{end}")

    return tell
