"""Options: the ways to supply the work, each with its ledger, its range and what it warns of."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.money.inflation import at_later_rates
from planner.money.ledger import Case, Ledger, Line
from planner.money.people import with_people
from planner.money.price_path import with_forward_fee
from planner.money.setting import ChosenOffers, PlanContext
from planner.money.tax import with_tax
from planner.scenario.own import PurchaseOrder
from planner.scenario.ways import Way, WhenEmpty
from pricing.caching import cached_property, without

LedgerAtCase = Callable[[Case], Ledger]


@dataclass(frozen=True)
class Option:
    """One way to supply the work of a scenario."""

    key: str  # its name in links and files: own, own-16, on_demand, mix ...
    way: Way
    title: str  # Buy 8 and run them
    what: str  # what exactly: server, place, provider, terms
    ledger: Ledger  # at typical figures
    at_end: LedgerAtCase  # the same with every figure at its cheap or expensive end
    useful_hours: NDArray[np.float64]  # accelerator-hours of work delivered, by month, entry 0 being today
    accelerators: float  # how many at once, at most
    orders: tuple[PurchaseOrder, ...] = ()  # in which what is owned is bought; empty: at once
    warnings: tuple[str, ...] = ()  # flags, not rulings: "may hold an embedded lease: ask accounting"
    work_share: float = 1.0  # of the requested work; less than 1 where a part waits for machines
    is_beside: bool = False  # on other hardware than the plan names: shown, and never its answer

    @cached_property
    def low(self) -> Ledger:
        """Every figure at its cheap end. Calculated on first use: where futures are drawn, they give the range."""
        return self.at_end("low")

    @cached_property
    def high(self) -> Ledger:
        """Every figure at its expensive end."""
        return self.at_end("high")

    def __getstate__(self) -> dict[str, object]:
        """What is sent to another process: not what can be made again."""
        return without(self, "low", "high")


_SIZED = re.compile(r"own-(\d+)")


def fleet_option_key(accelerators: int) -> str:
    """The key of a fleet of another size than the plan's: own-16."""
    return f"own-{accelerators}"


def fleet_size_from_key(key: str) -> int | None:
    """How many accelerators the key of an option names; None where it names no number."""
    match = _SIZED.fullmatch(key)
    return None if match is None else int(match[1])


@dataclass(frozen=True)
class SkippedOption:
    """A way that was not calculated, and why."""

    way: Way
    reason: str


@dataclass(frozen=True)
class OptionLedger:
    """One way at one setting."""

    title: str
    what: str
    lines: tuple[Line, ...]
    useful_hours: NDArray[np.float64]
    accelerators: float
    orders: tuple[PurchaseOrder, ...] = ()  # in which what is owned is bought; empty: at once
    warnings: tuple[str, ...] = ()
    is_beside: bool = False  # on other hardware than the plan names: shown, and never its answer


@dataclass(frozen=True)
class Unavailable:
    """Why a way cannot be calculated, as a sentence that says what to enter."""

    reason: str


def complete_ledger(setting: PlanContext, title: str, lines: Iterable[Line], case: Case = "typical") -> Ledger:
    """The lines of a way with what it pays once for all of them: people, the fee for an agreed rent, and tax.

    At an end of all ranges its inputs are there; what is decided, as its size, stays.
    """
    ledger = Ledger(title, with_people(setting, with_forward_fee(setting, lines)))
    return at_later_rates(setting, with_tax(setting, ledger if case == "typical" else ledger.at_end(case)))


Builder = Callable[[PlanContext], OptionLedger | Unavailable]


def under_heading(heading: str, lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines renamed to stand under a heading, without those that never cost anything."""
    return tuple(line.called(f"{heading}: {line.name[0].lower()}{line.name[1:]}") for line in lines if line.has_amounts)


Side = Literal["own", "rent", "keep", "mix"]


@dataclass(frozen=True)
class ChartStyle:
    """How a way is drawn: ways differ in dash and symbol as well as in colour."""

    light: str
    dark: str
    dash: str
    symbol: str

    def colour(self, dark: bool) -> str:
        """Its colour on the dark or on the light theme."""
        return self.dark if dark else self.light


@dataclass(frozen=True)
class MixLayerStyle:
    """A way as a layer of a mix."""

    name: str
    hatch: str
    peaks: str = ""  # what one does with the peaks that this layer takes


@dataclass(frozen=True, kw_only=True)
class OptionSpec:
    """One way of supply. The scenario reads `key`, `place`, `inputs` and `when_empty` as text: plain values only."""

    key: str  # in scenarios, links and files
    place: int  # among all ways, where they are shown
    side: Side  # which answer it speaks for; to keep is to own too, but an answer of its own
    build: Builder

    name: str  # in a table: Buy
    verdict_text: str  # as a verdict: Buy
    gerund: str  # what one does who chooses it, where its cost is stated: owning
    start: str = ""  # what one does first, where that is called something else: buying
    result_text: str  # how the work is done at that cost; may name {count}, {what}, {seller}, {title}
    purchase_text: str  # behind a number of accelerators: 8 x H100 bought
    price_name: str = "rent"  # of an hour of an accelerator
    style: ChartStyle
    layer: MixLayerStyle | None = None  # none where no mix has it as a layer

    inputs: str = ""  # the part of the scenario that its own inputs stand in
    when_empty: WhenEmpty = "usual"  # what becomes of the way where that part is left empty
    checks_plausibility: bool = False  # whether a note questions inputs that lie far from the catalogue's
    filled_by_service: bool = False  # whether a service of a named model fills in that part, or all it needs

    waits_for_delivery: bool = False  # whether machines are ordered that have to be delivered first
    is_committed: bool = False  # whether one pays for a term, busy or not
    is_billed_by_token: bool = False
    is_current: bool = False  # whether it is what one does now
    has_own_card: bool = False  # beside the cheapest option of its group
    fallback_kind: str = ""  # the way one falls back on where this one turns out to cost more
    offer: Callable[[ChosenOffers], str | None] = lambda _: None  # by whose terms it goes, of the offers of a plan

    @property
    def start_text(self) -> str:
        """What one does first who chooses it: buying, leasing, renting."""
        return self.start or self.gerund

    @property
    def owns(self) -> bool:
        """Whether the hardware is one's own."""
        return self.side in ("own", "keep")

    @property
    def rents_machines(self) -> bool:
        """Whether somebody else's machines are paid for by the hour or by the term."""
        return self.side == "rent" and not self.is_billed_by_token

    @property
    def commitment_rank(self) -> int:
        """How firmly it binds: 0 where it can be ended at any time, 1 for a term or in part, 2 where all is owned."""
        return 2 if self.owns else int(self.is_committed or self.side == "mix")
