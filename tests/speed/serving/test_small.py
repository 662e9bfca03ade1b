"""Whether a service needs a GPU: what processors, and what is there, carry of it."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from planner.money.plan import plan
from planner.report.answer.feasibility import (
    cpu_rule_text,
    cpu_sentences,
    cpu_sufficient_for_peak,
    cpu_sufficient_sentences,
)
from planner.scenario.jobs import ServingJob
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask
from planner.scenario.work import Work
from planner.speed.hardware import MissingAcceleratorDataError
from planner.speed.serving import (
    cpu_feasibility,
    max_model_size,
    non_llm_rate,
    scale_hours,
    serve,
    standby_replicas,
)
from planner.speed.serving.case_of import ServingSetup, rate_traits
from planner.speed.serving.cases import ServingTraits, serving_rates
from planner.speed.serving.chips import serving_data
from planner.speed.serving.cpu_sized import max_params_b
from planner.speed.serving.lookup import find_chip, find_period, find_shape
from tests.facts import CATALOGUE
from tests.speed.serving.helpers import IDEAL


def job(model: str, peak: float, **more: float | int) -> ServingJob:
    """A service on some GPU, which does not matter here."""
    return ServingJob(model=model, accelerator="H100-SXM5-80GB", peak_requests_per_s=peak, **more)  # type: ignore[arg-type]


def test_a_few_calls_of_a_small_model_need_no_gpu() -> None:
    feasibility = cpu_feasibility(CATALOGUE, job("qwen3-0.6b", 0.5, input_tokens=300, output_tokens=100))
    assert CATALOGUE.accelerators[feasibility.enough.accelerator].kind == "cpu"
    assert "No GPU is needed" in cpu_sufficient_for_peak(feasibility)[0]


def test_many_calls_of_a_large_model_need_one() -> None:
    feasibility = cpu_feasibility(CATALOGUE, job("llama-3.3-70b", 20.0))
    assert feasibility.enough is None
    assert cpu_sufficient_for_peak(feasibility) == ()
    assert cpu_sentences(feasibility)[0].startswith("A GPU is needed")


def test_the_verdict_is_at_the_low_end_of_the_band() -> None:
    # Measured: 688 a second on one processor, 0.8 of it as a service; a server has two; another may do 15 % less: 936.
    sure, unsure, too_many = (cpu_feasibility(CATALOGUE, job("sentiment", peak)) for peak in (900.0, 1_000.0, 1_200.0))
    verdicts = [
        next(one.verdict for one in found.machines if one.accelerator == "CPU-Xeon-8480plus")
        for found in (sure, unsure, too_many)
    ]
    assert verdicts == ["enough", "perhaps", "too slow"]
    low = next(machine.low for machine in sure.machines if machine.accelerator == "CPU-Xeon-8480plus")
    assert 2 * low == pytest.approx(936, rel=0.01)


def test_what_somebody_has_comes_first() -> None:
    feasibility = cpu_feasibility(CATALOGUE, job("llama-3.1-8b", 1.0), have=("rtx 4090",))
    assert feasibility.enough.yours
    assert cpu_sentences(feasibility)[0].startswith("What you have is enough: RTX 4090")


def test_one_card_is_one_card() -> None:
    feasibility = cpu_feasibility(CATALOGUE, job("llama-3.1-70b", 0.05), have=("rtx 4090",))
    assert feasibility.machines[0].verdict == "does not fit"


def test_its_rate_is_that_of_serve_on_the_same_machine() -> None:
    found = cpu_feasibility(CATALOGUE, job("llama-3.1-8b", 1.0), have=("rtx 4090",)).machines[0]
    asks = ServingJob(model="llama-3.1-8b", accelerator="RTX-4090-24GB", accelerators=1, mode="server")
    assert found.requests_per_s == pytest.approx(serve(CATALOGUE, asks).requests_per_s_within_promise)


def test_the_rule_of_thumb_is_derived() -> None:
    slow, fast = (cpu_feasibility(CATALOGUE, job("llama-3.1-8b", 1.0, tpot_ms=tpot)).rule for tpot in (100.0, 50.0))
    assert slow.params_b == pytest.approx(2 * fast.params_b)
    assert fast.low_b < 10 < fast.high_b  # "over ten billion needs a GPU" lies within it
    assert "billion active parameters" in cpu_rule_text(cpu_feasibility(CATALOGUE, job("llama-3.1-8b", 1.0)))
    assert cpu_rule_text(cpu_feasibility(CATALOGUE, job("sentiment", 1.0))) == ""


def test_the_answer_says_so_where_a_gpu_was_asked_for() -> None:
    few = ServingTask(model="qwen3-0.6b", requests_per_s=0.5, input_tokens=300, output_tokens=100)
    for task, accelerator, said in (
        (few, "H100-SXM5-80GB", True),
        (few, "CPU-Xeon-8480plus", False),
        (few.model_copy(update={"requests_per_s": 500.0}), "H100-SXM5-80GB", False),
    ):
        made = plan(CATALOGUE, Scenario(accelerator=accelerator, work=(Work(serve=task),)), date(2026, 11, 21))
        assert bool(cpu_sufficient_sentences(made)) is said


def test_what_memory_can_read_between_two_tokens() -> None:
    # 100 GB/s, half of it reached, ten tokens a second: 5 GB for each, ten billion weights of half a byte.
    sizes = max_params_b(
        bandwidth=100e9, tokens_per_s=np.array([10.0, 20.0]), bytes_per_weight=0.5, bandwidth_share=0.5
    )
    assert np.asarray(sizes) == pytest.approx([10.0, 5.0])


def test_beyond_some_ten_billion_parameters_a_processor_is_too_slow() -> None:
    # The rule of thumb, derived: 20 tokens a second on a server's processor.
    processor = max_model_size(find_chip(CATALOGUE, "CPU-Xeon-8480plus"), tokens_per_s=20.0)
    assert processor.low_b < 10 < processor.high_b
    card = max_model_size(find_chip(CATALOGUE, "RTX-4090-24GB"), tokens_per_s=20.0)
    assert card.low_b > processor.high_b


BERT = "BERT-Large (SQuAD)"


def test_every_measured_chip_is_in_the_catalogue() -> None:
    for name in serving_data().work:
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


MIXTURE, DENSE, LATENT = "gpt-oss-120b", "llama-3.1-8b", "deepseek-r1"


def of(model: str, chip: str, precision: str, engine: str = "sglang", on: date = date(2026, 5, 1)) -> ServingTraits:
    """What changes the rates of that model on that chip."""
    found = find_shape(CATALOGUE, model)
    traits = rate_traits(
        ServingSetup(found.shape, find_chip(CATALOGUE, chip), engine, find_period(engine, on), precision, 2.0, day=on),
        group=1,
    )
    return replace(traits, level=1.0)  # as if nobody had measured it


def test_small_kernels_of_mixtures_take_longer_on_cdna3_only() -> None:
    slow = serving_rates(
        replace(IDEAL, layer_us=50.0, moe_layer_us=50.0, cdna3_experts=3.0), of(LATENT, "mi300x", "fp8")
    )
    assert (slow.layer_s, slow.moe_layer_s) == pytest.approx((150e-6, 150e-6))
    assert of(LATENT, "mi355x", "fp8").cdna3_experts == of(DENSE, "mi300x", "fp8").cdna3_experts == 0


def test_experts_of_four_bits_have_their_own_kernels_where_the_chip_computes_in_them() -> None:
    assert of(MIXTURE, "b200", "mxfp4").mxfp4_experts == 1
    for other in (of(MIXTURE, "h200", "mxfp4"), of(LATENT, "b200", "fp4"), of(MIXTURE, "b200", "bf16")):
        assert other.mxfp4_experts == 0


def test_software_for_mixtures_gets_faster_by_the_month_and_that_of_dense_models_does_not() -> None:
    # MLPerf, the same systems half a year apart: mixtures 1.5 times as fast, dense models 1.05 times.
    assert of(LATENT, "h200", "fp8", on=date(2025, 7, 1)).mixture_years == 0
    assert of(LATENT, "h200", "fp8", on=date(2026, 1, 1)).mixture_years == pytest.approx(0.5, abs=0.01)
    assert of(DENSE, "b200", "fp8", on=date(2026, 1, 1)).mixture_years == 0
    rate = serving_rates(replace(IDEAL, moe_layer_us=50.0, expert_progress=1.5), of(LATENT, "h200", "fp8"))
    assert rate.moe_layer_s == pytest.approx(50e-6 * 1.5 ** -(304 / 365.25))


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
