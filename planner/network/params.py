"""How many parameters a network has, counted again from its shape.

A stated count and a shape that do not agree mean that one of them was copied wrong, and memory and speed would both be
wrong after it. What is counted: embeddings and head, attention, feed-forward and experts, routers, norms. What is not:
biases (under a fifth of a percent even in small models) and modules beside the language model (vision towers, draft
heads for multi-token prediction).
"""

from planner.network.kinds import GROUPED, LATENT, attention_of, choosing_params, near_attention, refuse_unknown_kind
from planner.network.mixers import mixer_layers, mixer_params
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
    if model.modality not in MODALITIES and model.decoder_layers is None:
        raise CannotCount(f"{model.label}: a {model.modality} network has parts that this shape does not describe")
    try:
        refuse_unknown_kind(model)
    except UnknownShape as error:
        raise CannotCount(str(error)) from error
    if has_unknown_mixers(model):
        raise CannotCount(f"{model.label}: layers that do not attend are not described by its shape")


def has_unknown_mixers(model: Model) -> bool:
    """Whether layers that attend take turns with others, whose parameters no field describes."""
    return bool(model.recurrent_layers)


def attention_layers(model: Model) -> float:
    """Layers that attend: as stated, else all that are no other mixers."""
    if model.attention_layers is not None:
        return float(model.attention_layers)
    return float((model.layers or 0) - mixer_layers(model))


def _once(model: Model) -> int:
    """What a network has once: token embeddings, head, learned positions, last norm."""
    hidden = _whole(model, "hidden")
    if model.tied_embeddings is None:
        raise CannotCount(f"{model.label}: not known whether the head shares its weights with the embeddings")
    tables = _whole(model, "vocab") * (1 if model.tied_embeddings else 2)
    if model.positions == "learned":
        tables += _whole(model, "context")
    return (tables + 1) * hidden + round(1e9 * (model.lookup_params_b or 0))


def _in_layers(model: Model, *, experts: int | None) -> int:
    """What a network has in its layers, with `experts` routed experts in each layer that has them."""
    layers = _whole(model, "layers")
    total = _mixing(model) + 2 * layers * _whole(model, "hidden") + round(1e9 * (model.other_params_b or 0))
    if experts is None:
        dense = layers if model.dense_layers is None else model.dense_layers
        return total + (dense * _feed_forward(model, _whole(model, "ffn_hidden")) if dense else 0)
    total += _whole(model, "moe_layers") * _experts(model, experts)
    return total + (model.dense_layers or 0) * (
        _feed_forward(model, _whole(model, "ffn_hidden")) if model.dense_layers else 0
    )


def _mixing(model: Model) -> int:
    """All layers that mix tokens, with norms of latent vectors and tables of distances."""
    for name in _LATENT_RANKS if model.attention == LATENT else _GROUPED_WIDTHS:
        _whole(model, name)
    small = (model.q_lora or 0) + _whole(model, "kv_lora") if model.attention == LATENT else 0
    if model.positions == "relative" and model.attention in GROUPED:
        small += _whole(model, "hidden") ** 2
    return round(attending_params(model) + attention_layers(model) * small + mixer_params(model))


def attending_params(model: Model) -> float:
    """Projections of all layers that attend, and what chooses for them."""
    attending, window = attention_layers(model), model.window
    near = 0.0 if window is None else attending * window.layers / window.of
    one = attention_of(model)
    own = near * near_attention(model).params + (attending - near) * one.params
    own += (model.decoder_layers or 0) * one.params  # which also attend over what was read
    return own - _reused(model, attending) + choosing_params(model)


def _reused(model: Model, attending: float) -> float:
    """Projections to keys and values that layers lack which reuse a cache; in proportion, as they are of all kinds."""
    if not model.reusing_layers:
        return 0.0
    window, far, near = model.window, attention_of(model), near_attention(model)
    share = 0.0 if window is None else window.layers / window.of
    each = share * near.cache_values + (1 - share) * far.cache_values
    return model.reusing_layers * each * _whole(model, "hidden")


def _feed_forward(model: Model, width: int) -> int:
    if model.gated is None:
        raise CannotCount(f"{model.label}: not known whether the feed-forward layer is gated")
    return (3 if model.gated else 2) * _whole(model, "hidden") * width


def _experts(model: Model, experts: int) -> int:
    """Routed and shared experts, the router that sees every routed one, and the way to a width of their own."""
    hidden = _whole(model, "hidden")
    routed = experts * _feed_forward(model, _whole(model, "moe_ffn_hidden")) * expert_width(model) // hidden
    way = 2 * hidden * model.moe_input if model.moe_input else 0
    return routed + way + _feed_forward(model, shared_width(model)) + hidden * _whole(model, "experts")


def expert_width(model: Model) -> int:
    """What a routed expert reads and writes."""
    return model.moe_input or _whole(model, "hidden")


def shared_width(model: Model) -> int:
    """Width of the shared experts of a layer together."""
    return model.shared_ffn_hidden or (model.shared_experts or 0) * (model.moe_ffn_hidden or 0)


def _whole(model: Model, name: str) -> int:
    value = getattr(model, name)
    if not isinstance(value, int):
        raise CannotCount(f"{model.label}: the shape does not say {name}")
    return value
