"""The calendar alone moves no answer: the same facts on sixty days in a row."""

from datetime import date, timedelta

import numpy as np
import pytest

from planner.money.measures import present_usd
from planner.money.plan import plan
from planner.money.verdict.answer import build_answer
from planner.money.ways import WAYS
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.study.plan_any import chosen
from tests.facts import CATALOGUE

FIRST = date(2026, 11, 22)
A_NIGHT, IN_ALL = 0.05, 0.15
# Prices that were read 43, 125 and 182 days ago, at neoclouds, markets and hyperscalers.
CHIPS = ("H100-SXM5-80GB", "B200-SXM-180GB", "A100-SXM4-40GB", "L40S-48GB", "RTX-4090-24GB", "MI300X-192GB")


def days_of(scenario: Scenario, every: int) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], set[str | None]]:
    """What renting on demand costs on each of some days, and which sides are said to be best."""
    usd, best = [], set()
    for day in range(0, 61, every):
        made = plan(CATALOGUE, scenario, FIRST + timedelta(days=day))
        rented = made.option("on_demand")
        usd.append(float("nan") if rented is None else float(present_usd(made.setting, rented.ledger)))
        answer = build_answer(made)
        if answer.verdict != "close":
            best.add(None if answer.best is None else WAYS[answer.best.option.way].side)
    return np.array(usd), best


def hold_still(scenario: Scenario, every: int) -> None:
    usd, best = days_of(scenario, every)
    assert len(best) <= 1
    moves = np.log(usd)
    assert np.isfinite(moves).all()
    assert np.ptp(moves) <= np.log(1 + IN_ALL)
    assert np.abs(np.diff(moves)).max() <= np.log(1 + A_NIGHT) * every


def asked(chip: str, accelerators: int, busy: float = 0.6) -> Scenario:
    return Scenario.model_validate({"accelerator": chip, "work": ({"accelerators": accelerators, "busy_share": busy},)})


@pytest.mark.parametrize("chip", CHIPS[:3])
def test_weeks_later_the_same_facts_say_the_same(chip: str) -> None:
    hold_still(asked(chip, 8), 20)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chip", "accelerators"), [*((chip, 8) for chip in CHIPS), *zip(CHIPS[::2], (1, 32, 1), strict=True)]
)
def test_no_night_moves_a_rent_or_an_answer(chip: str, accelerators: int) -> None:
    hold_still(asked(chip, accelerators), 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "preset", [preset for preset in load_presets() if preset.key != "chat-service"], ids=lambda one: one.key
)
def test_no_night_moves_a_preset(preset: object) -> None:
    scenario = preset.scenario  # type: ignore[attr-defined]
    hold_still(chosen(CATALOGUE, scenario, FIRST), 5)
