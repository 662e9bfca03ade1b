"""Which chips a plan or a study proposes to those who name none: what can be had and is served by its software."""

from typing import Any

import pytest

from planner.scenario.scenario import Scenario
from planner.study.market.hours_needed import is_usual
from planner.study.market.survey import market
from planner.study.plan_any import chosen, planned
from planner.study.uncertainty.sure_verdict import decided
from tests.frozen import live_catalogue
from tests.rows import each_row

CATALOGUE = live_catalogue()
DAY = CATALOGUE.day


def asked(**work: Any) -> Scenario:
    return Scenario.model_validate({"accelerator": "any", "work": (work,)})


def test_no_chip_is_proposed_that_is_old_unknown_or_a_desktop() -> None:
    chips = CATALOGUE.accelerators
    usual = {key for key, chip in chips.items() if is_usual(chip, trains=True)}
    assert {"H100-SXM5-80GB", "A100-SXM4-80GB", "RTX-4090-24GB", "MI300X-192GB", "L40S-48GB"} <= usual
    old = {"V100-SXM2-16GB", "V100-PCIe-32GB", "P100-PCIe-16GB", "P40-24GB", "T4-16GB", "RTX-2080-Ti-11GB"}
    desktops = {"Apple-M3-Ultra-512GB", "Ryzen-AI-Max-395-128GB", "DGX-Spark-GB10-128GB", "CPU-EPYC-9654"}
    assert not usual & (old | desktops)
    assert is_usual(chips["T4-16GB"], trains=False)


@each_row(("model", "requests_per_s"), [("Llama-3.1-405B", 1.0), ("DeepSeek-R1", 2.0), ("Llama-3.3-70B", 1.0)])
@pytest.mark.slow
def test_a_service_of_any_chip_runs_on_one_that_is_rented(model: str, requests_per_s: float) -> None:
    plan = planned(CATALOGUE, asked(serve={"model": model, "requests_per_s": requests_per_s}), DAY)
    chip = CATALOGUE.accelerators[plan.setting.scenario.accelerator]
    assert chip.hardware_class in ("sxm", "pcie", "workstation")  # such cards are rented by the hour, too
    assert plan.option("on_demand") is not None
    assert plan.setting.demand.all.peak_accelerators <= 16


@pytest.mark.slow
def test_a_small_run_on_any_chip_is_rented_for_the_price_of_a_meal() -> None:
    plan = planned(CATALOGUE, asked(train={"model": "ResNet-50", "images": 1e8}), DAY)
    best = decided(plan, 128).answer.ranked[0]
    assert best.option.way in ("on_demand", "spot")
    assert best.present_usd < 100


def test_a_chip_that_is_named_is_taken_whatever_it_is() -> None:
    scenario = Scenario.model_validate({"accelerator": "V100-SXM2-16GB", "work": ({"accelerators": 8},)})
    assert chosen(CATALOGUE, scenario, DAY).accelerator == "V100-SXM2-16GB"
    train = {"model": "Llama-3-8B", "method": "lora", "tokens": 1e8}
    old = Scenario.model_validate({"accelerator": "V100-SXM2-32GB", "work": ({"train": train},)})
    tried = {candidate.accelerator for candidate in market(CATALOGUE, old, DAY, counts=(1,)).candidates}
    assert {"V100-SXM2-32GB", "H100-SXM5-80GB"} <= tried
    assert not tried & {"V100-SXM2-16GB", "P40-24GB"}


@pytest.mark.slow
def test_a_day_saved_has_a_value_that_one_can_enter() -> None:
    def days(**terms: float) -> float:
        train = {"model": "Llama-3-8B", "tokens": 1e11}
        scenario = Scenario.model_validate({"accelerator": "any", "work": ({"train": train},), "terms": terms})
        best = market(CATALOGUE, scenario, DAY).best
        assert best is not None
        return best.speed

    assert days(usd_per_day_saved=20_000.0) < days() <= days(usd_per_day_saved=0.0)


def test_every_memory_is_known() -> None:
    assert [key for key, chip in CATALOGUE.accelerators.items() if chip.memory_gb is None] == []
    assert CATALOGUE.accelerators["Apple-M4-Pro-16c"].memory_gb.newest.typical == pytest.approx(64)
    serve = {"model": "Llama-3.1-405B", "requests_per_s": 0.01}
    mac = Scenario.model_validate({"accelerator": "Apple-M4-Pro-16c", "work": ({"serve": serve},)})
    plan = planned(CATALOGUE, mac, DAY)
    assert plan.setting.resolved.serves_own_weights is False
    assert plan.setting.demand.all.peak_accelerators >= 4 or plan.setting.resolved.problems
