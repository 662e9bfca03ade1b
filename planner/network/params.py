"""How many parameters a network has, counted again from its shape.

A stated count and a shape that do not agree mean that one of them was copied wrong, and memory and speed would both be
wrong after it. What is counted: embeddings and head, attention, feed-forward and experts, routers, norms. What is not:
biases (under a fifth of a percent even in small models) and modules beside the language model (vision towers, draft
heads for multi-token prediction, indexers of sparse attention).
"""

from __future__ import annotations

from planner.network.kinds import COUNTED, LATENT, attention_of, refuse_unknown_kind
from planner.network.refused import CannotCount, UnknownShape
from pricing.model import Model

_GROUPED_WIDTHS = ("hidden", "heads", "kv_heads", "head_dim")
_LATENT_RANKS = ("hidden", "heads", "kv_lora", "qk_nope_dim", "qk_rope_dim", "v_head_dim")
MODALITIES = ("text", "text_encoder")  # networks whose parameters all lie in the one stack that a record describes


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
    if model.modality not in MODALITIES:
        raise CannotCount(f"{model.label}: a {model.modality} network has parts that this shape does not describe")
    try:
        refuse_unknown_kind(model, COUNTED)
    except UnknownShape as error:
        raise CannotCount(str(error)) from error
    if has_other_mixers(model):
        raise CannotCount(f"{model.label}: layers that do not attend are not described by its shape")


def has_other_mixers(model: Model) -> bool:
    """Whether layers that attend take turns with others, whose parameters no field describes."""
    said = model.attention_layers
    return bool(model.linear_layers or model.recurrent_layers or (said is not None and said != model.layers))


def _once(model: Model) -> int:
    """What a network has once: token embeddings, head, learned positions, last norm."""
    hidden = _whole(model, "hidden")
    if model.tied_embeddings is None:
        raise CannotCount(f"{model.label}: not known whether the head shares its weights with the embeddings")
    tables = _whole(model, "vocab") * (1 if model.tied_embeddings else 2)
    if model.positions == "learned":
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
    """The projections of one layer, with what stands beside them: norms of latent vectors, tables of distances."""
    for name in _LATENT_RANKS if model.attention == LATENT else _GROUPED_WIDTHS:
        _whole(model, name)
    count = int(attention_of(model).params)
    if model.attention == LATENT:
        return count + (model.q_lora or 0) + _whole(model, "kv_lora")
    return count + (_whole(model, "hidden") ** 2 if model.positions == "relative" else 0)


def _feed_forward(model: Model, width: int) -> int:
    if model.gated is None:
        raise CannotCount(f"{model.label}: not known whether the feed-forward layer is gated")
    return (3 if model.gated else 2) * _whole(model, "hidden") * width


def _experts(model: Model, experts: int) -> int:
    """Routed and shared experts, and the router that sees every routed one."""
    routed = experts * _feed_forward(model, _whole(model, "moe_ffn_hidden"))
    shared = _feed_forward(model, shared_width(model))
    return routed + shared + _whole(model, "hidden") * _whole(model, "experts")


def shared_width(model: Model) -> int:
    """Width of the shared experts of a layer together."""
    return model.shared_ffn_hidden or (model.shared_experts or 0) * (model.moe_ffn_hidden or 0)


def _whole(model: Model, name: str) -> int:
    value = getattr(model, name)
    if not isinstance(value, int):
        raise CannotCount(f"{model.label}: the shape does not say {name}")
    return value
