"""What a row says was measured, as tokens a second; printed rates are turned back by how they were counted."""

from __future__ import annotations

from planner.evidence.cells import Row, number, text
from planner.network.network import Network

# Attention counted in full is 12 x layers x width of all heads x length for each token, causal half of it. With full
# recompute the linear layers do 8 instead of 6 operations for each parameter, attention a third more, the head no more.
_UNUSABLE = ("not stated", "none", "percent of peak")


def observed_tokens_per_s(row: Row, shape: Network) -> float | None:
    """Tokens for each accelerator and second; None where nothing can be compared."""
    printed = number(row, "tokens_per_s_per_accelerator")
    if printed is not None:
        return printed
    seq_len, said = number(row, "seq_len"), text(row, "attention_flops_counted").lower()
    step_s, batch, count = (number(row, name) for name in ("step_time_s", "global_batch_sequences", "n_accelerators"))
    if seq_len and step_s and batch and count:
        return batch * seq_len / count / step_s
    if seq_len is None or ("full" not in said and any(word in said for word in _UNUSABLE)):
        return None
    hardware_tflops = number(row, "hw_tflops_per_accelerator")
    if hardware_tflops and "hardware" in said:
        return hardware_tflops * 1e12 / _flops_per_token(shape, seq_len, again=1.0, causal=False)
    tflops = number(row, "model_tflops_per_accelerator") or _from_share(row)
    if tflops is None:
        return None
    return tflops * 1e12 / _flops_per_token(shape, seq_len, again=0.0, causal="causal" in said or "recipe" in said)


def _from_share(row: Row) -> float | None:
    share, peak = number(row, "mfu_pct"), number(row, "peak_tflops_used")
    return share / 100 * peak if share and peak else None


def _flops_per_token(shape: Network, seq_len: float, *, again: float, causal: bool) -> float:
    width = float(shape.heads * (shape.qk_dim + shape.v_dim) / 2 * shape.attention_layers)
    attention = 12 * width * seq_len * (0.5 if causal else 1.0)
    linear = float(shape.linear_params + shape.routed_active_params)
    return (6 + 2 * again) * linear + 6 * float(shape.vocab * shape.hidden) + attention * (1 + again / 3)
