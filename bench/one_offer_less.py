"""Does one seller decide? Plans without any one seller, or without the newest price: how often the word moves.

The typical price of the plan's order, on demand and for a year, is compared without every seller; the word without the
sellers whose absence moves that price most, and without the newest price.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import product
from typing import NamedTuple

import numpy as np

from planner.money.plan import Plan, plan
from planner.money.renting.orders import busiest_order
from planner.money.verdict.decision import Verdict
from planner.scenario.base import ONE_MACHINE
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.sure_verdict import decided
from pricing import Catalogue, load_catalogue
from pricing.market.band import OrderRequest
from pricing.market.depth import DAY_MONTHS, Purchase
from pricing.market.sellers import chip_age, market_band, sellers

CHIPS = (
    "H100-SXM5-80GB", "H200-SXM-141GB", "B200-SXM-180GB", "B300-SXM-288GB", "A100-SXM4-80GB", "A100-SXM4-40GB",
    "L40S-48GB", "L4-24GB", "RTX-4090-24GB", "RTX-5090-32GB", "RTX-PRO-6000-96GB", "MI300X-192GB",
)  # fmt: skip
COUNTS, BUSY = (1, 8, 32, 64, 256), (0.4, 0.9)
LEAST_SELLERS, TRIED = 4, 2
_TERMS: tuple[tuple[Purchase, float], ...] = (("on_demand", DAY_MONTHS), ("reserved", 12.0))
PLACES: dict[Verdict, int] = {"rent": 0, "probably rent": 1, "close": 2, "probably own": 3, "own": 4}


class WithoutOne(NamedTuple):
    """The word of a plan, the words of the same with less, and how far each seller moves the typical price (log)."""

    word: Verdict
    words: tuple[Verdict, ...]
    price_moves: tuple[float, ...]

    @property
    def steps(self) -> int:
        """Return the most steps that the word moves, from renting for sure to owning for sure."""
        place = PLACES.get(self.word, 4)
        return max((abs(PLACES.get(word, 4) - place) for word in self.words), default=0)


def main() -> Iterator[str]:
    """Each accelerator with the plans whose word moves, and by how much their rent does."""
    catalogue = load_catalogue()
    every = list[WithoutOne]()
    for chip in CHIPS:
        tried = (without_each(catalogue, catalogue.day, chip, *order) for order in product(COUNTS, BUSY))
        rows = [row for row in tried if row is not None]
        every += rows
        yield f"{chip}: {summary(rows)}"
    yield f"all: {summary(every)}"


def summary(rows: list[WithoutOne]) -> str:
    """Return some plans in words."""
    if not rows:
        return "too few sellers"
    one, more = sum(row.steps == 1 for row in rows), sum(row.steps > 1 for row in rows)
    moves = [move for row in rows for move in row.price_moves]
    beyond = float(np.mean(np.array(moves) > 0.08))
    return (
        f"of {len(rows)} plans the word moves by one step in {one}, by more in {more}; without one seller the typical "
        f"price moves {np.median(moves):.1%} in the middle, {max(moves):.1%} at most, by more than 8 % in {beyond:.1%}"
    )


def without_each(catalogue: Catalogue, day: date, chip: str, accelerators: int, busy: float) -> WithoutOne | None:
    """Return a plan with each seller of its chip taken out; None where fewer than four are known."""
    work = {"accelerators": accelerators, "busy_share": busy}
    scenario = Scenario.model_validate({"accelerator": chip, "work": (work,)})
    whole = plan(catalogue, scenario, day)
    names = sorted({seller.name for seller in sellers(catalogue, chip, day)})
    if len(names) < LEAST_SELLERS:
        return None
    before = _typical_usd(whole, catalogue)
    fewer = {name: _without_seller(catalogue, chip, name) for name in names}
    moves = {name: float(np.max(np.abs(np.log(_typical_usd(whole, left) / before)))) for name, left in fewer.items()}
    most = sorted(names, key=lambda name: -moves[name])[:TRIED]
    tried = [*(fewer[name] for name in most), _without_newest(catalogue, chip)]
    words = tuple(decided(plan(left, scenario, day)).answer.verdict for left in tried)
    return WithoutOne(decided(whole).answer.verdict, words, tuple(moves.values()))


def _without_seller(catalogue: Catalogue, chip: str, name: str) -> Catalogue:
    kept = {
        key: offer for key, offer in catalogue.offers.items() if offer.provider != name or offer.accelerator != chip
    }
    return catalogue.model_copy(update={"offers": kept})


def _without_newest(catalogue: Catalogue, chip: str) -> Catalogue:
    """Return the catalogue without the offer of a chip whose price was read last."""
    days = {
        key: offer.usd_per_accelerator_hour.checked
        for key, offer in catalogue.offers.items()
        if offer.accelerator == chip and offer.purchase == "on_demand" and offer.usd_per_accelerator_hour is not None
    }
    newest = max(days, key=lambda key: (days[key], key))
    return catalogue.model_copy(
        update={"offers": {key: offer for key, offer in catalogue.offers.items() if key != newest}}
    )


def _typical_usd(whole: Plan, catalogue: Catalogue) -> np.ndarray:
    """Return the typical price of a plan's order on demand and for a year."""
    setting, order = whole.setting, busiest_order(whole.setting)
    chip = setting.scenario.accelerator
    request = OrderRequest(order.accelerators, DAY_MONTHS, "on_demand", order.together > ONE_MACHINE)
    orders = [replace(request, purchase=name, months=months, age=chip_age(catalogue, chip)) for name, months in _TERMS]
    bands = (market_band(catalogue, chip, setting.day, each, order.stay) for each in orders)
    return np.array([np.nan if band is None else band.typical for band in bands])
