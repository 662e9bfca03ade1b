"""From costs in many futures to a word: which option is the cheapest how often, and which group leads.

In each future exactly one option is the cheapest. Options belong to groups: owning anything at all (buying, leasing,
keeping, a mix with machines of one's own), renting, or paying for a hosted model. The group that holds most futures
leads; within it the option that holds most of them. Everything that is said of a plan comes from this one table.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pricing.caching import cached_property

Group = Literal["own", "rent", "hosted", "now"]
Certainty = Literal["plain", "probably", "close"]

PLAIN, PROBABLY = 0.90, 0.70  # shares of futures from which the word is plain, or "probably"
TIE = 0.001  # costs this close are equal
NAMED = 0.6  # share of its group's futures from which an option alone is named


@dataclass(frozen=True, eq=False)
class SimulatedCosts:
    """What options cost in the futures, by their keys. [USD]"""

    present_usd: Mapping[str, NDArray[np.float64]]  # one value for each future
    cash_usd: Mapping[str, NDArray[np.float64]]  # on day one
    bands: Mapping[str, tuple[float, float, float]]  # 10th percentile, median, 90th percentile of the present cost
    cumulative_usd: Callable[[str], NDArray[np.float64]]  # the same three by month, for a key: discounted cost so far


@dataclass(frozen=True)
class Candidate:
    """What the table needs to know of an option besides its costs."""

    key: str
    group: Group
    commitment: float  # a rank: the larger, the longer one is bound
    is_mix: bool = False  # machines of one's own with rented ones beside them
    work_share: float = 1.0  # of the requested work; costs are compared for the same work


@dataclass(frozen=True, eq=False)
class VerdictShares:
    """The table: in which share of futures each option, and each group, is the cheapest."""

    candidates: tuple[Candidate, ...]
    cheapest: NDArray[np.intp]  # by future, the place of the cheapest option

    @cached_property
    def share(self) -> dict[str, float]:
        """Return the share of futures in which each option is the cheapest. They sum to 1."""
        counts = np.bincount(self.cheapest, minlength=len(self.candidates)) / len(self.cheapest)
        return {option.key: float(count) for option, count in zip(self.candidates, counts, strict=True)}

    @cached_property
    def group_share(self) -> dict[Group, float]:
        """Return the share of futures that each group holds, the largest first."""
        shares: dict[Group, float] = {}
        for option in self.candidates:
            shares[option.group] = shares.get(option.group, 0.0) + self.share[option.key]
        return dict(sorted(shares.items(), key=lambda item: -item[1]))

    @property
    def lead(self) -> Group:
        """Return the group that holds most futures."""
        return next(iter(self.group_share))

    @property
    def second(self) -> Group | None:
        """Return the group that holds the second most; None where there is only one."""
        return next((group for group in self.group_share if group != self.lead), None)

    @property
    def lead_share(self) -> float:
        """Return the share of futures that the leading group holds."""
        return self.group_share[self.lead]

    def within(self, group: Group) -> dict[str, float]:
        """Return each option's share of its group's futures, the largest first."""
        total = self.group_share.get(group, 0.0)
        shares = {
            option.key: self.share[option.key] / total if total else 0.0
            for option in self.candidates if option.group == group
        }  # fmt: skip
        return dict(sorted(shares.items(), key=lambda item: -item[1]))

    def named(self, group: Group) -> tuple[str, ...]:
        """Return the option that stands for a group, or the two that share its lead.

        Of owning, the first question is whether to rent the peaks: a mix stands beside one that owns everything only
        where neither holds three fifths.
        """
        shares = self.within(group)
        mixes = [key for key in shares if key in self._mix_keys]
        pure = [key for key in shares if key not in self._mix_keys]
        if mixes and pure and 1 - NAMED < self.mix_share < NAMED:
            first, other = sorted((mixes[0], pure[0]), key=lambda key: -shares[key])
            return first, other
        keys = mixes if mixes and (not pure or self.mix_share >= NAMED) else pure
        first, *rest = keys
        is_alone = not rest or shares[rest[0]] == 0 or shares[first] >= NAMED * sum(shares[key] for key in keys)
        return (first,) if is_alone else (first, rest[0])

    @property
    def _mix_keys(self) -> frozenset[str]:
        return frozenset(option.key for option in self.candidates if option.is_mix and option.group == "own")

    @property
    def mix_share(self) -> float:
        """Return the share that mixes hold of the futures in which owning anything at all is the cheapest."""
        mixes = sum(self.share[key] for key in self._mix_keys)
        owning = self.group_share.get("own", 0.0)
        return mixes / owning if owning else 0.0


def certainty_of(share: float, is_plain_allowed: bool) -> Certainty:
    """Return how firmly an option or a group that is the cheapest in such a share of futures may be stated."""
    share = round(share, 2)
    if share < PROBABLY:
        return "close"
    return "plain" if share >= PLAIN and is_plain_allowed else "probably"


def verdict_shares(
    candidates: Sequence[Candidate], present_usd: NDArray[np.float64], cash_today_usd: NDArray[np.float64]
) -> VerdictShares:
    """Return the table of some options from what they cost, options x futures. [USD]

    Of options that cost the same within 0.1 % the one with less cash on day one counts, then the shorter commitment.
    """
    present_usd = present_usd / np.array([option.work_share for option in candidates])[:, None]
    least = present_usd.min(axis=0)
    tied = present_usd <= least + TIE * np.abs(least)
    cash = np.where(tied, np.round(cash_today_usd, 2), np.inf)
    commitment = np.array([option.commitment for option in candidates])[:, None]
    rank = np.where(cash <= cash.min(axis=0), commitment, np.inf)
    return VerdictShares(tuple(candidates), np.argmin(rank, axis=0))


def turns_at(
    values: NDArray[np.float64], shares: Mapping[Group, NDArray[np.float64]], lead: Group, near: float
) -> float | None:
    """Return the value of an input from which another group holds more futures than the leading one; None if none does.

    `shares` are those of each group at each value, on the same futures. Of several values the nearest to `near` counts.
    """
    others = [share for group, share in shares.items() if group != lead]
    if not others:
        return None
    margin = shares[lead] - np.max(others, axis=0)
    crossed = np.flatnonzero(np.sign(margin[1:]) != np.sign(margin[:-1]))
    if not len(crossed):
        return None
    at = min(crossed, key=lambda place: abs(values[place] + values[place + 1] - 2 * near))
    step = margin[at] / (margin[at] - margin[at + 1])
    return float(values[at] + step * (values[at + 1] - values[at]))
