"""Asks NVIDIA's AIConfigurator in its own environment: `models` prints what it knows, `run` answers cases."""

import importlib
import json
import logging
import sys
import time
from pathlib import Path
from typing import Any

SYSTEMS = {
    "H100-SXM5-80GB": "h100_sxm", "H100-PCIe-80GB": "h100_pcie", "H200-SXM-141GB": "h200_sxm",
    "B200-SXM-180GB": "b200_sxm", "B300-SXM-288GB": "b300_sxm", "GB200-NVL72-186GB": "gb200",
    "GB300-NVL72-288GB": "gb300", "A100-SXM4-80GB": "a100_sxm", "A100-PCIe-80GB": "a100_pcie", "L40S-48GB": "l40s",
    "L4-24GB": "l4", "A30-24GB": "a30", "RTX-PRO-6000-96GB": "rtx_pro_6000_server",
}  # fmt: skip
BACKENDS = {"trtllm": "trtllm", "tensorrt": "trtllm", "vllm": "vllm", "sglang": "sglang"}
# Names of formats to try, the likeliest first: which of them it has measured depends on machine and engine.
LINEAR = {2.0: ("bfloat16",), 1.0: ("fp8_static", "fp8", "fp8_block", "fp8_ootb")}
EXPERTS = {2.0: ("bfloat16",), 1.0: ("fp8", "fp8_block")}
NARROW, NARROW_EXPERTS = ("nvfp4", "int4_wo"), ("nvfp4", "w4a16_mxfp4", "w4a8_mxfp4_mxfp8", "int4_wo")
_HALVINGS = 8  # of the batch, where it says that memory is too small


def models() -> list[str]:
    """The models whose shapes it brings along."""
    core = importlib.import_module("aiconfigurator_core")
    files = Path(str(core.__file__)).parent.joinpath("model_configs").glob("*_config.json")
    names = {file.name.removesuffix("_config.json").replace("--", "/", 1) for file in files}
    return sorted(name for name in names if not name.endswith("_hf_quant"))


class Estimator:
    """Its estimate for an aggregated service, by case."""

    def __init__(self) -> None:
        """Silent, and with the newest measured version of each engine looked up once."""
        logging.disable(logging.CRITICAL)
        self._api = importlib.import_module("aiconfigurator.cli.api")
        self._latest = importlib.import_module("aiconfigurator_core.sdk.perf_database").get_latest_database_version
        self._versions: dict[tuple[str, str], Any] = {}

    def tokens_per_s(self, case: dict[str, Any]) -> float:
        """Output tokens a second of all accelerators; an error where it has no answer."""
        plan = case["plan"]
        system, backend = SYSTEMS.get(case["chip"]), BACKENDS.get(plan["engine"])
        if system is None or backend is None:
            raise ValueError("a chip or an engine that it does not have")
        if (system, backend) not in self._versions:
            self._versions[system, backend] = self._latest(system=system, backend=backend)
        why: Exception = ValueError("no format fits")
        for linear, experts in formats(plan["weight_bytes"], mixture=case["network"]["experts"] > 0):
            try:
                return self._with(case, system, backend, linear, experts)
            except Exception as reason:  # noqa: BLE001 - whatever it raises is its answer
                why = reason
        raise why

    def _with(self, case: dict[str, Any], system: str, backend: str, linear: str, experts: str | None) -> float:
        plan, group = case["plan"], int(case["plan"]["group"])
        alone = plan["attention_ranks"] > 1
        layout: dict[str, Any] = {"tp_size": 1 if alone else group, "attention_dp_size": group if alone else 1}
        if experts is not None:
            layout |= {"moe_tp_size": 1 if alone else group, "moe_ep_size": group if alone else 1}
            layout["moe_quant_mode"] = experts
        batch = max(int(plan["batch"] / plan["attention_ranks"]), 1)
        for _ in range(_HALVINGS):
            try:
                found = self._api.cli_estimate(
                    model_path=case["their_model"], system_name=system, mode="agg", backend_name=backend,
                    backend_version=self._versions[system, backend], isl=max(int(plan["input_tokens"]), 1),
                    osl=max(int(plan["output_tokens"]), 2), batch_size=batch, pp_size=int(plan["stages"]),
                    gemm_quant_mode=linear, kvcache_quant_mode="fp8" if plan["kv_bytes"] < 2 else "bfloat16", **layout,
                )  # fmt: skip
            except RuntimeError as reason:
                if "OOM" not in str(reason) or batch == 1:
                    raise
                batch //= 2
                continue
            return float(found.summary.get_summary_df()["tokens/s"].iloc[0]) * float(plan["replicas"])
        raise ValueError("memory is too small at any batch")


def formats(weight_bytes: float, *, mixture: bool) -> list[tuple[str, str | None]]:
    """Formats of linear layers and of experts to try for weights of so many bytes, the likeliest first."""
    linear = LINEAR.get(weight_bytes, NARROW if weight_bytes < 1 else ())
    if not mixture:
        return [(name, None) for name in linear]
    experts = EXPERTS.get(weight_bytes, NARROW_EXPERTS)
    both = [(name, name) for name in linear if name in experts]
    mixed = [(name, other) for other in experts for name in (*linear, "bfloat16")]
    return list(dict.fromkeys([*both, *mixed]))


def run(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """By id, what it says, or why it says nothing; and how many it answers a second."""
    estimator = Estimator()
    answers: dict[str, float] = {}
    refused: dict[str, str] = {}
    begun = time.process_time()
    for case in cases:
        try:
            answers[case["id"]] = estimator.tokens_per_s(case)
        except Exception as reason:  # noqa: BLE001 - the row keeps it as its reason
            refused[case["id"]] = f"{type(reason).__name__}: {reason}"[:200]
    seconds = time.process_time() - begun
    return {"answers": answers, "refused": refused, "a_second": len(answers) / seconds}


if __name__ == "__main__":
    found = models() if sys.argv[1] == "models" else run(json.load(sys.stdin))
    print(json.dumps(found))
