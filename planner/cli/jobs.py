"""The jobs that `train` and `serve` are asked for. What is out of bounds, or is the name of no accelerator, is refused
here, before anything that reckons is loaded."""

from __future__ import annotations

import argparse
from datetime import date
from typing import Any

from planner.cli.common import BadInput
from planner.cli.speed import job_of
from planner.cli.terminal import tell
from planner.scenario.serving_job import ServingJob
from planner.scenario.training_job import TrainingJob
from pricing import Catalogue, load_catalogue, meant

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


def training_job(wanted: argparse.Namespace) -> TrainingJob:
    """The run that the arguments of `train` name."""
    said = {name: getattr(wanted, name) for name in _AS_THEY_ARE} | own_models(wanted)
    said |= {
        "accelerator": accelerator_id(load_catalogue(), wanted.accelerator),
        "accelerators": wanted.count or (8 if wanted.mig_profile is None else 1),
        "global_batch_sequences": wanted.global_batch,
        "virtual_stages": wanted.vpp,
    }
    said["software_year"] = None if wanted.date is None else _decimal_year(wanted.date)
    return job_of(TrainingJob, said, _TRAINING_FLAGS)


def serving_jobs(wanted: argparse.Namespace) -> list[ServingJob]:
    """What the arguments of `serve` name, on each of the accelerators they list."""
    mine = own_models(wanted)
    return [_serving_job(wanted, name.strip(), mine) for name in wanted.accelerator.split(",")]


def own_models(wanted: argparse.Namespace) -> dict[str, Any]:
    """The model that is asked for: a name, or what a configuration describes, which is then called so."""
    if wanted.config is None:
        if wanted.model is None:
            raise BadInput("--model: want the name of a model, or --config with its config.json.")
        return {"model": wanted.model}
    from planner.network.config_file import MOST_CHARACTERS, own_model
    from planner.report.speed.shape_words import shape_words

    with wanted.config.open("rb") as file:
        data = file.read(MOST_CHARACTERS + 1)
    mine = own_model(data.decode("utf-8-sig", errors="replace"), name=wanted.model or "", file=wanted.config.name)
    wanted.model = mine.name
    tell(shape_words(mine))
    return {"model": mine.name, "models": (mine,)}


def _serving_job(wanted: argparse.Namespace, accelerator: str, mine: dict[str, Any]) -> ServingJob:
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
    said = {name: getattr(wanted, name) for name in (*taken, *more, "measured_over_predicted")}
    said |= {
        **mine,
        "accelerators": wanted.count,
        "average_requests_per_s": wanted.requests_per_s,
        "engine_on": wanted.date,
    }
    said |= {
        "accelerator": accelerator_id(load_catalogue(), accelerator),
        "weight_precision": wanted.precision,
        "tensor_parallel": wanted.tp,
        "pipeline_parallel": wanted.pp,
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
