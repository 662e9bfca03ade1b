"""The forms of a result: text in sections for a terminal, plain data for JSON.

Its tables are planner.report.table, printed by planner.report.table and written by planner.report.files.csv.
"""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BaseModel

from planner.money.renting.cheapest_offer import JobHourQuote
from planner.report import words
from planner.speed.training.result import Interval

NO_OFFER = "No offer of the catalogue matches."


def join_sections(sections: Iterable[tuple[str, str]]) -> str:
    """Each body under its underlined head; what has no body is left out, what has no head stands as it is."""
    parts = (f"{head}\n{'-' * len(head)}\n{body}" if head else body for head, body in sections if body)
    return "\n\n".join(parts) + "\n"


def bullet_list(sentences: Iterable[str]) -> str:
    """A line for each sentence."""
    return "\n".join(f"- {sentence}" for sentence in sentences)


def finite(value: float) -> float | None:
    """The number, or None where there is none."""
    return float(value) if np.isfinite(value) else None


def to_plain_data(data: Any) -> Any:
    """Nested data as JSON has it: no records, arrays, NaN or infinities."""
    if isinstance(data, dict):
        return {key: to_plain_data(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [to_plain_data(value) for value in data]
    if isinstance(data, BaseModel):
        return to_plain_data(data.model_dump())
    if isinstance(data, np.generic | np.ndarray):
        return to_plain_data(data.item())
    return finite(data) if isinstance(data, float) else data


def scalar(value: ArrayLike) -> float | None:
    """The one number in an array, or None where there is none."""
    return finite(float(np.asarray(value).flat[0]))


def scalar_reason(reason: ArrayLike) -> str:
    """The one reason in an array."""
    return str(np.asarray(reason).flat[0])


def offer_data(cost: JobHourQuote | None) -> Any:
    """The offer that was taken, as data."""
    return None if cost is None else to_plain_data(asdict(cost))


def cost_data(hours: Interval | None, cost: JobHourQuote | None) -> dict[str, float | None] | None:
    """Return the cost of accelerator-hours at an offer as data: typical, low, high."""
    if hours is None or cost is None:
        return None
    return {end: finite(each * cost.usd_per_accelerator_hour) for end, each in asdict(hours).items()}


def usd_words(hours: Interval, cost: JobHourQuote | None, of: str = "") -> str:
    """Return the cost of hours in words: $12 (10 to 15) a run at $2 a GPU-hour, with seller and age of the price."""
    if cost is None:
        return NO_OFFER
    typical, low, high = (
        words.usd(each * cost.usd_per_accelerator_hour) for each in (hours.typical, hours.low, hours.high)
    )
    return f"{typical} ({low} to {high}){of} at {describe_offer(cost)}."


def _price_text(cost: JobHourQuote) -> str:
    return words.worth(cost.price) if cost.band is None else words.market_price(cost.band, cost.provider)


def describe_offer(cost: JobHourQuote) -> str:
    """The offer that was taken, in words."""
    has_seller = cost.band is None or cost.band.cheapest is not None
    seller = f", {cost.provider}, {cost.region}, machines of {cost.accelerators_per_machine}" if has_seller else ""
    return f"{words.usd_per_hour(cost.usd_per_accelerator_hour)} a GPU-hour{seller}; {_price_text(cost)}"
