"""The jobs of `train` and `serve`, and your own runs. Bad input is refused here, before the engine is loaded."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pydantic

from planner.cli.common import UsageError
from planner.cli.terminal import tell
from planner.scenario.base import ScenarioModel
from planner.scenario.jobs import ServingJob, TrainingJob
from planner.scenario.scenario import Scenario
from planner.scenario.vocabulary import Kind
from pricing import Catalogue, load_catalogue, meant
from pricing.strict_yaml import first_error_message

if TYPE_CHECKING:
    from planner.evidence.checked import CorrectedJob

MOST_BYTES = 20_000_000


def training_job(args: argparse.Namespace) -> TrainingJob:
    """Return the run of the arguments of `train`."""
    values = vars(args) | _model_values(args)
    values["accelerator"] = accelerator_id(load_catalogue(), args.accelerator)
    values["accelerators"] = args.accelerators or (8 if args.mig_profile is None else 1)
    return parse_job(TrainingJob, values, args.flags)


def serving_jobs(args: argparse.Namespace) -> list[ServingJob]:
    """Return the jobs of the arguments of `serve`, one on each accelerator they list."""
    values = vars(args) | _model_values(args)
    ids = [accelerator_id(load_catalogue(), name.strip()) for name in args.accelerator.split(",")]
    return [parse_job(ServingJob, values | {"accelerator": key}, args.flags) for key in ids]


def _model_values(args: argparse.Namespace) -> dict[str, Any]:
    """Return the model: a name, or the model that a configuration describes, under its name."""
    if args.config is None:
        if args.model is None:
            raise UsageError("No model given. Name one with --model, or give its config.json with --config.")
        return {"model": args.model}
    from planner.network.config_file import MOST_CHARACTERS, own_model
    from planner.report.speed.fit_words import architecture_text

    with args.config.open("rb") as file:
        data = file.read(MOST_CHARACTERS + 1)
    model = own_model(data.decode("utf-8-sig", errors="replace"), name=args.model or "", file=args.config.name)
    args.model = model.name
    tell(architecture_text(model))
    return {"model": model.name, "models": (model,)}


def accelerator_id(catalogue: Catalogue, name: str) -> str:
    """Return the accelerator of a typed name; where it fits several, stderr says which one is used."""
    key, note = meant.accelerator(catalogue, name)
    if note:
        tell(note)
    return key


J = TypeVar("J", bound=ScenarioModel)
AnyJob = TypeVar("AnyJob", TrainingJob, ServingJob)


def parse_job(kind: type[J], values: Mapping[str, Any], flags: Mapping[str, str]) -> J:
    """Return the job of some values; a value out of bounds is refused by the name of its flag."""
    try:
        return kind(
            **{name: value for name, value in values.items() if value is not None and name in kind.model_fields}
        )
    except pydantic.ValidationError as error:
        place, wish, _ = first_error_message(error)
        name = str(place[0]) if place else ""
        raise UsageError(f"{flags.get(name, name)}: {wish}" if name else wish) from error  # the end comes with `tell`


def load_runs(kind: Kind, path: Path | None) -> list[dict[str, str]]:
    """Return the rows of a table of that kind; the published runs where no file is given."""
    from planner.evidence.table import TABLES, published_runs, read_run_rows

    table = TABLES[kind]
    return published_runs(table) if path is None else read_run_rows(read_text_file(path), table, file=path.name)


def with_own_runs(scenario: Scenario, catalogue: Catalogue, paths: Sequence[Path], day: date) -> Scenario:
    """Return the scenario with factors of your own tables; unused runs are listed on stderr."""
    if not paths:
        return scenario
    from planner.evidence.checked import merge_factors
    from planner.evidence.constants_file import read_factors
    from planner.report.speed.runs import unused_run_sentences

    files: dict[str, str] = {}
    chip = scenario.accelerator
    for path in paths:
        table = read_factors(catalogue, read_text_file(path), file=path.name, day=day)
        if table.kind in files:
            raise UsageError(
                f"{files[table.kind]} and {path.name} are both {table.kind} runs: put them into one table."
            )
        files[table.kind] = path.name
        scenario = scenario.model_copy(update={"measured": merge_factors(scenario.measured, table, accelerator=chip)})
        carried = sum(factor.kind == table.kind for factor in scenario.measured)
        for sentence in unused_run_sentences(table, carried=carried):
            tell(f"{path.name}: {sentence}")
    return scenario


def corrected_job(
    kind: Kind, job: AnyJob, path: Path | None, correct: Callable[[list[dict[str, str]]], CorrectedJob[AnyJob]]
) -> AnyJob | CorrectedJob[AnyJob]:
    """Return a job as `correct` corrects it by the runs of a table, if there is one; unused runs go to stderr."""
    from planner.report.speed.runs import unused_reasons

    if path is None:
        return job
    if job.measured_over_predicted is not None:
        raise UsageError("--runs and --measured-over-predicted are mutually exclusive.")
    own = correct(load_runs(kind, path))
    if text := unused_reasons(own.why_not):
        tell(f"{path.name}: {text}")
    return own


def read_text_file(path: Path) -> str:
    """Return the text of a file: UTF-8, of bounded size."""
    from planner.evidence.table import decode_table

    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path.name}: want at most {MOST_BYTES // 1_000_000} MB.")
    return decode_table(data, file=path.name)
