"""How well does the market know a price that it has not read? Each seller and each contract is held out in turn.

A seller: the catalogue is read without it, and its price is looked for between the 10th and the 90th percentile of what
the others ask for the same order. A contract: the seller keeps its other prices, and the contract is looked for in the
range of what its own list then says. A band holds if 80 % lie in it.
"""

import csv
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from pricing import Catalogue, load_catalogue
from pricing.belief import believed
from pricing.market.band import BAND, Z80, OrderRequest, Seller, list_price, quote_mixture
from pricing.market.depth import DAY_MONTHS, Purchase
from pricing.market.sellers import TERM_MONTHS, chip_age, level, listed, sellers

LEAST_SELLERS, LEAST_OF_CLASS = 2, 3  # of a chip; of a class that a share is stated of
FEW = {1: "one other seller", 2: "two other sellers", **dict.fromkeys((3, 4), "three or four other sellers")}
LEAST_ROWS = 20  # of a class that a share is stated of
MACHINE = 8
Held = Literal["seller", "contract", "contract, no list"]
TERM_POINTS = Path(__file__).parent / "term_points.csv"


class HeldOut(NamedTuple):
    """A price that was held out, and where it lies in the range that the rest gives for it."""

    held: Held
    chip: str
    seller: str
    months: float
    number: int
    is_hyperscaler: bool
    error: float  # log, of the typical price over the real one
    is_inside: bool
    others: int = 0  # sellers of its kind that are left; 0: not counted

    @property
    def others_class(self) -> str:
        """Return how many independent sellers are left to estimate the price from."""
        return FEW.get(self.others, "five other sellers or more")

    @property
    def term_class(self) -> str:
        """Return the class of the length of the commitment."""
        return "on demand" if self.months <= DAY_MONTHS else "bound"

    @property
    def size_class(self) -> str:
        """Return the class of the number."""
        return "one card" if self.number == 1 else "a machine" if self.number <= MACHINE else "several machines"


def main() -> Iterator[str]:
    """One line for each class of order."""
    groups = dict[str, list[HeldOut]]()
    for row in chain(held_out_sellers(load_catalogue()), held_out_contracts()):
        groups.setdefault(row.held, []).append(row)
    for held, rows in groups.items():
        for name, group in classes(rows).items():
            yield f"one {held} held out, {name}: {summary(group)}"


def classes(rows: Iterable[HeldOut]) -> dict[str, list[HeldOut]]:
    """Return the rows together, and by kind of seller, term and number; of classes with few rows or sellers none.

    Terms are not distinguished: each length has rows of few sellers, and the terms of one list err together.
    """
    groups = dict[str, list[HeldOut]]()
    for row in rows:
        kind = "hyperscalers" if row.is_hyperscaler else "others"
        others = (f"{kind}, {row.others_class}",) if row.others and not row.is_hyperscaler else ()
        for name in ("all", kind, f"{kind}, {row.term_class}", f"{kind}, {row.size_class}", *others):
            groups.setdefault(name, []).append(row)
    enough = {name: len(group) >= LEAST_ROWS and len({row.seller for row in group}) >= LEAST_OF_CLASS
              for name, group in groups.items()}  # fmt: skip
    return {name: group for name, group in groups.items() if enough[name]}


def inside(rows: list[HeldOut]) -> float:
    """Return the share of prices that lie in their range."""
    return float(np.mean([row.is_inside for row in rows]))


def median_error(rows: list[HeldOut]) -> float:
    """Return the median of the size of the errors, log."""
    return float(np.median(np.abs([row.error for row in rows])))


def summary(rows: list[HeldOut]) -> str:
    """Return a group in words."""
    bias = float(np.median([row.error for row in rows]))
    of = f"{len(rows)} of {len({row.seller for row in rows})} sellers"
    return f"{inside(rows):.0%} of {of} inside, median error {median_error(rows):.3f}, bias {bias:+.3f}"


def held_out_sellers(catalogue: Catalogue) -> Iterator[HeldOut]:
    """Hold out each seller of a chip, and with it all that its prices say about those of others.

    Its price is followed from the day that it was read by what the market did since. A hyperscaler is looked for among
    hyperscalers: the market lets their list prices count for little.
    """
    for chip, market in _markets(catalogue):
        moved = _moved(catalogue, chip)
        for name in sorted({seller.name for seller in market}):
            others = sellers(_without(catalogue, chip, name), chip, catalogue.day)
            for seller in (one for one in market if one.name == name):
                alike = [one for one in others if (one.kind == "hyperscaler") == (seller.kind == "hyperscaler")]
                count = len({one.name for one in alike})
                for months, usd in _prices(seller):
                    order = _order(catalogue, chip, seller, months)
                    mixture = quote_mixture(alike, order)  # what one seller asks, before any are compared
                    if mixture is not None:
                        quotes = mixture.widened(mixture.below(np.array(BAND)))
                        yield _row("seller", chip, seller, order, usd * moved[name, usd], quotes)._replace(others=count)


def held_out_contracts() -> Iterator[HeldOut]:
    """Hold out each contract: at a seller with other terms of its own, and at one with none.

    They are of 2025 and 2026: the middle, over its chips, of what each of 12 sellers asks for a term over its price on
    demand (406 pairs of this catalogue and of public collections of price lists).
    """
    lists: dict[tuple[str, ...], dict[float, float]] = {}
    with TERM_POINTS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            own = lists.setdefault((row["seller"], row["kind"], row["generation"]), {})
            own[float(row["months"])] = math.exp(float(row["ln_ratio"]))
    for (name, kind, generation), terms in lists.items():
        known = Seller(name, "hyperscaler" if kind == "hyperscaler" else "machine", 0.0, 0.0, 1.0, 0.0, False,
                       generation, list_on_demand=1.0)  # fmt: skip
        for months, ratio in terms.items():
            order = OrderRequest(MACHINE, months, "reserved")
            rest = {term: each for term, each in terms.items() if term != months}
            tries: tuple[tuple[Held, dict[float, float]], ...] = (("contract", rest), ("contract, no list", {}))
            for held, left in tries if rest else tries[1:]:
                price = list_price(replace(known, terms=left), order)
                if price is not None:
                    ends = tuple(math.exp(price[0] + z * price[1]) for z in (-Z80, 0.0, Z80))
                    yield _row(held, generation, known, order, ratio, ends)


def _markets(catalogue: Catalogue) -> Iterator[tuple[str, tuple[Seller, ...]]]:
    for chip in sorted({offer.accelerator for offer in catalogue.offers.values()}):
        market = sellers(catalogue, chip, catalogue.day)
        if len({seller.name for seller in market}) >= LEAST_SELLERS:
            yield chip, market


def _moved(catalogue: Catalogue, chip: str) -> dict[tuple[str, float], float]:
    """Return what the market did since a price was read, by seller and price, as a factor."""
    keys = listed(catalogue, chip, frozenset({"on_demand", *TERM_MONTHS}), catalogue.day)
    prices = believed(catalogue, catalogue.day, keys)
    rows = zip(keys, prices.read_usd.tolist(), prices.moved.tolist(), strict=True)
    return {(catalogue.offers[key].provider, usd): 1 + moved for key, usd, moved in rows}


def _without(catalogue: Catalogue, chip: str, seller: str) -> Catalogue:
    offers = catalogue.offers.items()
    return catalogue.model_copy(
        update={"offers": {key: one for key, one in offers if one.provider != seller or one.accelerator != chip}}
    )


def _prices(seller: Seller) -> Iterator[tuple[float, float]]:
    if seller.list_on_demand is not None:
        yield DAY_MONTHS, seller.list_on_demand
    yield from seller.terms.items()


def _order(catalogue: Catalogue, chip: str, seller: Seller, months: float) -> OrderRequest:
    purchase: Purchase = "on_demand" if months < 1 else "reserved"
    count = max(seller.least_order, 1 if seller.kind in ("host", "pod") else MACHINE)
    age, usual = chip_age(catalogue, chip), level(catalogue, chip)
    return OrderRequest(count, months, purchase, count > MACHINE, age, ln_level=usual)


def _row(held: Held, chip: str, seller: Seller, order: OrderRequest, usd: float, ends: tuple[float, ...]) -> HeldOut:
    low, typical, high = ends
    return HeldOut(
        held, chip, seller.name, order.months, int(order.count), seller.kind == "hyperscaler",
        math.log(typical / usd), low <= usd <= high,
    )  # fmt: skip
