"""What the verbs about scenarios share: a file or a preset becomes a scenario, or is refused with what is wrong.

Nothing that reckons is loaded here: who mistyped a name need not wait for it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli.common import UsageError, with_quote_file
from planner.cli.terminal import tell
from planner.scenario.file import SavedScenario, read_scenario
from planner.scenario.grid import SweepGrid, read_grid
from planner.scenario.known_names import ScenarioError
from planner.scenario.presets import find_preset, load_presets
from planner.scenario.scenario import Scenario
from pricing import Catalogue
from pricing.feeds.live import current
from pricing.stale import as_of
from pricing.strict_yaml import MAX_BYTES

if TYPE_CHECKING:
    from planner.report.answer.plan_report import PlanReport


@dataclass(frozen=True, eq=False)
class LoadedScenario:
    """A scenario that was read, with the facts and the day it is reckoned for."""

    name: str  # as it was called
    scenario: Scenario
    facts: Catalogue
    day: date
    about: tuple[str, ...]
    was_made: bool = False  # on an earlier day that its file names, with what was known then


def scenario_called(name: str, args: argparse.Namespace) -> LoadedScenario:
    """The scenario in a file, or of a preset, with the facts of its day; what is odd about it goes to stderr."""
    saved, about = read_scenario_or_preset(name)
    shipped = current()
    day: date = args.day or saved.day or date.today()
    facts = as_of(shipped, day)
    for note in (*saved.notes, *_model_notes(saved.scenario, facts)):
        tell(f"{name}: {note}")
    if saved.is_from_other_catalogue(shipped):
        tell(
            f"{name}: made with other facts (digest {str(saved.catalogue_digest)[:12]}; here {shipped.digest[:12]}). "
            f"Reckoned with what is here, as it was known on {day.isoformat()}."
        )
    facts = with_quote_file(facts, args.quotes, day)
    was_made = args.day is None and args.quotes is None and facts.digest != shipped.digest
    return LoadedScenario(name, with_run_factors(saved.scenario, facts, args.runs, day), facts, day, about, was_made)


def _model_notes(scenario: Scenario, facts: Catalogue) -> tuple[str, ...]:
    if all(work.train is None and work.serve is None for work in scenario.work):
        return ()
    from planner.speed.scenario_jobs import model_notes  # only a plan with a model waits for what reads its name

    return model_notes(facts, scenario)


def with_run_factors(scenario: Scenario, facts: Catalogue, paths: Sequence[Path], day: date) -> Scenario:
    """The scenario with factors of somebody's own tables, where there are any."""
    if not paths:
        return scenario
    from planner.cli.runs import with_own_runs  # only who brings runs waits for what reads them

    return with_own_runs(scenario, facts, paths, day)


def read_scenario_or_preset(name: str) -> tuple[SavedScenario, tuple[str, ...]]:
    """The scenario in a file, or of a preset with what that says of itself."""
    path = Path(name)
    known = None if path.is_file() else find_preset(name)
    if known is not None:
        return SavedScenario(known.scenario), known.about
    if not path.suffix and not path.exists():
        there = ", ".join(one.key for one in load_presets())
        raise UsageError(f"No file and no preset is called {name!r}; there are the presets {there}.")
    try:
        with path.open("rb") as file:
            return read_scenario(file.read(MAX_BYTES + 1), path.name, current()), ()
    except ScenarioError as error:
        raise UsageError(f"{path.name}: {error}") from error


def load_grid(path: Path) -> SweepGrid:
    """The grid in a file; its base may be a file beside it, or a preset."""

    def base_of(name: str) -> SavedScenario:
        beside = path.parent / name
        return read_scenario_or_preset(str(beside) if beside.is_file() else name)[0]

    with path.open("rb") as file:
        text = file.read(MAX_BYTES + 1)
    from planner.study.measures import MEASURES  # loads all that calculates: too much where the file is not there

    try:
        return read_grid(text, path.name, current(), base_of, [one.name for one in MEASURES])
    except ScenarioError as error:
        raise UsageError(f"{path.name}: {error}") from error


def evaluate(opened: LoadedScenario) -> PlanReport:
    """Return the plan of a scenario with its answer; inputs it leaves open are chosen first."""
    from planner.report.answer.plan_report import PlanReport  # a mistyped name waits for no engine
    from planner.report.answer.sentences import summarize_answer
    from planner.study.plan_any import planned
    from planner.study.uncertainty.sure_verdict import decided

    plan = planned(opened.facts, opened.scenario, opened.day)
    sure = decided(plan)
    summary = summarize_answer(plan, sure.answer, sure.futures)
    return PlanReport(opened.name, plan, sure.answer, summary, opened.about, sure.futures)
