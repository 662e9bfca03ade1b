"""`train`: its words."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, get_args

from planner.cli.verbs.arguments import add_model, add_output, add_stay, amount, day, length, number, whole
from planner.scenario.vocabulary import Engine, Method, Optimizer, Recompute, Team, TrainingPrecision, Zero


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("train", help="a training run: fit, layout, tokens/s, time, GPU-hours, cost")
    verb.set_defaults(verb=_begin)
    add_stay(verb)
    add_model(verb, "a model of the catalogue: llama-3-8b …; or --config")
    verb.add_argument("--accelerator", required=True, metavar="NAME", help="H100-SXM5-80GB, mi300x …")
    verb.add_argument("--count", type=whole, metavar="N", help="accelerators; 8, or 1 slice")
    verb.add_argument("--tokens", type=amount, metavar="N", help="15T, 300B, 2e12; best for the model where empty")
    verb.add_argument("--images", type=amount, metavar="N", help="of a run of resnet-50, ssd300 …; what is usual")
    verb.add_argument("--epochs", type=number, metavar="N", help="or so many times through the usual data set")
    verb.add_argument("--unique-tokens", type=amount, metavar="N", help="that there are; the rest are repeats")
    verb.add_argument("--seq-len", type=length, metavar="N", help="tokens of a sequence; 4096")
    verb.add_argument("--global-batch", type=whole, metavar="N", help="sequences of a step")
    verb.add_argument("--precision", choices=get_args(TrainingPrecision))
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
    verb.add_argument("--constants", type=Path, metavar="FILE", help="constants fitted to your machines")
    verb.add_argument("--date", type=day, metavar="YYYY-MM-DD", help="software as it was on that day")


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.jobs import training_job  # only once the words are understood

    job = training_job(wanted)
    from planner.cli.train import run  # only once there is something to reckon

    return run(job, wanted)
