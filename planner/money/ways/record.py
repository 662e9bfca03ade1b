"""The record of a way of supply: all that the program knows of it besides how its lines are reckoned."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from planner.money.setting import ChosenOffers
from planner.money.ways.ledger_of_way import Builder
from planner.scenario.ways import WhenEmpty

Side = Literal["own", "rent", "keep", "mix"]


@dataclass(frozen=True)
class Look:
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
    advice: str  # as a verdict: Buy
    doing: str  # what one does who chooses it, where its cost is told: owning
    start: str = ""  # what one does first, where that is called something else: buying
    said: str  # how the work is done at that cost; may name {count}, {what}, {seller}, {title}
    paid_for: str  # behind a number of accelerators: 8 x H100 bought
    price_name: str = "rent"  # of an hour of an accelerator
    look: Look
    layer: MixLayerStyle | None = None  # none where no mix has it as a layer

    inputs: str = ""  # the part of the scenario that its own inputs stand in
    when_empty: WhenEmpty = "usual"  # what becomes of the way where that part is left empty
    asks_back: bool = False  # whether inputs that lie far from the catalogue's are asked about
    filled_by_service: bool = False  # whether a service of a named model fills in that part

    waits_for_delivery: bool = False  # whether machines are ordered that have to be delivered first
    is_bound: bool = False  # whether one pays for a term, busy or not
    by_the_token: bool = False
    no_dearer_than: str = ""  # the way one falls back on where this one turns out to cost more
    offer: Callable[[ChosenOffers], str | None] = lambda _: None  # by whose terms it goes, of the offers of a plan

    @property
    def starting(self) -> str:
        """What one does first who chooses it: buying, leasing, renting."""
        return self.start or self.doing

    @property
    def owns(self) -> bool:
        """Whether the hardware is one's own."""
        return self.side in ("own", "keep")

    @property
    def rents_machines(self) -> bool:
        """Whether somebody else's machines are paid for by the hour or by the term."""
        return self.side == "rent" and not self.by_the_token

    @property
    def commitment_rank(self) -> int:
        """How firmly it binds: 0 where it can be ended at any time, 1 for a term or in part, 2 where all is owned."""
        return 2 if self.owns else int(self.is_bound or self.side == "mix")
