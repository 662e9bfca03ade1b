"""The meaning of the store's cells. A cell that no refresh writes, of an edited file, raises one of `UNSOUND`."""

import json
import math
from dataclasses import astuple, dataclass
from datetime import date, datetime
from typing import Any, get_args

from pricing.feeds.feed import (
    AnyPriced,
    GateReason,
    Kind,
    ObservedPrice,
    ReasonKind,
    first_malformed_field,
    hides,
    joined,
)
from pricing.feeds.given import Name, NameDecisions, What
from pricing.figure import Source

UNSOUND = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_FIRST_YEAR = 2000  # nobody rented a GPU before
_KINDS, _WHATS, _REASONS = (frozenset(get_args(words)) for words in (Kind, What, ReasonKind))


@dataclass(frozen=True)
class SourceInfo:
    """The information about a source that is shown with its prices; kept with each refresh."""

    label: str
    page: str
    licence: str
    via: str


def text(cell: str) -> str:
    if not isinstance(cell, str):
        raise TypeError(cell)
    return cell


def day(cell: str) -> date:
    """Return a day, spelt so that the order of its letters is that of days."""
    parsed = date.fromisoformat(cell)
    if parsed.isoformat() != cell or parsed.year < _FIRST_YEAR:
        raise ValueError(cell)
    return parsed


def moment(cell: str) -> datetime:
    """Return a moment, with its time zone."""
    parsed = datetime.fromisoformat(cell)
    if parsed.tzinfo is None:
        raise ValueError(cell)
    return parsed


def number(cell: float | None) -> float | None:
    """Return a number or None; also one that is no price: it was refused, and kept as the source sent it."""
    if not isinstance(cell, int | float | None):
        raise TypeError(cell)
    return cell


def usd(cell: float | None) -> float:
    """Return a positive, finite price."""
    price = number(cell)
    if price is None or not 0 < price < math.inf:
        raise ValueError(cell)
    return price


def observed_price(
    price: float | None, currency: str, output: float | None, cached: float | None, free: int | None
) -> ObservedPrice:
    if not isinstance(free, int | None):
        raise TypeError(free)
    parsed = number(price)
    return ObservedPrice(math.nan if parsed is None else parsed, text(currency), number(output), number(cached), free)


def believed(
    price: float, currency: str, output: float | None, cached: float | None, free: int | None
) -> ObservedPrice:
    if not all(part is None or 0 <= part < math.inf for part in (output, cached)):
        raise ValueError(output, cached)
    return observed_price(usd(price), currency, output, cached, free)


def observation(kind: str, cell: str, price: ObservedPrice) -> AnyPriced | None:
    """Return the product. None: a name of it has marks that do not show; earlier versions kept such products."""
    if kind not in _KINDS:
        raise ValueError(kind)
    product = joined(kind, cell, price)
    if any(map(hides, astuple(product))):
        return None
    if wrong := first_malformed_field(product):
        raise ValueError(wrong)
    return product


def reason(cell: str) -> GateReason:
    """Return why a price was not believed."""
    parsed = GateReason(**json.loads(cell))
    text(parsed.name)
    numbers = (parsed.usd, parsed.against, parsed.factor)
    if parsed.kind not in _REASONS or not all(isinstance(number, int | float | None) for number in numbers):
        raise ValueError(cell)
    return parsed


def name(at: str, refresh: int, cell: str, person: str) -> Name:
    """Return a decision about a name."""
    parsed = Name(**json.loads(cell), person=text(person), at=moment(at), refresh=refresh)
    if parsed.what not in _WHATS or not isinstance(refresh, int):
        raise ValueError(cell)
    text(parsed.called), text(parsed.means)
    NameDecisions((parsed,)).sellers()  # a new seller has a label and a note that can be shown
    return parsed


def about(cell: str, day_read: str) -> tuple[SourceInfo, date]:
    info, read = SourceInfo(**json.loads(cell)), day(day_read)
    source(info, read)
    return info, read


def source(info: SourceInfo, read: date) -> Source:
    via: Any = info.via
    return Source(title=info.label, url=info.page, publisher=info.label, retrieved=read, via=via,
                  licence=info.licence or "facts cited")  # fmt: skip
