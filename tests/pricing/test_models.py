"""Shapes of networks and prices of hosted models, as they stand in the data."""

import csv
import itertools
import math
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from planner.network.record import build_text_decoder, parameter_count_b
from planner.scenario.jobs import ServingJob
from planner.speed.serving import serve
from pricing.catalogue import Catalogue
from pricing.figure import Figure
from pricing.model import Model
from pricing.names import plain
from pricing.records import HostedPrice
from tests.frozen import live_catalogue
from tests.network.models import active_parameter_count_b
from tests.rows import each_row


def test_enough_models(catalogue: Catalogue) -> None:
    assert len(catalogue.models) >= 200


def prices(record: HostedPrice) -> Iterator[Figure]:
    for figure in (record.input_usd_per_mtoken, record.output_usd_per_mtoken, record.cached_input_usd_per_mtoken):
        if figure is not None:
            yield figure


def test_enough_hosted_prices(catalogue: Catalogue) -> None:
    assert len(catalogue.hosted) >= 350
    assert len({record.vendor for record in catalogue.hosted.values()}) >= 20


def test_a_price_is_never_zero_and_never_free(catalogue: Catalogue) -> None:
    for key, record in catalogue.hosted.items():
        for figure in prices(record):
            assert all(0 < value.typical <= 1_000 for value in figure.values.values()), key


def test_writing_costs_at_least_as_much_as_reading_and_a_cache_hit_at_most(catalogue: Catalogue) -> None:
    for key, record in catalogue.hosted.items():
        read = record.input_usd_per_mtoken.newest.typical
        write, cached = record.output_usd_per_mtoken, record.cached_input_usd_per_mtoken
        assert write is None or write.newest.typical >= read, key
        assert cached is None or cached.newest.typical <= read, key


def test_a_price_that_jumps_threefold_says_why(catalogue: Catalogue) -> None:
    for key, record in catalogue.hosted.items():
        for figure in prices(record):
            days = sorted(figure.values)
            for before, after in itertools.pairwise(days):
                old, new = figure.values[before], figure.values[after]
                assert 1 / 3 <= new.typical / old.typical <= 3 or new.note, key


# What a list says that the record does not cite: LiteLLM of 2026-11-12, else genai-prices of the same month, else what
# OpenRouter passes on. Prices move, so the lists may differ; a price for another unit differs by far more.
SECOND = list(csv.DictReader((Path(__file__).parent / "second_lists.csv").read_text(encoding="utf-8").splitlines()))
FAR = 1.9
DIFFERS = {
    "Cohere/command-r": "OpenRouter sells the version of March 2024 under this name, Cohere that of August",
    "DeepSeek/deepseek-chat": "retired: the lists keep its prices of different years",
    "DeepSeek/deepseek-reasoner": "retired: the lists keep its prices of different years",
    "Fireworks-AI/deepseek-v4-pro": "LiteLLM has the price of an input token as that of an output token",
    "Mistral-AI/mistral-medium-3": "LiteLLM has the price of the newest model under this name",
    "xAI/grok-code-fast-1": "LiteLLM has the price of the model that replaced it",
}


def test_there_are_enough_second_prices() -> None:
    assert len(SECOND) >= 150


@each_row("row", SECOND)
def test_a_second_list_has_no_price_that_is_far_from_ours(catalogue: Catalogue, row: dict[str, str]) -> None:
    """One that is four times as high is often that of a token beside that of a character."""
    ours = catalogue.hosted[row["record"]]
    same = [one for one in catalogue.hosted.values() if (one.vendor, one.model) == (ours.vendor, ours.model)]
    far = min(apart(one, row) for one in same)
    assert (far > FAR) == (row["record"] in DIFFERS), f"{far:.2f} times apart"


def apart(record: HostedPrice, row: dict[str, str]) -> float:
    """By what factor the newest prices differ, of input or of output."""
    asked = {"input_usd_per_mtoken": record.input_usd_per_mtoken, "output_usd_per_mtoken": record.output_usd_per_mtoken}
    ratios = [figure.newest.typical / float(row[name]) for name, figure in asked.items() if figure is not None]
    return max(max(ratio, 1 / ratio) for ratio in ratios)


def test_one_vendor_has_one_spelling(catalogue: Catalogue) -> None:
    vendors = {record.vendor for record in catalogue.hosted.values()}
    assert len({plain(vendor) for vendor in vendors}) == len(vendors)
    assert len({plain(key) for key in catalogue.hosted}) == len(catalogue.hosted)


def test_open_models_lead_to_their_shapes(catalogue: Catalogue) -> None:
    served = {record.model for record in catalogue.hosted.values()} & catalogue.models.keys()
    assert {"Llama-3.1-8B", "Llama-3.3-70B", "gpt-oss-120b", "Qwen3-32B", "DeepSeek-V3.2"} <= served


@each_row("model", [
    "DeepSeek-R1", "GLM-4.5-Air", "GLM-4.6", "GLM-4.7", "GLM-5.1", "Kimi-K2-Thinking", "MiniMax-M2.5", "Qwen2.5-7B",
    "Qwen2.5-72B", "Qwen3-8B", "Qwen3-30B-A3B", "Qwen3-Coder-480B-A35B", "Qwen3-Next-80B-A3B", "Qwen3.6-27B",
    "Qwen3-VL-30B-A3B", "Phi-4-14B", "Mistral-7B-v0.1", "Mistral-Medium-3.5-128B", "Devstral-2-123B", "Llama-3.2-3B",
    "Gemma-4-26B-A4B", "Nemotron-3-Super-120B-A12B", "OLMo-3-32B", "Apertus-70B", "BGE-M3",
])  # fmt: skip
def test_an_open_model_that_people_name_is_sold_by_the_token(catalogue: Catalogue, model: str) -> None:
    sold = [record for record in catalogue.hosted.values() if record.model == model]
    assert max(record.input_usd_per_mtoken.checked for record in sold) >= date(2026, 6, 3)
    writes = catalogue.models[model].modality == "text"
    assert all((record.output_usd_per_mtoken is not None) == writes for record in sold)


@each_row(("record", "read", "write"), [
    ("OpenAI/gpt-6-astra", 10, 50), ("OpenAI/gpt-6.1-sol", 2, 10), ("OpenAI/gpt-6.1-terra", 1, 5),
    ("OpenAI/gpt-6-luna", 0.10, 0.50), ("OpenAI/o3", 2, 8), ("Anthropic/claude-opus-5.5", 4, 20),
    ("Anthropic/claude-sonnet-5.5", 2, 10), ("Anthropic/claude-sonnet-5", 2, 10),
    ("Anthropic/claude-haiku-5.5", 0.10, 0.50), ("Anthropic/claude-haiku-5.5 (over 100k)", 0.50, 2.50),
    ("Google/gemini-3.8-flash", 0.75, 3.75), ("Google/gemini-pro", 0.50, 1.50),
    ("Google/gemini-1.0-pro-vision-001", 0.50, 1.50), ("DeepSeek/deepseek-v4-flash", 0.15, 0.60),
    ("DeepSeek/deepseek-v4-flash (peak hours)", 0.30, 1.20), ("DeepSeek/deepseek-v4.1-flash", 0.15, 0.60),
    ("DeepSeek/deepseek-v4.1-flash (peak hours)", 0.30, 1.20), ("DeepSeek/deepseek-v4-pro", 0.66, 1.98),
    ("DeepSeek/deepseek-v4-pro (peak hours)", 1.32, 3.96), ("DeepInfra/Llama-3.1-8B-Instruct-Turbo", 0.02, 0.04),
    ("DeepInfra/Llama-3.3-70B-Instruct-Turbo", 0.10, 0.32), ("DeepInfra/Llama-3.1-405B-Instruct", 0.80, 0.80),
])  # fmt: skip
def test_newest_prices(catalogue: Catalogue, record: str, read: float, write: float) -> None:
    held = catalogue.hosted[record]
    newest = (held.input_usd_per_mtoken.newest.typical, held.output_usd_per_mtoken.newest.typical)
    assert newest == (read, write)


# What moved between summer and November 2026: to read, to write, to read again from the cache, before and since.
@each_row(("record", "before", "since", "now"), [
    ("DeepSeek/deepseek-v4-flash", (0.14, 0.28, 0.0028), date(2026, 9, 10), (0.15, 0.6, 0.003)),
    ("AWS-Bedrock/gpt-5.6-sol", (5.5, 33, 0.55), date(2026, 8, 21), (4.4, 22, 0.44)),
    ("Doubleword/gemma-4-31B-it", (0.14, 0.4, None), date(2026, 10, 18), (0.12, 0.35, None)),
    ("Doubleword/Qwen3.6-35B-A3B-FP8", (0.25, 2, None), date(2026, 10, 18), (0.14, 1, None)),
    ("Doubleword/Qwen3-VL-235B-A22B-Instruct-FP8", (0.6, 1.2, None), date(2026, 10, 18), (0.21, 1.9, 0.12)),
    ("Fireworks-AI/gpt-oss-120b", (0.15, 0.6, 0.014), date(2026, 10, 19), (0.15, 0.6, 0.015)),
    ("Fireworks-AI/kimi-k3-us", (3.3, 16.5, 0.33), date(2026, 9, 1), (4.5, 22.5, 0.45)),
    ("Mistral-AI/voxtral-small-24b-2507", (0.1, 0.3, 0.01), date(2026, 8, 11), (0.1, 0.4, 0.01)),
    ("OpenAI/gpt-5.6-sol (over 272k)", (10, 45, 1), date(2026, 8, 21), (8, 30, 0.8)),
    ("OpenRouter/kimi-k2.7-code", (0.6712, 3.35, 0.18), date(2026, 11, 3), (0.95, 4, 0.19)),
    ("xAI/grok-4.20-multi-agent", (2, 6, 0.2), date(2026, 11, 12), (1.25, 2.5, 0.2)),
])  # fmt: skip
def test_a_price_that_moved_has_its_day_and_keeps_what_it_was(
    catalogue: Catalogue, record: str, before: tuple[float | None, ...], since: date, now: tuple[float | None, ...]
) -> None:
    held = catalogue.hosted[record]
    figures = (held.input_usd_per_mtoken, held.output_usd_per_mtoken, held.cached_input_usd_per_mtoken)
    assert tuple(known_on(figure, since - timedelta(days=1)) for figure in figures) == before
    assert tuple(known_on(figure, since) for figure in figures) == now
    assert all(figure is None or figure.newest.typical == price for figure, price in zip(figures, now, strict=True))


def known_on(figure: Figure | None, day: date) -> float | None:
    """What a price was on a day, or None where nobody had read it by then."""
    if figure is None or min(figure.values) > day:
        return None
    return figure.values[max(start for start in figure.values if start <= day)].typical


def test_the_price_of_long_prompts_was_looked_at_since_that_of_short_ones_moved(catalogue: Catalogue) -> None:
    compared = 0
    for key, record in catalogue.hosted.items():
        short = catalogue.hosted.get(key.partition(" (over ")[0])
        if short is not None and short is not record:
            compared += 1
            assert record.input_usd_per_mtoken.checked >= short.input_usd_per_mtoken.since, key
    assert compared >= 20


@pytest.mark.parametrize("record", ["OpenAI/gpt-oss-120b", "Google/gemma-4-31b-it", "HF-providers/MiniMax-M2.5"])
def test_what_the_named_vendor_does_not_sell_is_not_here(catalogue: Catalogue, record: str) -> None:
    assert record not in catalogue.hosted


ROWS = list(csv.DictReader((Path(__file__).parent / "recounts.csv").read_text(encoding="utf-8").splitlines()))
NEAR = 0.01
# Why one of the counts is another.
ACTIVE_DIFFERS = {
    "Step-3.7-Flash": "the class has 64 heads where a window is seen, the release 96",
    "Inkling-2-Small": "the class has short convolutions that no field describes",
    "Inkling-975B-A41B": "the class has short convolutions that no field describes",
}
ALL_DIFFER = {"LFM3-1.7B": "the class has fewer convolutions than its default configuration says"}


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    return live_catalogue().models


def off(mine: float, said: str) -> float:
    return mine / float(said) - 1 if said else mine


def test_there_are_enough() -> None:
    assert len(ROWS) >= 100


@each_row("row", ROWS)
def test_parameters_are_those_that_were_counted(models: dict[str, Model], row: dict[str, str]) -> None:
    model = models[row["model"]]
    assert (abs(off(parameter_count_b(model), row["params_b"])) <= NEAR) == (row["model"] not in ALL_DIFFER)
    shape = build_text_decoder(model)
    assert float(shape.counted_params) / 1e9 == pytest.approx(parameter_count_b(model), rel=1e-3)
    if row["active_params_b"]:
        active = active_parameter_count_b(model) or math.nan
        assert (abs(off(active, row["active_params_b"])) <= NEAR) == (row["model"] not in ACTIVE_DIFFERS)


@each_row("row", ROWS)
def test_a_cache_is_what_its_kinds_of_layers_keep(models: dict[str, Model], row: dict[str, str]) -> None:
    shape, long = build_text_decoder(models[row["model"]]), 1e8
    each = float(shape.cached_values(context=2 * long) - shape.cached_values(context=long)) / long
    assert each == pytest.approx(float(row["cache_values_per_token"]))
    window = float(shape.cached_values(context=long)) - each * long
    assert window == pytest.approx(float(row["window_values"] or 0), rel=1e-4, abs=1e4)
    assert float(shape.state_values) == float(row["state_values"] or 0)


def test_windows_and_chosen_tokens_cost_less_at_length(models: dict[str, Model]) -> None:
    """DeepSeek-V3.2 reads chosen tokens where V3 reads all; each is kept whole."""
    full, chosen = (build_text_decoder(models[name]) for name in ("DeepSeek-V3", "DeepSeek-V3.2"))
    assert chosen.cached_values(context=100_000) > full.cached_values(context=100_000)
    assert chosen.read_values(context=100_000) < 0.3 * full.read_values(context=100_000)
    assert chosen.prompt_flops(tokens=100_000) < 0.3 * full.prompt_flops(tokens=100_000)


def test_a_model_whose_experts_are_narrow_is_stored_by_parts(models: dict[str, Model]) -> None:
    said = {name: (models[name].weights, models[name].rest_weights) for name in ("Kimi-K2-Thinking", "gpt-oss-120b")}
    assert said == {"Kimi-K2-Thinking": ("int4", "bf16"), "gpt-oss-120b": ("mxfp4", "bf16")}


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


@each_row("name", [
    "BERT-Base", "ModernBERT-Large", "T5-11B", "DeepSeek-V4-Pro", "MiMo-V2-Flash", "Gemma-4-E2B", "Kimi-K3",
    "GLM-4.7-Flash",
])  # fmt: skip
def test_from_a_tenth_of_a_billion_to_trillions_they_are_served(real: Catalogue, name: str) -> None:
    found = serve(real, ServingJob(model=name, accelerator="B300-SXM-288GB", input_tokens=400, output_tokens=50))
    assert found.fits, found.reason
    assert found.output_tokens_per_s_low < found.output_tokens_per_s < found.output_tokens_per_s_high
    reads = real.models[name].modality == "text_encoder"
    assert (found.output_tokens_per_s == pytest.approx(found.requests_per_s)) == reads
    assert any("writes nothing" in warning for warning in found.warnings) == reads
