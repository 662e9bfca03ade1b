"""`train`: does it fit, in which layout, how fast, how long, at what cost."""

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
    amount,
    dated_facts,
    decimal_year,
    keep_flags,
    length,
    number,
    whole,
    write_result,
)
from planner.scenario.vocabulary import Method, Optimizer, Recompute, Team, TrainingEngine, TrainingPrecision, Zero

if TYPE_CHECKING:
    from pricing import Catalogue


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("train", help="a training run: fit, layout, tokens/s, time, GPU-hours, cost")
    verb.set_defaults(verb=run)
    add_location_argument(verb)
    add_model_arguments(verb, "a model of the catalogue: llama-3-8b …; or --config")
    verb.add_argument("--accelerator", required=True, metavar="NAME", help="H100-SXM5-80GB, mi300x …")
    verb.add_argument("--count", dest="accelerators", type=whole, metavar="N", help="accelerators; 8, or 1 slice")
    verb.add_argument("--tokens", type=amount, metavar="N", help="15T, 300B, 2e12; best for the model where empty")
    verb.add_argument("--images", type=amount, metavar="N", help="of a run of resnet-50, ssd300 …; the usual number")
    verb.add_argument("--epochs", type=number, metavar="N", help="or so many times through the usual data set")
    verb.add_argument("--unique-tokens", type=amount, metavar="N", help="that there are; the rest are repeats")
    verb.add_argument("--seq-len", type=length, metavar="N", help="tokens of a sequence; 4096")
    verb.add_argument(
        "--global-batch", dest="global_batch_sequences", type=whole, metavar="N", help="sequences of a step"
    )
    verb.add_argument("--precision", choices=get_args(TrainingPrecision))
    verb.add_argument("--method", choices=get_args(Method), help="what is trained; full")
    _layout(verb)
    add_output_arguments(verb, csv="write the layouts")
    keep_flags(verb)


def _layout(verb: Any) -> None:
    for name, what in (("tp", "tensor"), ("pp", "pipeline"), ("cp", "context"), ("ep", "expert"), ("dp", "data")):
        verb.add_argument(f"--{name}", type=whole, metavar="N", help=f"{what} parallel ranks; searched where empty")
    verb.add_argument(
        "--vpp", dest="virtual_stages", type=whole, metavar="N", help="virtual stages on each pipeline rank"
    )
    verb.add_argument("--micro-batch", type=whole, metavar="N")
    verb.add_argument("--zero", choices=get_args(Zero), help="what is sharded; zero3 is FSDP, hybrid HSDP")
    verb.add_argument("--recompute", choices=get_args(Recompute), help="selective: only what moves bytes")
    verb.add_argument("--optimizer", choices=get_args(Optimizer))
    verb.add_argument("--engine", choices=get_args(TrainingEngine), help="a maker's stack or plain PyTorch; vendor")
    verb.add_argument("--team", choices=get_args(Team), help="share of published speed your team reaches; experienced")
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
    verb.add_argument(
        "--date", dest="software_year", type=decimal_year, metavar="YYYY-MM-DD", help="software as it was on that day"
    )


_OF_TOKENS = (
    "tokens", "unique_tokens", "seq_len", "method", "precision", "mig_profile", "tp", "pp", "cp", "ep", "runs",
)  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Check the job before the engine is loaded, then print one training run on one kind of accelerator."""
    from planner.cli.inputs import training_job

    job = training_job(args)
    from planner.api.speed import train_result
    from planner.speed.training.images import is_image_network

    catalogue, day = dated_facts(args)
    if is_image_network(args.model):
        return _run_image_training(args, catalogue, day)
    if args.images is not None or args.epochs is not None:
        raise UsageError(f"--images and --epochs are for networks that learn from pictures, not {args.model}.")
    from planner.cli.inputs import corrected_job, read_text_file
    from planner.evidence.constants_file import training_constants_in
    from planner.evidence.training.check import anchored

    path = args.constants
    calibration = None if path is None else training_constants_in(read_text_file(path), file=path.name)
    own = corrected_job(
        "training", job, args.runs, lambda rows: anchored(catalogue, job, rows, calibration=calibration)
    )
    return write_result(args, train_result(catalogue, own, day, stay=args.stay, calibration=calibration))


def _run_image_training(args: argparse.Namespace, catalogue: Catalogue, day: date) -> int:
    from planner.api.speed import images_result
    from planner.cli.inputs import accelerator_id, parse_job
    from planner.scenario.jobs import ImageJob

    flags = [args.flags[name] for name in _OF_TOKENS if getattr(args, name) is not None]
    if flags:
        raise UsageError(f"{flags[0]}: {args.model} learns from pictures; give --images or --epochs, or neither.")
    accelerator = accelerator_id(catalogue, args.accelerator)
    values = {"model": args.model, "accelerator": accelerator, "accelerators": args.accelerators, "team": args.team}
    job = parse_job(ImageJob, values | {"images": args.images, "epochs": args.epochs}, args.flags)
    return write_result(args, images_result(catalogue, job, day))
