"""Names and number formats as tables spell them, and models of which only the size is known."""

import pytest

from planner.evidence.table import TRAINING, read_run_rows
from planner.network.guess import active_in_name, is_hybrid_name, size_in_name, typical_model
from planner.network.record import build_network
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.work import Work
from planner.speed.bands import Band
from planner.speed.match_model import match_accelerator, match_model
from planner.speed.scenario_jobs import ScenarioServing, ScenarioTraining, solved_jobs
from planner.speed.serving.chips import parse_precision
from planner.speed.training import train
from planner.speed.work_to_hours import convert_to_hours
from pricing import UnknownNameError, load_catalogue
from tests.facts import CATALOGUE
from tests.rows import each_row


@each_row(("said", "meant"), [
    ("NVIDIA H100 80GB HBM3", "H100-SXM5-80GB"), ("8xH100 80GB", "H100-SXM5-80GB"), ("H100 PCIe", "H100-PCIe-80GB"),
    ("H100", "H100-SXM5-80GB"), ("A100 PCIe 40GB", "A100-PCIe-40GB"), ("A100 80G", "A100-SXM4-80GB"),
    ("V100-32GB", "V100-SXM2-32GB"), ("NVIDIA A10G (g5.xlarge)", "A10G-24GB"),
    ("AMD Instinct MI300X (192 GB)", "MI300X-192GB"), ("TPU v5e-256", "TPU-v5e"), ("v5litepod-16", "TPU-v5e"),
    ("TPU v6e (Trillium)", "TPU-v6e"), ("AWS Trainium2 (trn2.48xlarge)", "Trainium2-96GB"),
    ("RTX 6000 Ada Generation", "RTX-6000-Ada-48GB"), ("M2 Ultra", "Apple-M2-Ultra-192GB"), ("L20", "L20-48GB"),
    ("H20-141GB", "H20-141GB"),
])  # fmt: skip
def test_accelerators_are_known_by_what_tables_call_them(said: str, meant: str) -> None:
    assert match_accelerator(CATALOGUE, said) == meant


@pytest.mark.parametrize("said", ["RTX 4090 Laptop", "Abacus", "H1000", ""])
def test_other_accelerators_are_not_taken_for_known_ones(said: str) -> None:
    with pytest.raises(UnknownNameError):
        match_accelerator(CATALOGUE, said)


@each_row(("said", "meant"), [
    ("meta-llama/Meta-Llama-3-8B-Instruct", "Llama-3-8B"), ("LLaMA 2 70B (LoRA)", "Llama-2-70B"), ("DBRX", "DBRX"),
    ("DeepSeek V3 671B", "DeepSeek-V3"), ("Qwen3-235B-A22B-Instruct-2507", "Qwen3-235B-A22B"),
    ("DeepSeek-R1-Distill-Qwen-7B", "Qwen2.5-7B"), ("Mistral-Small-24B-Instruct", "Mistral-Small-24B-2501"),
    ("OLMo-2-1124-13B", "OLMo-2-13B"), ("GPT-3 20B", None), ("Baichuan2-13B", None),
    ("DeepSeek-R1-Distill-Other-9B", None),
])  # fmt: skip
def test_models_are_known_by_their_variants_but_never_in_another_size(said: str, meant: str | None) -> None:
    assert match_model(CATALOGUE, said) == meant


@each_row(("said", "meant"), [
    ("FP8_E4M3", "fp8"), ("W8A8", "int8"), ("w8a8-fp8", "fp8"), ("W4A16 (AWQ)", "int4"), ("GPTQ int4", "int4"),
    ("NVFP4", "fp4"), ("MXFP4", "mxfp4"), ("Q4_K_M", "q4_k_m"), ("q6_K", "q6_k"), ("float16", "fp16"),
    ("bfloat16", "bf16"), ("roman", "bf16"),
])  # fmt: skip
def test_number_formats_are_known_by_what_tables_call_them(said: str, meant: str) -> None:
    assert parse_precision(said) == meant


@pytest.mark.parametrize(
    ("name", "params_b", "active_b"),
    [("Some-8B", 8.0, None), ("Some-70B", 70.0, None), ("Other 8x22B", 141.0, 39.0), ("Some-671B-A37B", 671.0, 37.0)],
)
def test_a_model_of_which_only_the_size_is_known_has_that_size(name: str, params_b: float, active_b: float) -> None:
    shape = build_network(typical_model(name, params_b=params_b, active_params_b=active_b))
    assert float(shape.params) == pytest.approx(params_b * 1e9, rel=0.01)
    assert float(shape.active_params) == pytest.approx((active_b or params_b) * 1e9, rel=0.12)
    assert bool(shape.moe_layers > 0) is (active_b is not None)


def test_names_state_sizes() -> None:
    assert size_in_name("GPT-3 20B") == 20
    assert size_in_name("gpt2 124M") == pytest.approx(0.124)
    assert size_in_name("Kimi") is None
    assert active_in_name("Qwen9-90B-A4B") == 4
    assert is_hybrid_name("Nemotron-Nano-9B-v2")
    assert not is_hybrid_name("Nemotron-4-15B")


def test_a_band_widens_with_what_is_left_open_and_takes_the_outer_ends() -> None:
    band = Band(low=0.8, high=1.25, rows=10)
    assert band.widened(0) == band
    assert band.widened(2).low < band.widened(1).low < 0.8
    assert band.or_wider(Band(low=0.9, high=1.4, rows=3)) == Band(low=0.8, high=1.4, rows=10)


def test_cells_that_say_nothing_are_empty() -> None:
    header, cells = "id,model,accelerator,n_accelerators,tp,dp", "1,Llama 2 7B,H100,8,n/a,-"
    (row,) = read_run_rows(f"{header}\n{cells}\n", TRAINING, file="runs.csv")
    assert (row["tp"], row["dp"], row["unreadable"]) == ("", "", "")


def test_a_model_of_2023_keeps_keys_and_values_of_every_head() -> None:
    young, old = (build_network(typical_model("nobody-13b", params_b=13.0, year=ran)) for ran in (2025.0, 2023.5))
    assert float(old.kv_heads) == float(old.heads)
    assert float(young.kv_heads) == 8
    assert pytest.approx(float(old.counted_params), rel=0.03) == 13e9
    # Llama 2 13B keeps 2 x 40 x 40 x 128 values of each token.
    assert float(old.cached_values(context=1.0)) == pytest.approx(2 * 40 * 40 * 128, rel=0.25)
    large = build_network(typical_model("nobody-70b", params_b=70.0, year=2023.5))
    assert float(large.kv_heads) == 8


def test_every_model_stands_beside_its_job() -> None:
    catalogue = load_catalogue()
    scenario = Scenario(
        work=(
            Work(busy_share=0.5),
            Work(train=TrainingTask(model="llama-3-8b", tokens=1e11), accelerators=16),
            Work(serve=ServingTask(model="llama-3.1-8b", requests_per_s=5)),
            Work(train=TrainingTask(model="no such model"), accelerators=8),
            Work(train=TrainingTask(model="qwen3-8b", tokens=1e10), accelerators=32),
        )
    )
    hours = convert_to_hours(catalogue, scenario)
    done = solved_jobs(catalogue, hours)
    assert [one.place for one in done] == [1, 2, 4]
    assert [one.model for one in done] == ["Llama-3-8B", "Llama-3.1-8B", "Qwen3-8B"]
    assert isinstance(done[1], ScenarioServing)
    assert done[1].result is hours.servings[0]
    for one in (done[0], done[2]):
        assert isinstance(one, ScenarioTraining)
        assert one.job.accelerators == one.result.accelerators
        assert train(catalogue, one.job).tokens == one.result.tokens
    assert hours.problems


def test_plain_hours_have_no_model() -> None:
    catalogue = load_catalogue()
    assert solved_jobs(catalogue, convert_to_hours(catalogue, Scenario())) == ()
