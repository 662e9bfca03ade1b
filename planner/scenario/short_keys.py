"""The short keys of links: which fields have one, and how the page asks for them. The fields say so themselves."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from planner.scenario.fields import Shape, leaves, number, shape
from planner.scenario.path import Path, value_at
from planner.scenario.scenario import Scenario
from pricing.caching import cached

PERCENT_PLACES = 2


@dataclass(frozen=True)
class Key:
    """A short key: where its value stands in the scenario, and how it is asked for."""

    path: Path
    key: str
    label: str
    told: str = ""
    group: str = ""  # the heading under which it stands; empty: in the first row, or nowhere
    rare: bool = False  # few people change it
    percent: bool = False
    amount: bool = False  # of so many digits that people write 1 T
    usual: float | str | None = None  # what a field left empty stands for; None: the catalogue's figure

    @property
    def shape(self) -> Shape:
        """What the field takes, as the record says it."""
        found = shape(self.path)
        assert found is not None
        return found

    @property
    def unit(self) -> str:
        """The unit of the value in the address."""
        if self.percent:
            return "% a year" if str(self.path[-1]).endswith("_per_year") else "%"
        return self.shape.unit

    @property
    def low(self) -> float | None:
        """The lower bound of the value in the address."""
        return _scaled(self.shape.low, self.percent)

    @property
    def high(self) -> float | None:
        """The upper bound of the value in the address."""
        return _scaled(self.shape.high, self.percent)

    @property
    def default(self) -> Any:
        """The field's default, as the scenario holds it; None where the catalogue's figure is taken."""
        return value_at(_as_it_comes(), self.path)

    @property
    def range(self) -> str:
        """The bounds in words, as the address writes them."""
        low, high = self.low, self.high
        if low is None or high is None:
            return self.shape.wish
        return f"{'above ' if self.shape.above else ''}{number(low)} to {number(high)}"


@cached(1)
def _as_it_comes() -> Scenario:
    return Scenario()


def _scaled(bound: float | None, percent: bool) -> float | None:
    return bound if bound is None or not percent else float(Decimal(repr(float(bound))).scaleb(PERCENT_PLACES))


# In the order of the records. A key that has been in a link keeps its meaning for ever.
KEYS: dict[str, Key] = {
    one.key: one for path in leaves() if (said := shape(path)) and said.asked for one in (Key(path, **said.asked),)
}


def under(group: str, rare: bool) -> tuple[str, ...]:
    """The keys that stand under a heading of the page: those that most people change, or those that few do."""
    return tuple(key.key for key in KEYS.values() if key.group == group and key.rare is rare)
