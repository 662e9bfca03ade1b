"""How many parameters a network has, counted again from its shape.

A stated count and a shape that do not agree mean that one of them was copied wrong, and memory and speed would both be
wrong after it. What is counted: embeddings and head, attention, feed-forward and experts, routers, norms. What is not:
biases (under a fifth of a percent even in small models) and modules beside the language model (vision towers, draft
heads for multi-token prediction, indexers of sparse attention).
"""

from __future__ import annotations

from pricing.records import Model

_GROUPED = ("MHA", "GQA", "MQA")
_MODALITIES = ("text", "text_encoder")


class CannotCount(ValueError):
    """The shape on record is not enough, or the kind of network is not one we count. The text says which."""


def parameter_count_b(model: Model) -> float:
    """All parameters, in units of 1e9.

    References
    ----------
    D. Narayanan et al., Efficient large-scale language model training on GPU clusters, SC 2021, equation 2 (dense).
    DeepSeek-AI, DeepSeek-V2, 2024, section 2.1 (multi-head latent attention) and 2.2 (shared and routed experts).
    """
    _refuse_other_kinds(model)
    return (_once(model) + _in_layers(model, experts=model.experts)) / 1e9


def active_parameter_count_b(model: Model) -> float | None:
    """Parameters that work on each token, both embeddings included, in units of 1e9; None if that is all of them."""
    _refuse_other_kinds(model)
    if model.experts is None:
        return None
    return (_once(model) + _in_layers(model, experts=_whole(model, "experts_per_token"))) / 1e9


def _refuse_other_kinds(model: Model) -> None:
    if model.modality not in _MODALITIES:
        raise CannotCount(f"{model.label}: a {model.modality} network has parts that this shape does not describe")
    if _kind(model) not in (*_GROUPED, "MLA"):
        raise CannotCount(f"{model.label}: attention of the kind {model.attention!r} is not counted here")


def _kind(model: Model) -> str:
    """First word of `attention`: MHA, GQA, MQA or MLA; anything else is not counted."""
    return (model.attention or "").partition(",")[0]


def _once(model: Model) -> int:
    """What a network has once: token embeddings, head, learned positions, last norm."""
    hidden = _whole(model, "hidden")
    if model.tied_embeddings is None:
        raise CannotCount(f"{model.label}: not known whether the head shares its weights with the embeddings")
    tables = _whole(model, "vocab") * (1 if model.tied_embeddings else 2)
    if _says(model, "learned positions"):
        tables += _whole(model, "context")
    return (tables + 1) * hidden


def _in_layers(model: Model, *, experts: int | None) -> int:
    """What a network has in its layers, with `experts` routed experts in each layer that has them."""
    layers = _whole(model, "layers")
    every_layer = _attention(model) + 2 * _whole(model, "hidden")
    if experts is None:
        return layers * (every_layer + _feed_forward(model, _whole(model, "ffn_hidden")))
    dense = model.dense_layers or 0
    total = layers * every_layer + _whole(model, "moe_layers") * _experts(model, experts)
    return total + (dense * _feed_forward(model, _whole(model, "ffn_hidden")) if dense else 0)


def _attention(model: Model) -> int:
    return _latent_attention(model) if _kind(model) == "MLA" else _grouped_attention(model)


def _grouped_attention(model: Model) -> int:
    """Queries and output for every head, keys and values for the shared ones."""
    hidden, width = _whole(model, "hidden"), _whole(model, "head_dim")
    count = 2 * hidden * width * (_whole(model, "heads") + _whole(model, "kv_heads"))
    if _says(model, "relative positions"):
        count += hidden * hidden
    return count


def _latent_attention(model: Model) -> int:
    """Keys and values come out of a narrow shared vector, and so may queries."""
    hidden, heads = _whole(model, "hidden"), _whole(model, "heads")
    rope, latent = _whole(model, "qk_rope_dim"), _whole(model, "kv_lora")
    key, value = _whole(model, "qk_nope_dim"), _whole(model, "v_head_dim")
    queries = heads * (key + rope)
    count = hidden * queries if model.q_lora is None else model.q_lora * (hidden + queries + 1)
    count += hidden * (latent + rope) + latent * (heads * (key + value) + 1)
    return count + heads * value * hidden


def _feed_forward(model: Model, width: int) -> int:
    if model.gated is None:
        raise CannotCount(f"{model.label}: not known whether the feed-forward layer is gated")
    return (3 if model.gated else 2) * _whole(model, "hidden") * width


def _experts(model: Model, experts: int) -> int:
    """Routed and shared experts, all of one width, and the router that sees every expert."""
    one = _feed_forward(model, _whole(model, "moe_ffn_hidden"))
    return (experts + (model.shared_experts or 0)) * one + _whole(model, "hidden") * _whole(model, "experts")


def _says(model: Model, detail: str) -> bool:
    return detail in (model.attention or "")


def _whole(model: Model, name: str) -> int:
    value = getattr(model, name)
    if not isinstance(value, int):
        raise CannotCount(f"{model.label}: the shape does not say {name}")
    return value
