"""Tables of somebody's own runs, so many times as fast as is predicted of them."""

import csv
import io
from collections.abc import Sequence

from planner.evidence.serving.check import own_serving_runs
from planner.evidence.training.check import own_training_runs
from pricing import Catalogue

TRAINED = {
    "model": "llama-3-8b", "accelerator": "H100 SXM5", "n_accelerators": "64", "precision": "bf16", "seq_len": "8192",
    "global_batch_sequences": "512", "tp": "1", "pp": "1", "published": "2026-03",
}  # fmt: skip
SERVED = {
    "model": "llama-3.1-8b", "accelerator": "H100 SXM5", "n_accelerators": "1", "engine": "vLLM", "mode": "offline",
    "input_tokens": "1000", "output_tokens": "300", "concurrency_or_batch": "64",
}  # fmt: skip
MEASURED = {"training": "tokens_per_s_per_accelerator", "serving": "output_tokens_per_s_total"}


def own_rows(
    catalogue: Catalogue, kind: str, ratios: Sequence[float], first: int = 1, **changes: str
) -> list[dict[str, str]]:
    """Runs that were so many times as fast."""
    base = (TRAINED if kind == "training" else SERVED) | changes
    rows = [{"id": f"mine-{number}", **base, MEASURED[kind]: "1000"} for number in range(first, first + len(ratios))]
    runs = own_training_runs(catalogue, rows) if kind == "training" else own_serving_runs(catalogue, rows)
    for row, run, ratio in zip(rows, runs, ratios, strict=True):
        row[MEASURED[kind]] = repr(ratio * (run.predicted or 0.0))
    return rows


def as_csv(rows: Sequence[dict[str, str]]) -> str:
    """The same as somebody would send it."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
