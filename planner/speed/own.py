"""A shape of your own as the catalogue would hold it, so that it is counted like every other model."""

from __future__ import annotations

from planner.inputs.own_shape import OwnShape
from pricing.records import Model
from pricing.shapes import parameter_count_b


def as_model(own: OwnShape, label: str) -> Model:
    """The record; its parameters are counted from the shape."""
    mixture = own.experts is not None
    moe_layers = (own.moe_layers or own.layers) if mixture else None
    record = Model(
        label=label or "your own shape", family="yours", modality="text", params_b=1.0, layers=own.layers,
        hidden=own.hidden, heads=own.heads, kv_heads=own.kv_heads or own.heads,
        head_dim=own.head_dim or own.hidden // own.heads, ffn_hidden=own.ffn_hidden, gated=own.gated, vocab=own.vocab,
        attention="MLA" if own.kv_latent else "GQA", tied_embeddings=own.tied_embeddings,
        sliding_window=own.sliding_window, experts=own.experts, experts_per_token=own.experts_per_token,
        shared_experts=own.shared_experts if mixture else None, moe_ffn_hidden=own.expert_ffn_hidden,
        moe_layers=moe_layers, dense_layers=own.layers - moe_layers if moe_layers else None, q_lora=own.query_latent,
        kv_lora=own.kv_latent, qk_nope_dim=own.nope_dim, qk_rope_dim=own.rope_dim, v_head_dim=own.value_dim,
        source="yours", confidence="high",
    )  # fmt: skip
    return record.model_copy(update={"params_b": parameter_count_b(record)})
