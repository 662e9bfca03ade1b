"""Layers that a `config.json` describes: kinds of attention, windows, mixers, experts."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pricing import PricingError

_MOST = 100_000_000
_MANY_SHOWN = 60


@dataclass(frozen=True)
class ConfigKeys:
    """The keys of a configuration, by what we call them."""

    values: Mapping[str, Any]
    file: str

    @property
    def kind(self) -> str:
        """The word for its class."""
        return self.word("model_type")

    def has(self, key: str) -> bool:
        return self.values.get(key) is not None

    def word(self, key: str) -> str:
        """A text, empty where there is none."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""

    def flag(self, key: str) -> bool:
        """Return whether it says true."""
        value = self.values.get(key, False)
        if value is None or isinstance(value, bool):
            return bool(value)
        raise self.wrong(key, "true or false", value)

    def maybe(self, name: str, least: int = 1) -> int | None:
        """A whole number under one of the names that makers have for it; None where there is none, or nought."""
        for key in CALLED.get(name, (name,)):
            value = self.values.get(key)
            if value is None or (value == 0 and not isinstance(value, bool) and least):
                continue
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MOST:
                raise self.wrong(key, f"a whole number from {least} to {_MOST:,}", value)
            return value
        return None

    def whole(self, name: str) -> int:
        value = self.maybe(name)
        if value is not None:
            return value
        called = CALLED.get(name, (name,))
        present = next((key for key in called if key in self.values), None)
        if present is not None:
            raise self.wrong(present, "a whole number of 1 or more", self.values[present])
        others = f" (or {', '.join(called[1:])})" if called[1:] else ""
        raise PricingError(f"{self.file}: want {called[0]}{others}, which is not there.")

    def wrong(self, key: str, wish: str, got: Any) -> PricingError:
        return PricingError(f"{self.file}: {key}: want {wish}, got {repr(got)[:_MANY_SHOWN]}.")


def layer_kinds(keys: ConfigKeys) -> Counter[str]:
    """Return how many layers there are of each kind, where the file names them one by one."""
    listed = keys.values.get("layer_types") or keys.values.get("layers_block_type")
    pattern = keys.word("hybrid_override_pattern")
    if pattern:
        unknown = next((mark for mark in pattern if mark not in PATTERN_MARKS), None)
        if unknown is not None:
            raise keys.wrong("hybrid_override_pattern", f"marks of {''.join(PATTERN_MARKS)}", unknown)
        return Counter(PATTERN_MARKS[mark] for mark in pattern)
    if not isinstance(listed, list):
        return Counter()
    for word in listed:
        if not isinstance(word, str) or word not in LAYER_WORDS:
            raise keys.wrong("layer_types", f"words of {', '.join(LAYER_WORDS)}", word)
    return Counter(LAYER_WORDS[word] for word in listed)


def layer_fields(keys: ConfigKeys) -> dict[str, Any]:
    """Layers in all, those that attend, the window of some, mixers."""
    layers, kinds = keys.whole("layers"), layer_kinds(keys)
    if kinds and kinds.total() != layers:
        raise PricingError(f"{keys.file}: {layers} layers, and {kinds.total()} of them are named one by one.")
    if not kinds["mamba"]:
        unread = next((key for key in _UNREAD if keys.has(key)), None)
        if unread is not None:
            raise PricingError(
                f"{keys.file}: {unread}: layers of that kind are not read from a file; name a model on record."
            )
    decoders = (keys.maybe("decoders") or layers) if keys.flag("is_encoder_decoder") else 0
    linear = _linear_fields(keys, kinds, layers)
    others = {
        "linear": linear,
        "state_space": _state_space_fields(keys, kinds["mamba"]),
        "convolution": {"layers": kinds["conv"], "kernel": keys.maybe("conv_L_cache") or 3} if kinds["conv"] else None,
    }
    attending = kinds["full"] + kinds["near"] if kinds else layers - (linear["layers"] if linear else 0)
    mixed = any(others.values()) or kinds["dense"] or kinds["experts"]
    return {
        "layers": layers + decoders,
        "decoder_layers": decoders or None,
        "attention_layers": attending if mixed else None,
        "window": _window_fields(keys, kinds, attending),
        "dense_layers": kinds["dense"] if kinds["dense"] and not keys.maybe("experts") else None,
        **others,
    }


_UNREAD = ("attn_layer_period", "mamba_d_state", "ssm_cfg", "compress_ratios", "sparse_attention_config")


def _window_fields(keys: ConfigKeys, kinds: Counter[str], attending: int) -> dict[str, Any] | None:
    tokens = keys.maybe("window")
    if tokens is None or (keys.has("use_sliding_window") and not keys.flag("use_sliding_window")):
        return None
    chunked = "chunked" if keys.has("attention_chunk_size") else "sliding"
    if kinds:
        return {"kind": chunked, "tokens": tokens, "layers": kinds["near"], "of": attending} if kinds["near"] else None
    pattern = keys.maybe("pattern")
    if chunked == "chunked" and isinstance(keys.values.get("no_rope_layers"), list):
        near = sum(bool(flag) for flag in keys.values["no_rope_layers"])  # 1 where a layer has positions, and pieces
        return {"kind": chunked, "tokens": tokens, "layers": near, "of": attending} if 0 < near <= attending else None
    layers, of = (pattern - 1, pattern) if pattern and pattern > 1 else WINDOWS.get(keys.kind, (1, 1))
    return {"kind": chunked, "tokens": tokens, "layers": layers, "of": of}


def _linear_fields(keys: ConfigKeys, kinds: Counter[str], layers: int) -> dict[str, Any] | None:
    kimi = keys.values.get("linear_attn_config")
    if isinstance(kimi, dict):
        own = ConfigKeys(kimi, keys.file)
        count, heads, width = len(kimi.get("kda_layers") or ()), own.whole("heads"), own.whole("head_dim")
        kernel = own.maybe("short_conv_kernel_size") or 4
        same = {"key_heads": heads, "value_heads": heads, "key_dim": width, "value_dim": width, "kernel": kernel}
        return {"kind": "kimi_delta", "layers": count, **same} if count else None
    count, every = kinds["linear"], keys.maybe("full_attention_interval")
    if not kinds and every and keys.has("linear_num_value_heads"):
        count = layers - layers // every
    if not count:
        return None
    return {
        "kind": "gated_delta", "layers": count, "key_heads": keys.whole("linear_num_key_heads"),
        "value_heads": keys.whole("linear_num_value_heads"), "key_dim": keys.whole("linear_key_head_dim"),
        "value_dim": keys.whole("linear_value_head_dim"), "kernel": keys.maybe("linear_conv_kernel_dim") or 4,
    }  # fmt: skip


def _state_space_fields(keys: ConfigKeys, count: int) -> dict[str, Any] | None:
    if not count:
        return None

    def one(*names: str) -> int:
        return next((value for name in names if (value := keys.maybe(name))), 0) or keys.whole(names[0])

    return {
        "layers": count, "heads": one("mamba_n_heads", "mamba_num_heads"), "groups": one("mamba_n_groups", "n_groups"),
        "head_dim": one("mamba_d_head", "mamba_head_dim"), "state": one("mamba_d_state", "ssm_state_size"),
        "kernel": one("mamba_d_conv", "conv_kernel"),
    }  # fmt: skip


def attention_fields(keys: ConfigKeys) -> dict[str, Any]:
    """Return how the layers that attend do it."""
    heads = keys.whole("heads")
    if keys.maybe("kv_lora_rank"):
        nope, rope = keys.whole("qk_nope_head_dim"), keys.maybe("qk_rope_head_dim") or 0
        return {
            "attention": "MLA", "kv_heads": heads, "head_dim": nope + rope, "q_lora": keys.maybe("q_lora_rank"),
            "kv_lora": keys.whole("kv_lora_rank"), "qk_nope_dim": nope, "qk_rope_dim": rope,
            "v_head_dim": keys.whole("v_head_dim"), "indexer": _indexer_fields(keys),
        }  # fmt: skip
    single = keys.flag("multi_query") and not keys.has("num_kv_heads")
    shared = 1 if single else keys.maybe("kv_heads") or heads
    kind = "MHA" if shared == heads else "MQA" if shared == 1 else "GQA"
    gate = keys.has("attn_output_gate") and keys.flag("attn_output_gate")
    gated = gate or keys.kind in _GATED_ATTENTION
    return {"attention": kind, "kv_heads": shared, "output_gate": "values" if gated else None}


_GATED_ATTENTION = ("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text")


def _indexer_fields(keys: ConfigKeys) -> dict[str, Any] | None:
    if not keys.maybe("index_topk"):
        return None
    layers = keys.whole("layers")
    return {
        "heads": keys.whole("index_n_heads"), "head_dim": keys.whole("index_head_dim"),
        "tokens": keys.whole("index_topk"), "looking": layers, "layers": layers,
    }  # fmt: skip


def expert_fields(keys: ConfigKeys) -> dict[str, Any]:
    """Return what a mixture is made of; nothing where there is one expert, or none."""
    experts = keys.maybe("experts")
    if experts is None or experts == 1:
        return {}
    kinds, layers = layer_kinds(keys), keys.whole("layers")
    mixing = kinds["experts"] or layers - _dense_layers(keys, layers)
    width, shared = keys.whole("moe_ffn_hidden"), keys.maybe("shared_experts") or 0
    if keys.kind in ALWAYS_SHARED:
        width, shared = keys.whole("intermediate_size"), 1
    wide = keys.maybe("shared_ffn_hidden")
    groups = keys.maybe("n_group") or 1
    return {
        "experts": experts, "experts_per_token": keys.whole("experts_per_token"), "moe_ffn_hidden": width,
        "shared_experts": shared, "shared_ffn_hidden": wide, "moe_layers": mixing,
        "moe_input": keys.maybe("moe_input"),
        "dense_layers": kinds["dense"] if kinds["experts"] else layers - mixing,
        "expert_groups_per_token": keys.maybe("topk_group") if groups > 1 else None,
    }  # fmt: skip


def _dense_layers(keys: ConfigKeys, layers: int) -> int:
    listed = keys.values.get("mlp_only_layers")
    named = keys.values.get("moe_layers") if isinstance(keys.values.get("moe_layers"), list) else None
    if named:
        return layers - min(len(named), layers)
    leading = min(keys.maybe("leading_dense") or 0, layers)
    freq = keys.values.get("moe_layer_freq")
    if isinstance(freq, list):
        return sum(not flag for flag in freq[:layers])
    every = keys.maybe("every") or 1
    rest = (layers - leading) // every
    return layers - max(rest - (len(listed) if isinstance(listed, list) else 0), 0)


_ENCODERS = ("bert", "roberta", "xlm-roberta", "distilbert", "electra", "camembert", "mpnet")
BOTH_WAYS = frozenset((*_ENCODERS, "modernbert", "nomic_bert"))
LEARNED = frozenset((*_ENCODERS, "gpt2", "gpt_bigcode", "gpt_neo", "opt", "bart"))
UNGATED = frozenset(
    (*_ENCODERS, "gpt2", "gpt_bigcode", "gpt_neo", "gpt_neox", "gptj", "opt", "bloom", "falcon", "mpt", "phi", "bart",
     "starcoder2", "nemotron", "nemotron_h", "t5", "mt5")
)  # fmt: skip
TIED = frozenset(
    (*BOTH_WAYS, "gemma", "gemma2", "gemma3", "gemma3_text", "gemma3n_text", "gemma4_text", "t5", "mt5", "bart", "gpt2",
     "gpt_bigcode", "gpt_neo", "opt", "bloom", "falcon", "mpt", "cohere", "cohere2", "starcoder2", "lfm2")
)  # fmt: skip
# Layers with the window, of how many, where the file names none; all of them where its kind is not here.
WINDOWS = {
    "gemma2": (1, 2), "gemma3": (5, 6), "gemma3_text": (5, 6), "gpt_oss": (1, 2), "cohere2": (3, 4), "olmo3": (3, 4),
    "modernbert": (2, 3),
}  # fmt: skip
# Kinds whose layers with experts have one more that every token uses, without a key that says so.
ALWAYS_SHARED = frozenset(("llama4", "llama4_text"))
# Under which keys models that also see or hear keep the part that writes.
NESTED = ("text_config", "language_config", "llm_config", "thinker_config")

_HIDDEN = ("hidden_size", "n_embd", "d_model", "dim")
# Every number of a shape, and what makers call it; the first that is there counts.
CALLED: dict[str, tuple[str, ...]] = {
    "hidden": _HIDDEN,
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers"),
    "decoders": ("num_decoder_layers", "decoder_layers"),
    "heads": ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"),
    "head_dim": ("head_dim", "d_kv", "attention_head_dim"),
    "ffn_hidden": (
        "intermediate_size_mlp", "intermediate_size", "n_inner", "d_ff", "ffn_dim", "ffn_hidden_size", "encoder_ffn_dim"
    ),
    "vocab": ("vocab_size", "padded_vocab_size"),
    "context": ("max_position_embeddings", "n_positions", "n_ctx", "max_sequence_length", "seq_length"),
    "experts": ("num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts"),
    "experts_per_token": ("num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk", "moe_k"),
    "moe_ffn_hidden": ("moe_intermediate_size", "expert_ffn_hidden_size", "intermediate_size"),
    "moe_input": ("moe_latent_size", "moe_input_size"),
    "shared_experts": ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts"),
    "shared_ffn_hidden": ("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size"),
    "leading_dense": ("first_k_dense_replace", "num_dense_layers", "moe_layer_start_index"),
    "every": ("decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_freq", "moe_layer_interval"),
    "window": ("sliding_window", "sliding_window_size", "local_attention", "attention_chunk_size"),
    "pattern": ("sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers"),
    "prediction_layers": ("num_nextn_predict_layers", "mtp_num_hidden_layers"),
}  # fmt: skip

# Words of `layer_types`: what such a layer is.
LAYER_WORDS = {
    "full_attention": "full", "attention": "full", "global_attention": "full", "sliding_attention": "near",
    "local_attention": "near", "chunked_attention": "near", "linear_attention": "linear", "mamba": "mamba",
    "mamba2": "mamba", "conv": "conv", "short_conv": "conv",
}  # fmt: skip
# Marks of `hybrid_override_pattern`: what a layer of Nemotron-H is.
PATTERN_MARKS = {"M": "mamba", "*": "full", "-": "dense", "E": "experts"}

# How weights are stored, by what the file calls it: of the method, of an algorithm, of so many bits.
FORMATS = {
    "fp8": "fp8", "fbgemm_fp8": "fp8", "mxfp4": "mxfp4", "NVFP4": "fp4", "FP8": "fp8", "float8": "fp8", "mxfp8": "fp8",
}  # fmt: skip
BITS = {4: "int4", 8: "int8"}
