"""The jobs that `train` and `serve` are asked for. What is out of bounds, or is the name of no accelerator, is refused
here, before anything that reckons is loaded."""

import argparse
from collections.abc import Mapping
from typing import Any, TypeVar

import pydantic

from planner.cli.common import UsageError
from planner.cli.terminal import tell
from planner.scenario.base import ScenarioModel
from planner.scenario.jobs import ServingJob, TrainingJob
from pricing import Catalogue, load_catalogue, meant
from pricing.strict_yaml import first_error_message


def training_job(args: argparse.Namespace) -> TrainingJob:
    """Return the run that the arguments of `train` name."""
    said = vars(args) | own_models(args)
    said["accelerator"] = accelerator_id(load_catalogue(), args.accelerator)
    said["accelerators"] = args.accelerators or (8 if args.mig_profile is None else 1)
    return parse_job(TrainingJob, said, args.flags)


def serving_jobs(args: argparse.Namespace) -> list[ServingJob]:
    """Return what the arguments of `serve` name, on each of the accelerators they list."""
    said = vars(args) | own_models(args)
    ids = [accelerator_id(load_catalogue(), name.strip()) for name in args.accelerator.split(",")]
    return [parse_job(ServingJob, said | {"accelerator": key}, args.flags) for key in ids]


def own_models(args: argparse.Namespace) -> dict[str, Any]:
    """The model that is asked for: a name, or what a configuration describes, which is then called so."""
    if args.config is None:
        if args.model is None:
            raise UsageError("--model: want the name of a model, or --config with its config.json.")
        return {"model": args.model}
    from planner.network.config_file import MOST_CHARACTERS, own_model
    from planner.report.speed.fit_words import architecture_text

    with args.config.open("rb") as file:
        data = file.read(MOST_CHARACTERS + 1)
    mine = own_model(data.decode("utf-8-sig", errors="replace"), name=args.model or "", file=args.config.name)
    args.model = mine.name
    tell(architecture_text(mine))
    return {"model": mine.name, "models": (mine,)}


def accelerator_id(catalogue: Catalogue, name: str) -> str:
    """The accelerator that a person types. Where the name fits several, stderr says which one is taken."""
    key, note = meant.accelerator(catalogue, name)
    if note:
        tell(note)
    return key


J = TypeVar("J", bound=ScenarioModel)


def parse_job(kind: type[J], said: Mapping[str, Any], flags: Mapping[str, str]) -> J:
    """Return the job that values give; what is outside the bounds of a field is refused by the name of its flag."""
    try:
        return kind(**{name: value for name, value in said.items() if value is not None and name in kind.model_fields})
    except pydantic.ValidationError as error:
        place, wish, _ = first_error_message(error)
        if not place:
            raise UsageError(f"{wish}.") from error
        name = str(place[0])
        raise UsageError(f"{flags.get(name, name)}: {wish}.") from error
