"""Cases small enough to work out by hand."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

from planner.speed.serving.cases import Case, Layout, Limits, Machine, Network, Traffic, Traits, Widths
from planner.speed.serving.constants import NAMES, Constants

# Every share one, every loss nothing: what is left is the plain roofline.
IDEAL = replace(
    Constants(**dict.fromkeys(NAMES, 1.0)),
    **{name: 0.0 for name in NAMES if name.endswith(("_us", "_ms")) or name == "activation_bytes"},
)


def network(**changed: float) -> Network:
    """Ten layers of a hundred units with a million parameters of each kind, and a cache of 1,000 numbers a token."""
    plain = {
        "layers": 10.0, "moe_layers": 0.0, "hidden": 100.0, "attention_params": 1e6, "other_params": 2e6,
        "head_params": 1e6, "embedding_params": 1e6, "expert_params": 0.0, "experts": 1.0, "experts_per_token": 1.0,
        "kv_values": 1_000.0, "kv_window_values": 0.0, "window": 1e9, "kv_heads": 8.0, "prefill_attention_flops": 0.0,
        "prefill_window_flops": 0.0, "decode_attention_flops": 0.0,
    }  # fmt: skip
    return Network(**{**plain, **changed})


def case(**parts: Any) -> Case:
    """That network in 16 bits on a machine of a GB of memory, a GB/s and a TFLOP/s."""
    plain: dict[str, Any] = {
        "network": network(),
        "widths": Widths(weight=2.0, attention=2.0, head=2.0, kv=2.0),
        "machine": Machine(flops=1e12, flops_16bit=1e12, bandwidth=1e9, memory_bytes=10e9, link_bytes_per_s=1e8),
        "layout": Layout(group=1.0, stages=1.0, replicas=1.0, attention_ranks=1.0),
        "limits": Limits(step_s=0.0, step_tokens=math.inf, most_requests=4_096.0, memory_share=0.9, cache_share=1.0,
                         reserve_share=0.5),
        "traits": Traits(**{field.name: 0.0 for field in fields(Traits)}),
        "traffic": Traffic(input_tokens=100.0, output_tokens=100.0, batch=4.0, requests_in_run=math.inf,
                           worked_share=1.0, held_by_memory=1.0),
    }  # fmt: skip
    return Case(**{**plain, **parts})
