"""Published runs beside what we say of them, and which of them are most like a job: with the reasons in words.

How far apart two runs are is a sum of plain penalties: a doubling of anything counts the same wherever it happens, and
another model or chip counts as several doublings. Nothing here looks at how well a run is predicted.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from planner.evidence.checked import CheckedRun
from planner.evidence.constants_file import KINDS
from planner.evidence.table import TABLES, Row, number, published_runs, text
from planner.scenario.vocabulary import Kind
from planner.speed.data_files import read_data
from planner.speed.hardware import hardware_family
from pricing import Catalogue

# What a difference counts, in doublings of the size of the job.
OTHER_NAME, OTHER_MODEL, OTHER_FAMILY, OTHER_KIND = 1.0, 3.0, 2.0, 6.0
_SAME_SIZE = 0.01
OTHER_CHIP, OTHER_GENERATION = 2.0, 4.0
OTHER_PRECISION, OTHER_METHOD = 2.0, 5.0
PARAMS, SCALE, LENGTH = 2.0, 0.5, 0.5
TRAINING_CONSTANTS = "training_constants.yaml"
MOST_OF_A_SWEEP = 2
_MANY = 1.5  # beyond this factor a difference in size is said
_KINDS = {
    "pretrain": "all weights trained", "sft": "all weights trained", "full": "all weights trained",
    "lora": "only adapters trained", "qlora": "only adapters trained", "adapter": "only adapters trained",
    "offline": "many requests", "server": "many requests", "interactive": "many requests",
    "single_stream": "one request at a time",
}  # fmt: skip
_SIXTEEN = frozenset({"bf16", "fp16", "tf32", "fp32"})


@dataclass(frozen=True)
class RunNetwork:
    """The model of a run. `key` is the catalogue's name, or None where it has none."""

    key: str | None
    label: str
    family: str = ""
    params_b: float | None = None
    experts: bool = False


@dataclass(frozen=True)
class RunSettings:
    """How it was run. Empty or None: not said."""

    precision: str
    method: str
    accelerators: float
    tokens: float | None = None  # of a sequence, or of a prompt with its answer


@dataclass(frozen=True)
class RunTraits:
    """What makes two runs alike."""

    network: RunNetwork
    chip: str
    generation: str
    work: RunSettings


@dataclass(frozen=True)
class PublishedRun:
    """One published run and what is predicted of it: tokens a second on each accelerator."""

    id: str
    title: str
    url: str
    when: str
    traits: RunTraits
    published: float
    predicted: float
    low: float
    high: float
    error: float  # logarithm of predicted over published
    doubt: str = ""  # why it was not fitted, where it contradicts physics or itself


@dataclass(frozen=True)
class SimilarRun:
    """A published run with how far it is from the job that is asked about, and in what it differs."""

    run: PublishedRun
    distance: float
    shared_traits: tuple[str, ...]
    differs: tuple[str, ...]


def published(
    catalogue: Catalogue, kind: Kind, rows: Sequence[Row] | None = None
) -> tuple[tuple[PublishedRun, ...], tuple[CheckedRun, ...]]:
    """Every run of a kind whose rate was published, and all of them as they were checked; ours without `rows`."""
    table = TABLES[kind]
    rows = published_runs(table) if rows is None else rows
    checked = KINDS[kind].check(catalogue, rows)
    told = zip(rows, checked, strict=True)
    return tuple(_published(catalogue, row, one) for row, one in told if one.compared == table.rates[0]), tuple(checked)


def _published(catalogue: Catalogue, row: Row, one: CheckedRun) -> PublishedRun:
    count, error = 1.0 if one.table.of_each else one.accelerators, one.error or 0.0
    predicted, low, high = ((rate or 0.0) / count for rate in (one.rate, one.low, one.high))
    lengths = [number(row, column) for column in one.table.tokens]
    tokens = sum(length or 0.0 for length in lengths) if all(lengths) else None
    work = RunSettings(text(row, one.table.precision), text(row, one.table.method), one.accelerators, tokens)
    network = _network(catalogue, one.model) or RunNetwork(None, text(row, "model"), params_b=number(row, "params_b"))
    return PublishedRun(
        id=text(row, "id"), title=text(row, "source_title"), url=text(row, "source_url"), when=text(row, "published"),
        traits=RunTraits(network, one.chip, _generation(catalogue, one.chip), work),
        published=predicted / math.exp(error), predicted=predicted, low=low, high=high, error=error,
        doubt=read_data(TRAINING_CONSTANTS)["not_fitted"].get(text(row, "id"), ""),
    )  # fmt: skip


def traits_of(catalogue: Catalogue, model: str, accelerator: str, work: RunSettings) -> RunTraits:
    """What a job of the catalogue's model on its accelerator is like."""
    network = _network(catalogue, model) or RunNetwork(None, model)
    return RunTraits(network, accelerator, _generation(catalogue, accelerator), work)


def _network(catalogue: Catalogue, key: str | None) -> RunNetwork | None:
    record = None if key is None else catalogue.models.get(key)
    if record is None:
        return None
    return RunNetwork(key, record.label, record.family, record.params_b, record.experts is not None)


def _generation(catalogue: Catalogue, key: str) -> str:
    record = catalogue.accelerators.get(key)
    return "" if record is None else hardware_family(record)


def nearest(wanted: RunTraits, runs: Sequence[PublishedRun], *, most: int = 8) -> tuple[SimilarRun, ...]:
    """The runs most like it, the nearest first; of runs that differ alike, the fastest, which fills its machine.

    One source's sweep over one model and chip gives two at most.
    """
    near = sorted((_near(wanted, run) for run in runs), key=lambda one: (one.distance, -one.run.published))
    found, seen = list[SimilarRun](), Counter[tuple[str, str, str]]()
    for one in near:
        sweep = (one.run.title, one.run.traits.network.label, one.run.traits.chip)
        seen[sweep] += 1
        if seen[sweep] <= MOST_OF_A_SWEEP:
            found.append(one)
        if len(found) == most:
            break
    return tuple(found)


def _near(wanted: RunTraits, run: PublishedRun) -> SimilarRun:
    other = run.traits
    told = [
        *_compare_models(wanted.network, other.network),
        *_compare_accelerators(wanted, other),
        *_of_work(wanted.work, other.work),
    ]
    same = tuple(words for penalty, words in told if penalty == 0 and words)
    differs = tuple(words for penalty, words in told if penalty > 0 and words)
    return SimilarRun(run, sum(penalty for penalty, _ in told), same, differs)


def _compare_models(wanted: RunNetwork, other: RunNetwork) -> list[tuple[float, str]]:
    if wanted.key is not None and wanted.key == other.key:
        return [(0.0, "same model")]
    alike = wanted.params_b and other.params_b and abs(wanted.params_b / other.params_b - 1) < _SAME_SIZE
    if alike and wanted.experts == other.experts:
        return [(OTHER_NAME, "another model of this size")]
    told = [(OTHER_MODEL, "another model")]
    if wanted.family != other.family:
        told.append((OTHER_FAMILY, ""))
    if wanted.experts != other.experts:
        told.append((OTHER_KIND, "a mixture of experts" if other.experts else "dense"))
    return [*told, *_sizes(wanted.params_b, other.params_b, PARAMS, "parameters")]


def _compare_accelerators(wanted: RunTraits, other: RunTraits) -> list[tuple[float, str]]:
    if wanted.chip == other.chip:
        return [(0.0, "same accelerator")]
    if wanted.generation and wanted.generation == other.generation:
        return [(OTHER_CHIP, "another accelerator of the generation")]
    return [(OTHER_CHIP + OTHER_GENERATION, "another generation")]


def _of_work(wanted: RunSettings, other: RunSettings) -> list[tuple[float, str]]:
    told = []
    if wanted.precision and other.precision and _width(wanted.precision) != _width(other.precision):
        told.append((OTHER_PRECISION, other.precision))
    kinds = _kind(wanted.method), _kind(other.method)
    if kinds[0] != kinds[1]:
        told.append((OTHER_METHOD, kinds[1]))
    told += _sizes(wanted.accelerators, other.accelerators, SCALE, "accelerators")
    return told + _sizes(wanted.tokens, other.tokens, LENGTH, "tokens in a sequence")


def _width(precision: str) -> str:
    return "16 bits" if precision in _SIXTEEN else precision


def _kind(method: str) -> str:
    """Full fine-tuning costs a step what pre-training does; adapters do not."""
    return _KINDS.get(method, method)


def _sizes(wanted: float | None, other: float | None, weight: float, what: str) -> list[tuple[float, str]]:
    if not wanted or not other:
        return [(weight, "")]  # not said: counts as one doubling
    factor = other / wanted
    words = f"{_times(factor)} {what}" if max(factor, 1 / factor) > _MANY else ""
    return [(weight * abs(math.log2(factor)), words)]


def _times(factor: float) -> str:
    return f"{factor:,.2g} times the" if factor > 1 else f"1/{1 / factor:,.2g} of the"
