"""The ledger: what one way of getting the work done costs, line by line. The single truth behind every total.

A line does not hold an amount. It holds a formula and the inputs used, and the amounts are what the formula gives for
them; so a line can always be recomputed from what it prints, and a total can never disagree with its parts.

Amounts have one entry for each month along the last axis, entry 0 being today. An input is a number, or one value for
each month (one axis), or one for each offer or draw (two axes, the last of length one where months do not matter):
numpy puts them together, and one line then stands for all offers, draws and months at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.money.formula import Num, OrderStack, Product, formula
from planner.scenario.base import EnteredAmount
from pricing import Catalogue, Figure
from pricing.caching import arguments, cached, cached_property, derive, with_cached, without
from pricing.figure import FigureValue

# What the money is for. The order is the order on every chart and table.
Part = Literal[
    "hardware", "network", "storage", "space", "power", "staff", "upkeep", "finance", "compute", "tokens",
    "whole machines", "rounding", "idle", "commitment", "interruptions", "waiting", "egress", "support", "tax",
    "resale", "income", "selling",
]  # fmt: skip
# Parts of the bill of reserved machines that are paid whatever is used.
RESERVED = frozenset({"compute", "interruptions", "whole machines", "rounding", "idle", "commitment"})
ContractKind = Literal["lease", "lease_back", "reservation"]


class LeaseContract(NamedTuple):
    """Machines of somebody else for a term. Its lines hold what is paid; here stands for what."""

    kind: ContractKind
    terms: tuple[tuple[int, int], ...]  # of each contract after the other: the month it begins in, and its months
    pays: Literal["arrears", "advance", "prepaid"] = "arrears"
    price_usd: float | None = None  # of the machines; None where nobody says it, as of a reservation
    items: int = 1  # machines
    received_usd: float = 0.0  # of a lease-back: what the lessor pays for them
    is_bought: bool = False  # at its end
    price_how: str = ""  # the formula of that price, of the inputs of its lines; empty where there is none


# How the tax books take it: at once, over years, as a sale, or not at all (money borrowed and paid back; what costs
# something and is paid to nobody: time, imputed, and the sale that keeping a machine forgoes).
Treatment = Literal["expense", "capital", "sale", "financing", "tax", "imputed", "forgone"]
NONCASH: frozenset[Treatment] = frozenset({"imputed", "forgone"})


@dataclass(frozen=True)
class Origin:
    """The source of an input."""

    source: str  # "the plan" (typed, or its default), "your quote", the title of a source, or "assumption"
    kind: str  # input, yours, assumption, list_price, spec ...
    since: date | None = None
    checked: date | None = None
    url: str | None = None
    note: str | None = None
    figure: Figure | None = field(default=None, compare=False, repr=False)  # of the catalogue, where it is one


YOUR_INPUT = Origin("the plan", "input")
COMPUTED = Origin("computed above", "computed")
CONVENTION = Origin("convention", "convention")


class LedgerInput(NamedTuple):
    """One input as it was used. A plan has thousands of them, so it is what is made, and sent, the quickest."""

    name: str
    value: Num
    unit: str
    origin: Origin | Callable[[int], Origin]  # of one entry, where the value is an array
    ends: tuple[Num, Num] | None = None  # of its range: where the plan costs less, and where it costs more

    def at_end(self, case: Case) -> LedgerInput:
        """Return it at one end of its range; as it is where it has none."""
        if self.ends is None or case == "typical":
            return self
        return self._replace(value=self.ends[case == "high"])

    def map(self, change: Callable[[Num], Num], origin: Origin | Callable[[int], Origin]) -> LedgerInput:
        """Return it with its value and its ends changed."""
        ends = None if self.ends is None else (change(self.ends[0]), change(self.ends[1]))
        return LedgerInput(self.name, change(self.value), self.unit, origin, ends)

    @property
    def is_number(self) -> bool:
        """Return whether it is one number, and not one for each month or draw."""
        return not isinstance(self.value, np.ndarray) or self.value.ndim == 0

    @property
    def is_yours(self) -> bool:
        """Return whether the plan says it, or its default does."""
        return isinstance(self.origin, Origin) and self.origin.kind == YOUR_INPUT.kind


def _amounts_of(line: Line) -> tuple[object, ...]:
    return line.how, line.used, line.stack


@dataclass(frozen=True)
class Line:
    """One item of a ledger. Costs are positive, money that comes back is negative."""

    name: str
    part: Part
    how: str
    used: tuple[LedgerInput, ...]
    note: str | None = None
    treatment: Treatment = "expense"
    order: int = 0  # of a fleet that is bought in several orders: 1 is the first
    stack: OrderStack | None = None  # of many rows: the orders that it stands for, added up
    contract: LeaseContract | None = None  # that it is paid under

    @property
    def is_cash(self) -> bool:
        """Return whether somebody pays or receives it. What is no cash still counts in the comparison."""
        return self.treatment not in NONCASH

    @cached_property.of(_amounts_of)
    def has_rows(self) -> bool:
        """Return whether it stands for many offers or draws at once."""
        return any(isinstance(item.value, np.ndarray) and item.value.ndim > 1 for item in self.used)

    @cached_property.of(_amounts_of)
    def names(self) -> frozenset[str]:
        return frozenset(used.name for used in self.used)

    @property
    def has_amounts(self) -> bool:
        """Return whether it ever costs or brings anything, or is not known to; of many rows, that it might."""
        return self.has_rows or bool(self.usd.any())  # what is not a number is something

    @cached_property.of(_amounts_of)
    def product(self) -> Product:
        """The factors of its amounts."""
        return formula(self.how).product({item.name: item.value for item in self.used})

    @cached_property.of(_amounts_of)
    def usd(self) -> NDArray[np.float64]:
        """The amounts of the formula for the inputs shown, by month. Not-a-number where an input is unknown."""
        return self.add_orders(self._months())

    def _months(self) -> NDArray[np.float64]:
        given = {item.name: item.value for item in self.used}
        return np.atleast_1d(np.asarray(formula(self.how)(given), dtype=np.float64))

    @property
    def priced_usd(self) -> NDArray[np.float64]:
        """Return what the line costs by month, with 0 in months for which an input is unknown. [USD]"""
        return _priced(self.usd)

    @property
    def priced_by_order_usd(self) -> NDArray[np.float64]:
        """Return `priced_usd` of each order that the line stands for."""
        return self.priced_usd if self.stack is None else _priced(self._months())

    def add_orders(self, usd: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return amounts of each order that the line stands for as one."""
        return usd if self.stack is None else self.stack.add_up(usd)

    @cached_property.of(_amounts_of)
    def total_usd(self) -> NDArray[np.float64]:
        """The sum over the months; not-a-number where the line is not priced."""
        total: NDArray[np.float64] = self.usd.sum(axis=-1)
        return total

    def __getstate__(self) -> dict[str, object]:
        """Send the formula and its inputs to another process, not the amounts."""
        return without(self, "usd", "total_usd", "has_rows", "product", "names")

    def called(self, name: str, order: int | None = None) -> Line:
        """This line under another name, perhaps as one of an order. Its amounts are kept, not computed again."""
        number = self.order if order is None else order
        return derive(self, name=name, order=number)

    def at(self, index: int) -> Line:
        """This line for one offer, or one draw, out of its array."""
        return replace(self, used=tuple(_one(used, index) for used in self.used))

    def at_end(self, case: Case) -> Line:
        """This line with every input at one end of its range; the very same where none has one."""
        if case == "typical" or not any(item.ends for item in self.used):
            return self
        return replace(self, used=tuple([item.at_end(case) for item in self.used]))

    def of_order(self, input_of_order: Callable[[LedgerInput], LedgerInput]) -> Line:
        """This line for one of the orders that it stands for, with each input as `input_of_order` has it."""
        return replace(self, used=tuple(map(input_of_order, self.used)), stack=None)


@dataclass(frozen=True)
class Ledger:
    """All lines of one option, or of many offers or draws at once."""

    title: str
    lines: tuple[Line, ...]

    @cached_property
    def usd_by_treatment(self) -> dict[Treatment, NDArray[np.float64]]:
        """The priced lines together, month by month, by how the tax books take them."""
        return _add_lines({}, self.lines)

    @cached_property
    def monthly_usd(self) -> NDArray[np.float64]:
        """The priced lines together, month by month: the cash flow. Computed from them, never stored beside them."""
        return np.asarray(sum(self.usd_by_treatment.values()))

    def with_lines(self, lines: tuple[Line, ...]) -> Ledger:
        """This ledger with more lines. What is added up already is not added up again."""
        longer = Ledger(self.title, (*self.lines, *lines))
        return with_cached(longer, usd_by_treatment=_add_lines(self.usd_by_treatment, lines))

    @cached_property
    def has_rows(self) -> bool:
        """Return whether it stands for many offers or draws at once."""
        return any(line.has_rows for line in self.lines)

    @cached_property
    def total_usd(self) -> NDArray[np.float64]:
        """The priced lines together, over all months."""
        total: NDArray[np.float64] = self.monthly_usd.sum(axis=-1)
        return total

    @cached_property
    def inputs(self) -> tuple[LedgerInput, ...]:
        """The inputs of its lines, each once."""
        return tuple({id(used): used for line in self.lines for used in line.used}.values())

    @cached_property
    def numbers(self) -> dict[str, LedgerInput]:
        """The inputs that are one number, by name."""
        return {used.name: used for line in self.lines for used in line.used if used.is_number}

    def __getstate__(self) -> dict[str, object]:
        """Return what is sent to another process: not what can be looked up again in the lines."""
        return without(self, "inputs", "numbers", "usd_by_treatment")

    @cached_property
    def unpriced(self) -> tuple[str, ...]:
        """The lines whose price nobody knows. While there are any, the total is a lower bound."""
        return tuple(line.name for line in self.lines if np.isnan(line.total_usd).any())

    def part_usd(self, part: Part) -> NDArray[np.float64]:
        """The priced lines of one part, over all months."""
        return np.asarray(sum(line.priced_usd.sum(axis=-1) for line in self.lines if line.part == part))

    def at_end(self, case: Case) -> Ledger:
        """The ledger with every input at one end of its range."""
        return Ledger(self.title, tuple(line.at_end(case) for line in self.lines))

    def at(self, index: int, title: str) -> Ledger:
        """The ledger of one offer or draw."""
        return Ledger(title, tuple(line.at(index) for line in self.lines))


def _priced(usd: NDArray[np.float64]) -> NDArray[np.float64]:
    unknown = np.isnan(usd)
    return np.where(unknown, 0.0, usd) if unknown.any() else usd


def _add_lines(
    usd: Mapping[Treatment, NDArray[np.float64]], lines: tuple[Line, ...], amounts: str = "usd"
) -> dict[Treatment, NDArray[np.float64]]:
    total = dict(usd)
    for line in lines:
        total[line.treatment] = total.get(line.treatment, np.zeros(1)) + getattr(line, amounts)
    is_unknown = amounts == "usd" and any(np.isnan(each).any() for each in total.values())
    return _add_lines(usd, lines, "priced_usd") if is_unknown else total  # few are: to ask every line takes longer


def _one(used: LedgerInput, index: int) -> LedgerInput:
    def entry(value: Num) -> Num:
        if not isinstance(value, np.ndarray) or value.ndim < 2:
            return value
        return value[index] if value.shape[-1] > 1 else float(value[index, 0])

    return used.map(entry, used.origin(index) if callable(used.origin) else used.origin)


@cached(2_000, same=arguments)  # a plan asks for the same one in every way, and at both ends
def origin(catalogue: Catalogue, figure: Figure) -> Origin:
    """The origin of the figure's newest value."""
    value = figure.newest
    source = catalogue.sources[value.source]
    said_by = "your quote" if source.via == "yours" else source.title
    where = ". ".join(part for part in (value.locator, value.note) if part)
    return Origin(
        said_by, value.kind, since=figure.since, checked=figure.checked, url=source.url, note=where or None,
        figure=figure,
    )  # fmt: skip


def judged(note: str) -> Origin:
    """A number nobody published; `note` says why this one."""
    return Origin("assumption", "assumption", note=note)


Case = Literal["low", "typical", "high"]  # of cost: "low" takes the cheap end of each figure
CASES: tuple[Case, ...] = ("low", "typical", "high")
NOT_PUBLISHED = Origin("not published: not priced", "unknown")
TRIED = Origin("tried out", "tried")
Tried = Mapping[str, Num]  # by the name the formulas use; one number, or one for each draw as (draws, 1)


@dataclass
class InputSheet:
    """Named inputs, each with its origin and, where it has one, its range."""

    catalogue: Catalogue
    tried: Tried = field(default_factory=dict)
    used: dict[str, LedgerInput] = field(default_factory=dict)
    typed: tuple[EnteredAmount, ...] = ()  # of your own amounts, those that were typed in another currency
    stack: OrderStack | None = None  # of inputs that hold several orders

    def copy(self) -> InputSheet:
        """Another sheet with the same inputs."""
        return replace(self, used=dict(self.used))

    def of_order(self, input_of_order: Callable[[LedgerInput], LedgerInput]) -> InputSheet:
        """The sheet of one of the orders, with each input as `input_of_order` has it."""
        return replace(self, used={name: input_of_order(item) for name, item in self.used.items()}, stack=None)

    def add(
        self,
        name: str,
        value: Num,
        unit: str,
        where: Origin | Callable[[int], Origin],
        ends: tuple[Num, Num] | None = None,
    ) -> None:
        """An input with a value, an origin and the ends of its range; a value that is tried out takes its place."""
        tried = self.tried.get(name)
        if self.typed and where is YOUR_INPUT and tried is None:
            where = self._entered_origin(value, unit)
        self.used[name] = (
            LedgerInput(name, value, unit, where, ends) if tried is None else LedgerInput(name, tried, unit, TRIED)
        )

    def _entered_origin(self, value: Num, unit: str) -> Origin:
        """Your input, with how it was typed where that was in another currency."""
        is_usd = unit.startswith("USD") and isinstance(value, float) and value != 0
        entered = next((amount for amount in self.typed if is_usd and amount.usd == value), None)
        return YOUR_INPUT if entered is None else replace(YOUR_INPUT, since=entered.day, note=entered.words)

    def figure(self, name: str, figure: Figure | None, unit: str, yours: Num | None = None) -> None:
        """Your number, or the figure with its range; not-a-number where there is neither."""
        if yours is not None:
            self.add(name, yours, unit, YOUR_INPUT)
        elif figure is not None:
            newest = figure.newest
            self.add(name, newest.typical, figure.unit, origin(self.catalogue, figure), ends_of(newest))
        else:
            self.add(name, float("nan"), unit, NOT_PUBLISHED)

    def fact(self, name: str, fact: str, yours: Num | None = None) -> None:
        """Your number, or a fact of the catalogue."""
        figure = self.catalogue.facts[fact].figure
        self.figure(name, figure, figure.unit, yours)

    def add_all(self, flags: tuple[LedgerInput, ...]) -> None:
        """Put down inputs that come with their origin, such as the flags of a timeline."""
        self.used.update({flag.name: flag for flag in flags})

    def line(self, name: str, part: Part, how: str, note: str | None = None, treatment: Treatment = "expense") -> Line:
        """A line whose inputs are looked up here by the names in its formula."""
        used = tuple(map(self.used.__getitem__, formula(how).names))
        return Line(name, part, how, used, note, treatment, stack=self.stack)


def ends_of(value: FigureValue) -> tuple[float, float] | None:
    """The low and the high end of a range; None where there is neither."""
    return None if value.low is None and value.high is None else (end(value, "low"), end(value, "high"))


def end(value: FigureValue, case: Case) -> float:
    """The end of a range that a case takes; the typical value where there is no such end."""
    limit = {"low": value.low, "typical": value.typical, "high": value.high}[case]
    return value.typical if limit is None else limit
