"""Cards of less power under a name that differs by a word: Max-Q and laptop names lead to no card of more power."""

import itertools
import re

import pytest

from planner.speed.match_model import match_accelerator
from pricing.catalogue import Catalogue
from pricing.errors import UnknownNameError
from pricing.feeds.machines import find_accelerator_any_memory, table
from pricing.figure import Figure
from pricing.names import accelerator


def typical(figure: Figure | None) -> float:
    return figure.newest.typical


# What a card of less power than the one of the same name is called.
WORDS = ("Max-Q", "MaxQ", "max q", "Laptop GPU", "Laptop", "Mobile")


def kind_of_power(name: str) -> str | None:
    """`maxq`, `laptop`, `mobile`, or None for the card of full power."""
    result = re.search(r"max[ -]?q(?![a-z0-9])|laptop|mobile", name, re.IGNORECASE)
    return re.sub("[ -]", "", result[0].casefold()) if result else None


def test_a_max_q_or_laptop_name_leads_to_no_card_of_more_power(catalogue: Catalogue) -> None:
    chips = catalogue.accelerators
    names = [(row["called"], row["accelerator"]) for row in table("boards")]
    names += [(alias, key) for key, chip in chips.items() for alias in (key, chip.label, *chip.aliases)]
    offers = catalogue.offers.items()
    names += [(f"{key} {one.sku} {_locators(one.usd_per_accelerator_hour)}", one.accelerator) for key, one in offers]
    wrong = [
        (name, key)
        for name, key in names
        if key in chips and kind_of_power(name) is not None and kind_of_power(name) != kind_of_power(chips[key].label)
    ]
    assert wrong == []
    assert sum(kind_of_power(name) is not None for name, _ in names) >= 6


def _locators(figure: Figure | None) -> str:
    return " ".join(str(value.locator) for value in figure.values.values()) if figure else ""


def check_word(catalogue: Catalogue, name: str, word: str) -> None:
    try:
        match = match_accelerator(catalogue, f"{name} {word}")
    except UnknownNameError:
        return
    assert kind_of_power(catalogue.accelerators[match].label) == kind_of_power(word), (name, word, match)


@pytest.mark.slow
def test_a_word_for_less_power_is_never_dropped_from_a_name(catalogue: Catalogue) -> None:
    """Every second spelling with one of the words in turn."""
    chips = catalogue.accelerators.items()
    names = [name for key, chip in chips for name in (key, chip.label, *chip.aliases)][::2]
    for name, word in zip(names, itertools.cycle(WORDS), strict=False):
        check_word(catalogue, name, word)


@pytest.mark.parametrize(("seller", "called"), [
    ("runpod", "RTX PRO 6000 MaxQ"), ("runpod", "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition"),
    ("gpurentalprices", "rtx-pro-6000-maxq"), ("vast", "RTX PRO 6000 Max-Q"),
    ("lium", "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition"),
])  # fmt: skip
def test_sellers_names_of_the_max_q_card_lead_to_it(catalogue: Catalogue, seller: str, called: str) -> None:
    known = find_accelerator_any_memory(seller, called)
    found = known.accelerator if known else accelerator(catalogue, called)
    assert found == "RTX-PRO-6000-Max-Q-96GB"
    chip = catalogue.accelerators[found]
    assert typical(chip.tdp_w) == 300
    # NVIDIA's data sheet: 110 TFLOPS, and 3,511 trillion operations in FP4 with sparsity
    assert typical(chip.fp32_tflops) == 110
    assert typical(chip.fp4_dense_tflops) == pytest.approx(3511 / 2)
    assert typical(chip.bf16_dense_tflops) == pytest.approx(3511 / 8, abs=0.1)
