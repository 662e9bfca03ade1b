"""Scenarios of files and presets, for several verbs. A bad name or file is refused before the engine is loaded."""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from planner.api.records import LoadedScenario
from planner.cli.common import UsageError, read_quote_file
from planner.cli.jobs import with_own_runs
from planner.cli.terminal import tell
from planner.scenario.file import MOST_BYTES, SavedScenario, read_scenario
from planner.scenario.known_names import ScenarioError
from planner.scenario.own_prices import quotes_for_later
from planner.scenario.presets import find_preset, load_presets
from planner.scenario.scenario import Scenario
from pricing import Catalogue
from pricing.feeds.live import current
from pricing.quotes import with_quotes
from pricing.stale import as_of
from pricing.strict_yaml import MAX_BYTES

if TYPE_CHECKING:
    from planner.scenario.grid import SweepGrid


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
