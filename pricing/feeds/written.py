"""What cells of the store mean. What no refresh writes, since somebody edited the file, is one of `UNSOUND`."""

import json
import math
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, get_args

from pricing.feeds.feed import AnyPriced, Kind, ObservedPrice, first_malformed_field, has_unseen, joined
from pricing.feeds.given import Name, NameDecisions, What
from pricing.feeds.verdict import GateReason, ReasonKind
from pricing.figure import Source

UNSOUND = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_FIRST_YEAR = 2000  # nobody rented a GPU before
_KINDS, _WHATS, _REASONS = (frozenset(get_args(words)) for words in (Kind, What, ReasonKind))


@dataclass(frozen=True)
class SourceInfo:
    """What must be known of a source where its prices are shown; kept with each refresh."""

    label: str
    page: str
    licence: str
    via: str


def text(said: str) -> str:
    """A text."""
    if not isinstance(said, str):
        raise TypeError(said)
    return said


def day(said: str) -> date:
    """A day, spelt so that the order of its letters is that of days."""
    found = date.fromisoformat(said)
    if found.isoformat() != said or found.year < _FIRST_YEAR:
        raise ValueError(said)
    return found


def moment(said: str) -> datetime:
    """A moment, with its time zone."""
    found = datetime.fromisoformat(said)
    if found.tzinfo is None:
        raise ValueError(said)
    return found


def number(said: float | None) -> float | None:
    """A number, or none; also one that is no price: it was refused, and kept as it was said."""
    if not isinstance(said, int | float | None):
        raise TypeError(said)
    return said


def usd(said: float | None) -> float:
    """A price that somebody can pay."""
    found = number(said)
    if found is None or not 0 < found < math.inf:
        raise ValueError(said)
    return found


def asked(
    price: float | None, currency: str, output: float | None, cached: float | None, free: int | None
) -> ObservedPrice:
    """What was asked for a product."""
    if not isinstance(free, int | None):
        raise TypeError(free)
    found = number(price)
    return ObservedPrice(math.nan if found is None else found, text(currency), number(output), number(cached), free)


def believed(
    price: float, currency: str, output: float | None, cached: float | None, free: int | None
) -> ObservedPrice:
    """What was asked for a product, where it was believed."""
    if not all(one is None or 0 <= one < math.inf for one in (output, cached)):
        raise ValueError(output, cached)
    return asked(usd(price), currency, output, cached, free)


def observation(kind: str, told: str, asked: ObservedPrice) -> AnyPriced | None:
    """What is sold. None: a name of it has marks that do not show; earlier versions kept such products."""
    if kind not in _KINDS:
        raise ValueError(kind)
    found = joined(kind, told, asked)
    if has_unseen(found):
        return None
    if wrong := first_malformed_field(found):
        raise ValueError(wrong)
    return found


def reason(told: str) -> GateReason:
    """Why a price was not believed."""
    found = GateReason(**json.loads(told))
    text(found.name)
    if found.kind not in _REASONS or not all(map(_is_number, (found.usd, found.against, found.factor))):
        raise ValueError(told)
    return found


def _is_number(said: object) -> bool:
    return said is None or isinstance(said, int | float)


def name(at: str, refresh: int, said: str, person: str) -> Name:
    """What somebody said of a name."""
    found = Name(**json.loads(said), person=text(person), at=moment(at), refresh=refresh)
    if found.what not in _WHATS or not isinstance(refresh, int):
        raise ValueError(said)
    text(found.called), text(found.means)
    NameDecisions((found,)).sellers()  # a new seller has a label and a note that can be shown
    return found


def about(told: str, day_read: str) -> tuple[SourceInfo, date]:
    """What is known of a source, and the day on which it was read."""
    found, read = SourceInfo(**json.loads(told)), day(day_read)
    source(found, read)
    return found, read


def source(about: SourceInfo, read: date) -> Source:
    """A source as the catalogue has it."""
    via: Any = about.via
    return Source(title=about.label, url=about.page, publisher=about.label, retrieved=read, via=via,
                  licence=about.licence or "facts cited")  # fmt: skip
