"""What people type for a model: the release they mean, or a neighbour that is said; never another one silently."""

import pytest

from planner.network.guess import ModelSizes
from planner.scenario.jobs import ServingJob, TrainingJob
from planner.speed.match_model import find_model_record, substitution_note
from planner.speed.serving import serve
from planner.speed.serving.lookup import shape_in_table
from planner.speed.training import train
from pricing import AmbiguousNameError, UnknownNameError, names
from pricing.catalogue import Catalogue
from pricing.near import near
from tests.rows import each_row

ITSELF = {
    "kimi k2 thinking": "Kimi-K2-Thinking", "kimi-k2": "Kimi-K2", "moonshotai/Kimi-K2.5": "Kimi-K2.5",
    "kimi k2.6": "Kimi-K2.6", "kimi k2.7": "Kimi-K2.7-Code", "kimi k3": "Kimi-K3", "deepseek v3": "DeepSeek-V3",
    "deepseek v3.2": "DeepSeek-V3.2", "deepseek-v3.2-exp": "DeepSeek-V3.2", "deepseek r1": "DeepSeek-R1",
    "deepseek v4 flash": "DeepSeek-V4-Flash", "deepseek-v4-pro": "DeepSeek-V4-Pro", "qwen3-vl-8b": "Qwen3-VL-8B",
    "Qwen/Qwen3-VL-8B-Instruct": "Qwen3-VL-8B", "qwen3 8b": "Qwen3-8B", "qwen3 30b": "Qwen3-30B-A3B",
    "qwen3 coder 480b": "Qwen3-Coder-480B-A35B", "qwen3-coder-next": "Qwen3-Coder-Next-80B-A3B",
    "qwen3-next": "Qwen3-Next-80B-A3B", "qwen3.5 9b": "Qwen3.5-9B", "qwen3.6-35b-a3b-fp8": "Qwen3.6-35B-A3B",
    "qwen 2.5 7b instruct": "Qwen2.5-7B", "glm-4.5": "GLM-4.5", "glm 4.5 air": "GLM-4.5-Air", "glm-4.6": "GLM-4.6",
    "glm-4.7": "GLM-4.7", "glm-4.7-flash": "GLM-4.7-Flash", "glm-5": "GLM-5", "glm 5.1": "GLM-5.1",
    "zai-org/GLM-4.6-FP8": "GLM-4.6", "minimax m2": "MiniMax-M2", "minimax-m2.5": "MiniMax-M2.5",
    "minimax m3": "MiniMax-M3", "openai/gpt-oss-20b": "gpt-oss-20b", "llama-3.1-8b-instruct": "Llama-3.1-8B",
    "meta-llama/Llama-3.3-70B-Instruct": "Llama-3.3-70B", "llama 4 scout": "Llama-4-Scout-17B-16E",
    "mistral small 4": "Mistral-Small-4-119B-A6B", "devstral 2": "Devstral-2-123B", "ministral 3 8b": "Ministral-3-8B",
    "magistral small": "Magistral-Small-24B", "mixtral 8x7b": "Mixtral-8x7B", "gemma 3 27b it": "Gemma-3-27B",
    "gemma-3n-e4b": "Gemma-3n-E4B", "google/gemma-4-26b-a4b-it": "Gemma-4-26B-A4B", "phi-4": "Phi-4-14B",
    "nemotron 3 super": "Nemotron-3-Super-120B-A12B", "nemotron nano 30b": "Nemotron-3-Nano-30B-A3B",
    "granite 4.0 h small": "Granite-4.0-H-Small", "olmo 3 7b": "OLMo-3-7B", "smollm3": "SmolLM3-3B",
    "ernie 4.5 21b": "ERNIE-4.5-21B-A3B", "longcat flash": "LongCat-Flash-560B", "ling 1t": "Ling-1T",
    "bge-m3": "BGE-M3", "sentence-transformers/all-MiniLM-L6-v2": "all-MiniLM-L6-v2",
    "bert base": "BERT-Base", "t5-11b": "T5-11B", "seed oss 36b": "Seed-OSS-36B", "mimo v2 flash": "MiMo-V2-Flash",
}  # fmt: skip
# Releases without a record of their own, and the one that is said to stand for them.
NEIGHBOUR = {
    "Kimi-K2-Instruct-0905": "Kimi-K2", "deepseek-v3.1": "DeepSeek-V3", "DeepSeek-R1-0528": "DeepSeek-R1",
    "Qwen3-30B-A3B-Instruct-2507": "Qwen3-30B-A3B", "Qwen3-235B-A22B-Thinking-2507": "Qwen3-235B-A22B",
    "qwq 32b": "Qwen2.5-32B", "qwen2.5-vl-7b": "Qwen2.5-7B", "mistral-small-3.2": "Mistral-Small-24B-2501",
    "qwen3-embedding-8b": "Qwen3-8B", "flan-t5-xl": "T5-3B",
    "e5-large-v2": "BERT-Large",
}  # fmt: skip
# Names that may be several or none: what the refusal names.
REFUSED = {
    "deepseek v4": "DeepSeek-V4-Flash", "glm-5-air": "GLM-4.5-Air", "qwen3-coder": "Qwen3-Coder-480B-A35B",
    "llama 3": "Llama-3-8B", "gpt oss": "gpt-oss-120b", "mistral large 3": "sold by the token", "qwen3.5": "Qwen3.5-9B",
    "claude sonnet": "sold by the token", "gemini": "sold by the token", "gpt-4o": "sold by the token",
}  # fmt: skip


@each_row(("typed", "key"), ITSELF.items())
def test_the_release_that_is_asked_for(real: Catalogue, typed: str, key: str) -> None:
    assert find_model_record(real, typed) == key
    assert substitution_note(real, typed) is None


@each_row(("typed", "key"), NEIGHBOUR.items())
def test_a_neighbour_is_said(real: Catalogue, typed: str, key: str) -> None:
    assert find_model_record(real, typed) == key
    text = substitution_note(real, typed)
    assert text == f"there is no record of {typed} itself: counted as {real.models[key].label}"


@each_row(("typed", "hint"), REFUSED.items())
def test_what_may_be_several_is_asked_back(real: Catalogue, typed: str, hint: str) -> None:
    with pytest.raises(UnknownNameError, match=hint):
        find_model_record(real, typed)
    for ask in (
        lambda: serve(real, ServingJob(model=typed, accelerator="H100-SXM5-80GB")),
        lambda: train(real, TrainingJob(model=typed, accelerator="H100-SXM5-80GB")),
    ):
        with pytest.raises(UnknownNameError, match=hint):
            ask()


def test_training_and_serving_read_a_name_alike_and_say_the_neighbour(real: Catalogue) -> None:
    said = "there is no record of deepseek-v3.1 itself: counted as DeepSeek-V3"
    served = serve(real, ServingJob(model="deepseek-v3.1", accelerator="H200-SXM-141GB", accelerators=8))
    trained = train(real, TrainingJob(model="deepseek-v3.1", accelerator="H200-SXM-141GB", accelerators=512))
    assert said in served.warnings
    assert said in trained.warnings
    own = serve(real, ServingJob(model="Llama-3.1-8B-Instruct", accelerator="H100-SXM5-80GB"))
    assert not any("no record" in warning for warning in own.warnings)


@pytest.mark.parametrize(("typed", "params_b"), [("GLM-4.7-Flash", 30.0), ("GLM-5-Air", 106.0), ("GLM-4.5-Air", 106.0)])
def test_a_row_of_a_table_is_of_the_size_that_it_states(real: Catalogue, typed: str, params_b: float) -> None:
    model = shape_in_table(real, typed, ModelSizes(params_b))
    assert float(model.shape.counted_params) / 1e9 == pytest.approx(params_b, rel=0.02)
    assert model.guessed == (typed not in real.models)


CALLED = {
    "Frankfurt": "DE", "Berlin": "DE", "Munich": "DE", "München": "DE", "Zürich": "CH", "London": "GB", "England": "GB",
    "Scotland": "GB", "UK": "GB", "Dublin": "IE", "Paris": "FR", "Amsterdam": "NL", "Stockholm": "SE", "Milan": "IT",
    "Madrid": "ES", "Helsinki": "FI", "Oslo": "NO", "Reykjavik": "IS", "Warsaw": "PL", "Tokyo": "JP", "Seoul": "KR",
    "Mumbai": "IN", "Bangalore": "IN", "Sydney": "AU", "Dubai": "AE", "São Paulo": "BR", "Toronto": "CA-ON",
    "Montréal": "CA-QC", "Bay Area": "US-CA", "bay-area": "US-CA", "Silicon Valley": "US-CA", "San Francisco": "US-CA",
    "Virginia": "US-VA", "Northern Virginia": "US-VA", "Ashburn": "US-VA", "NYC": "US-NY", "Dallas": "US-TX",
    "Chicago": "US-IL", "Phoenix": "US-AZ", "Seattle": "US-WA", "Washington DC": "US-DC", "America": "US",
    "Frankfurt, Germany": "DE", "Portland, Maine": "US-ME", "Cambridge, Massachusetts": "US-MA",
    "Vancouver, Canada": "CA-BC", "Vancouver": "CA-BC", "Vancouver, Washington": "US-WA", "Portland": "US-OR",
}  # fmt: skip
SEVERAL = {
    "Georgia": {"GE", "US-GA"}, "Cambridge": {"GB", "US-MA"},
    "Kansas City": {"US-KS", "US-MO"},
}  # fmt: skip
SIZES = {
    "Llama 70B": {"Llama-2-70B", "Llama-3-70B", "Llama-3.1-70B", "Llama-3.3-70B"},
    "Qwen 72B": {"Qwen1.5-72B", "Qwen2-72B", "Qwen2.5-72B"},
    "Llama 405B": {"Llama-3.1-405B"},
}


@each_row(("typed", "site"), CALLED.items())
def test_a_place_is_found_by_the_name_people_use(catalogue: Catalogue, typed: str, site: str) -> None:
    assert names.site(catalogue, typed) == site


@pytest.mark.parametrize(("typed", "sites"), SEVERAL.items())
def test_a_name_of_several_places_is_asked_about(catalogue: Catalogue, typed: str, sites: set[str]) -> None:
    with pytest.raises(AmbiguousNameError) as asked:
        names.site(catalogue, typed)
    assert set(asked.value.candidates) == sites


@pytest.mark.parametrize(("typed", "models"), SIZES.items())
def test_a_family_and_a_size_names_the_releases_of_that_size_first(
    catalogue: Catalogue, typed: str, models: set[str]
) -> None:
    with pytest.raises(UnknownNameError) as asked:
        names.model(catalogue, typed)
    assert set(asked.value.candidates[: len(models)]) == models


@each_row(("word", "known", "found"), [
    ("bussy", ["busy", "years"], ["busy"]), ("wrok", ["work", "rent"], ["work"]),
    ("Token", ["tokens", "train"], ["tokens"]), ("germny", ["germany", "vermont"], ["germany"]),
    ("swizerland", ["ireland", "switzerland", "iceland"], ["switzerland"]),
    ("rwanda", ["canada", "romania", "ireland"], []), ("oman", ["roma", "maine"], []),
    ("uganda", ["canada", "england", "georgia"], []), ("RO", ["CA", "RD", "R"], []), ("", ["a", ""], [""]),
    ("macrs", ["bonus", "macrs-5-half-year"], ["macrs-5-half-year"]), ("ma", ["macrs-5-half-year"], []),
    ("mi300z", ["mi300x", "mi300a", "h100"], ["mi300x", "mi300a"]),
])  # fmt: skip
def test_only_close_words_are_found_the_closest_first(word: str, known: list[str], found: list[str]) -> None:
    assert near(word, known, 3) == found
