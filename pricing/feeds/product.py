"""What is sold, apart from what it cost on a day: the same description is the same product, refresh after refresh."""

import json
from dataclasses import dataclass, fields
from datetime import date
from types import NoneType
from typing import Any, Literal

from pricing.feeds.feed import ExchangeRateObservation, HostedPriceObservation, Observation
from pricing.formulas import unseen, without_unseen

Kind = Literal["rental", "hosted", "exchange"]
_ASKED = frozenset({"price", "currency", "free", "usd", "day"})
_ASKED_HOSTED = frozenset({"input_usd_per_mtoken", "output_usd_per_mtoken", "cached_input_usd_per_mtoken", "day"})
DOLLAR = "USD"
_MOST = 2**63 - 1  # the largest whole number that a database keeps
AnyPriced = Observation | HostedPriceObservation | ExchangeRateObservation


@dataclass(frozen=True, slots=True)
class ObservedPrice:
    """What was asked for a product, as the source said it."""

    price: float  # of an hour; of a million tokens sent; of a unit of a currency
    currency: str = DOLLAR
    output: float | None = None
    cached: float | None = None
    free: int | None = None


def split_observation(one: AnyPriced) -> tuple[Kind, str, ObservedPrice]:
    """An observation as what it is of, and what it costs."""
    if isinstance(one, Observation):
        return "rental", _told(one, _ASKED), ObservedPrice(one.price, one.currency, free=one.free)
    if isinstance(one, HostedPriceObservation):
        asked = ObservedPrice(
            one.input_usd_per_mtoken, output=one.output_usd_per_mtoken, cached=one.cached_input_usd_per_mtoken
        )
        return "hosted", _told(one, _ASKED_HOSTED), asked
    return "exchange", _told(one, _ASKED), ObservedPrice(one.usd)


def first_malformed_field(one: AnyPriced) -> str | None:
    """What is wrong with the first field that holds what it should not, as one line that shows; None: all are well."""
    for name, kind in _FIELDS[type(one)]:
        value = getattr(one, name)
        parts = value if isinstance(value, tuple) else (value,)
        if wrong := _wrong(value, kind, parts):
            shown = tuple(without_unseen(part) if isinstance(part, str) else part for part in parts)
            return f"{name} {wrong} {shown if isinstance(value, tuple) else shown[0]!r:.60}"
    return None


def has_unseen(one: AnyPriced) -> bool:
    """Whether a text of it has a mark that does not show."""
    return any(_hides(getattr(one, name)) for name, _ in _FIELDS[type(one)])


def _hides(value: object) -> bool:
    parts = value if isinstance(value, tuple) else (value,)
    return any(isinstance(part, str) and unseen(part) for part in parts)


def _wrong(value: object, kind: tuple[type, ...], parts: tuple[object, ...]) -> str:
    if not isinstance(value, kind) or (kind == (tuple,) and not all(isinstance(part, str) for part in parts)):
        return "is"
    if _hides(value):
        return "has a mark that does not show:"
    return "is too large to keep:" if isinstance(value, int) and abs(value) > _MOST else ""


def joined(kind: str, told: str, asked: ObservedPrice) -> AnyPriced:
    """The observation again."""
    said: dict[str, Any] = json.loads(told)
    if kind == "rental":
        said |= {name: tuple(said[name]) for name in ("countries", "doubts") if name in said}
        return Observation(**said, price=asked.price, currency=asked.currency, free=asked.free)
    if kind == "hosted":
        return HostedPriceObservation(
            **said, input_usd_per_mtoken=asked.price, output_usd_per_mtoken=asked.output,
            cached_input_usd_per_mtoken=asked.cached,
        )  # fmt: skip
    return ExchangeRateObservation(**said, usd=asked.price)


def _told(one: AnyPriced, asked: frozenset[str]) -> str:
    usual = ((name, value, getattr(one, name)) for name, value in _USUAL[type(one)] if name not in asked)
    said = {name: value for name, default, value in usual if value != default}
    return json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


_USUAL = {
    kind: tuple((field.name, field.default) for field in fields(kind))
    for kind in (Observation, HostedPriceObservation, ExchangeRateObservation)
}
_KINDS: dict[Any, tuple[type, ...]] = {
    str: (str,), int: (int,), float: (int, float), tuple[str, ...]: (tuple,), date | None: (date, NoneType),
    int | None: (int, NoneType), float | None: (int, float, NoneType),
}  # fmt: skip
_FIELDS = {
    kind: tuple((field.name, _KINDS.get(field.type, (str, NoneType))) for field in fields(kind))
    for kind in (Observation, HostedPriceObservation, ExchangeRateObservation)
}
