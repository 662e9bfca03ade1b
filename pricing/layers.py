"""How the layers of a network differ from one another: as numbers, so that whatever is counted of them is one sum.

What each of them keeps, reads and computes is counted in planner/network.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from pricing.fields import COUNT, Whole
from pricing.figure import Strict


class Window(Strict):
    """What some layers see of the context: `layers` `of` so many see no more than `tokens` tokens."""

    kind: Literal["sliding", "chunked"] = Field(
        default="sliding",
        description="the last tokens, or those of a fixed piece; counted alike, as engines are measured to run them",
    )
    tokens: int = Field(json_schema_extra=COUNT, ge=1, le=100_000_000, description="what such a layer sees at most")
    layers: Whole = Field(default=1, description="how many layers of `of` have the window")
    of: Whole = Field(default=1, description="either all layers that attend, or the period in which kinds alternate")
    heads: Whole | None = Field(default=None, description="query heads of such a layer; absent: as the others")
    kv_heads: Whole | None = Field(default=None, description="its heads of keys and values; absent: as the others")
    head_dim: Whole | None = Field(default=None, description="width of its heads; absent: as the others")

    @model_validator(mode="after")
    def _some_of_them(self) -> Window:
        if self.layers > self.of:
            raise ValueError(f"want at most {self.of} layers of {self.of} with a window, got {self.layers}")
        return self


class Indexer(Strict):
    """Layers that look at chosen tokens only, and the narrow attention that chooses them."""

    heads: Whole = Field(description="of the narrow attention that chooses")
    head_dim: Whole = Field(description="width of its one key, which is kept of each token")
    tokens: int = Field(
        json_schema_extra=COUNT, ge=1, le=100_000_000, description="entries of the cache that a token looks at"
    )
    looking: Whole = Field(description="layers that look at chosen tokens only")
    layers: Whole = Field(description="layers that choose for themselves; the others take an earlier choice")


class Compression(Strict):
    """Layers that keep one entry for several tokens, and a window of tokens as they are."""

    chosen_layers: Whole = Field(description="layers that look at chosen entries")
    chosen_tokens: Whole = Field(description="tokens in one of their entries")
    whole_layers: Whole = Field(description="layers that look at all entries")
    whole_tokens: Whole = Field(description="tokens in one of theirs")
    out_rank: Whole = Field(description="rank of the projection out of the heads, for each group of them")
    out_groups: Whole = Field(description="groups of heads that are projected by themselves")


class Linear(Strict):
    """Layers of linear attention: each keeps a state of fixed size, and no cache."""

    kind: Literal["gated_delta", "kimi_delta"] = Field(description="one gate a head, or one for each of its values")
    layers: Whole = Field(description="layers of this kind")
    key_heads: Whole = Field(description="heads of queries and of keys")
    value_heads: Whole = Field(description="heads of values, each with a state")
    key_dim: Whole = Field(description="width of a head of keys")
    value_dim: Whole = Field(description="width of a head of values")
    kernel: Whole = Field(description="tokens that the convolution before it sees")
    full_gate: bool = Field(default=False, description="whether what comes out has a gate of full rank")


class StateSpace(Strict):
    """Layers of Mamba 2: each keeps a state of fixed size, and no cache."""

    layers: Whole = Field(description="layers of this kind")
    heads: Whole = Field(description="heads, each with a state")
    head_dim: Whole = Field(description="width of a head")
    state: Whole = Field(description="values kept for each value of a head")
    groups: Whole = Field(description="groups of heads that share what goes in and out of the state")
    kernel: Whole = Field(description="tokens that the convolution before it sees")


class Convolution(Strict):
    """Layers that mix the last few tokens, gated, and keep only those."""

    layers: Whole = Field(description="layers of this kind")
    kernel: Whole = Field(description="tokens that it sees")
