"""Believed live prices as what they change in a catalogue: rows small enough to be kept and laid over in no time.

Each row is a list, as JSON keeps it:

- of an offer:  [id, source, days, prices, last day, shape or null]; the shape, of an offer that the catalogue has not,
  has the fields of `SHAPE`
- of a model:   [id, source, day, input, output, cached, last day, [vendor, model] or null]
- of a currency: [id, source, day, dollars]
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

Row = list[Any]
SHAPE = ("provider", "accelerator", "accelerators_per_instance", "region", "area", "purchase", "sku", "vcpus", "ram_gb",
         "countries", "doubts", "fabric")  # fmt: skip


@dataclass
class Overlay:
    """All that live prices change."""

    offers: list[Row] = field(default_factory=list)
    hosted: list[Row] = field(default_factory=list)
    rates: list[Row] = field(default_factory=list)
    sources: dict[str, list[str]] = field(default_factory=dict)  # label, page, licence, via, day
    sellers: dict[str, list[str]] = field(default_factory=dict)  # label and note of those that the catalogue has not
    digest: str = ""  # of all that

    def sealed(self) -> Overlay:
        """The same with its digest."""
        every = [self.offers, self.hosted, self.rates, self.sources, self.sellers]
        told = json.dumps(every, separators=(",", ":"), sort_keys=True)
        self.digest = hashlib.sha256(told.encode()).hexdigest()
        return self
