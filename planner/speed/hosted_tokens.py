"""Tokens at a seller: the cheapest price of a model, and who serves weights or adapters of one's own."""

from collections.abc import Collection

from planner.scenario.rent import HostedModelInputs
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask
from planner.speed.match_model import find_model_record
from pricing import Catalogue, PricingError
from pricing.market.rivals import rivals
from pricing.records import HostedPrice


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

    def usd(price: HostedPrice) -> float:
        written = price.output_usd_per_mtoken or price.input_usd_per_mtoken
        read = price.input_usd_per_mtoken.newest.typical * task.input_tokens
        return read + written.newest.typical * task.output_tokens

    sold = {key: price for key, price in catalogue.hosted.items() if price.model == model}
    doors = {key: usd(price) for key, price in sold.items() if not vendors or price.vendor in vendors}
    return min(doors, key=lambda key: (doors[key], key), default=None)
