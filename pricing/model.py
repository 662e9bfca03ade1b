"""The record of a neural network: its shape, as the numbers that parameters, memory and speed are counted from."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from pricing.figure import (
    BILLIONS,
    COUNT,
    Aliases,
    Confidence,
    Label,
    Locator,
    Note,
    SourceId,
    StrictModel,
    Text,
    Usual,
    Whole,
    YearMonth,
    optional,
)


class AttentionWindow(StrictModel):
    """The window of context that some layers see: `layers` `of` so many see no more than `tokens` tokens."""

    kind: Literal["sliding", "chunked"] = Field(
        default="sliding",
        description="the last tokens, or those of a fixed piece; counted alike, as engines are measured to run them",
    )
    tokens: int = Field(json_schema_extra=COUNT, ge=1, le=100_000_000, description="what such a layer sees at most")
    layers: Whole = Field(default=1, description="how many layers of `of` have the window")
    of: Whole = Field(default=1, description="either all layers that attend, or the period in which kinds alternate")
    heads: Whole | None = optional("query heads of such a layer; absent: as the others")
    kv_heads: Whole | None = optional("its heads of keys and values; absent: as the others")
    head_dim: Whole | None = optional("width of its heads; absent: as the others")

    @model_validator(mode="after")
    def _check_layer_count(self) -> AttentionWindow:
        if self.layers > self.of:
            raise ValueError(f"want at most {self.of} layers of {self.of} with a window, got {self.layers}")
        return self


class SparseAttentionIndexer(StrictModel):
    """Layers that look at chosen tokens only, and the narrow attention that chooses them."""

    heads: Whole = Field(description="of the narrow attention that chooses")
    head_dim: Whole = Field(description="width of its one key, which is kept of each token")
    tokens: int = Field(
        json_schema_extra=COUNT, ge=1, le=100_000_000, description="entries of the cache that a token looks at"
    )
    looking: Whole = Field(description="layers that look at chosen tokens only")
    layers: Whole = Field(description="layers that choose for themselves; the others take an earlier choice")


class CompressedAttention(StrictModel):
    """Layers that keep one entry for several tokens, and a window of tokens as they are."""

    chosen_layers: Whole = Field(description="layers that look at chosen entries")
    chosen_tokens: Whole = Field(description="tokens in one of their entries")
    whole_layers: Whole = Field(description="layers that look at all entries")
    whole_tokens: Whole = Field(description="tokens in one of theirs")
    out_rank: Whole = Field(description="rank of the projection out of the heads, for each group of them")
    out_groups: Whole = Field(description="groups of heads that are projected by themselves")


class LinearAttention(StrictModel):
    """Layers of linear attention: each keeps a state of fixed size, and no cache."""

    kind: Literal["gated_delta", "kimi_delta"] = Field(description="one gate a head, or one for each of its values")
    layers: Whole = Field(description="layers of this kind")
    key_heads: Whole = Field(description="heads of queries and of keys")
    value_heads: Whole = Field(description="heads of values, each with a state")
    key_dim: Whole = Field(description="width of a head of keys")
    value_dim: Whole = Field(description="width of a head of values")
    kernel: Whole = Field(description="tokens that the convolution before it sees")
    full_gate: bool = Field(default=False, description="whether what comes out has a gate of full rank")


class StateSpaceLayers(StrictModel):
    """Layers of Mamba 2: each keeps a state of fixed size, and no cache."""

    layers: Whole = Field(description="layers of this kind")
    heads: Whole = Field(description="heads, each with a state")
    head_dim: Whole = Field(description="width of a head")
    state: Whole = Field(description="values kept for each value of a head")
    groups: Whole = Field(description="groups of heads that share what goes in and out of the state")
    kernel: Whole = Field(description="tokens that the convolution before it sees")


class ConvolutionLayers(StrictModel):
    """Layers that mix the last few tokens, gated, and keep only those."""

    layers: Whole = Field(description="layers of this kind")
    kernel: Whole = Field(description="tokens that it sees")


WeightFormat = Literal["fp32", "bf16", "fp16", "fp8", "int8", "fp4", "mxfp4", "int4"]

# How the layers of a network that attend do it. What each kind keeps and computes is counted in planner/network.
AttentionKind = Literal[
    "MHA",  # every head of queries has its own keys and values
    "GQA",  # heads of queries share them in groups
    "MQA",  # all share one
    "MLA",  # keys and values come out of a narrow shared vector, the latent one, whose ranks the record gives
    "compressed",  # one head, keys and values alike, kept for several tokens together, and a window beside it
    "convolution",
    "none",  # no layer attends
]  # fmt: skip


_LATENT_RANKS = ("kv_lora", "qk_nope_dim", "qk_rope_dim")


class NetworkShape(StrictModel):
    """The numbers of a neural network, from which parameters, memory and speed are counted."""

    params_b: float = Field(
        json_schema_extra=BILLIONS, gt=0, le=100_000, description="total parameters as stated, in 1e9"
    )
    active_params_b: float | None = optional("used for each token; mixtures of experts", BILLIONS, gt=0)
    layers: Whole | None = optional("layers in all")
    hidden: Whole | None = optional("width of the stream between layers")
    heads: Whole | None = optional("query heads of attention in one layer")
    kv_heads: Whole | None = optional("key and value heads in one layer; fewer than heads where queries share them")
    head_dim: Whole | None = optional("width of one head; absent: hidden over heads")
    ffn_hidden: Whole | None = optional("inner width of the dense network of a layer")
    gated: bool | None = optional("whether the inner network has a gate: three matrices, not two")
    vocab: int | None = optional("words and pieces it knows", COUNT, ge=1, le=2_000_000)
    context: int | None = optional("tokens it reads at most", COUNT, ge=1, le=100_000_000)
    weights: WeightFormat | None = optional("format they are published in; absent: 16 bits")
    rest_weights: WeightFormat | None = optional(
        "format of all but the routed experts and tables; absent: that of `weights`"
    )
    scale_group: Whole | None = optional("weights that share a scale of 16 bits, in int4")
    attention: AttentionKind | None = optional("how the layers that attend do it")
    decoder_layers: Whole | None = optional(
        "of `layers`, those that write, of a network whose others read; they attend twice"
    )
    attention_layers: int | None = optional(
        "layers that attend; absent: all but linear and recurrent", COUNT, ge=0, le=10_000
    )
    linear: LinearAttention | None = optional("layers of linear attention")
    state_space: StateSpaceLayers | None = optional("layers of a state space")
    convolution: ConvolutionLayers | None = optional("layers that mix the last few tokens")
    recurrent_layers: int | None = optional("of other recurrence, which no field describes", COUNT, ge=1, le=10_000)
    window: AttentionWindow | None = optional("what some layers see; absent: all that attend see the whole context")
    indexer: SparseAttentionIndexer | None = optional("what chooses; absent: tokens look at all they see")
    compression: CompressedAttention | None = optional("ranks of attention of the kind compressed")
    output_gate: Literal["values", "heads"] | None = optional(
        "whether what attention puts out is gated, each value or each head"
    )
    keys_as_values: bool = Field(
        default=False, description="layers that see the whole context make values of keys: one matrix less"
    )
    reusing_layers: Whole | None = optional("layers that attend over the cache of an earlier one, evenly of all kinds")
    positions: Literal["learned", "relative", "alibi"] | None = optional(
        "how it learns the order of tokens; absent: rotary, or none"
    )
    tied_embeddings: bool | None = optional("whether words in and words out share one matrix")
    experts: Whole | None = optional("routed experts in a layer of a mixture")
    experts_per_token: Whole | None = optional("routed experts that work on each token")
    expert_groups_per_token: Whole | None = optional(
        "of the groups on nodes of their own, how many a token may go to; absent: any"
    )
    shared_experts: int | None = optional("experts that work on every token", COUNT, ge=0, le=1_000)
    shared_ffn_hidden: Whole | None = optional(
        "width of the shared experts together; absent: so many as wide as routed ones"
    )
    moe_ffn_hidden: Whole | None = optional("inner width of one routed expert")
    moe_input: Whole | None = optional("width that routed experts read and write; absent: `hidden`")
    dense_layers: int | None = optional("layers with a dense network; mostly the leading ones", COUNT, ge=0, le=10_000)
    moe_layers: int | None = optional("layers with experts", COUNT, ge=0, le=10_000)
    lookup_params_b: float | None = optional(
        "in tables of which each token takes a row: stored, hardly read, in 1e9", BILLIONS, gt=0, le=100_000
    )
    other_params_b: float | None = optional(
        "in parts that no other field describes and every token uses, in 1e9", BILLIONS, gt=0, le=100_000
    )
    prediction_layers: Whole | None = optional(
        "layers that predict further tokens; in no count: neither in params_b nor in layers"
    )
    q_lora: int | None = optional("rank of compressed queries (MLA)", COUNT, ge=1)
    kv_lora: int | None = optional("rank of compressed keys and values (MLA)", COUNT, ge=1)
    qk_nope_dim: int | None = optional("width of a head of queries and keys without positions (MLA)", COUNT, ge=1)
    qk_rope_dim: int | None = optional("width of its part with positions (MLA)", COUNT, ge=0)
    v_head_dim: int | None = optional(
        "width of a head of values; absent: as keys, where attention is not MLA", COUNT, ge=1
    )

    @model_validator(mode="after")
    def _check_shape(self) -> NetworkShape:
        layers, moe, decoders, width = self.layers, self.moe_layers or 0, self.decoder_layers or 0, self.hidden
        heads, shared, experts, per_token = self.heads, self.kv_heads, self.experts, self.experts_per_token
        others = {name: getattr(self, name) for name in ("linear", "state_space", "convolution")}
        kinds = {name: group.layers for name, group in others.items() if group is not None}
        kinds |= {"attention_layers": self.attention_layers or 0, "recurrent_layers": self.recurrent_layers or 0}
        parts = " + ".join(f"{count} {name}" for name, count in kinds.items() if count)
        at_most = f"want no more than the {layers} layers there are, got"
        ranks, needed, kind = ", ".join(_LATENT_RANKS), (*_LATENT_RANKS, "v_head_dim"), self.attention
        missing = [name for name in needed if getattr(self, name) is None]
        mixture, wants = (experts, per_token, self.moe_ffn_hidden), "experts, experts_per_token and moe_ffn_hidden"
        compressed = (self.compression, self.indexer, self.window, self.q_lora)
        rules: dict[str, object] = {
            f"{at_most} {parts}": layers is not None and sum(kinds.values()) > layers,
            f"{at_most} {moe} moe_layers": layers is not None and moe > layers,
            f"want fewer decoder_layers than the {layers} layers, got {decoders}": layers and decoders >= layers,
            f"want kv_heads that divide the {heads} heads, got {shared}": heads and shared and heads % shared,
            f"want heads that divide a hidden width of {width}, or head_dim, got {heads} heads": (
                heads and width and self.head_dim is None and width % heads
            ),
            f"a mixture needs {wants}: want all three or none": any(mixture) and not all(mixture),
            f"want at most the {experts} experts there are, got {per_token} per token": (
                experts and per_token and per_token > experts
            ),
            f"attention of the kind MLA needs {', '.join(needed)}: {', '.join(missing)} missing": (
                kind == "MLA" and missing
            ),
            f"{ranks} are of attention of the kind MLA, got {kind}": (
                kind != "MLA" and any(name not in missing for name in _LATENT_RANKS)
            ),
            "attention of the kind compressed needs compression, indexer, window and q_lora": (
                kind == "compressed" and None in compressed
            ),
            f"compression is of attention of the kind compressed, got {kind}": (
                kind != "compressed" and self.compression is not None
            ),
        }
        for message, is_broken in rules.items():
            if is_broken:
                raise ValueError(message)
        return self


class Model(NetworkShape):
    """A network of the catalogue: its shape, what it is called, and who says so.

    `note` and `not_recounted` are for people. No program reads them.
    """

    label: Label
    family: Text = Field(description="whose shape its like have: Llama 3, Qwen2.5")
    modality: Literal[
        "text", "text_encoder", "text_encoder_decoder", "vision", "vision_text", "speech", "image", "video",
    ] = Field(description="what it takes and gives")  # fmt: skip
    released: YearMonth | None = None
    aliases: Aliases = ()
    usual: Usual | None = optional("names of several models that usually mean this one")
    source: SourceId
    locator: Locator = None
    confidence: Confidence
    not_recounted: Text | None = optional("why the stated count cannot be had from the shape")
    note: Note = None
