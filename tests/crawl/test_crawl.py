"""One measure has one value wherever it stands: on every page and tab, in every box, file and verb."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from bench.one_comparison import random_scenario
from planner.scenario.presets import find_preset, load_presets
from planner.scenario.rent import CurrentBill
from planner.scenario.scenario import Scenario
from tests.crawl.walk import MARKET, VIEWS, View, crawl
from tests.daily import of_today


def checked(scenario: Scenario, folder: Path, capsys: pytest.CaptureFixture[str], views: Sequence[View]) -> int:
    """Return how many figures stand beside another of their name, none of them different."""
    figures = crawl(scenario, folder, lambda: capsys.readouterr().out, views)
    assert not figures.differences(), "\n".join(figures.differences())
    with capsys.disabled():
        print(f"\n{figures.compared:,} figures compared")
    return figures.compared


KEYS = [preset.key for preset in load_presets()]


def example(key: str) -> Scenario:
    preset = find_preset(key)
    assert preset is not None
    return preset.scenario


@pytest.mark.slow
@pytest.mark.parametrize("key", of_today(KEYS, 2))
def test_every_figure_of_an_example_has_one_value(key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(example(key), tmp_path, capsys, VIEWS) > 700


PLANS, AT_ONCE, TRAINED = 8, 4, 7  # random plans; tabs that each opens, in turn; every seventh trains a model
TABS = [view for view in VIEWS if view != MARKET]
SITES = ("US", "US", "DE", "NO")


def random_plan(number: int) -> Scenario:
    """A plan as people ask for it: hours, or one training, of some GPU, number, use, length, place and growth."""
    rng = Random(number)
    if number % TRAINED:
        bill = CurrentBill(usd_per_month=20_000) if number % TRAINED == 3 else None
        return random_scenario(rng).model_copy(update={"site": rng.choice(SITES), "bill": bill})
    task = {"model": rng.choice(("Llama-3.1-8B", "Llama-3.3-70B")), "tokens": rng.choice((1e9, 1e11)),
            "method": rng.choice(("full", "lora"))}  # fmt: skip
    return Scenario.model_validate({
        "accelerator": rng.choice(("H100-SXM5-80GB", "A100-SXM4-80GB", "MI300X-192GB")), "site": rng.choice(SITES),
        "years": rng.choice((0.5, 1.0, 3.0)), "work": ({"accelerators": rng.choice((8, 16, 64)), "train": task},),
    })  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("number", range(PLANS))
def test_every_figure_of_any_plan_has_one_value(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = number * AT_ONCE
    views = [TABS[(first + step) % len(TABS)] for step in range(AT_ONCE)]
    assert checked(random_plan(number), tmp_path, capsys, views) > 200
