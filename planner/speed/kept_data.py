"""The disk and the traffic of work whose model is known: data, checkpoints, weights. All sizes are assumptions."""

from planner.scenario.base import HOURS_PER_MONTH, SECONDS_PER_HOUR, TERA
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask
from planner.scenario.vocabulary import USUAL_EGRESS_TB_PER_MONTH, USUAL_STORAGE_TB
from planner.scenario.work import Work
from planner.speed.serving import ServingResult
from planner.speed.training import TrainingResult
from pricing import Catalogue

BYTES_PER_TOKEN = 6.0  # of text as it is stored, and as tokens: FineWeb has 44 TB for 15 trillion (its card, 2024)
BYTES_PER_WEIGHT = 2.0  # in 16 bits
BYTES_PER_CHECKPOINT_WEIGHT = 14.0  # weights in 16 bits, a copy in 32, two moments of Adam
CHECKPOINTS, VERSIONS = 3.0, 2.0  # kept at once, of a run and of a service
BYTES_PER_STREAMED_TOKEN = 200.0  # one event of a stream, with its envelope
SMALLEST_TB = 0.05  # images of containers, logs, results
PICTURES_TB = 0.15  # ImageNet-1k, which such networks are compared by
MEMORIES = 4.0  # on the disk of a card for private people: models and data of so many times its memory
GB_PER_TB = 1e3


def with_data(work: Work, storage_tb: float, egress_tb_per_month: float) -> Work:
    """Return the work with its disk and traffic: as entered, else these."""
    update = {
        "storage_tb": max(storage_tb, SMALLEST_TB) if work.storage_tb is None else work.storage_tb,
        "egress_tb_per_month": egress_tb_per_month if work.egress_tb_per_month is None else work.egress_tb_per_month,
    }
    return work.model_copy(update=update)


def training_data_tb(result: TrainingResult, method: str, runs_per_month: float) -> tuple[float, float]:
    """Return the disk of a training run, and the traffic of a month: its weights leave once a run. [TB]"""
    weights = result.params * BYTES_PER_WEIGHT / TERA
    checkpoint = result.params * BYTES_PER_CHECKPOINT_WEIGHT / TERA if method == "full" else weights
    return result.tokens * BYTES_PER_TOKEN / TERA + CHECKPOINTS * checkpoint, weights * runs_per_month


def serving_data_tb(result: ServingResult, task: ServingTask) -> tuple[float, float]:
    """Return the disk of a service, and the traffic of a month: the answers, as they are streamed. [TB]"""
    tokens = task.requests_per_s * SECONDS_PER_HOUR * HOURS_PER_MONTH * task.output_tokens
    return VERSIONS * result.memory.weights_gb / GB_PER_TB, tokens * BYTES_PER_STREAMED_TOKEN / TERA


def with_usual_data(catalogue: Catalogue, scenario: Scenario) -> Scenario:
    """Return a scenario in which work on cards for private people keeps as much as such cards hold."""
    chip = catalogue.accelerators.get(scenario.accelerator)
    if chip is None or chip.hardware_class not in ("consumer", "desktop") or chip.memory_gb is None:
        return scenario
    each = MEMORIES * chip.memory_gb.newest.typical / GB_PER_TB
    works = tuple(_on_cards(work, each) for work in scenario.work)
    return scenario if works == scenario.work else scenario.model_copy(update={"work": works})


def _on_cards(work: Work, each_tb: float) -> Work:
    if work.storage_tb is not None or work.train or work.serve:
        return work
    storage = min(work.accelerators * each_tb, USUAL_STORAGE_TB)
    return with_data(work, storage, storage * USUAL_EGRESS_TB_PER_MONTH / USUAL_STORAGE_TB)
