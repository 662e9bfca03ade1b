from dataclasses import replace
from datetime import date

import pytest

from planner.speed.serving.case_of import ServingSetup, rate_traits
from planner.speed.serving.cases import ServingTraits, serving_rates
from planner.speed.serving.chips import serving_data
from planner.speed.serving.lookup import find_chip, find_period, find_shape
from tests.facts import CATALOGUE
from tests.speed.serving.helpers import IDEAL

MIXTURE, DENSE, LATENT = "gpt-oss-120b", "llama-3.1-8b", "deepseek-r1"


def of(model: str, chip: str, precision: str, engine: str = "sglang", on: date = date(2026, 5, 1)) -> ServingTraits:
    """What changes the rates of that model on that chip."""
    found = find_shape(CATALOGUE, model)
    return rate_traits(
        ServingSetup(found.shape, find_chip(CATALOGUE, chip), engine, find_period(engine, on), precision, 2.0), group=1
    )


def test_small_kernels_of_mixtures_take_longer_on_cdna3_only() -> None:
    slow = serving_rates(
        replace(IDEAL, layer_us=50.0, moe_layer_us=50.0, cdna3_experts=3.0), of(LATENT, "mi300x", "fp8")
    )
    assert (slow.layer_s, slow.moe_layer_s) == pytest.approx((150e-6, 150e-6))
    assert of(LATENT, "mi355x", "fp8").cdna3_experts == of(DENSE, "mi300x", "fp8").cdna3_experts == 0


def test_latent_attention_takes_less_on_blackwell_servers() -> None:
    assert of(LATENT, "b200", "fp8").latent_blackwell == 1
    assert of(LATENT, "h200", "fp8").latent_blackwell == of(MIXTURE, "b200", "fp8").latent_blackwell == 0


def test_experts_of_four_bits_have_their_own_kernels_where_the_chip_computes_in_them() -> None:
    assert of(MIXTURE, "b200", "mxfp4").mxfp4_experts == 1
    for other in (of(MIXTURE, "h200", "mxfp4"), of(LATENT, "b200", "fp4"), of(MIXTURE, "b200", "bf16")):
        assert other.mxfp4_experts == 0


def test_engines_need_time_for_new_chips() -> None:
    # InferenceX, DeepSeek-R1: the same machines are 1.3 to 2.4 times as fast with the builds of 2026 as in 2025.
    assert of(LATENT, "mi355x", "fp8", on=date(2025, 11, 1)).young_experts == 1
    assert of(LATENT, "mi355x", "fp8", on=date(2026, 2, 1)).young_experts == 0
    assert of(LATENT, "h200", "fp8", on=date(2025, 11, 1)).young_experts == 0
    assert of(DENSE, "b200", "fp8", on=date(2025, 11, 1)).young_experts == 0
    assert of(MIXTURE, "b200", "mxfp4", "vllm", date(2025, 11, 1)).young_experts == 0  # those came tuned


def test_four_bits_reach_less_of_their_peak_on_every_server_chip() -> None:
    assert of(DENSE, "mi355x", "fp4").fp4_stacked == of(DENSE, "b200", "fp4").fp4_stacked == 1
    assert of(DENSE, "rtx pro 6000", "fp4").fp4_stacked == of(DENSE, "h200", "fp8").fp4_stacked == 0


def test_a_card_of_fewer_watts_computes_less_of_its_peak() -> None:
    full, card = of(DENSE, "h100 sxm", "fp8"), of(DENSE, "H100-NVL-94GB", "fp8")
    assert full.power_share == 1
    assert card.power_share == pytest.approx(400 / 700 * 989.5 / 835.5, rel=0.01)
    halved = serving_rates(replace(IDEAL, power=0.5), card).flops_share
    assert halved == pytest.approx(float(card.power_share) ** 0.5)


def test_eight_bit_integers_run_at_their_own_rate() -> None:
    chip = find_chip(CATALOGUE, "a100 sxm 80gb")
    assert chip.flops("int8") == 2 * chip.flops("bf16")
    assert chip.flops("int4") == chip.flops("bf16")


def test_what_is_left_out_of_the_fit_says_why() -> None:
    for one in serving_data().left_out:
        assert one.why
        assert len(set(one.runs)) == len(one.runs)
