"""From the record of a model to its network. Fields are read, notes never."""

from dataclasses import replace

from planner.network.kinds import (
    GROUPED,
    Attention,
    attention_of,
    near_attention,
    need,
    reach,
    reaches,
    refuse_unknown_kind,
)
from planner.network.mixers import mixer_layers, mixer_values, state_values
from planner.network.network import MASKED_SHARE, Network, Reach
from planner.network.params import (
    MODALITIES,
    attending_params,
    attention_layers,
    expert_width,
    parameter_count_b,
    shared_width,
)
from planner.network.refused import CannotCount, GapInShape, UnknownShape
from pricing.model import Model


def network_of(model: Model) -> Network:
    """The counts of a model, or `UnknownShape` with what is missing, or which kind of attention is unknown."""
    layers, hidden = need(model, "layers"), need(model, "hidden")
    need(model, "heads")
    vocab = need(model, "vocab")
    attending = attention_layers(model)
    one, usual = attention_of(model), usual_attention(model)
    matrices = 2.0 if model.gated is False else 3.0
    moe_layers = 0.0 if model.experts is None else float(model.moe_layers or layers)
    dense_layers = _dense_layers(model, layers - moe_layers)
    ffn = float(model.ffn_hidden or model.moe_ffn_hidden or 0)
    if dense_layers > 0 and not ffn:
        raise GapInShape(f"{model.label}: the shape does not say ffn_hidden")
    expert_ffn, width = float(model.moe_ffn_hidden or 0), float(expert_width(model))
    expert = matrices * width * expert_ffn
    mlp, shared = dense_layers * matrices * hidden * ffn, matrices * hidden * shared_width(model)
    tables, lookup = vocab * hidden * (1 if model.tied_embeddings else 2), 1e9 * (model.lookup_params_b or 0.0)
    attention = attending_params(model)
    described = attention + mlp + tables + lookup + moe_layers * (shared + (model.experts or 0) * expert)
    causal = model.modality != "text_encoder"
    far, chosen, near = reaches(model, attending)
    return Network(
        label=model.label, layers=layers, hidden=hidden, vocab=vocab, params=model.params_b * 1e9, table_params=tables,
        causal=float(causal), head_share=1.0 if causal else MASKED_SHARE, attention_layers=attending,
        attention_params=attention, heads=usual.heads, kv_heads=usual.kv_heads, qk_dim=usual.qk_dim,
        v_dim=usual.v_dim, cache_heads=one.cache_heads, latent=float(model.attention not in GROUPED), far=far,
        ffn=ffn or hidden * 4, dense_layers=dense_layers, dense_mlp_params=mlp, mlp_matrices=matrices,
        mixer_params=max(0.0, _all_params(model) - described) if _is_one_stack(model) else 0.0, moe_layers=moe_layers,
        experts=float(model.experts or 0), experts_per_token=float(model.experts_per_token or 0), expert_params=expert,
        expert_ffn=expert_ffn, expert_hidden=width, shared_params=shared,
        expert_groups=float(model.expert_groups_per_token or 0), chosen=chosen, near=near,
        state_values=state_values(model), mixer_values=mixer_values(model), lookup_params=lookup,
    )  # fmt: skip


def usual_attention(model: Model) -> Attention:
    """The layer that attends of which there are most: what widths of a network are told by."""
    window = model.window
    return near_attention(model) if window is not None and 2 * window.layers > window.of else attention_of(model)


def writer_of(model: Model) -> Network:
    """The counts of a model that reads and writes text, as serving it asks for them; else `UnknownShape`.

    An encoder keeps no cache. Of an encoder-decoder they are those of the half that writes, which attends twice; what
    reads, about as much, is stored beside it.
    """
    if model.modality == "text_encoder":
        read = network_of(model)
        return replace(read, far=_uncached(read.far), near=_uncached(read.near))
    if model.modality == "text_encoder_decoder" and model.decoder_layers is not None:
        return _writing_half(model)
    if model.modality != "text":
        kind = model.modality.replace("_", " ")
        raise UnknownShape(f"{model.label}: a {kind} network does not write tokens one by one")
    for name in ("layers", "hidden", "heads", "head_dim", "vocab"):
        need(model, name)
    refuse_unknown_kind(model)
    return network_of(model)


def _uncached(reach: Reach) -> Reach:
    return replace(reach, kept=0.0, read=0.0, decode_flops=0.0)


def _writing_half(model: Model) -> Network:
    whole, layers = network_of(model), float(need(model, "decoder_layers"))
    share = layers / whole.layers
    one = attention_of(model)
    twice = 2 * layers * one.params
    mlp = whole.dense_mlp_params * share
    stored = whole.counted_params - twice - mlp - whole.table_params
    return replace(
        whole, layers=layers, attention_layers=layers, dense_layers=layers, attention_params=twice,
        dense_mlp_params=mlp, mixer_params=0.0, lookup_params=stored, far=reach(one, layers),
    )  # fmt: skip


def _dense_layers(model: Model, without_experts: float) -> float:
    """Layers with a dense network in place of experts. One that stands beside experts is among the other mixers."""
    return without_experts if model.dense_layers is None else min(float(model.dense_layers), without_experts)


def _is_one_stack(model: Model) -> bool:
    """Whether all parameters lie in the stack, so that what its counts do not name is in its layers too."""
    return model.modality in MODALITIES or mixer_layers(model) > 0 or model.decoder_layers is not None


def _all_params(model: Model) -> float:
    """All parameters as the shape has them; as stated, where it says too little. [count]"""
    try:
        return 1e9 * parameter_count_b(model)
    except CannotCount:
        return 1e9 * model.params_b
