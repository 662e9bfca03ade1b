import pytest

from planner.speed.hardware import MissingAcceleratorDataError
from planner.speed.serving import non_llm_rate, scale_hours, standby_replicas, work_names
from planner.speed.serving.chips import serving_data
from planner.speed.serving.lookup import find_chip
from tests.facts import CATALOGUE

BERT = "BERT-Large (SQuAD)"


def test_every_measured_chip_is_in_the_catalogue() -> None:
    for name in work_names():
        for entry in serving_data().work[name].measured:
            assert find_chip(CATALOGUE, entry.accelerator).name == entry.accelerator


def test_a_measured_chip_gives_what_was_measured() -> None:
    rate = non_llm_rate(CATALOGUE, BERT, find_chip(CATALOGUE, "L4-24GB"), accelerators=2.0)
    assert rate.measured
    assert rate.requests_per_s == pytest.approx(2 * 942, rel=0.02)


@pytest.mark.parametrize(
    ("accelerator", "low", "high"),
    [("CPU-Xeon-8480plus", 600, 800), ("RTX-4090-24GB", 1_500, 6_000), ("H100-SXM5-80GB", 5_000, 14_000)],
)
def test_a_classifier_on_a_processor_a_card_and_a_server(accelerator: str, low: float, high: float) -> None:
    # Published elsewhere: 690 a second on this processor, 8,840 on this server; a card lies between.
    rate = non_llm_rate(CATALOGUE, BERT, find_chip(CATALOGUE, accelerator))
    assert low < rate.requests_per_s < high
    assert rate.low < rate.requests_per_s < rate.high


def test_what_is_carried_over_is_marked_and_less_sure() -> None:
    own = non_llm_rate(CATALOGUE, "SDXL-1.0", find_chip(CATALOGUE, "H200-SXM-141GB"))
    carried = non_llm_rate(CATALOGUE, "SDXL-1.0", find_chip(CATALOGUE, "H100-SXM5-80GB"))
    assert own.measured
    assert not carried.measured
    assert carried.carried_from == "H200-SXM-141GB"
    assert carried.high / carried.low > own.high / own.low


def test_hours_measured_on_one_chip_are_carried_over_by_its_peaks() -> None:
    here = scale_hours(CATALOGUE, hours=10.0, measured_on="A100-SXM4-80GB", wanted="A100-SXM4-80GB")
    faster = scale_hours(CATALOGUE, hours=10.0, measured_on="A100-SXM4-80GB", wanted="H100-SXM5-80GB")
    memory = scale_hours(
        CATALOGUE, hours=10.0, measured_on="A100-SXM4-80GB", wanted="H100-SXM5-80GB", bound="bandwidth"
    )
    assert 1 / here.requests_per_s == pytest.approx(36_000)
    assert faster.requests_per_s / here.requests_per_s == pytest.approx(989.5 / 312)
    assert memory.requests_per_s / here.requests_per_s == pytest.approx(3_350 / 2_039)
    assert here.measured
    assert not faster.measured


def test_an_unknown_chip_is_refused() -> None:
    with pytest.raises(MissingAcceleratorDataError):
        find_chip(CATALOGUE, "Abacus")


def test_a_rise_is_met_by_replicas_that_are_kept_ready() -> None:
    assert standby_replicas(rise_per_minute=6.0, cold_start_s=120.0, requests_per_s=10.0) == 2
