"""What hardware costs to buy, new and used, and what is left of its price, as it stands in the data."""

import numpy as np
import pytest

from pricing.catalogue import Catalogue
from pricing.figure import Figure
from tests.frozen import live_catalogue


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return live_catalogue()


def typical(figure: Figure | None) -> float:
    assert figure is not None
    return figure.newest.typical


def test_most_accelerators_have_a_price_or_the_word_that_nobody_sells_them(catalogue: Catalogue) -> None:
    chips = catalogue.accelerators
    assert sum(chip.price_usd is not None for chip in chips.values()) >= 120
    assert sum(chip.price_usd is not None or chip.rent_only for chip in chips.values()) >= 135


def test_what_is_sold_whole_says_so(catalogue: Catalogue) -> None:
    whole = {key for key, chip in catalogue.accelerators.items() if chip.whole_machine}
    assert {"DGX-Spark-GB10-128GB", "Apple-M3-Ultra-60c", "Ryzen-AI-Max-395-128GB"} <= whole
    assert {key for key, chip in catalogue.accelerators.items() if chip.kind == "apple"} <= whole


# What cards cost in 2025 and 2026 over their price at launch, at least and at most: docs/decisions/0035.
ENDS_OF_LAUNCH = {"0.7 and 1.9 times": (0.7, 1.9), "0.9 and 1.7 times": (0.9, 1.7), "0.35 and 1.15 times": (0.35, 1.15)}


def test_a_launch_price_that_nobody_renewed_has_the_ends_of_its_like(catalogue: Catalogue) -> None:
    seen = 0
    for key, chip in catalogue.accelerators.items():
        newest = None if chip.price_usd is None else chip.price_usd.newest
        told = [ends for words, ends in ENDS_OF_LAUNCH.items() if newest and words in (newest.note or "")]
        for low, high in told:
            assert newest is not None
            seen += 1
            assert newest.low == pytest.approx(low * newest.typical, rel=0.01), key
            assert newest.high == pytest.approx(high * newest.typical, rel=0.01), key
    assert seen >= 25


@pytest.mark.parametrize(("cards", "low", "high"), [
    (("RTX-3070-8GB", "RTX-3090-24GB", "RTX-4060-Ti-16GB", "RTX-4080-SUPER-16GB", "RTX-4090-24GB",
      "RTX-5070-Ti-16GB", "RTX-5080-16GB", "RTX-5090-32GB"), 0.7, 1.9),
    (("RTX-2000E-Ada-16GB", "RTX-4000-Ada-20GB", "RTX-5000-Ada-32GB", "RTX-6000-Ada-48GB",
      "RTX-PRO-6000-96GB"), 0.9, 1.7),
    (("T4-16GB", "A100-PCIe-40GB"), 0.35, 1.15),
])  # fmt: skip
def test_the_ends_of_launch_prices_are_what_others_cost(
    catalogue: Catalogue, cards: tuple[str, ...], low: float, high: float
) -> None:
    for key in cards:
        figure = catalogue.accelerators[key].price_usd
        assert figure is not None
        first = figure.values[min(figure.values)].typical
        assert low <= typical(figure) / first <= high, key


# List prices of 2019 beside used prices of 2026.
OUT_OF_STEP = {"DGX-1-V100-32GB"}


def test_a_server_costs_about_what_its_accelerators_cost(catalogue: Catalogue) -> None:
    compared = 0
    for key, server in catalogue.servers.items():
        chip = catalogue.accelerators[server.accelerator]
        if server.price_usd is None or chip.price_usd is None or key in OUT_OF_STEP:
            continue
        compared += 1
        assert 0.5 <= typical(server.price_usd) / server.accelerators / typical(chip.price_usd) <= 4, key
    assert compared >= 12


def test_no_server_costs_less_than_its_accelerators_unless_it_says_why(catalogue: Catalogue) -> None:
    below = set()
    for key, server in catalogue.servers.items():
        chip = catalogue.accelerators[server.accelerator]
        if server.price_usd is not None and chip.price_usd is not None:
            parts = server.accelerators * typical(chip.price_usd)
            if typical(server.price_usd) < 0.999 * parts:  # where one is a share of the other, the share is rounded
                below.add(key)
    assert below == {key for key, server in catalogue.servers.items() if server.cheaper_than_parts is not None}


def test_residual_curves_fall_and_keep_their_order(catalogue: Catalogue) -> None:
    assert {"owned-residual", "spotwire-h100-pcie", "glri-h100-sxm5"} <= set(catalogue.residuals)
    for key, curve in catalogue.residuals.items():
        low, high = curve.low or curve.typical, curve.high or curve.typical
        assert all(a <= b <= c for a, b, c in zip(low, curve.typical, high, strict=True)), key
        for shares in (low, curve.typical, high):
            assert list(shares) == sorted(shares, reverse=True), key


def test_each_kind_of_what_is_sold_used_has_one_curve(catalogue: Catalogue) -> None:
    told = [curve.used_market for curve in catalogue.residuals.values() if curve.used_market is not None]
    assert sorted(told) == ["board", "card", "consumer", "mac"]
    kinds = {key: chip.used_market for key, chip in catalogue.accelerators.items()}
    assert (kinds["H100-SXM5-80GB"], kinds["H100-PCIe-80GB"], kinds["RTX-A6000-48GB"]) == ("board", "card", "card")
    assert (kinds["RTX-4090-24GB"], kinds["Apple-M2-Ultra-76c"], kinds["GB200-NVL72-186GB"]) == (
        "consumer", "mac", "board"
    )  # fmt: skip
    assert (kinds["TPU-v5e"], kinds["DGX-Spark-GB10-128GB"], kinds["CPU-EPYC-9654"]) == (None, None, None)


def test_curves_hold_what_was_paid_for_used_ones_lately(catalogue: Catalogue) -> None:
    """Above the launch price counts as all of it: no curve says that a machine gains."""
    curves = {curve.used_market: curve for curve in catalogue.residuals.values() if curve.used_market is not None}
    held: dict[str, int] = {}
    for key, sale in catalogue.used_prices.items():
        chip = catalogue.accelerators.get(sale.accelerator)
        if chip is None or not sale.basis.startswith("used") or sale.on < "2025" or sale.age_months is None:
            continue
        curve = curves.get(chip.used_market)
        if curve is None or sale.age_months > curve.age_months[-1]:
            continue
        assert curve.low is not None
        assert curve.high is not None
        assert sale.share_of_launch_price is not None
        low, high = (np.interp(sale.age_months, curve.age_months, ends) for ends in (curve.low, curve.high))
        assert low <= min(sale.share_of_launch_price, high if sale.share_of_launch_price > 1 else 1) <= high, key
        held[str(chip.used_market)] = held.get(str(chip.used_market), 0) + 1
    assert held == {"board": 2, "card": 1, "consumer": 6, "mac": 1}


def test_used_prices_say_the_share_they_imply(catalogue: Catalogue) -> None:
    assert len(catalogue.used_prices) >= 35
    for key, sale in catalogue.used_prices.items():
        if sale.price_usd and sale.launch_price_usd and sale.share_of_launch_price:
            assert sale.price_usd / sale.launch_price_usd == pytest.approx(sale.share_of_launch_price, abs=0.001), key
