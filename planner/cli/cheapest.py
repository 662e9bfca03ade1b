"""`cheapest`: which accelerator, how many, from whom, paid for how, for one piece of work."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict
from datetime import date
from typing import Any, get_args

from planner.cli.common import OK, BadInput, versioned, whole, with_own_prices
from planner.cli.files import write_file
from planner.cli.runs import add_runs, with_own_runs
from planner.cli.scenarios import Opened, scenario_called
from planner.cli.speed import add_output, amount, job_of, number
from planner.cli.terminal import redraw
from planner.inputs.scenario import ANY_ACCELERATOR, Scenario
from planner.inputs.serving_job import Precision as ServingPrecision
from planner.inputs.task import Serve, Train
from planner.inputs.training_job import Method, Precision
from planner.inputs.work import Work
from planner.report.cheapest import market_data, market_table, market_text
from planner.report.csv import to_csv
from planner.report.training import plain_data
from planner.report.uses import together_sentence, uses_data, uses_table, uses_text
from planner.study.market import Market, market
from planner.study.market_work import Progress
from planner.study.uses import choices, together
from pricing import load_catalogue

_OF_NO_JOB = frozenset({"verb", "day", "quotes", "json", "csv"})  # what may be said without one
_FLAGS = {"peak_requests_per_s": "--peak", "weight_precision": "--precision"}
_SECONDS_BEFORE_A_BAR, _BAR = 1.0, 30


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("cheapest", help="which GPU, how many, from whom, rented or bought: time against cost")
    verb.set_defaults(verb=_cheapest)
    verb.add_argument("scenario", nargs="?", metavar="SCENARIO", help="a YAML file or a preset that names a model")
    verb.add_argument("--model", metavar="NAME", help="a model of the catalogue: llama-3-8b …")
    verb.add_argument("--deadline-days", type=number, metavar="D", help="to be trained by; else as cheap as can be")
    verb.add_argument("--budget-usd", type=number, metavar="B", help="of the run; of a month where work goes on")
    verb.add_argument("--accelerator", action="append", default=[], metavar="NAME", help="only these; all where empty")
    verb.add_argument("--count", action="append", default=[], type=whole, metavar="N", help="only so many at once")
    verb.add_argument("--spot", action="store_true", help="the work may be interrupted: spot machines too")
    verb.add_argument("--years", type=number, metavar="Y", help="of owning, for what is bought; 3")
    _train(verb)
    _serve(verb)
    add_runs(verb)
    add_output(verb, csv="write every try, with the reason that it lost for")


def _train(verb: Any) -> None:
    verb.add_argument("--tokens", type=amount, metavar="N", help="to train on: 15T, 300B; best for the model if empty")
    verb.add_argument("--method", choices=get_args(Method), help="what is trained; full")
    verb.add_argument("--seq-len", type=whole, metavar="N", help="tokens of a sequence; 4096")
    verb.add_argument("--runs-per-month", type=number, metavar="R", help="one run where empty")
    every = tuple(dict.fromkeys((*get_args(Precision), *get_args(ServingPrecision))))
    verb.add_argument("--precision", choices=every, help="bf16 to train; of weights as published to serve")


def _serve(verb: Any) -> None:
    verb.add_argument("--requests-per-s", type=number, metavar="R", help="to serve, on average")
    verb.add_argument("--peak", type=number, metavar="R", help="requests a second at the peak; the average if empty")
    verb.add_argument("--input-tokens", type=whole, metavar="N", help="of a prompt; 1000")
    verb.add_argument("--output-tokens", type=whole, metavar="N", help="of an answer; 300")
    verb.add_argument("--ttft-ms", type=number, metavar="MS", help="promised to the first token")
    verb.add_argument("--tpot-ms", type=number, metavar="MS", help="promised between tokens")


def _cheapest(wanted: argparse.Namespace) -> int:
    if wanted.scenario is None and wanted.model is None:
        return _for_each_use(wanted)
    opened = _opened(wanted)
    if wanted.budget_usd is not None and not wanted.budget_usd > 0:
        raise BadInput(f"--budget-usd: want more than 0, got {wanted.budget_usd:g}.")
    found = market(
        opened.facts,
        opened.scenario,
        opened.day,
        budget_usd=wanted.budget_usd,
        accelerators=wanted.accelerator,
        counts=wanted.count,
        progress=_bar() if sys.stderr.isatty() else None,
    )
    _write(found, opened, wanted)
    return OK


def _for_each_use(wanted: argparse.Namespace) -> int:
    """No job is named: what to choose for learning, fine-tuning, training, serving and a bit of everything."""
    asked = [flag for flag, value in vars(wanted).items() if value and flag not in _OF_NO_JOB]
    if asked:
        raise BadInput(
            f"--{asked[0].replace('_', '-')} needs a job: want --model NAME, or a SCENARIO that names a model."
        )
    day = wanted.day or date.today()
    facts = with_own_prices(load_catalogue(), wanted.quotes, day)
    found = choices(facts, day, _bar() if sys.stderr.isatty() else lambda _: None)
    if wanted.csv:
        write_file(wanted.csv, to_csv(uses_table(found)))
    if wanted.json:
        stamp = {"catalogue_digest": facts.digest, "catalogue_day": facts.day, "day": day}
        sys.stdout.write(versioned({**stamp, "uses": uses_data(found)}) + "\n")
    else:
        sys.stdout.write(uses_text(found))
    return OK


def _write(found: Market, opened: Opened, wanted: argparse.Namespace) -> None:
    facts = opened.facts
    mixed = together(facts, opened.scenario, opened.day)
    if wanted.csv:
        write_file(wanted.csv, to_csv(market_table(found)))
    if wanted.json:
        stamp = {"catalogue_digest": facts.digest, "catalogue_day": facts.day, "day": opened.day}
        both = {"all_on_one_kind": [plain_data(asdict(one)) for one in mixed]}
        sys.stdout.write(versioned({**stamp, **market_data(found), **both}) + "\n")
    else:
        sys.stdout.write(market_text(found) + (f"\n{together_sentence(mixed)}\n" if mixed else ""))


def _opened(wanted: argparse.Namespace) -> Opened:
    """The scenario of a file with what the arguments say over it, or one made of the arguments alone."""
    if (wanted.scenario is None) == (wanted.model is None):
        raise BadInput("want --model NAME, or a SCENARIO that names a model, and not both.")
    if wanted.scenario is None:
        day = wanted.day or date.today()
        made = {"accelerator": ANY_ACCELERATOR, "work": (_work(wanted),), "years": wanted.years}
        facts = with_own_prices(load_catalogue(), wanted.quotes, day)
        return Opened(with_own_runs(job_of(Scenario, made, _FLAGS), facts, wanted.runs, day), facts, day, ())
    opened = scenario_called(wanted.scenario, wanted)
    scenario = opened.scenario if wanted.years is None else opened.scenario.model_copy(update={"years": wanted.years})
    works = tuple(_with_limits(work, wanted) for work in scenario.work)
    return Opened(scenario.model_copy(update={"work": works}), opened.facts, opened.day, opened.about)


def _with_limits(work: Work, wanted: argparse.Namespace) -> Work:
    changed: dict[str, Any] = {"may_stop": work.may_stop or wanted.spot}
    if work.train is not None and wanted.deadline_days is not None:
        said = work.train.model_dump() | {"deadline_days": wanted.deadline_days}
        changed["train"] = job_of(Train, said, _FLAGS)
    return work.model_copy(update=changed)


def _work(wanted: argparse.Namespace) -> Work:
    if wanted.requests_per_s is not None:
        if wanted.deadline_days is not None or wanted.tokens is not None:
            raise BadInput("--requests-per-s is of a service, --tokens and --deadline-days are of a training run.")
        said = {name: getattr(wanted, name) for name in ("model", "requests_per_s", "input_tokens", "output_tokens")}
        said |= {"ttft_ms": wanted.ttft_ms, "tpot_ms": wanted.tpot_ms, "weight_precision": wanted.precision}
        served = job_of(Serve, said | {"peak_requests_per_s": wanted.peak}, _FLAGS)
        return Work(serve=served, may_stop=wanted.spot)
    names = ("model", "tokens", "method", "precision", "seq_len", "runs_per_month", "deadline_days")
    trained = job_of(Train, {name: getattr(wanted, name) for name in names} | {"choose_count": True}, _FLAGS)
    return Work(accelerators=1, train=trained, may_stop=wanted.spot)


def _bar() -> Progress:
    """A bar on stderr for whoever waits longer than a second."""
    begun = time.monotonic()
    shown = False

    def tell(share: float) -> None:
        nonlocal shown
        if time.monotonic() - begun > _SECONDS_BEFORE_A_BAR or shown:
            shown = True
            done = round(share * _BAR)
            end = "\r\033[K" if share >= 1 else ""
            redraw(f"[{'#' * done}{'.' * (_BAR - done)}] {share:.0%}{end}")

    return tell
