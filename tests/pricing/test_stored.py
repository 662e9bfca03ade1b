"""What released weights take, part by part, and what answers about the models of 2026 that were once wrong."""

import pytest

from planner.scenario.jobs import ServingJob
from planner.speed.serving import serve
from pricing.catalogue import Catalogue

H200 = "H200-SXM-141GB"
# GB, from the recounts: experts at 4.5 bits beside the rest in 16; all in 8 bits but tables and head.
STORED = {"Kimi-K2-Thinking": 594, "gpt-oss-120b": 65, "DeepSeek-V3": 673}


@pytest.mark.parametrize(("name", "stored_gb"), STORED.items())
def test_weights_are_a_sum_over_parts(real: Catalogue, name: str, stored_gb: float) -> None:
    found = serve(
        real, ServingJob(model=name, accelerator=H200, accelerators=16, tensor_parallel=8, spread_experts=False)
    )
    assert found.memory.weights_gb == pytest.approx(stored_gb, rel=0.01)


def test_chosen_tokens_make_long_prompts_faster(real: Catalogue) -> None:
    def rate(model: str) -> float:
        ask = ServingJob(
            model=model, accelerator=H200, accelerators=16, weight_precision="fp8", input_tokens=100_000,
            output_tokens=1_000,
        )  # fmt: skip
        return serve(real, ask).output_tokens_per_s

    assert rate("DeepSeek-V3.2") > 1.5 * rate("DeepSeek-V3")


@pytest.mark.parametrize("name", [
    "BERT-Base", "ModernBERT-Large", "T5-11B", "DeepSeek-V4-Pro", "MiMo-V2-Flash", "Gemma-4-E2B", "Kimi-K3",
    "GLM-4.7-Flash",
])  # fmt: skip
def test_from_a_tenth_of_a_billion_to_trillions_they_are_served(real: Catalogue, name: str) -> None:
    found = serve(real, ServingJob(model=name, accelerator="B300-SXM-288GB", input_tokens=400, output_tokens=50))
    assert found.fits, found.reason
    assert found.output_tokens_per_s_low < found.output_tokens_per_s < found.output_tokens_per_s_high
    reads = real.models[name].modality == "text_encoder"
    assert (found.output_tokens_per_s == pytest.approx(found.requests_per_s)) == reads
    assert any("writes nothing" in one for one in found.warnings) == reads
