"""Layers that do not attend: what they are made of, and the state of fixed size that each keeps of a request."""

from planner.network.kinds import need
from pricing.layers import Convolution, Linear, StateSpace
from pricing.model import Model

_IN_AND_OUT = 4  # of a gated convolution: three widths in, one out


def mixer_params(model: Model) -> float:
    """Parameters of all layers that a record describes and that do not attend."""
    hidden, total = need(model, "hidden"), 0.0
    if model.linear is not None:
        total += model.linear.layers * _linear_params(model.linear, hidden)
    if model.state_space is not None:
        total += model.state_space.layers * _state_space_params(model.state_space, hidden)
    if model.convolution is not None:
        total += model.convolution.layers * _convolution_params(model.convolution, hidden)
    return total


def state_values(model: Model) -> float:
    """Values that all of them keep of one request, whatever its length."""
    linear, space = model.linear, model.state_space
    kept = 0.0 if linear is None else linear.layers * linear.value_heads * linear.key_dim * linear.value_dim
    return float(kept if space is None else kept + space.layers * space.heads * space.head_dim * space.state)


def mixer_values(model: Model) -> float:
    """Values of a token between the matrices of all of them: what is convolved, gated, and put out."""
    linear, space = model.linear, model.state_space
    made = 0.0
    if linear is not None:
        made += linear.layers * 2 * (linear.key_heads * linear.key_dim + linear.value_heads * linear.value_dim)
    if space is not None:
        made += space.layers * 2 * (space.heads * space.head_dim + space.groups * space.state)
    return made


def mixer_layers(model: Model) -> int:
    """Layers that do not attend."""
    described = sum(one.layers for one in (model.linear, model.state_space, model.convolution) if one is not None)
    return described + (model.recurrent_layers or 0)


def _linear_params(one: Linear, hidden: float) -> float:
    """Queries, keys and values behind a convolution, gates, and the way out.

    References
    ----------
    S. Yang et al., Gated Delta Networks, 2024. Kimi Team, Kimi Linear, 2025, section 3: gates of low rank.
    """
    keys, values = one.key_heads * one.key_dim, one.value_heads * one.value_dim
    both = (2 * keys + values) * (hidden + one.kernel) + values * hidden
    if one.kind == "gated_delta":
        return both + hidden * (values + 2 * one.value_heads)
    decay = hidden * one.key_dim + one.key_dim * keys
    gate = hidden * values if one.full_gate else hidden * one.value_dim + one.value_dim * values
    return both + decay + gate + hidden * one.key_heads


def _state_space_params(one: StateSpace, hidden: float) -> float:
    """The way in, a convolution, the way out.

    References
    ----------
    T. Dao, A. Gu, Transformers are SSMs, 2024, section 7 (the Mamba-2 block).
    """
    inner, shared = one.heads * one.head_dim, 2 * one.groups * one.state
    return hidden * (3 * inner + shared + one.heads) + (inner + shared) * one.kernel


def _convolution_params(one: Convolution, hidden: float) -> float:
    return float(_IN_AND_OUT * hidden**2 + one.kernel * hidden)
