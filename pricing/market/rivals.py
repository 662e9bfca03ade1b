"""What a plan is compared with beside its own model and chips: quality of models by task, and GPUs by the second."""

from collections.abc import Collection
from datetime import date
from pathlib import Path
from statistics import median
from typing import Literal

from pydantic import Field

from pricing import strict_yaml
from pricing.caching import cached
from pricing.catalogue import Catalogue
from pricing.figure import Day, StrictModel, Text
from pricing.market.constants import LowHigh
from pricing.records import HostedPrice
from pricing.stale import OLDEST_DAYS

FILE = Path(__file__).parent / "rivals.yaml"
Board = Literal["general", "reasoning", "chat", "code", "agents"]
BOARDS: tuple[Board, ...] = ("general", "reasoning", "chat", "code", "agents")


class Score(StrictModel):
    """What a model scored on a board, and when that was measured."""

    score: float = Field(description="as the board counts")
    day: Day = Field(description="of the measurement")


class QualityBoard(StrictModel):
    """Scores of models at one kind of task, measured by one third party in one way."""

    label: Text = Field(description="the board")
    note: Text = Field(description="who measured")
    url: Text = Field(description="where it can be read")
    licence: Text = Field(description="of the scores")
    read: Day = Field(description="the day it was read")
    alike_points: float = Field(description="points below another model that still count as like it")
    scores: dict[str, Score] = Field(description="by model, as hosted prices call it")


class ServerlessPrice(StrictModel):
    """A GPU that is billed by the second."""

    seller: Text = Field(description="who sells it")
    accelerator: Text = Field(description="the id of the accelerator")
    usd_per_second: float = Field(gt=0, description="of one GPU")
    day: Day = Field(description="the day the price was read")
    url: Text = Field(description="where it can be read")


class ProcessorPrice(StrictModel):
    """A machine of processors to rent that is about a server of two of a catalogue's."""

    machine: Text = Field(description="seller and name")
    usd_per_hour: float = Field(gt=0, description="of the whole machine, on demand")
    day: Day = Field(description="the day the price was read")
    url: Text = Field(description="where it can be read")


class Rivals(StrictModel):
    """Boards of quality, and GPUs by the second."""

    about: Text = Field(description="what stands here")
    boards: dict[Board, QualityBoard] = Field(description="by kind of task")
    closed: tuple[str, ...] = Field(description="models whose weights nobody publishes")
    serverless: tuple[ServerlessPrice, ...] = Field(description="by seller and accelerator")
    processors: dict[str, ProcessorPrice] = Field(description="to rent, by the id of the processor")
    lora_by_token: tuple[str, ...] = Field(description="who serves LoRA adapters at the base model's price")
    sleeps_after_s: LowHigh = Field(description="seconds after the last request until a GPU sleeps, billed till then")
    cold_start_s: LowHigh = Field(description="seconds until a sleeping GPU answers")


@cached(1)
def rivals() -> Rivals:
    """Return the rivals, read once."""
    return Rivals.model_validate(strict_yaml.read(FILE.read_text(encoding="utf-8"), file=FILE.name))


def usual_board(model: str) -> Board | None:
    """Return the first board that has a score of a model."""
    return next((board for board in BOARDS if model in rivals().boards[board].scores), None)


def alike_models(model: str, board: Board) -> tuple[str, ...]:
    """Return the models with published weights that score about as much as another on a board, or more."""
    known = rivals().boards[board]
    if model not in known.scores:
        return ()
    least = known.scores[model].score - known.alike_points
    closed = rivals().closed
    others = {name: each for name, each in known.scores.items() if name not in (model, *closed)}
    return tuple(name for name, each in others.items() if each.score >= least)


def scores_text(paid: HostedPrice, model: str, board: Board) -> str:
    """Return what a model and the one that is paid for scored on a board; empty where one of them has no score."""
    known = rivals().boards[board]
    if not {paid.model, model} <= known.scores.keys():
        return ""
    first, other = known.scores[model], known.scores[paid.model]
    return f"{known.label}: {first.score:g} ({first.day}) to {other.score:g} ({other.day})"


def open_model_for(
    catalogue: Catalogue, paid: HostedPrice, input_tokens: float, output_tokens: float
) -> tuple[str, str]:
    """Return the open model to run in place of the one that is paid for, and why it is taken.

    The paid one if it is open; else the cheapest by the token that scores about as much; else the best of the board.
    """
    if paid.model in catalogue.models:
        return paid.model, "the bill is for it"
    board = usual_board(paid.model) or BOARDS[0]
    alike = [name for name in alike_models(paid.model, board) if name in catalogue.models]
    if (key := cheapest_price(catalogue, alike, input_tokens, output_tokens)) is not None:
        model = catalogue.hosted[key].model
        return model, f"it counts as like {paid.label} by {scores_text(paid, model, board)}"
    known = rivals().boards[board]
    open_models = catalogue.models.keys() & known.scores.keys() - set(rivals().closed)
    model = max(open_models, key=lambda name: (known.scores[name].score, name))
    scores = scores_text(paid, model, board) or f"{known.label}, which has no score of {paid.label}"
    return model, f"it scores most of the open models on {scores}"


def request_usd(price: HostedPrice, input_tokens: float, output_tokens: float) -> float:
    """Return what so many million tokens in and out cost by the token; who embeds charges none out. [USD]"""
    written = price.output_usd_per_mtoken.newest.typical if price.output_usd_per_mtoken else 0.0
    return price.input_usd_per_mtoken.newest.typical * input_tokens + written * output_tokens


def cheapest_price(
    catalogue: Catalogue, models: Collection[str], input_tokens: float, output_tokens: float,
    without: str | None = None, vendors: Collection[str] = (),
) -> str | None:  # fmt: skip
    """Return the hosted price of these models that is lowest for so many tokens, an old one where there is no other."""
    day = max((price.input_usd_per_mtoken.checked for price in catalogue.hosted.values()), default=date.min)
    ranks = [
        (price.input_usd_per_mtoken.age_days(day) > OLDEST_DAYS, request_usd(price, input_tokens, output_tokens), key)
        for key, price in catalogue.hosted.items()
        if price.model in models and price.tier is None and key != without
        if not vendors or price.vendor in vendors
    ]
    return min(ranks)[2] if ranks else None


def serverless_usd_per_second(accelerator: str) -> tuple[float, float, float, str] | None:
    """Return the low, median and high price of a second, and the cheapest seller; None where nobody sells it so."""
    prices = [each for each in rivals().serverless if each.accelerator == accelerator]
    if not prices:
        return None
    usd = [each.usd_per_second for each in prices]
    return min(usd), median(usd), max(usd), min(prices, key=lambda each: each.usd_per_second).seller
