"""A model of one's own in words: what was read of its configuration, to be looked over before it is used."""

from planner.network.own_models import record_of
from planner.network.record import network_of
from planner.scenario.base import GIGA
from planner.scenario.own_model import OwnModel

_DOES = {
    "text": "writes", "text_encoder": "reads and writes nothing", "text_encoder_decoder": "reads with one half, writes "
    "with the other",
}  # fmt: skip


def shape_words(own: OwnModel) -> str:
    """One sentence with its size, its layers and what it keeps of a token."""
    net = network_of(record_of(own))
    size = f"{own.name}: {_billions(own.params_b)}"
    if net.is_moe:
        size += f", {_billions(float(net.active_params) / GIGA)} of them at work on a token"
    layers = f"{float(net.layers):,.0f} layers of {float(net.hidden):,.0f}"
    if net.is_hybrid:
        layers += f", {float(net.attention_layers):,.0f} of which attend"
    kept = float(net.far.kept + net.chosen.kept)
    heads = f"{own.heads:,} heads" if own.kv_heads in (None, own.heads) else f"{own.heads:,} heads on {own.kv_heads:,}"
    cache = f"{kept:,.0f} values kept of each token"
    if net.near.kept:
        cache += f", and {float(net.near.kept):,.0f} of the last {float(net.near.tokens):,.0f}"
    stored = str(own.weights or "16 bits")
    if own.rest_weights:
        stored = f"{own.weights}, all but the experts in {own.rest_weights}"
    return f"{size}; {layers}, {heads}; {cache}; weights in {stored}; it {_DOES[own.modality]}."


def _billions(count: float) -> str:
    return f"{count:,.3g} billion parameters" if count < 1_000 else f"{count / 1_000:,.3g} trillion parameters"
