"""Pinned plans as charts and tiles show them: by a letter, with what each recommends and what it comes to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.money.ledger import Ledger
from planner.money.measures import discounted_ledger
from planner.money.renting.bill import TODAY, Money
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.reckoned import Reckoned
from planner.report.answer.side_by_side import same_plan
from planner.report.tile import Tile


@dataclass(frozen=True, eq=False)
class PinnedPlan:
    """One pinned plan: its letter, and what was reckoned of it."""

    letter: str
    reckoned: Reckoned

    @property
    def best(self) -> EvaluatedOption | None:
        """The way that it recommends; None where nothing of it has a price."""
        return self.reckoned.answer.best

    @property
    def called(self) -> str:
        """The letter with the short name of that way."""
        return f"{self.letter}: {WAYS[self.best.option.way].name}" if self.best is not None else self.letter

    def ledger(self, money: Money) -> Ledger | None:
        """What that way costs, under a title with the letter."""
        if self.best is None:
            return None
        there = self.best.option.ledger
        there = discounted_ledger(self.reckoned.plan.setting, there) if money == TODAY else there
        return replace(there, title=f"{self.letter}: {there.title}")


def priced(pins: Sequence[PinnedPlan]) -> list[tuple[PinnedPlan, EvaluatedOption]]:
    """Those that recommend something, each with it."""
    return [(one, one.best) for one in pins if one.best is not None]


def saved_usd(found: Answer) -> float | None:
    """What the first of the two ways that are compared saves against the second; None where there is one alone."""
    return None if found.pair is None else found.pair[1].present_usd - found.pair[0].present_usd


def pinned_tile_values(tile: Tile, pins: Sequence[PinnedPlan]) -> tuple[str, ...]:
    """What the same figure is in each pinned plan, in words; nothing of a plan that has no such figure."""
    said = []
    for one in pins:
        other = next((its for its in one.reckoned.told.figures if its.label == tile.label), None)
        if other is not None:
            said.append(f"{one.letter}: {'the same' if other.value == tile.value else other.value}")
    return tuple(said)


def others(shown: Reckoned, pins: Sequence[PinnedPlan]) -> tuple[PinnedPlan, ...]:
    """The pinned plans that are not the plan on the screen: no figure is compared with itself."""
    return tuple(one for one in pins if not same_plan(shown.plan, one.reckoned.plan))


def against(shown: Reckoned, pins: Sequence[PinnedPlan]) -> tuple[str, ...]:
    """How much more or less the plan on the screen costs than each pinned one, a sentence each."""
    found = shown.answer.best
    sentences = []
    for one in pins:
        if same_plan(shown.plan, one.reckoned.plan):
            sentences.append(f"It is the same plan as {one.letter}.")
        elif found is not None and one.best is not None:
            sentences.append(_versus_baseline(found.present_usd, one.best.present_usd, one.letter))
    return tuple(sentences)


def _versus_baseline(usd: float, other_usd: float, letter: str) -> str:
    more = usd - other_usd
    if words.format_usd_short(usd) == words.format_usd_short(other_usd):
        return f"It costs about as much as {letter}."
    share = f" ({words.percent(abs(more) / other_usd)})" if other_usd > 0 else ""
    return f"It costs {words.format_usd_short(abs(more))}{share} {'more' if more > 0 else 'less'} than {letter}."
