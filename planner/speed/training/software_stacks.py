"""What stacks of training software keep for each parameter, and what the peak of memory is that they print."""

from typing import Literal

from pydantic import Field

from planner.speed.data_files import read_data
from pricing.caching import cached
from pricing.figure import StrictModel, Text

Counts = Literal["allocated", "reserved", "device"]


class SoftwareStack(StrictModel):
    """One stack of software. Bytes are for each trained parameter."""

    when: tuple[str, ...] = Field(
        description="words that all stand in the framework of a run, its precision among them"
    )
    gradients: float = Field(ge=0, description="bytes of a gradient, sharded from ZeRO 2 on")
    states: float = Field(ge=0, description="bytes of master weights, moments and whatever else ZeRO 1 spreads")
    counts: Counts = Field(description="what a printed peak holds: live tensors, the allocator's pool, or all of it")
    source: Text = Field(description="where that is read or printed")
    always: float = Field(default=0.0, ge=0, description="bytes of a gradient that no sharding below ZeRO 3 spreads")
    loss_chunks: float = Field(default=1.0, ge=1, description="pieces in which the loss is worked out")
    buckets_gb: float = Field(default=0.0, ge=0, description="set aside for exchanges")
    host_weights: bool = Field(default=False, description="what is moved to the host goes there with the weights")
    logits: float = Field(default=10.0, gt=0, description="bytes of a logit while the loss is worked out")
    fused_norms: bool = Field(default=False, description="norms are one kernel where the rest is not")
    loads_whole: bool = Field(default=False, description="every rank first holds the whole model")
    launched_ahead: bool | None = Field(
        default=None, description="work is launched many kernels at once; unless said, where it is compiled"
    )
    fused_attention: bool = Field(
        default=True,
        description="attention never writes scores out, once kernels for that are there; a run that says flash wins",
    )
    overlaps: bool = Field(default=True, description="exchanges of weights and gradients hide behind computing")
    ring_uneven: bool = Field(
        default=False, description="context parallelism splits a sequence as it comes, the last rank has the most to do"
    )
    recompute_when_sharded: bool = Field(
        default=False, description="layers are computed again where weights are sharded"
    )


class SoftwareStackData(StrictModel):
    """All of them; the first that fits counts."""

    about: Text = Field(description="what this file holds and where it came from")
    stacks: tuple[SoftwareStack, ...] = Field(description="the first counts of which every word of `when` fits")


@cached(1)
def _stacks() -> tuple[SoftwareStack, ...]:
    return SoftwareStackData.model_validate(read_data("training_stacks.yaml")).stacks


@cached(512)
def find_software_stack(framework: str, precision: str) -> SoftwareStack:
    """The first stack all of whose words stand in the framework's name and the precision of a run."""
    said = f"{framework} {precision}".lower()
    return next(stack for stack in _stacks() if all(word in said for word in stack.when))
