"""Asks llm-analysis in its own environment. It wants the share of the peak that is reached: each of `SHARES`."""

import importlib
import json
import logging
import sys
import time
from typing import Any

SHARES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
_MESSAGE_S = 8e-6
_LONGEST = 10**9  # tokens: as long as the row says


class Estimator:
    """Its training step and its answer to a batch, by case."""

    def __init__(self) -> None:
        """Silent."""
        logging.disable(logging.CRITICAL)
        self._config = importlib.import_module("llm_analysis.config")
        self._analysis = importlib.import_module("llm_analysis.analysis")

    def _built(self, case: dict[str, Any], share: float, bits: int, layout: dict[str, int]) -> Any:
        shape, machine = case["network"], case["machine"]
        wide = shape["expert_ffn"] if shape["experts"] else shape["ffn"]
        model = self._config.ModelConfig(
            name=case["model"] or "model", num_layers=int(shape["layers"]), n_head=int(shape["heads"]),
            hidden_dim=int(shape["hidden"]), vocab_size=int(shape["vocab"]),
            num_key_value_heads=int(shape["kv_heads"]),
            ffn_embed_dim=int(wide), expansion_ratio=wide / shape["hidden"], max_seq_len=_LONGEST,
            model_type="llama" if shape["mlp_matrices"] > 2 else "gpt2",
            moe_num_experts=max(int(shape["experts"]), 1), moe_top_k=max(int(shape["experts_per_token"]), 1),
        )  # fmt: skip
        chip = self._config.GPUConfig(
            name=case["chip"], mem_per_GPU_in_GB=machine["memory_gb"],
            hbm_bandwidth_in_GB_per_sec=machine["bandwidth_gb_s"],
            intra_node_bandwidth_in_GB_per_sec=machine["link_gb_s"], intra_node_min_message_latency=_MESSAGE_S,
            peak_fp16_TFLOPS=machine["tflops_16"],
            inter_node_bandwidth_in_GB_per_sec=8 * machine.get("nic_gb_s", 50.0),
        )  # fmt: skip
        width = {16: "w16a16e16", 8: "w8a8e16", 4: "w4a4e16"}[bits]
        return self._analysis.LLMAnalysis(
            model, chip, self._config.get_dtype_config_by_name(width), self._config.ParallelismConfig(**layout),
            flops_efficiency=share, hbm_memory_efficiency=share,
        )  # fmt: skip

    def trained(self, case: dict[str, Any], share: float) -> float:
        """Tokens a second that each accelerator trains on."""
        plan = case["plan"]
        layout = {"tp_size": int(plan["tp"]), "pp_size": int(plan["pp"]), "dp_size": int(plan["dp"] * plan["cp"])}
        built = self._built(case, share, min(int(plan["bits"]), 16), layout)
        again = self._analysis.ActivationRecomputation
        found = built.training(
            batch_size_per_gpu=int(plan["micro_batch"]), global_batch_size=int(plan["global_batch"]),
            seq_len=int(plan["seq_len"]), total_num_tokens=int(plan["global_batch"] * plan["seq_len"]),
            activation_recomputation=again.FULL if plan["recompute"] else again.NONE,
            ds_zero=self._analysis.DSZeRO(int(plan["shard"])), flash_attn=bool(plan["fused_attention"]),
            mlp_gated_linear_units=case["network"]["mlp_matrices"] > 2,
        )  # fmt: skip
        return float(plan["global_batch"] * plan["seq_len"] / found["latency_per_iter"] / plan["accelerators"])

    def served(self, case: dict[str, Any], share: float) -> float:
        """Output tokens a second of all accelerators."""
        plan = case["plan"]
        bits = 16 if plan["weight_bytes"] >= 2 else 8 if plan["weight_bytes"] >= 1 else 4
        layout = {"tp_size": int(plan["group"]), "pp_size": int(plan["stages"])}
        built = self._built(case, share, bits, layout)
        batch, answer = max(int(plan["batch"]), 1), max(int(plan["output_tokens"]), 1)
        found = built.inference(
            batch_size_per_gpu=batch, seq_len=max(int(plan["input_tokens"]), 1), num_tokens_to_generate=answer,
            kv_cache_dtype_bytes=plan["kv_bytes"],
        )  # fmt: skip
        return float(batch * answer / found["total_latency"] * plan["replicas"])


def run(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """By share of the peak and id, what it says; by id, why it says nothing; and how many it answers a second."""
    estimator = Estimator()
    answers: dict[str, dict[str, float]] = {f"{share:g}": {} for share in SHARES}
    refused: dict[str, str] = {}
    begun = time.process_time()
    for case in cases:
        ask = estimator.trained if "seq_len" in case["plan"] else estimator.served
        for share in SHARES:
            try:
                answers[f"{share:g}"][case["id"]] = ask(case, share)
            except Exception as reason:  # noqa: BLE001 - whatever it raises is its answer
                refused[case["id"]] = f"{type(reason).__name__}: {reason}"[:200]
    seconds = time.process_time() - begun
    return {"answers": answers, "refused": refused, "a_second": sum(map(len, answers.values())) / seconds}


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
