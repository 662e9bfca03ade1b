"""What the verbs about runs share: a table of somebody's own, or ours."""

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

from planner.cli.common import UsageError
from planner.cli.terminal import tell
from planner.evidence.checked import merge_factors
from planner.evidence.constants_file import read_factors
from planner.evidence.table import TABLES, decode_table, published_runs, read_run_rows
from planner.report.speed.runs import unused_reasons, unused_run_sentences
from planner.scenario.jobs import ServingJob, TrainingJob
from planner.scenario.scenario import Scenario
from planner.scenario.vocabulary import Kind
from pricing import Catalogue

MOST_BYTES = 20_000_000


def load_runs(kind: Kind, path: Path | None) -> list[dict[str, str]]:
    """The rows of a table of that kind; ours where no file is given."""
    table = TABLES[kind]
    return published_runs(table) if path is None else read_run_rows(read_text_file(path), table, file=path.name)


def with_own_runs(scenario: Scenario, catalogue: Catalogue, paths: Sequence[Path], day: date) -> Scenario:
    """The scenario with factors of somebody's own tables; what of them is not used goes to stderr."""
    brought: dict[str, str] = {}
    chip = scenario.accelerator
    for path in paths:
        found = read_factors(catalogue, read_text_file(path), file=path.name, day=day)
        if found.kind in brought:
            raise UsageError(
                f"{brought[found.kind]} and {path.name} are both {found.kind} runs: put them into one table."
            )
        brought[found.kind] = path.name
        scenario = scenario.model_copy(update={"measured": merge_factors(scenario.measured, found, accelerator=chip)})
        carried = sum(one.kind == found.kind for one in scenario.measured)
        for sentence in unused_run_sentences(found, carried=carried):
            tell(f"{path.name}: {sentence}")
    return scenario


def refuse_both(job: TrainingJob | ServingJob) -> None:
    """Raise `UsageError` for runs beside one number that says what they say."""
    if job.measured_over_predicted is not None:
        raise UsageError("--runs and --measured-over-predicted say the same thing; give one of them.")


def warn_unused_runs(path: Path, unused: Iterable[tuple[str, str]]) -> None:
    """Write to stderr which runs of a table cannot be gone by, and why."""
    if said := unused_reasons(unused):
        tell(f"{path.name}: {said}")


def read_text_file(path: Path) -> str:
    """What stands in a file of somebody's own: UTF-8, of bounded size."""
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path.name}: want at most {MOST_BYTES // 1_000_000} MB.")
    return decode_table(data, file=path.name)
