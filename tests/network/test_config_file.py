"""A `config.json` is read to the same numbers as the record of that model; what is odd is refused with the key."""

import json
from typing import Any

import pytest

from planner.network.config_file import own_model
from planner.network.record import (
    build_network,
    build_text_decoder,
    parameter_count_b,
    user_model_record,
    with_user_models,
)
from pricing import PricingError
from tests.facts import CATALOGUE
from tests.network.models import active_parameter_count_b
from tests.rows import each_row

LLAMA: dict[str, Any] = {
    "_name_or_path": "meta-llama/Our-Llama", "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
    "max_position_embeddings": 8192, "hidden_act": "silu", "tie_word_embeddings": False, "torch_dtype": "bfloat16",
}  # fmt: skip
DEEPSEEK = {
    "model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128,
    "num_key_value_heads": 128, "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256,
    "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3, "moe_layer_freq": 1, "n_group": 8,
    "topk_group": 4, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
    "v_head_dim": 128, "vocab_size": 129280, "max_position_embeddings": 163840, "num_nextn_predict_layers": 1,
    "tie_word_embeddings": False, "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
}  # fmt: skip
INT4 = {
    "quant_method": "compressed-tensors", "ignore": ["lm_head", "re:.*self_attn.*", "re:.*shared_experts.*"],
    "config_groups": {"group_0": {"weights": {"num_bits": 4, "group_size": 32, "type": "int"}}},
}  # fmt: skip
KIMI = {
    **DEEPSEEK, "model_type": "kimi_k2", "num_attention_heads": 64, "n_routed_experts": 384, "n_group": 1,
    "first_k_dense_replace": 1, "vocab_size": 163840, "num_nextn_predict_layers": 0, "quantization_config": INT4,
}  # fmt: skip
# Written out after the published files; each beside the record of that model.
KINDS: dict[str, dict[str, Any]] = {
    "Llama-3-8B": LLAMA,
    "DeepSeek-V3": DEEPSEEK,
    "Kimi-K2": KIMI,
    "DeepSeek-V3.2": {**DEEPSEEK, "index_n_heads": 64, "index_head_dim": 128, "index_topk": 2048},
    "Mixtral-8x7B": {
        "model_type": "mixtral", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 14336, "num_local_experts": 8, "num_experts_per_tok": 2,
        "vocab_size": 32000, "sliding_window": None,
    },
    "Qwen3-30B-A3B": {
        "model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32,
        "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 6144, "moe_intermediate_size": 768,
        "num_experts": 128, "num_experts_per_tok": 8, "decoder_sparse_step": 1, "mlp_only_layers": [],
        "vocab_size": 151936, "sliding_window": 4096, "use_sliding_window": False,
    },
    "Gemma-3-27B": {
        "model_type": "gemma3", "architectures": ["Gemma3ForConditionalGeneration"],
        "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27},
        "text_config": {
            "model_type": "gemma3_text", "hidden_size": 5376, "num_hidden_layers": 62, "num_attention_heads": 32,
            "num_key_value_heads": 16, "head_dim": 128, "intermediate_size": 21504, "sliding_window": 1024,
            "vocab_size": 262144,
        },
    },
    "gpt-oss-20b": {
        "model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 24, "num_attention_heads": 64,
        "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 2880, "num_local_experts": 32,
        "num_experts_per_tok": 4, "sliding_window": 128, "vocab_size": 201088, "tie_word_embeddings": False,
        "layer_types": ["sliding_attention", "full_attention"] * 12,
        "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]},
    },
    "GLM-4.5-Air": {
        "model_type": "glm4_moe", "hidden_size": 4096, "num_hidden_layers": 46, "num_attention_heads": 96,
        "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 10944, "moe_intermediate_size": 1408,
        "n_routed_experts": 128, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 1,
        "vocab_size": 151552, "num_nextn_predict_layers": 1, "tie_word_embeddings": False,
    },
    "Qwen3-Next-80B-A3B": {
        "model_type": "qwen3_next", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 16,
        "num_key_value_heads": 2, "head_dim": 256, "full_attention_interval": 4, "linear_num_key_heads": 16,
        "linear_num_value_heads": 32, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
        "linear_conv_kernel_dim": 4, "intermediate_size": 5120, "moe_intermediate_size": 512, "num_experts": 512,
        "num_experts_per_tok": 10, "shared_expert_intermediate_size": 512, "vocab_size": 151936,
    },
    "Nemotron-3-Nano-30B-A3B": {
        "model_type": "nemotron_h", "hidden_size": 2688, "num_hidden_layers": 52, "num_attention_heads": 32,
        "num_key_value_heads": 2, "head_dim": 128, "intermediate_size": 1856, "moe_intermediate_size": 1856,
        "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME", "n_routed_experts": 128,
        "n_shared_experts": 1, "moe_shared_expert_intermediate_size": 3712, "num_experts_per_tok": 6,
        "mamba_num_heads": 64, "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8, "conv_kernel": 4,
        "vocab_size": 131072,
    },
    "Llama-4-Scout-17B-16E": {
        "model_type": "llama4", "text_config": {
            "model_type": "llama4_text", "hidden_size": 5120, "num_hidden_layers": 48, "num_attention_heads": 40,
            "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 8192, "intermediate_size_mlp": 16384,
            "num_local_experts": 16, "num_experts_per_tok": 1, "interleave_moe_layer_step": 1,
            "attention_chunk_size": 8192, "no_rope_layers": [1, 1, 1, 0] * 12, "vocab_size": 202048,
        },
    },
    "Falcon-7B": {
        "model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71,
        "multi_query": True, "vocab_size": 65024,
    },
    "BERT-Base": {
        "model_type": "bert", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
        "intermediate_size": 3072, "vocab_size": 30522, "max_position_embeddings": 512,
    },
    "T5-11B": {
        "model_type": "t5", "is_encoder_decoder": True, "d_model": 1024, "d_kv": 128, "d_ff": 65536, "num_layers": 24,
        "num_decoder_layers": 24, "num_heads": 128, "feed_forward_proj": "relu", "vocab_size": 32128,
    },
}  # fmt: skip


def read(**changed: Any) -> Any:
    return own_model(json.dumps({**LLAMA, **changed}))


@each_row("name", KINDS)
def test_a_file_of_each_kind_has_the_numbers_of_its_record(name: str) -> None:
    mine, known = user_model_record(own_model(json.dumps(KINDS[name]))), CATALOGUE.models[name]
    assert mine.params_b == pytest.approx(known.params_b, rel=0.01)
    assert parameter_count_b(mine) == pytest.approx(mine.params_b, rel=1e-6)
    if known.experts is not None and known.not_recounted is None:
        assert active_parameter_count_b(mine) == pytest.approx(active_parameter_count_b(known), rel=1e-3)
    ours, theirs = build_network(mine), build_network(known)
    for context in (1.0, 5_000.0, 100_000.0):
        assert ours.cached_values(context=context) == theirs.cached_values(context=context)
        assert ours.prompt_flops(tokens=context) == pytest.approx(theirs.prompt_flops(tokens=context))
    assert ours.state_values == theirs.state_values
    same = ("modality", "attention", "gated", "tied_embeddings", "prediction_layers")
    assert {one: getattr(mine, one) for one in same} == {one: getattr(known, one) for one in same}
    assert build_text_decoder(mine).counted_params == pytest.approx(1e9 * known.params_b, rel=0.01)


def test_formats_of_weights_are_read_part_by_part() -> None:
    said = {name: own_model(json.dumps(KINDS[name])) for name in ("DeepSeek-V3", "Kimi-K2", "gpt-oss-20b", "BERT-Base")}
    formats = {name: (one.weights, one.rest_weights, one.scale_group) for name, one in said.items()}
    assert formats == {
        "DeepSeek-V3": ("fp8", None, None), "Kimi-K2": ("int4", "bf16", 32), "gpt-oss-20b": ("mxfp4", "bf16", None),
        "BERT-Base": (None, None, None),
    }  # fmt: skip


def test_it_is_called_as_it_is_asked_or_as_it_calls_itself() -> None:
    assert read().name == "Our-Llama"
    assert own_model(json.dumps(LLAMA), name="the small one").name == "the small one"
    bare = {key: value for key, value in LLAMA.items() if not key.startswith("_")}
    assert own_model(json.dumps(bare)).name == "llama"


@each_row(("changed", "said"), [
    ({"num_hidden_layers": 0}, "num_hidden_layers: want a whole number of 1 or more, got 0"),
    ({"num_hidden_layers": 10**7}, "layers: want .*100,000"),
    ({"num_attention_heads": 33}, "want kv_heads that divide the 33 heads, got 8"),
    ({"num_attention_heads": 24}, "want heads that divide a hidden width of 4096, or head_dim, got 24 heads"),
    ({"hidden_size": "4096"}, "hidden_size: want a whole number from 1 to 100,000,000, got '4096'"),
    ({"hidden_size": True}, "hidden_size: want a whole number .* got True"),
    ({"hidden_size": None}, "hidden_size: want a whole number of 1 or more, got None"),
    ({"vocab_size": -5}, "vocab_size: want a whole number .* got -5"),
    ({"tie_word_embeddings": "no"}, "tie_word_embeddings: want true or false, got 'no'"),
    ({"num_local_experts": 8, "num_experts_per_tok": 9}, "want at most the 8 experts there are, got 9 per token"),
    ({"num_local_experts": 8}, r"want num_experts_per_tok \(or num_experts_per_token"),
    ({"layer_types": ["full_attention"] * 31}, "32 layers, and 31 of them are named one by one"),
    ({"layer_types": ["retention"] * 32}, "layer_types: want words of full_attention, .* got 'retention'"),
    ({"compress_ratios": [4, 128]}, "compress_ratios: layers of that kind are not read from a file"),
    ({"kv_lora_rank": 512}, "want qk_nope_head_dim, which is not there"),
    ({"text_config": {"model_type": "x"}, "hidden_size": 8}, "want heads that divide"),
])  # fmt: skip
def test_what_cannot_be_is_refused_with_the_key(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(PricingError, match=f"^config.json: .*{said}"):
        read(**changed)


@pytest.mark.parametrize("key", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"])
def test_a_missing_number_is_named(key: str) -> None:
    with pytest.raises(PricingError, match=f"want {key}"):
        own_model(json.dumps({name: value for name, value in LLAMA.items() if name != key}))


NO_CONFIGURATION = [
    "", "{", "[1, 2]", "null", '{"hidden_size": NaN}', "__import__('os')", "[" * 5_000,
    '{"a":' * 100 + "1" + "}" * 100, " " * 1_000_001, '{"quantization_config": {"config_groups": {"x": 3}}}',
]  # fmt: skip


@each_row("text", NO_CONFIGURATION)
def test_what_is_no_configuration_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(PricingError, match=r"^mine.json: .*\.$"):
        own_model(text, file="mine.json")


def test_a_model_of_ones_own_goes_before_one_of_the_catalogue_and_leaves_it_as_it_is() -> None:
    mine = own_model(json.dumps({**LLAMA, "num_hidden_layers": 16}), name="Llama-3-8B")
    laid = with_user_models(CATALOGUE, (mine,))
    assert laid.models["Llama-3-8B"].layers == 16
    assert CATALOGUE.models["Llama-3-8B"].layers == 32
    assert laid.digest != CATALOGUE.digest
    assert with_user_models(laid, (mine,)) is laid
    assert with_user_models(CATALOGUE, ()) is CATALOGUE
