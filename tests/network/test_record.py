import pytest

from planner.network.kinds import UnknownShape
from planner.network.record import build_text_decoder
from pricing import load_catalogue

MODELS = load_catalogue().models

# Bytes of the cache for each token at 16 bits, from the published configurations; windows as long as the context.
CACHE_BYTES = {
    "Llama-2-7B": 524_288, "Llama-2-13B": 819_200, "Llama-3-8B": 131_072, "Mixtral-8x7B": 131_072,
    "Llama-3-70B": 327_680, "Llama-3.1-405B": 516_096, "Mixtral-8x22B": 229_376, "Qwen3-32B": 262_144,
    "Qwen3-30B-A3B": 98_304, "Qwen3-235B-A22B": 192_512, "gpt-oss-20b": 49_152, "gpt-oss-120b": 73_728,
    "DeepSeek-V3": 70_272, "Kimi-K2": 70_272,
}  # fmt: skip


@pytest.mark.parametrize(("name", "size"), CACHE_BYTES.items())
def test_the_cache_is_counted_by_kind_of_attention(name: str, size: int) -> None:
    shape = build_text_decoder(MODELS[name])
    assert 2 * shape.cached_values(context=1) == size


@pytest.mark.parametrize("name", ["Llama-3-8B", "DeepSeek-V3", "gpt-oss-120b", "Qwen3-30B-A3B", "Mixtral-8x7B"])
def test_the_parts_sum_to_all_parameters(name: str) -> None:
    model, shape = MODELS[name], build_text_decoder(MODELS[name])
    assert shape.counted_params == pytest.approx(1e9 * model.params_b, rel=0.01)
    active = model.active_params_b or model.params_b
    # Stated active counts include one table of embeddings or two; a step streams none but the head.
    assert 1e9 * active - 2.1 * shape.head_params <= shape.active_params <= 1e9 * active * 1.01


@pytest.mark.parametrize(
    ("name", "share"),
    [("Gemma-3-27B", 5 / 6), ("Gemma-2-9B", 1 / 2), ("gpt-oss-20b", 1 / 2), ("Llama-4-Scout-17B-16E", 3 / 4),
     ("Mistral-7B-v0.1", 1), ("Llama-3-8B", 0)],
)  # fmt: skip
def test_layers_that_see_a_window_are_read_from_the_record(name: str, share: float) -> None:
    shape = build_text_decoder(MODELS[name])
    kept = shape.near.kept / (shape.near.kept + shape.far.kept)
    assert float(kept) == pytest.approx(share)


def test_a_hybrid_has_attention_in_some_layers_only() -> None:
    shape = build_text_decoder(MODELS["Qwen3-Next-80B-A3B"])
    assert shape.is_hybrid
    assert shape.cached_values(context=1) == 12 * 2 * 2 * 256


def test_a_window_can_be_dropped() -> None:
    shape = build_text_decoder(MODELS["Mistral-7B-v0.1"])
    assert shape.cached_values(context=10_000) == shape.cached_values(context=4_096)
    assert shape.without_window().cached_values(context=10_000) == 10_000 * 32 * 2 * 8 * 128


def test_an_encoder_reads_and_keeps_nothing() -> None:
    shape = build_text_decoder(MODELS["BERT-Base"])
    assert shape.cached_values(context=512) == shape.decode_flops(context=512) == 0
    assert shape.prompt_flops(tokens=512) == 12 * 2 * 2 * 768 * 512 * 512


def test_of_an_encoder_decoder_the_half_that_writes_is_read_for_each_token() -> None:
    config = MODELS["T5-11B"].model_copy(update={"decoder_layers": 24})
    shape = build_text_decoder(config)
    assert float(shape.counted_params) == pytest.approx(11.307e9, rel=1e-3)
    attention, feed_forward = 4 * 1024 * 128 * 128, 2 * 1024 * 65536
    assert shape.dense_params == 24 * (2 * attention + feed_forward) + 32128 * 1024
    assert shape.cached_values(context=10) == 10 * 24 * 2 * 128 * 128


@pytest.mark.parametrize(
    ("name", "why"), [("Whisper-base", "a speech network"), ("CLIP-ViT-L/14", "does not write tokens")]
)
def test_what_writes_no_tokens_is_refused_with_a_reason(name: str, why: str) -> None:
    with pytest.raises(UnknownShape, match=why):
        build_text_decoder(MODELS[name])
