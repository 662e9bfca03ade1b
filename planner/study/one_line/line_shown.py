"""What the quantities of a line are called, and how their values are shown."""

from collections.abc import Callable, Mapping
from typing import Any

from planner.scenario.amounts import format_amount
from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, SECONDS_PER_HOUR

VERB_WORDS = {"train": "train", "tune": "fine-tune", "serve": "serve", "anyone": "any"}
LABELS = {
    "gpus": "GPUs at once", "gpu": "GPU", "train": "work", "tune": "work", "serve": "work",
    "model": "model", "site": "place", "have": "GPUs that you have", "budget": "budget, USD",
    "monthly_budget": "budget, USD a month", "token_rate": "tokens a second", "since": "bought in",
    "seller": "seller", "provider": "rented from",
    "length": "how long, months", "gpu_hours": "GPU-hours", "anyone": "GPU", "spot": "may be interrupted",
    "each_rps": "requests of each", "date": "date", "audio": "sound", "texts": "texts",
    "sellers": "sellers of the Union", "stay_eu": "data stays in the Union", "token_rates": "tokens read and written",
    "every": "runs a month", "online": "users at once", "epochs": "epochs", "examples": "examples",
    "havesold_each": "each fetches today, USD", "cpu": "no GPU", "discount": "discount rate",
    "inflight": "requests at once", "batch": "hours of all runs", "replicas": "times so many",
    "machine_size": "GPUs of each", "each_hours": "hours of each", "cash": "cash on day one, USD",
    "contract": "contract in all, USD", "all_price": "price of all GPUs, USD", "average": "on average",
    "of_each": "GPUs of each", "sites": "how many places", "team_each": "people in each",
    "all_audio": "hours of sound", "stray": "every, hours", "grows_to": "GPUs at the end",
    "audio_each": "sound of each", "setting": "setting", "node_hours": "machine-hours",
    "images": "images", "precision": "precision", "billfor": "the bill is for", "stay": "data stays",
}  # fmt: skip


def _percent(share: float) -> str:
    return f"{share * 100:,.3g} %"


def _hours(amount: tuple[float, float | None]) -> str:
    return f"{amount[0]:,.10g}{'' if amount[1] is None else ' in each period'}"


_SHOWN: Mapping[str, Callable[[Any], str]] = {
    "length": lambda hours: f"{hours / HOURS_PER_MONTH:,.3g}", "due": lambda hours: f"{hours / HOURS_PER_DAY:,.4g}",
    "audio": lambda rate: f"{rate * HOURS_PER_DAY * SECONDS_PER_HOUR:,.4g} hours a day",
    "audio_each": lambda rate: f"{rate * HOURS_PER_DAY * SECONDS_PER_HOUR:,.3g} hours a day",
    "token_rates": lambda rates: f"{rates[0]:,.6g} and {rates[1]:,.6g} a second", "date": lambda match: str(match[0]),
    "gpu_hours": _hours, "node_hours": _hours, "tokens": format_amount, "images": format_amount, "busy": _percent,
    "growth": _percent, "tax": _percent, "discount": _percent, "vat": _percent, "resale": _percent, "loan": _percent,
}  # fmt: skip


def shown_value(name: str, value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
    usual: Callable[[Any], str] = "{:,.6g}".format if is_number else str
    return _SHOWN.get(name, usual)(value)
