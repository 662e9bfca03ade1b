"""What a commitment is worth: the price of a term over the price on demand, at one seller and across sellers.

ln(term price / on-demand price) = -depth x share(term). The share is 0 at a day, 1 at a year and never falls; the depth
differs between sellers. A seller's own list binds: at a published term its price, between two their discounts in
proportion to the share, never above a shorter term of the same list.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pricing.market.constants import SellerKind, TermKind, constants

DAY_MONTHS = 1 / 30.4
_SAME = 1e-9
_LEAST_DEPTH = 1e-3


class TermPrice(NamedTuple):
    """The price of a term at a seller, whether the seller publishes it, or a shorter and a longer one."""

    usd: float
    is_published: bool
    is_between: bool = False


def term_kind(seller: SellerKind) -> TermKind:
    """Return whose term discounts a kind of seller gives."""
    return "hyperscaler" if seller == "hyperscaler" else "neocloud"


def discount_share(kind: TermKind, months: float) -> float:
    """Return the share of the one-year discount that a term of this length has. [1]"""
    terms = constants().terms
    return float(np.interp(math.log(max(months, DAY_MONTHS)), np.log(terms.knots_months), terms.share[kind]))


def one_year_depth(kind: TermKind, generation: str = "", z: float = 0.0) -> float:
    """Return -ln(one-year price / on-demand price) at a seller `z` standard deviations above the middle one."""
    terms = constants().terms
    factor = terms.generation[kind].get(generation, 0.0) - z * terms.between_sellers[kind]
    return terms.one_year[kind] * math.exp(factor)


def term_ratio(seller: SellerKind, months: float, generation: str = "", z: float = 0.0) -> float:
    """Return the price of a term over the price on demand. [1] A low seller is at z = -1.28, a high one at 1.28."""
    kind = term_kind(seller)
    return math.exp(-one_year_depth(kind, generation, z) * discount_share(kind, months))


def own_term(
    seller: SellerKind,
    months: float,
    published: Mapping[float, float],
    generation: str = "",
    on_demand: float | None = None,
) -> TermPrice:
    """Return the price of a term at a seller whose own prices, by months, bind. [USD]"""
    kind, points = term_kind(seller), dict(published)
    if on_demand:
        points.setdefault(DAY_MONTHS, on_demand)
    terms = np.array(sorted(points))
    usd = np.log([points[term] for term in terms])
    at = np.flatnonzero(np.abs(np.log(months / terms)) < _SAME)
    if len(at):
        return TermPrice(math.exp(usd[at[0]]), True)
    own_depth, here = _own_depth(kind, terms, usd, generation), discount_share(kind, months)
    if months < terms[0]:
        value = usd[0] + own_depth * (discount_share(kind, terms[0]) - here)
    elif months > terms[-1]:
        value = usd[-1] - own_depth * (here - discount_share(kind, terms[-1]))
    else:
        between = np.interp(here, [discount_share(kind, term) for term in terms], usd)
        value = min(float(between), float(usd[terms <= months].min()))
    return TermPrice(math.exp(value), False, bool(terms[0] < months < terms[-1]))


def _own_depth(kind: TermKind, terms: np.ndarray, usd: np.ndarray, generation: str) -> float:
    """Return a seller's own depth where two of its points tell one, drawn toward its kind's."""
    usual = one_year_depth(kind, generation)
    if len(terms) < 2:
        return usual
    shares = discount_share(kind, terms[-1]) - discount_share(kind, terms[0])
    seen = (usd[0] - usd[-1]) / max(shares, 1e-6)
    if seen <= _LEAST_DEPTH:
        return usual
    spread, doubt = constants().terms.between_sellers[kind], constants().terms.own_depth_doubt
    weight = spread**2 / (spread**2 + doubt**2)
    return math.exp(weight * math.log(seen) + (1 - weight) * math.log(usual))
