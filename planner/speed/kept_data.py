"""Beside the hours of work whose model is known: its disk and traffic, and its tokens at a seller.

Sizes of data, checkpoints and weights are assumptions.
"""

from collections.abc import Collection

from planner.scenario.base import HOURS_PER_MONTH, SECONDS_PER_HOUR, TERA
from planner.scenario.rent import HostedModelInputs
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask
from planner.scenario.vocabulary import USUAL_EGRESS_TB_PER_MONTH, USUAL_STORAGE_TB
from planner.scenario.work import Work
from planner.speed.match_model import find_model_record
from planner.speed.serving import ServingResult
from planner.speed.training import TrainingResult
from pricing import Catalogue, PricingError
from pricing.market.rivals import cheapest_price, rivals

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


def with_adapters(
    catalogue: Catalogue, scenario: Scenario, offered: list[HostedModelInputs]
) -> list[HostedModelInputs]:
    """Return the tokens of the one service whose model the plan tunes by LoRA, at sellers that serve such adapters."""
    tasks = [work.serve for work in scenario.work if work.serve]
    methods = {work.train.method for work in scenario.work if work.train and work.train.model == tasks[0].model}
    if len(tasks) != 1 or len(offered) != 1 or not methods or not methods <= {"lora", "qlora"}:
        return []
    price = cheapest_hosted_price(catalogue, tasks[0], rivals().lora_by_token)
    return [] if price is None else [offered[0].model_copy(update={"price": price})]


def serves_own_weights(scenario: Scenario) -> bool:
    """Return whether any service has weights of its own: as it says, else where the plan trains its model."""
    trained = {work.train.model for work in scenario.work if work.train}
    served = [work.serve for work in scenario.work if work.serve]
    return any(task.model in trained if task.own_weights is None else task.own_weights for task in served)


def cheapest_hosted_price(catalogue: Catalogue, task: ServingTask, vendors: Collection[str] = ()) -> str | None:
    """Return the hosted price that is lowest for so many tokens, of these vendors; None if the model is not hosted."""
    try:
        model = find_model_record(catalogue, task.model)
    except PricingError:  # one of somebody's own, which nobody sells
        return None
    return cheapest_price(catalogue, (model,), task.input_tokens, task.output_tokens, vendors=vendors)
