"""What the market did: the moves of each accelerator's prices, by source, and who says the same of a product.

A price moves as far as its class moves, and further where the sellers of two other sources moved so. One source has one
voice, however many sellers it lists; all published folders have one together, since anybody can publish two; and a
collector that lists what another lists is a copy, and no second voice.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from statistics import median
from typing import NamedTuple

from pricing.belief.readings import PriceClass

WINDOWS = (30, 90)  # days over which a drift is bound
LEAST_SELLERS = 3  # of a row in the table of moves
_TWO = 2
FOLDERS = "published-"  # in front of the names of published folders, and their one voice
_COPY, _LEAST_ALIKE = 0.8, 10  # so much of the smaller list stands in the other too, and so many prices

Dated = tuple[float, date]  # a price in dollars, and its day


class Topic(NamedTuple):
    """What prices are compared by: an accelerator, spot or not; a model and its tier."""

    name: str
    spot: bool = False


class Subject(NamedTuple):
    """What a price is about."""

    topic: Topic
    seller: str
    purchase: str
    price_class: PriceClass


Content = tuple[object, ...]  # a price as a list has it


class _Said(NamedTuple):
    purchase: str
    usd: float
    moves: tuple[float, ...]  # in each window, in logarithms


class MarketMove(NamedTuple):
    """How far prices of one accelerator moved in 30 days: the middle, and the furthest two, as factors."""

    name: str
    spot: bool
    sellers: int
    low: float
    middle: float
    high: float


@dataclass
class MarketMoves:
    """The moves of all sources, those that are held too, as far as they have been read."""

    _said: dict[Topic, dict[tuple[str, str], dict[str, _Said]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )  # by source and seller, and by product
    _lists: dict[str, frozenset[Content]] = field(default_factory=dict)  # of collectors and folders
    _voices: dict[str, str] = field(default_factory=dict)

    def collect(self, source: str, content: Iterable[Content]) -> None:
        """Note all that a collector lists, before its prices are judged."""
        self._lists[source] = frozenset(content)
        self._voices = {}
        for name in sorted(self._lists, key=lambda name: (not name.startswith(FOLDERS), name)):
            copied = (self._voices[other] for other in self._voices if self._is_copy(name, other))
            self._voices[name] = FOLDERS if name.startswith(FOLDERS) else next(copied, name)

    def _is_copy(self, voice: str, other: str) -> bool:
        least = min(len(self._lists[voice]), len(self._lists[other]))
        return len(self._lists[voice] & self._lists[other]) >= max(_COPY * least, _LEAST_ALIKE)

    def voice(self, source: str) -> str:
        """Return whose voice a source is."""
        return FOLDERS if source.startswith(FOLDERS) else self._voices.get(source, source)

    def add(self, subject: Subject, source: str, product: str, usd: float, starts: Sequence[float]) -> None:
        """Note a price that was read, beside what it was before each window."""
        moves = tuple(math.log(usd / start) for start in starts)
        self._said[subject.topic][source, subject.seller][product] = _Said(subject.purchase, usd, moves)

    def allowed(self, subject: Subject, source: str) -> list[tuple[float, float]]:
        """Return how far sellers of two other sources moved down and up, in logarithms, in each window."""
        by_source: dict[str, list[tuple[float, ...]]] = defaultdict(list)
        for (other, seller), listings in self._said.get(subject.topic, {}).items():
            if self.voice(other) != self.voice(source) and seller != subject.seller:
                by_source[self.voice(other)] += [listing.moves for listing in listings.values()]
        if len(by_source) < _TWO:
            return [(0.0, 0.0)] * len(WINDOWS)
        windows = ([median(move[number] for move in of) for of in by_source.values()] for number in range(len(WINDOWS)))
        return [(min(moves[1], 0.0), max(moves[-2], 0.0)) for moves in map(sorted, windows)]

    def agrees(self, subject: Subject, source: str, usd: float, within: float) -> bool:
        """Return whether another source says the same of this seller."""
        return any(
            listing.purchase == subject.purchase and near(usd, listing.usd, within)
            for (other, seller), listings in self._said.get(subject.topic, {}).items()
            if self.voice(other) != self.voice(source) and seller == subject.seller
            for listing in listings.values()
        )

    def table(self) -> tuple[MarketMove, ...]:
        """Return the moves of each accelerator that three sellers name, the furthest first."""
        rows = []
        for topic, voices in self._said.items():
            moves = sorted(median(listing.moves[0] for listing in listings.values()) for listings in voices.values())
            if len({seller for _, seller in voices}) >= LEAST_SELLERS:
                low, middle, high = (math.exp(it) for it in (moves[0], median(moves), moves[-1]))
                rows.append(MarketMove(topic.name, topic.spot, len(voices), low, middle, high))
        return tuple(sorted(rows, key=lambda row: -abs(math.log(row.middle))))


def near(usd: float, other: float | None, within: float) -> bool:
    """Return whether two prices are as good as the same."""
    return other is not None and other > 0 and abs(math.log(usd / other)) <= within


def anchors(history: Iterable[Dated], day: date, before: Dated | None) -> list[Dated]:
    """Return the believed price at the beginning of each window; the oldest known where nothing is as old."""
    known = [*([before] if before else []), *history]
    old = [[dated for dated in known if dated[1] <= day - timedelta(days=window)] for window in WINDOWS]
    return [(of or known[:1])[-1] for of in old] if known else []


def within(move: float, most: float, market: tuple[float, float]) -> bool:
    """Return whether a move is no further than this beyond what the market moved, in logarithms."""
    return market[0] - most <= move <= market[1] + most
