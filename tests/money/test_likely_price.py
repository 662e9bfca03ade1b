"""What an accelerator is likely to cost: every known price is foretold from the others, and the range holds most."""

from typing import Any

import numpy as np
import pytest

from planner.money.owning.likely_price import estimated_price, known_prices, leave_one_out_errors
from pricing import Catalogue, load_catalogue
from pricing.figure import Figure
from tests.frozen import live_catalogue


@pytest.mark.parametrize("facts", [load_catalogue, live_catalogue])
def test_known_prices_are_foretold_from_the_others(facts: Any) -> None:
    known = known_prices(facts())
    assert len(known) >= 30
    away = np.abs(np.log(leave_one_out_errors(known)))
    assert np.exp(np.median(away)) < 1.5
    assert np.exp(np.quantile(away, 0.8)) < 2.2


@pytest.mark.parametrize("facts", [load_catalogue, live_catalogue])
def test_ranges_lie_around_their_middle(facts: Any) -> None:
    there = facts()
    priced = {price.accelerator for price in known_prices(there)}
    found = [estimated_price(there, key) for key in there.accelerators if key not in priced]
    told = [one for one in found if one is not None]
    assert len(told) >= 5
    assert all(0 < one.low < one.typical < one.high for one in told)
    assert all(f"{one.others} others" in one.note for one in told)


def test_what_nobody_sells_and_what_nobody_knows_has_none() -> None:
    facts = load_catalogue()
    assert estimated_price(facts, "TPU-v5e") is None
    assert estimated_price(facts, "A16-16GB") is None
    assert estimated_price(facts, "no such thing") is None
    few = facts.model_copy(update={"accelerators": {"T4-16GB": facts.accelerators["T4-16GB"]}})
    assert estimated_price(few, "T4-16GB") is None


def _times(facts: Catalogue, factor: float) -> Catalogue:
    def dearer(figure: Figure | None) -> Figure | None:
        if figure is None:
            return None
        values = {
            day: value.model_copy(update={"typical": value.typical * factor, "low": None, "high": None})
            for day, value in figure.values.items()
        }
        return Figure(unit=figure.unit, checked=figure.checked, values=values)

    chips = {
        key: accelerator.model_copy(update={"price_usd": dearer(accelerator.price_usd)})
        for key, accelerator in facts.accelerators.items()
    }
    return facts.model_copy(update={"accelerators": chips})


def test_where_all_prices_are_twice_as_high_so_is_what_is_likely() -> None:
    facts = load_catalogue()
    once, twice = estimated_price(facts, "T4-16GB"), estimated_price(_times(facts, 2.0), "T4-16GB")
    assert twice.typical == pytest.approx(2 * once.typical, rel=0.05)  # both are rounded


def test_one_price_out_of_all_reason_moves_little() -> None:
    facts = load_catalogue()
    mad = facts.accelerators["A10-24GB"]
    value = mad.price_usd.newest.model_copy(update={"typical": 28.0, "low": None, "high": None})
    figure = Figure(unit="USD", checked=mad.price_usd.checked, values={mad.price_usd.since: value})
    chips = {**facts.accelerators, "A10-24GB": mad.model_copy(update={"price_usd": figure})}
    there = facts.model_copy(update={"accelerators": chips})
    one, other = estimated_price(facts, "T4-16GB"), estimated_price(there, "T4-16GB")
    assert other.typical == pytest.approx(one.typical, rel=0.3)
