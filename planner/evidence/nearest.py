"""Published runs with predictions, and those most similar to a job, with the reasons in words.

The distance of two runs is a sum of penalties: a doubling of anything counts the same wherever it happens, and another
model or chip counts as several doublings. It does not depend on how well a run is predicted.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from planner.evidence.checked import CheckedRun
from planner.evidence.constants_file import KINDS
from planner.evidence.table import TABLES, Row, number, published_runs, text
from planner.scenario.vocabulary import Kind
from planner.speed.hardware import hardware_family, read_data
from pricing import Catalogue

# Penalty of a difference, in doublings of the size of the job.
OTHER_NAME, OTHER_MODEL, OTHER_FAMILY, OTHER_KIND = 1.0, 3.0, 2.0, 6.0
_SAME_SIZE = 0.01
OTHER_CHIP, OTHER_GENERATION = 2.0, 4.0
OTHER_PRECISION, OTHER_METHOD = 2.0, 5.0
PARAMS, SCALE, LENGTH = 2.0, 0.5, 0.5
TRAINING_CONSTANTS = "training_constants.yaml"
MOST_OF_A_SWEEP = 2
_MANY = 1.5  # beyond this factor a difference in size is named
_KINDS = {
    "pretrain": "all weights trained", "sft": "all weights trained", "full": "all weights trained",
    "lora": "only adapters trained", "qlora": "only adapters trained", "adapter": "only adapters trained",
    "offline": "many requests", "server": "many requests", "interactive": "many requests",
    "single_stream": "one request at a time",
}  # fmt: skip
_SIXTEEN = frozenset({"bf16", "fp16", "tf32", "fp32"})


@dataclass(frozen=True)
class RunNetwork:
    """The model of a run. `key` is the catalogue's, or None where it has none."""

    key: str | None
    label: str
    family: str = ""
    params_b: float | None = None
    experts: bool = False


@dataclass(frozen=True)
class RunSettings:
    """The settings of a run. Empty or None: not stated."""

    precision: str
    method: str
    accelerators: float
    tokens: float | None = None  # of a sequence, or of a prompt with its answer


@dataclass(frozen=True)
class RunTraits:
    """The traits by which runs are compared."""

    network: RunNetwork
    chip: str
    generation: str
    work: RunSettings


@dataclass(frozen=True)
class PublishedRun:
    """One published run with its prediction, in tokens/s of each accelerator."""

    id: str
    title: str
    url: str
    when: str
    traits: RunTraits
    published: float
    predicted: float
    error: float  # logarithm of predicted over published
    doubt: str = ""  # why it was not fitted, where it contradicts physics or itself


@dataclass(frozen=True)
class SimilarRun:
    """A published run with its distance from a job, and its differences."""

    run: PublishedRun
    distance: float
    shared_traits: tuple[str, ...]
    differs: tuple[str, ...]


def published(
    catalogue: Catalogue, kind: Kind, rows: Sequence[Row] | None = None
) -> tuple[tuple[PublishedRun, ...], tuple[CheckedRun, ...]]:
    """Return every run of a kind whose rate was published, and all of them as checked; ours without `rows`."""
    table = TABLES[kind]
    rows = published_runs(table) if rows is None else rows
    checked = tuple(KINDS[kind].check(catalogue, rows))
    pairs = zip(rows, checked, strict=True)
    return tuple(_published(catalogue, row, run) for row, run in pairs if run.compared == table.rates[0]), checked


def _published(catalogue: Catalogue, row: Row, run: CheckedRun) -> PublishedRun:
    count, error, table = 1.0 if run.table.of_each else run.accelerators, run.error or 0.0, run.table
    predicted = (run.rate or 0.0) / count
    lengths = [number(row, column) for column in table.tokens]
    tokens = sum(length or 0.0 for length in lengths) if all(lengths) else None
    work = RunSettings(text(row, table.precision), text(row, table.method), run.accelerators, tokens)
    network = _network(catalogue, run.model) or RunNetwork(None, text(row, "model"), params_b=number(row, "params_b"))
    return PublishedRun(
        id=text(row, "id"), title=text(row, "source_title"), url=text(row, "source_url"), when=text(row, "published"),
        traits=RunTraits(network, run.chip, _generation(catalogue, run.chip), work),
        published=predicted / math.exp(error), predicted=predicted, error=error,
        doubt=read_data(TRAINING_CONSTANTS)["not_fitted"].get(text(row, "id"), ""),
    )  # fmt: skip


def traits_of(catalogue: Catalogue, model: str, accelerator: str, work: RunSettings) -> RunTraits:
    """Return the traits of a job with the catalogue's model on its accelerator."""
    network = _network(catalogue, model) or RunNetwork(None, model)
    return RunTraits(network, accelerator, _generation(catalogue, accelerator), work)


def _network(catalogue: Catalogue, key: str | None) -> RunNetwork | None:
    record = catalogue.models.get(key or "")
    if record is None:
        return None
    return RunNetwork(key, record.label, record.family, record.params_b, record.experts is not None)


def _generation(catalogue: Catalogue, key: str) -> str:
    record = catalogue.accelerators.get(key)
    return "" if record is None else hardware_family(record)


def nearest(target: RunTraits, runs: Sequence[PublishedRun], *, most: int = 8) -> tuple[SimilarRun, ...]:
    """Return the most similar runs, the nearest first; of equally distant runs, the fastest, which fills its machine.

    One source's sweep over one model and chip gives two at most.
    """
    similar = sorted((_similar(target, run) for run in runs), key=lambda each: (each.distance, -each.run.published))
    found, sweeps = list[SimilarRun](), Counter[tuple[str, str, str]]()
    for each in similar:
        sweep = (each.run.title, each.run.traits.network.label, each.run.traits.chip)
        sweeps[sweep] += 1
        if sweeps[sweep] <= MOST_OF_A_SWEEP:
            found.append(each)
        if len(found) == most:
            break
    return tuple(found)


def _similar(target: RunTraits, run: PublishedRun) -> SimilarRun:
    other = run.traits
    penalties = [
        *_compare_models(target.network, other.network),
        _compare_accelerators(target, other),
        *_compare_work(target.work, other.work),
    ]
    shared = tuple(words for penalty, words in penalties if penalty == 0 and words)
    differing = tuple(words for penalty, words in penalties if penalty > 0 and words)
    return SimilarRun(run, sum(penalty for penalty, _ in penalties), shared, differing)


def _compare_models(target: RunNetwork, other: RunNetwork) -> list[tuple[float, str]]:
    if target.key is not None and target.key == other.key:
        return [(0.0, "same model")]
    same_size = target.params_b and other.params_b and abs(target.params_b / other.params_b - 1) < _SAME_SIZE
    if same_size and target.experts == other.experts:
        return [(OTHER_NAME, "another model of this size")]
    penalties = [(OTHER_MODEL, "another model")]
    if target.family != other.family:
        penalties.append((OTHER_FAMILY, ""))
    if target.experts != other.experts:
        penalties.append((OTHER_KIND, "a mixture of experts" if other.experts else "dense"))
    return [*penalties, *_compare_sizes(target.params_b, other.params_b, PARAMS, "parameters")]


def _compare_accelerators(target: RunTraits, other: RunTraits) -> tuple[float, str]:
    if target.chip == other.chip:
        return 0.0, "same accelerator"
    if target.generation and target.generation == other.generation:
        return OTHER_CHIP, "another accelerator of the generation"
    return OTHER_CHIP + OTHER_GENERATION, "another generation"


def _compare_work(target: RunSettings, other: RunSettings) -> list[tuple[float, str]]:
    penalties = []
    widths = ["16 bits" if each.precision in _SIXTEEN else each.precision for each in (target, other)]
    if all(widths) and widths[0] != widths[1]:
        penalties.append((OTHER_PRECISION, other.precision))
    # Full fine-tuning costs a step what pre-training does; adapters do not.
    kinds = [_KINDS.get(each.method, each.method) for each in (target, other)]
    if kinds[0] != kinds[1]:
        penalties.append((OTHER_METHOD, kinds[1]))
    penalties += _compare_sizes(target.accelerators, other.accelerators, SCALE, "accelerators")
    return penalties + _compare_sizes(target.tokens, other.tokens, LENGTH, "tokens in a sequence")


def _compare_sizes(target: float | None, other: float | None, weight: float, what: str) -> list[tuple[float, str]]:
    if not target or not other:
        return [(weight, "")]  # not stated: counts as one doubling
    factor = other / target
    times = f"{factor:,.2g} times the" if factor > 1 else f"1/{1 / factor:,.2g} of the"
    words = f"{times} {what}" if max(factor, 1 / factor) > _MANY else ""
    return [(weight * abs(math.log2(factor)), words)]
