"""What the market says of a price that it has not read: each seller and each contract held out in turn."""

import numpy as np
import pytest

from bench.market_held_out import HeldOut, classes, held_out_contracts, held_out_sellers, inside, median_error
from pricing import load_catalogue

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def rows() -> dict[str, list[HeldOut]]:
    groups = dict[str, list[HeldOut]]()
    for row in (*held_out_sellers(load_catalogue()), *held_out_contracts()):
        groups.setdefault(row.held, []).append(row)
    return groups


@pytest.mark.parametrize(
    ("held", "most", "named"),
    [
        (
            "seller",
            0.23,
            {
                "all",
                "others, on demand",
                "others, one card",
                "others, a machine",
                "hyperscalers",
                "others, one other seller",
                "others, three or four other sellers",
            },
        ),
        ("contract", 0.03, {"all", "others, bound", "hyperscalers, bound"}),
        ("contract, no list", 0.11, {"all", "others, bound", "hyperscalers, bound"}),
    ],
)
def test_eight_of_ten_prices_that_are_held_out_lie_in_their_range(
    rows: dict[str, list[HeldOut]], held: str, most: float, named: set[str]
) -> None:
    """In every class of term and number that has enough rows, of several sellers."""
    groups = classes(rows[held])
    assert set(groups) >= named
    shares = {name: inside(group) for name, group in groups.items()}
    assert all(0.75 <= share <= 0.85 for share in shares.values()), shares
    assert median_error(groups["all"]) <= most
    assert abs(np.median([row.error for row in groups["all"]])) <= 0.03
