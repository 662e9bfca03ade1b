"""A network that is not in the catalogue, as the person who has it describes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field, model_validator

from planner.inputs.base import Inputs

_Width = Annotated[int, Field(ge=1, le=131_072)]
_Heads = Annotated[int, Field(ge=1, le=1_024)]


class OwnShape(Inputs):
    """A transformer: dense, with grouped or latent attention, with or without experts."""

    layers: Annotated[int, Field(ge=1, le=2_000)]
    hidden: Annotated[int, Field(ge=64, le=131_072)]
    heads: _Heads
    kv_heads: Annotated[_Heads, Field(description="as many as heads where empty")] | None = None
    head_dim: Annotated[_Width, Field(description="hidden over heads where empty")] | None = None
    ffn_hidden: Annotated[int, Field(ge=64, le=1_048_576)]
    vocab: Annotated[int, Field(ge=2, le=2_000_000)]
    gated: bool = True
    tied_embeddings: bool = False
    sliding_window: Annotated[int, Field(ge=1, le=100_000_000, description="seen by every layer")] | None = None
    experts: Annotated[int, Field(ge=2, le=10_000)] | None = None
    experts_per_token: Annotated[int, Field(ge=1, le=10_000)] | None = None
    shared_experts: Annotated[int, Field(ge=0, le=1_000)] = 0
    expert_ffn_hidden: Annotated[int, Field(ge=64, le=1_048_576)] | None = None
    moe_layers: Annotated[int, Field(ge=1, le=2_000, description="all layers where empty")] | None = None
    query_latent: _Width | None = None
    kv_latent: Annotated[_Width, Field(description="latent attention keeps this for each token")] | None = None
    nope_dim: _Width | None = None
    rope_dim: _Width | None = None
    value_dim: _Width | None = None

    @model_validator(mode="after")
    def _can_exist(self) -> OwnShape:
        if self.head_dim is None and self.hidden % self.heads:
            near = _nearest(self.heads, (n for n in range(1, self.hidden + 1) if self.hidden % n == 0))
            raise ValueError(f"{self.heads} heads do not divide a hidden width of {self.hidden:,}; nearest: {near}")
        if self.kv_heads is not None and self.heads % self.kv_heads:
            near = _nearest(self.kv_heads, (n for n in range(1, self.heads + 1) if self.heads % n == 0))
            raise ValueError(
                f"{self.kv_heads} heads of keys and values do not divide {self.heads} of queries; nearest: {near}"
            )
        return self

    @model_validator(mode="after")
    def _is_whole(self) -> OwnShape:
        mixture = (self.experts, self.experts_per_token, self.expert_ffn_hidden)
        if any(mixture) and not all(mixture):
            raise ValueError("a mixture needs experts, experts_per_token and expert_ffn_hidden; give all three or none")
        if self.experts is not None and (self.experts_per_token or 0) > self.experts:
            raise ValueError(f"{self.experts_per_token} experts for each token, and there are {self.experts}")
        if (self.moe_layers or 0) > self.layers:
            raise ValueError(f"{self.moe_layers} layers of experts, and there are {self.layers} layers")
        latent = (self.kv_latent, self.nope_dim, self.rope_dim, self.value_dim)
        if any(latent) and not all(latent):
            raise ValueError("latent attention needs kv_latent, nope_dim, rope_dim and value_dim; give all or none")
        return self


def _nearest(wanted: int, legal: Iterable[int]) -> str:
    """The legal value below and the one above, in words."""
    values = sorted(legal)
    both = [n for n in values if n <= wanted][-1:] + [n for n in values if n > wanted][:1]
    return " or ".join(f"{n:,}" for n in both)
