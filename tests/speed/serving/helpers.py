"""Cases small enough to work out by hand."""

import math
from dataclasses import fields, replace
from typing import Any

from planner.network.network import Network, Reach
from planner.speed.serving.cases import (
    NAMES,
    ByteWidths,
    ServingCase,
    ServingConstants,
    ServingLayout,
    ServingLimits,
    ServingMachine,
    ServingTraffic,
    ServingTraits,
)

NOTHING = ("activation_bytes", "bubble", "expert_tile", "fullest_rank", "permute_bytes")
# Every share one, every loss nothing: what is left is the plain roofline.
IDEAL = replace(
    ServingConstants(**dict.fromkeys(NAMES, 1.0)),
    **{name: 0.0 for name in NAMES if name.endswith(("_us", "_ms")) or name in NOTHING},
)


def network(**changed: Any) -> Network:
    """Ten layers of a hundred units with a million parameters of each kind, and a cache of 1,000 numbers a token.

    What attention computes is left out: its heads have no width.
    """
    plain: dict[str, Any] = {
        "layers": 10.0, "hidden": 100.0, "vocab": 1e4, "params": 5e6, "table_params": 2e6, "causal": 1.0,
        "head_share": 1.0, "attention_layers": 10.0, "attention_params": 1e6, "heads": 8.0, "kv_heads": 8.0,
        "qk_dim": 0.0, "v_dim": 0.0, "cache_heads": 8.0, "latent": 0.0,
        "far": Reach(kept=1_000.0, read=1_000.0), "ffn": 1.0, "dense_layers": 10.0, "dense_mlp_params": 2e6,
        "mlp_matrices": 2.0, "mixer_params": 0.0, "moe_layers": 0.0, "experts": 0.0, "experts_per_token": 0.0,
        "expert_params": 0.0, "expert_ffn": 0.0, "expert_hidden": 100.0, "shared_params": 0.0,
    }  # fmt: skip
    return Network(label="by hand", **{**plain, **changed})


def case(**parts: Any) -> ServingCase:
    """That network in 16 bits on a machine of a GB of memory, a GB/s and a TFLOP/s."""
    plain: dict[str, Any] = {
        "network": network(),
        "widths": ByteWidths(weight=2.0, other=2.0, attention=2.0, head=2.0, kv=2.0),
        "machine": ServingMachine(flops=1e12, flops_16bit=1e12, bandwidth=1e9, memory_bytes=10e9, link_bytes_per_s=1e8,
            network_bytes_per_s=1e7, domain=8.0),
        "layout": ServingLayout(group=1.0, stages=1.0, replicas=1.0, attention_ranks=1.0),
        "limits": ServingLimits(
            step_s=0.0, step_tokens=math.inf, most_requests=4_096.0, memory_share=0.9, cache_share=1.0,
            working_bytes=1.5e9, reserve_share=0.5,
        ),
        "traits": ServingTraits(
            **{field.name: 0.0 for field in fields(ServingTraits)} | {"power_share": 1.0, "level": 1.0}
        ),
        "traffic": ServingTraffic(input_tokens=100.0, output_tokens=100.0, batch=4.0, requests_in_run=math.inf,
                           worked_share=1.0, held_by_memory=1.0),
    }  # fmt: skip
    return ServingCase(**{**plain, **parts})
