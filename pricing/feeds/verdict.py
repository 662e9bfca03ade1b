"""The verdict on a price and its reason: a reason is a value with its numbers; words are made of it elsewhere."""

import json
from dataclasses import asdict, dataclass
from typing import Literal

Verdict = Literal["believed", "held", "refused"]
ReasonKind = Literal[
    "no_price",  # missing, zero, negative or no number: refused at once, nobody could accept it
    "no_shape",  # not a count of accelerators that a machine can have
    "huge",  # more than anything that is rented costs
    "unknown_seller",  # asked about: a name of nobody in the catalogue
    "unknown_accelerator",
    "unclear_accelerator",  # a name of several, and nothing in the reply says which
    "unwanted",  # a name of which somebody wants no price
    "unknown_currency",
    "per_machine",  # by the count of its accelerators too dear: a machine's price read as that of one accelerator
    "per_accelerator",  # by that count too cheap: the other way round
    "cents",  # a hundredfold
    "out_of_range",  # far from what others ask for this accelerator
    "jump",  # further from the last believed price than prices of its class move
    "as_refused",  # somebody has refused this very price before
]
NAMES: frozenset[ReasonKind] = frozenset({"unknown_seller", "unknown_accelerator", "unclear_accelerator"})
_NEVER: frozenset[ReasonKind] = frozenset({"no_price", "no_shape", "huge", "as_refused", "unwanted"})
_NEEDS_MORE: frozenset[ReasonKind] = NAMES | {"unknown_currency"}


@dataclass(frozen=True, slots=True)
class GateReason:
    """Why a price is not believed as it comes."""

    kind: ReasonKind
    usd: float | None = None  # what was read, in dollars
    against: float | None = None  # what it is compared with: the last believed price, or the middle of others
    factor: float | None = None  # how far it may be from that
    name: str = ""  # that is unknown

    @property
    def verdict(self) -> Verdict:
        """The verdict that follows: held for a person, or refused."""
        return "refused" if self.kind in _NEVER else "held"

    @property
    def acceptable(self) -> bool:
        """Whether a person can accept the price as it is; not while its name or currency is unknown."""
        return self.kind not in _NEVER and self.kind not in _NEEDS_MORE

    def told(self) -> str:
        """As the store keeps it."""
        return json.dumps({key: value for key, value in asdict(self).items() if value not in (None, "")})
