"""What the market says of a price that it has not read: each seller and each contract held out in turn."""

import numpy as np
import pytest

from bench.market_held_out import HeldOut, held_out_contracts, held_out_sellers, inside, median_error
from pricing import load_catalogue

pytestmark = pytest.mark.slow
ENOUGH = 20  # rows of a class from which its share is judged


def by_class(rows: list[HeldOut]) -> dict[str, list[HeldOut]]:
    groups = dict[str, list[HeldOut]]()
    for row in rows:
        for name in ("all", row.term_class, row.size_class):
            groups.setdefault(name, []).append(row)
    return {name: group for name, group in groups.items() if len(group) >= ENOUGH}


def test_a_seller_that_is_held_out_lies_in_the_range_of_the_others() -> None:
    groups = by_class(list(held_out_sellers(load_catalogue())))
    assert set(groups) >= {"all", "on demand", "a year and more", "one card", "a machine"}
    shares = {name: inside(group) for name, group in groups.items()}
    assert 0.75 <= shares.pop("all") <= 0.85
    assert 0.75 <= shares.pop("on demand") <= 0.85
    assert 0.75 <= shares.pop("a machine") <= 0.85
    assert min(shares.values()) >= 0.70, shares  # one card: hosts of others ask less than anybody
    assert median_error(groups["all"]) <= 0.23
    assert abs(np.median([row.error for row in groups["all"]])) <= 0.05


def test_a_contract_that_is_held_out_lies_in_the_range_of_its_own_list() -> None:
    rows = list(held_out_contracts(load_catalogue()))
    groups = by_class(rows)
    assert all(0.75 <= inside(groups[name]) <= 0.85 for name in ("all", "a machine"))
    for is_hyperscaler, most in ((True, 0.08), (False, 0.025)):
        group = [row for row in rows if row.is_hyperscaler == is_hyperscaler]
        assert 0.75 <= inside(group) <= 0.85
        assert median_error(group) <= most
