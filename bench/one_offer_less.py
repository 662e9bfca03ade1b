"""Does one old reading decide? Plans without any one offer older than a month: how often the verdict's word moves.

Of each market the six cheapest old offers are taken out, one at a time, where four sellers or more are known.
"""

from collections.abc import Iterator
from datetime import date
from itertools import product
from typing import NamedTuple

import numpy as np

from planner.money.plan import Plan, plan
from planner.money.verdict.decision import Verdict
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.sure_verdict import decided
from pricing import Catalogue, load_catalogue
from pricing.query import AGEING_DAYS

CHIPS = (
    "H100-SXM5-80GB", "H200-SXM-141GB", "B200-SXM-180GB", "B300-SXM-288GB", "A100-SXM4-80GB", "A100-SXM4-40GB",
    "L40S-48GB", "L4-24GB", "RTX-4090-24GB", "RTX-5090-32GB", "RTX-PRO-6000-96GB", "MI300X-192GB",
)  # fmt: skip
COUNTS, BUSY = (1, 8, 32), (0.1, 0.5, 0.9)
SELLERS, TAKEN_OUT = 4, 6


def main() -> Iterator[str]:
    """Each accelerator with the plans whose word moves, and by how much their rent does."""
    catalogue = load_catalogue()
    plans, moved, changes = 0, 0, list[float]()
    for chip in CHIPS:
        told = [without_each(catalogue, catalogue.day, chip, *one) for one in product(COUNTS, BUSY)]
        asked = [one for one in told if one is not None]
        plans += len(asked)
        flips = sum(one.verdict_changes for one in asked)
        moved += flips
        changes += [change for one in asked for change in one.price_moves]
        yield f"{chip}: {flips} of {len(asked)} plans"
    middle, tenth = np.quantile(changes, (0.5, 0.9))
    yield (
        f"the word moves in {moved} of {plans} plans; without one offer the price moves {middle:.1%} in the middle, "
        f"{tenth:.1%} in one case of ten, {max(changes):.0%} at most"
    )


class LeaveOneOutVerdict(NamedTuple):
    """The word of a plan, the words of the same without one offer each, and how far the price moves (log)."""

    word: Verdict
    words: tuple[Verdict, ...]
    price_moves: tuple[float, ...]

    @property
    def verdict_changes(self) -> bool:
        """Return whether any one old offer decides the word."""
        return any(word != self.word for word in self.words)


def without_each(
    catalogue: Catalogue, day: date, chip: str, accelerators: int, busy: float
) -> LeaveOneOutVerdict | None:
    """A plan with each of its market's cheapest old offers taken out; None where fewer than four sellers are known."""
    work = {"accelerators": accelerators, "busy_share": busy}
    scenario = Scenario.model_validate({"accelerator": chip, "work": (work,)})
    made = plan(catalogue, scenario, day)
    old = _old(made)
    if old is None:
        return None
    words, moves = [], []
    for key in old:
        left = {name: offer for name, offer in catalogue.offers.items() if name != key}
        there = plan(catalogue.model_copy(update={"offers": left}), scenario, day)
        words.append(decided(there).answer.verdict)
        moves.append(abs(float(np.log(_usd(there) / _usd(made)))))
    return LeaveOneOutVerdict(decided(made).answer.verdict, tuple(words), tuple(moves))


def _old(made: Plan) -> list[str] | None:
    """The cheapest old offers on demand of a plan's market; None where fewer than four sellers are known."""
    prices, offers = made.setting.offers.prices, made.setting.catalogue.offers
    if prices is None or made.setting.offers.on_demand is None:
        return None
    known = [key for key in prices.keys if offers[key].purchase == "on_demand" and np.isfinite(prices.of(key).typical)]
    if len({offers[key].provider for key in known}) < SELLERS:
        return None
    old = [key for key in known if prices.of(key).age_days > AGEING_DAYS]
    return sorted(old, key=lambda key: prices.of(key).typical)[:TAKEN_OUT]


def _usd(made: Plan) -> float:
    taken = made.setting.offers
    assert taken.prices is not None
    return taken.prices.of(taken.on_demand or "").typical
