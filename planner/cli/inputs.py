"""Scenarios, jobs and your own runs, as arguments name them: bad input is refused before the engine is loaded."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pydantic

from planner.api.records import LoadedScenario
from planner.cli.common import UsageError, read_quote_file
from planner.cli.terminal import tell
from planner.scenario.base import ScenarioModel
from planner.scenario.file import MOST_BYTES, SavedScenario, read_scenario
from planner.scenario.jobs import ServingJob, TrainingJob
from planner.scenario.known_names import ScenarioError
from planner.scenario.own_prices import quotes_for_later
from planner.scenario.presets import find_preset, load_presets
from planner.scenario.scenario import Scenario
from planner.scenario.vocabulary import Kind
from pricing import Catalogue, load_catalogue, meant
from pricing.feeds.live import current
from pricing.quotes import with_quotes
from pricing.stale import as_of
from pricing.strict_yaml import MAX_BYTES, first_error_message

if TYPE_CHECKING:
    from planner.evidence.checked import CorrectedJob
    from planner.scenario.grid import SweepGrid

_MOST_RUN_BYTES = 20_000_000


def load_scenario(name: str, args: argparse.Namespace) -> LoadedScenario:
    """Return the scenario of a file or a preset, with the facts of its day; notes go to stderr."""
    saved, about = read_scenario_or_preset(name)
    change: Path | None = getattr(args, "change", None)
    if change is not None:
        changed = _read_file(change, saved.scenario)
        saved = replace(saved, scenario=changed.scenario, notes=(*saved.notes, *changed.notes))
    shipped = current()
    day: date = args.day or saved.day or date.today()
    facts = as_of(shipped, day)
    for note in (*saved.notes, *_model_notes(saved.scenario, facts)):
        tell(f"{name}: {note}")
    if saved.is_from_other_catalogue(shipped) and saved.is_from_other_catalogue(facts):
        tell(
            f"{name}: made with other facts (digest {str(saved.catalogue_digest)[:12]}; here {shipped.digest[:12]}). "
            f"Calculated with these facts, as known on {day.isoformat()}."
        )
    scenario, quotes = saved.scenario, read_quote_file(facts, args.quotes, day)
    if quotes is not None:
        scenario = scenario.model_copy(update={"quotes": (*scenario.quotes, *quotes_for_later(quotes))})
        facts = with_quotes(facts, quotes)
    is_dated = args.day is None and args.quotes is None and facts.digest != shipped.digest
    return LoadedScenario(name, with_own_runs(scenario, facts, args.runs, day), facts, day, about, is_dated)


def _model_notes(scenario: Scenario, facts: Catalogue) -> tuple[str, ...]:
    if all(work.train is None and work.serve is None for work in scenario.work):
        return ()
    from planner.speed.scenario_jobs import model_notes  # loaded only for a model

    return model_notes(facts, scenario)


def read_scenario_or_preset(name: str) -> tuple[SavedScenario, tuple[str, ...]]:
    """Return the scenario of a file, or of a preset with its notes."""
    path = Path(name)
    preset = None if path.is_file() else find_preset(name)
    if preset is not None:
        return SavedScenario(preset.scenario), preset.about
    if not path.suffix and not path.exists():
        keys = ", ".join(preset.key for preset in load_presets())
        raise UsageError(f"No file and no preset is called {name!r}; the presets are {keys}.")
    return _read_file(path), ()


def _read_file(path: Path, base: Scenario | None = None) -> SavedScenario:
    try:
        with path.open("rb") as file:
            return read_scenario(file.read(MOST_BYTES + 1), path.name, current(), base)
    except ScenarioError as error:
        raise UsageError(f"{path.name}: {error}") from error


def load_grid(path: Path) -> SweepGrid:
    """Return the grid of a file; its base may be a file beside it, or a preset."""

    def load_base(name: str) -> SavedScenario:
        beside = path.parent / name
        return read_scenario_or_preset(str(beside) if beside.is_file() else name)[0]

    with path.open("rb") as file:
        text = file.read(MAX_BYTES + 1)
    from planner.scenario.grid import read_grid  # only for sweeps
    from planner.study.measures import MEASURES  # loads the engine: too much where the file is missing

    try:
        return read_grid(text, path.name, current(), load_base, [measure.name for measure in MEASURES])
    except ScenarioError as error:
        raise UsageError(f"{path.name}: {error}") from error


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
        data = file.read(_MOST_RUN_BYTES + 1)
    if len(data) > _MOST_RUN_BYTES:
        raise UsageError(f"{path.name}: want at most {_MOST_RUN_BYTES // 1_000_000} MB.")
    return decode_table(data, file=path.name)
