"""From the record of a model to its network. Fields are read, notes never."""

from dataclasses import replace
from hashlib import sha256

from planner.network.kinds import (
    GROUPED,
    LATENT,
    AttentionLayer,
    MissingShapeField,
    ParameterCountError,
    UnknownShape,
    attention_of,
    check_attention_kind,
    need,
    reach,
    reaches,
    sparse_indexer_params,
    window_attention_layer,
)
from planner.network.network import MASKED_SHARE, Network, Reach
from planner.scenario.measured import OwnModel
from pricing.caching import cached
from pricing.catalogue import Catalogue
from pricing.model import LinearAttention, Model, StateSpaceLayers

_IN_AND_OUT = 4  # of a gated convolution: three widths in, one out


def mixer_params(model: Model) -> float:
    """Parameters of all layers that a record describes and that do not attend."""
    hidden, total = need(model, "hidden"), 0.0
    if model.linear is not None:
        total += model.linear.layers * _linear_params(model.linear, hidden)
    if model.state_space is not None:
        total += model.state_space.layers * _state_space_params(model.state_space, hidden)
    if model.convolution is not None:
        total += model.convolution.layers * (_IN_AND_OUT * hidden**2 + model.convolution.kernel * hidden)
    return total


def state_values(model: Model) -> float:
    """Values that all of them keep of one request, whatever its length."""
    linear, space = model.linear, model.state_space
    values = 0.0 if linear is None else linear.layers * linear.value_heads * linear.key_dim * linear.value_dim
    return float(values if space is None else values + space.layers * space.heads * space.head_dim * space.state)


def mixer_values(model: Model) -> float:
    """Values of a token between the matrices of all of them: what is convolved, gated, and put out."""
    linear, space = model.linear, model.state_space
    total = 0.0
    if linear is not None:
        total += linear.layers * 2 * (linear.key_heads * linear.key_dim + linear.value_heads * linear.value_dim)
    if space is not None:
        total += space.layers * 2 * (space.heads * space.head_dim + space.groups * space.state)
    return total


def mixer_layers(model: Model) -> int:
    """Layers that do not attend."""
    described = sum(part.layers for part in (model.linear, model.state_space, model.convolution) if part is not None)
    return described + (model.recurrent_layers or 0)


def _linear_params(layer: LinearAttention, hidden: float) -> float:
    """Queries, keys and values behind a convolution, gates, and the way out.

    References
    ----------
    S. Yang et al., Gated Delta Networks, 2024. Kimi Team, Kimi Linear, 2025, section 3: gates of low rank.
    """
    keys, values = layer.key_heads * layer.key_dim, layer.value_heads * layer.value_dim
    both = (2 * keys + values) * (hidden + layer.kernel) + values * hidden
    if layer.kind == "gated_delta":
        return both + hidden * (values + 2 * layer.value_heads)
    decay = hidden * layer.key_dim + layer.key_dim * keys
    gate = hidden * values if layer.full_gate else hidden * layer.value_dim + layer.value_dim * values
    return both + decay + gate + hidden * layer.key_heads


def _state_space_params(layer: StateSpaceLayers, hidden: float) -> float:
    """The way in, a convolution, the way out.

    References
    ----------
    T. Dao, A. Gu, Transformers are SSMs, 2024, section 7 (the Mamba-2 block).
    """
    inner, shared = layer.heads * layer.head_dim, 2 * layer.groups * layer.state
    return hidden * (3 * inner + shared + layer.heads) + (inner + shared) * layer.kernel


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
    if model.modality not in MODALITIES and model.decoder_layers is None:
        raise ParameterCountError(
            f"{model.label}: a {model.modality} network has parts that this shape does not describe"
        )
    try:
        check_attention_kind(model)
    except UnknownShape as error:
        raise ParameterCountError(str(error)) from error
    if bool(model.recurrent_layers):
        raise ParameterCountError(f"{model.label}: layers that do not attend are not described by its shape")
    return (_once(model) + _layer_params(model)) / 1e9


def attention_layers(model: Model) -> float:
    """Layers that attend: as stated, else all that are no other mixers."""
    if model.attention_layers is not None:
        return float(model.attention_layers)
    return float((model.layers or 0) - mixer_layers(model))


def _once(model: Model) -> int:
    """Return what a network has once: token embeddings, head, learned positions, last norm."""
    hidden = _whole(model, "hidden")
    if model.tied_embeddings is None:
        raise ParameterCountError(f"{model.label}: not known whether the head shares its weights with the embeddings")
    tables = _whole(model, "vocab") * (1 if model.tied_embeddings else 2)
    if model.positions == "learned":
        tables += _whole(model, "context")
    return (tables + 1) * hidden + round(1e9 * (model.lookup_params_b or 0))


def _layer_params(model: Model) -> int:
    """Return what a network has in its layers."""
    layers = _whole(model, "layers")
    total = (
        _token_mixing_params(model) + 2 * layers * _whole(model, "hidden") + round(1e9 * (model.other_params_b or 0))
    )
    if model.experts is None:
        dense = layers if model.dense_layers is None else model.dense_layers
        return total + (dense * _feed_forward_params(model, _whole(model, "ffn_hidden")) if dense else 0)
    total += _whole(model, "moe_layers") * _expert_params(model, model.experts)
    return total + (model.dense_layers or 0) * (
        _feed_forward_params(model, _whole(model, "ffn_hidden")) if model.dense_layers else 0
    )


def _token_mixing_params(model: Model) -> int:
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
    layer = attention_of(model)
    own = near * window_attention_layer(model).params + (attending - near) * layer.params
    own += (model.decoder_layers or 0) * layer.params  # which also attend over what was read
    return own - _shared_kv_params(model, attending) + sparse_indexer_params(model)


def _shared_kv_params(model: Model, attending: float) -> float:
    """Projections to keys and values that layers lack which reuse a cache; in proportion, as they are of all kinds."""
    if not model.reusing_layers:
        return 0.0
    window, far, near = model.window, attention_of(model), window_attention_layer(model)
    share = 0.0 if window is None else window.layers / window.of
    each = share * near.cache_values + (1 - share) * far.cache_values
    return model.reusing_layers * each * _whole(model, "hidden")


def _feed_forward_params(model: Model, width: int) -> int:
    if model.gated is None:
        raise ParameterCountError(f"{model.label}: not known whether the feed-forward layer is gated")
    return (3 if model.gated else 2) * _whole(model, "hidden") * width


def _expert_params(model: Model, experts: int) -> int:
    """Routed and shared experts, the router that sees every routed one, and the way to a width of their own."""
    hidden = _whole(model, "hidden")
    routed = experts * _feed_forward_params(model, _whole(model, "moe_ffn_hidden")) * expert_width(model) // hidden
    way = 2 * hidden * model.moe_input if model.moe_input else 0
    return routed + way + _feed_forward_params(model, shared_width(model)) + hidden * _whole(model, "experts")


def expert_width(model: Model) -> int:
    """Return what a routed expert reads and writes."""
    return model.moe_input or _whole(model, "hidden")


def shared_width(model: Model) -> int:
    """Width of the shared experts of a layer together."""
    return model.shared_ffn_hidden or (model.shared_experts or 0) * (model.moe_ffn_hidden or 0)


def _whole(model: Model, name: str) -> int:
    value = getattr(model, name)
    if not isinstance(value, int):
        raise ParameterCountError(f"{model.label}: the shape does not say {name}")
    return value


def build_network(model: Model) -> Network:
    """The counts of a model, or `UnknownShape` with what is missing, or which kind of attention is unknown."""
    layers, hidden = need(model, "layers"), need(model, "hidden")
    need(model, "heads")
    vocab = need(model, "vocab")
    attending = attention_layers(model)
    layer, usual = attention_of(model), main_attention(model)
    matrices = 2.0 if model.gated is False else 3.0
    moe_layers = 0.0 if model.experts is None else float(model.moe_layers or layers)
    # A dense network that stands beside experts is among the other mixers.
    dense_layers = min(float(model.dense_layers or 0.0), layers - moe_layers)
    dense_layers = layers - moe_layers if model.dense_layers is None else dense_layers
    ffn = float(model.ffn_hidden or model.moe_ffn_hidden or 0)
    if dense_layers > 0 and not ffn:
        raise MissingShapeField(f"{model.label}: the shape does not say ffn_hidden")
    expert_ffn, width = float(model.moe_ffn_hidden or 0), float(expert_width(model))
    expert = matrices * width * expert_ffn
    mlp, shared = dense_layers * matrices * hidden * ffn, matrices * hidden * shared_width(model)
    tables, lookup = vocab * hidden * (1 if model.tied_embeddings else 2), 1e9 * (model.lookup_params_b or 0.0)
    attention = attending_params(model)
    described = attention + mlp + tables + lookup + moe_layers * (shared + (model.experts or 0) * expert)
    causal = model.modality != "text_encoder"
    # Where all parameters lie in the stack, those that its counts do not name are in its layers too.
    in_stack = model.modality in MODALITIES or mixer_layers(model) > 0 or model.decoder_layers is not None
    far, chosen, near = reaches(model, attending)
    return Network(
        label=model.label, layers=layers, hidden=hidden, vocab=vocab, params=model.params_b * 1e9, table_params=tables,
        causal=float(causal), head_share=1.0 if causal else MASKED_SHARE, attention_layers=attending,
        attention_params=attention, heads=usual.heads, kv_heads=usual.kv_heads, qk_dim=usual.qk_dim,
        v_dim=usual.v_dim, cache_heads=layer.cache_heads, latent=float(model.attention not in GROUPED), far=far,
        ffn=ffn or hidden * 4, dense_layers=dense_layers, dense_mlp_params=mlp, mlp_matrices=matrices,
        mixer_params=max(0.0, _total_params(model) - described) if in_stack else 0.0,
        moe_layers=moe_layers,
        experts=float(model.experts or 0), experts_per_token=float(model.experts_per_token or 0), expert_params=expert,
        expert_ffn=expert_ffn, expert_hidden=width, shared_params=shared,
        expert_groups=float(model.expert_groups_per_token or 0), chosen=chosen, near=near,
        state_values=state_values(model), mixer_values=mixer_values(model), lookup_params=lookup,
    )  # fmt: skip


def main_attention(model: Model) -> AttentionLayer:
    """The layer that attends of which there are most: its widths stand for the network."""
    window = model.window
    return (
        window_attention_layer(model) if window is not None and 2 * window.layers > window.of else attention_of(model)
    )


def build_text_decoder(model: Model) -> Network:
    """The counts of a model that reads and writes text, as serving it asks for them; else `UnknownShape`.

    An encoder keeps no cache. Of an encoder-decoder they are those of the half that writes, which attends twice; what
    reads, about as much, is stored beside it.
    """
    if model.modality == "text_encoder":
        read = build_network(model)
        return replace(read, far=_without_cache(read.far), near=_without_cache(read.near))
    if model.modality == "text_encoder_decoder" and model.decoder_layers is not None:
        whole, layers = build_network(model), float(need(model, "decoder_layers"))
        share = layers / whole.layers
        layer = attention_of(model)
        twice = 2 * layers * layer.params
        mlp = whole.dense_mlp_params * share
        stored = whole.counted_params - twice - mlp - whole.table_params
        return replace(
            whole, layers=layers, attention_layers=layers, dense_layers=layers, attention_params=twice,
            dense_mlp_params=mlp, mixer_params=0.0, lookup_params=stored, far=reach(layer, layers),
        )  # fmt: skip
    if model.modality != "text":
        kind = model.modality.replace("_", " ")
        raise UnknownShape(f"{model.label}: a {kind} network does not write tokens one by one")
    for name in ("layers", "hidden", "heads", "head_dim", "vocab"):
        need(model, name)
    check_attention_kind(model)
    return build_network(model)


def _without_cache(reach: Reach) -> Reach:
    return replace(reach, kept=0.0, read=0.0, decode_flops=0.0)


def _total_params(model: Model) -> float:
    """All parameters as the shape has them; as stated, where it says too little. [count]"""
    try:
        return 1e9 * parameter_count_b(model)
    except ParameterCountError:
        return 1e9 * model.params_b


_OURS = {"family": "own", "source": "own", "confidence": "medium"}


def with_user_models(catalogue: Catalogue, models: tuple[OwnModel, ...]) -> Catalogue:
    """The same catalogue where there are none; with them another, which its digest says."""
    if not models:
        return catalogue
    if all(catalogue.models.get(model.name) == user_model_record(model) for model in models):
        return catalogue  # laid over it before
    added = {model.name: user_model_record(model) for model in models}
    digest = sha256(f"{catalogue.digest}{models!r}".encode()).hexdigest()
    return catalogue.model_copy(update={"models": {**catalogue.models, **added}, "digest": digest})


@cached(64)
def user_model_record(own: OwnModel) -> Model:
    """The record of it that everything is counted from."""
    fields = {name: getattr(own, name) for name in own.model_fields_set - {"name"}}
    return Model.model_validate({"modality": own.modality, **fields, **_OURS, "label": own.name})
