"""`cheapest`: its words."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from planner.cli.verbs.arguments import add_output, add_runs, add_stay, amount, length, number, whole
from planner.scenario.vocabulary import Method, ServingPrecision, TrainingPrecision


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("cheapest", help="which GPU, how many, from whom, rented or bought: time against cost")
    verb.set_defaults(verb=_begin)
    add_stay(verb)
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
    verb.add_argument("--seq-len", type=length, metavar="N", help="tokens of a sequence; 4096")
    verb.add_argument("--runs-per-month", type=number, metavar="R", help="one run where empty")
    every = tuple(dict.fromkeys((*get_args(TrainingPrecision), *get_args(ServingPrecision))))
    verb.add_argument("--precision", choices=every, help="bf16 to train; of weights as published to serve")


def _serve(verb: Any) -> None:
    verb.add_argument("--requests-per-s", type=number, metavar="R", help="to serve, on average")
    verb.add_argument("--peak", type=number, metavar="R", help="requests a second at the peak; the average if empty")
    verb.add_argument("--input-tokens", type=length, metavar="N", help="of a prompt; 1000")
    verb.add_argument("--output-tokens", type=length, metavar="N", help="of an answer; 300")
    verb.add_argument("--ttft-ms", type=number, metavar="MS", help="promised to the first token")
    verb.add_argument("--tpot-ms", type=number, metavar="MS", help="promised between tokens")


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.cheapest_asked import asked  # only once the words are understood

    opened = asked(wanted)
    from planner.cli.cheapest import for_each_use, run  # only once there is something to search for

    return for_each_use(wanted) if opened is None else run(opened, wanted)
