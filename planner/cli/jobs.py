"""The jobs that `train` and `serve` are asked for. What is out of bounds, or is the name of no accelerator, is refused
here, before anything that reckons is loaded."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from datetime import date
from typing import Any, TypeVar

import pydantic

from planner.cli.common import BadInput
from planner.cli.terminal import tell
from planner.scenario.base import Inputs
from planner.scenario.serving_job import ServingJob
from planner.scenario.training_job import TrainingJob
from pricing import Catalogue, load_catalogue, meant
from pricing.wishes import first_wish

_TRAINING_FLAGS = {
    "accelerators": "--count",
    "global_batch_sequences": "--global-batch",
    "software_year": "--date",
    "virtual_stages": "--vpp",
    "network_gb_s": "--network-gb-s",
}
# Arguments that are called as the field of the job is.
_AS_THEY_ARE = (
    *("model", "accelerator", "tokens", "unique_tokens", "seq_len", "precision", "method", "mig_profile"),
    *("tp", "pp", "cp", "ep", "dp", "micro_batch", "zero", "recompute", "optimizer", "engine", "fused_attention"),
    *("compiled", "power_cap_w", "team", "network_gb_s", "measured_over_predicted", "memory_gb"),
)
_SERVING_FLAGS = {
    "accelerators": "--count",
    "weight_precision": "--precision",
    "average_requests_per_s": "--requests-per-s",
    "engine_on": "--date",
    "tensor_parallel": "--tp",
    "pipeline_parallel": "--pp",
}


def training_job(args: argparse.Namespace) -> TrainingJob:
    """The run that the arguments of `train` name."""
    said = {name: getattr(args, name) for name in _AS_THEY_ARE} | own_models(args)
    said |= {
        "accelerator": accelerator_id(load_catalogue(), args.accelerator),
        "accelerators": args.count or (8 if args.mig_profile is None else 1),
        "global_batch_sequences": args.global_batch,
        "virtual_stages": args.vpp,
    }
    said["software_year"] = None if args.date is None else _decimal_year(args.date)
    return job_of(TrainingJob, said, _TRAINING_FLAGS)


def serving_jobs(args: argparse.Namespace) -> list[ServingJob]:
    """What the arguments of `serve` name, on each of the accelerators they list."""
    mine = own_models(args)
    return [_serving_job(args, name.strip(), mine) for name in args.accelerator.split(",")]


def own_models(args: argparse.Namespace) -> dict[str, Any]:
    """The model that is asked for: a name, or what a configuration describes, which is then called so."""
    if args.config is None:
        if args.model is None:
            raise BadInput("--model: want the name of a model, or --config with its config.json.")
        return {"model": args.model}
    from planner.network.config_file import MOST_CHARACTERS, own_model
    from planner.report.speed.shape_words import shape_words

    with args.config.open("rb") as file:
        data = file.read(MOST_CHARACTERS + 1)
    mine = own_model(data.decode("utf-8-sig", errors="replace"), name=args.model or "", file=args.config.name)
    args.model = mine.name
    tell(shape_words(mine))
    return {"model": mine.name, "models": (mine,)}


def _serving_job(args: argparse.Namespace, accelerator: str, mine: dict[str, Any]) -> ServingJob:
    taken = ("input_tokens", "output_tokens", "peak_requests_per_s", "ttft_ms", "tpot_ms")
    drafts = ("draft_tokens", "accepted_share")
    more = (
        *drafts,
        "percentile",
        "mode",
        "cache_precision",
        "engine",
        "batch",
        "mig_profile",
        "lora_adapters",
        "power_cap_w",
        "memory_gb",
    )
    said = {name: getattr(args, name) for name in (*taken, *more, "measured_over_predicted")}
    said |= {
        **mine,
        "accelerators": args.count,
        "average_requests_per_s": args.requests_per_s,
        "engine_on": args.date,
    }
    said |= {
        "accelerator": accelerator_id(load_catalogue(), accelerator),
        "weight_precision": args.precision,
        "tensor_parallel": args.tp,
        "pipeline_parallel": args.pp,
    }
    return job_of(ServingJob, said, _SERVING_FLAGS)


def accelerator_id(catalogue: Catalogue, name: str) -> str:
    """The accelerator that a person types. Where the name fits several, stderr says which one is taken."""
    key, note = meant.accelerator(catalogue, name)
    if note:
        tell(note)
    return key


def _decimal_year(day: date) -> float:
    """2026-11-21 as 2026.88: the middle of its month."""
    return day.year + (day.month - 0.5) / 12


J = TypeVar("J", bound=Inputs)


def job_of(kind: type[J], said: Mapping[str, Any], flags: Mapping[str, str]) -> J:
    """The job somebody typed; what is outside its bounds is told by the argument's own name."""
    try:
        return kind(**{name: value for name, value in said.items() if value is not None})
    except pydantic.ValidationError as error:
        place, wish, _ = first_wish(error)
        if not place:
            raise BadInput(f"{wish}.") from error
        name = str(place[0])
        flag = flags.get(name, f"--{name.replace('_', '-')}")
        raise BadInput(f"{flag}: {wish}.") from error
