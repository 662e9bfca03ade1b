"""What the verbs about scenarios share: a file or a preset becomes a plan with its answer."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from planner.cli.common import BadInput, with_own_prices
from planner.cli.common import day as day_of
from planner.cli.runs import add_runs, with_own_runs
from planner.cli.terminal import tell
from planner.inputs.file import Saved, read_scenario
from planner.inputs.presets import preset, presets
from planner.inputs.refusal import ScenarioError
from planner.inputs.scenario import Scenario
from planner.report.answer import told
from planner.report.plan_text import Reckoned
from planner.study.planned import planned
from planner.study.verdict import decided
from pricing import Catalogue, load_catalogue
from pricing.asof import as_of
from pricing.strict_yaml import MAX_BYTES


def add_facts(verb: Any) -> None:
    """The arguments that say which facts a scenario is reckoned with."""
    verb.add_argument("--quotes", type=Path, metavar="FILE", help="your own prices, CSV or YAML; they win")
    add_runs(verb)
    verb.add_argument(
        "--day", type=day_of, default=None, metavar="YYYY-MM-DD", help="the day to reckon for; the file's, else today"
    )


def reckoned(name: str, wanted: argparse.Namespace) -> Reckoned:
    """The scenario called `name`, reckoned with the facts of its day; what it leaves open is chosen first."""
    opened = scenario_called(name, wanted)
    made = planned(opened.facts, opened.scenario, opened.day)
    sure = decided(made)
    return Reckoned(name, made, sure.answer, told(made, sure.answer, sure.futures), opened.about, sure.futures)


@dataclass(frozen=True, eq=False)
class Opened:
    """A scenario that was read, with the facts and the day it is reckoned for."""

    scenario: Scenario
    facts: Catalogue
    day: date
    about: tuple[str, ...]


def scenario_called(name: str, wanted: argparse.Namespace) -> Opened:
    """The scenario in a file, or of a preset, with the facts of its day; what is odd about it goes to stderr."""
    shipped = load_catalogue()
    saved, about = saved_scenario(name, shipped)
    day: date = wanted.day or saved.day or date.today()
    facts = as_of(shipped, day)
    for note in saved.notes:
        tell(f"{name}: {note}")
    if saved.of_other_facts(shipped):
        tell(
            f"{name}: made with other facts (digest {str(saved.catalogue_digest)[:12]}; here {shipped.digest[:12]}). "
            f"Reckoned with what is here, as it was known on {day.isoformat()}."
        )
    facts = with_own_prices(facts, wanted.quotes, day)
    return Opened(with_own_runs(saved.scenario, facts, wanted.runs, day), facts, day, about)


def saved_scenario(name: str, catalogue: Catalogue) -> tuple[Saved, tuple[str, ...]]:
    """The scenario in a file, or of a preset with what that says of itself."""
    path = Path(name)
    known = None if path.is_file() else preset(name)
    if known is not None:
        return Saved(known.scenario), (known.what, *known.says, f"Source: {known.source}.")
    if not path.suffix and not path.exists():
        there = ", ".join(one.key for one in presets())
        raise BadInput(f"No file and no preset is called {name!r}; there are the presets {there}.")
    try:
        with path.open("rb") as file:
            return read_scenario(file.read(MAX_BYTES + 1), path.name, catalogue), ()
    except ScenarioError as error:
        raise BadInput(f"{path.name}: {error}") from error
