"""Layouts that cannot be, refused with the nearest that can; and what would make a model fit."""

from collections.abc import Iterator
from dataclasses import replace

from planner.network.network import Network
from planner.speed.hardware import InvalidJobError, MissingAcceleratorDataError
from planner.speed.serving.case_of import ServingSetup, make_case, stored_gb
from planner.speed.serving.cases import ServingCase, ServingLayout, ServingLimits, ServingTraffic
from planner.speed.serving.chips import build_accelerator
from planner.speed.serving.memory import fits, held
from planner.speed.serving.result import ServingFitSuggestion
from pricing.catalogue import Catalogue

_NARROWER = {"fp32": "bf16", "bf16": "fp8", "fp16": "fp8", "fp8": "int4", "int8": "int4"}
_MOST_TOGETHER = 64
_LARGER_SHOWN = 3


def valid_tensor_degrees(shape: Network, *, most: int = _MOST_TOGETHER) -> tuple[int, ...]:
    """Tensor parallel degrees that divide the query heads and do not split a key head unevenly."""
    heads, keys = int(shape.heads), int(shape.cache_heads)
    found = (size for size in range(1, most + 1) if heads % size == 0)
    return tuple(size for size in found if shape.latent or keys % size == 0 or size % keys == 0)


def check_layout(shape: Network, *, group: int, stages: int, spread: bool) -> None:
    """Raise `InvalidJobError` where heads, experts or layers do not divide."""
    legal = valid_tensor_degrees(shape, most=max(_MOST_TOGETHER, 2 * group))
    if group not in legal:
        raise InvalidJobError(
            f"{shape.label}: {int(shape.heads)} query and {int(shape.cache_heads)} key heads cannot be shared by "
            f"{group}; nearest: {_nearest(legal, group)}"
        )
    if stages > shape.layers:
        raise InvalidJobError(f"{shape.label}: {stages} stages for {int(shape.layers)} layers; at most one each")
    if spread and shape.experts > 1 and shape.experts % group:
        fair = [size for size in range(1, int(shape.experts) + 1) if shape.experts % size == 0]
        raise InvalidJobError(
            f"{shape.label}: {int(shape.experts)} experts cannot be spread evenly over {group}; "
            f"nearest: {_nearest(tuple(fair), group)}"
        )


def _nearest(legal: tuple[int, ...], wanted: int) -> str:
    below = [size for size in legal if size < wanted]
    above = [size for size in legal if size > wanted]
    return " or ".join(str(size) for size in (*below[-1:], *above[:1]))


def why_not(case: ServingCase) -> str | None:
    """Why it does not fit, in GB, or nothing if it does."""
    if bool(fits(case)):
        return None
    kept = held(case)
    need = (float(kept.weights_bytes) + float(kept.working_bytes)) / 1e9
    have = float(kept.usable_bytes) / 1e9
    if float(kept.free_bytes) < 0:
        return f"weights and working space need {need:,.1f} GB, and {have:,.1f} GB can be used"
    return f"weights leave {have - need:,.1f} GB of {have:,.1f} GB, too little for the cache of one request"


def ways_to_fit(
    catalogue: Catalogue, setup: ServingSetup, layout: ServingLayout, limit: ServingLimits, traffic: ServingTraffic
) -> tuple[ServingFitSuggestion, ...]:
    """What would make it fit, cheapest first: a narrower cache, narrower weights, more accelerators, larger ones."""
    devices = int(float(layout.group) * float(layout.stages))
    return (
        *_suggest_narrower_cache(setup, layout, limit, traffic, devices),
        *_suggest_narrower_weights(setup, layout, limit, traffic, devices),
        *_more_accelerators(setup, layout, limit, traffic),
        *_suggest_larger_accelerators(catalogue, setup, layout, limit, traffic, devices),
    )


def _fits(setup: ServingSetup, layout: ServingLayout, limit: ServingLimits, traffic: ServingTraffic) -> bool:
    return bool(fits(make_case(setup, layout, limit, traffic)))


def _suggest_narrower_cache(
    setup: ServingSetup, layout: ServingLayout, limit: ServingLimits, traffic: ServingTraffic, devices: int
) -> Iterator[ServingFitSuggestion]:
    if setup.kv_bytes > 1 and _fits(replace(setup, kv_bytes=1.0), layout, limit, traffic):
        yield ServingFitSuggestion("keep the cache in 8 bits", devices, setup.chip.name)


def _suggest_narrower_weights(
    setup: ServingSetup, layout: ServingLayout, limit: ServingLimits, traffic: ServingTraffic, devices: int
) -> Iterator[ServingFitSuggestion]:
    precision = setup.precision
    while (narrower := _NARROWER.get(precision)) is not None:
        precision = narrower
        if _fits(replace(setup, precision=precision), layout, limit, traffic):
            stored = stored_gb(replace(setup, precision=precision))
            yield ServingFitSuggestion(
                f"store weights as {precision}, about {stored:,.0f} GB", devices, setup.chip.name
            )
            return


def _more_accelerators(
    setup: ServingSetup, layout: ServingLayout, limit: ServingLimits, traffic: ServingTraffic
) -> Iterator[ServingFitSuggestion]:
    for size in valid_tensor_degrees(setup.shape):
        ranks = float(size) if float(layout.attention_ranks) > 1 else 1.0
        wider = replace(layout, group=float(size), attention_ranks=ranks)
        if size > float(layout.group) and _fits(setup, wider, limit, traffic):
            devices = int(size * float(layout.stages))
            yield ServingFitSuggestion(f"share it between {devices} of them", devices, setup.chip.name)
            return


def _suggest_larger_accelerators(
    catalogue: Catalogue,
    setup: ServingSetup,
    layout: ServingLayout,
    limit: ServingLimits,
    traffic: ServingTraffic,
    devices: int,
) -> Iterator[ServingFitSuggestion]:
    larger = []
    for name, record in catalogue.accelerators.items():
        if record.kind != setup.chip.kind or name == setup.chip.name:
            continue
        try:
            chip = build_accelerator(name, record)
        except MissingAcceleratorDataError:
            continue
        if chip.memory_bytes > setup.chip.memory_bytes:
            larger.append((chip.memory_bytes, name, chip))
    found = 0
    for _, name, chip in sorted(larger, key=lambda entry: entry[:2]):
        if found < _LARGER_SHOWN and _fits(replace(setup, chip=chip), layout, limit, traffic):
            found += 1
            yield ServingFitSuggestion(f"take {catalogue.accelerator_label(name)} instead", devices, name)
