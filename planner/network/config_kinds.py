"""What a `config.json` leaves unsaid because all models of its kind have it: the defaults of transformers 5.23.0.

A kind is the word under `model_type`, which names a class and no model. A kind that is not listed is taken for what
most decoders since 2023 are: gated, with tables of their own for words in and out, rotary positions, no window.
"""

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
