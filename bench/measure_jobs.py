"""Measures on one GPU how fast whole jobs run, and what they draw: training, tuning, pictures, answers of one model.

Copy this one file to a machine with PyTorch and Transformers and run `python measure_jobs.py --out mine`. It writes
mine.csv, one line for each job as soon as it is measured. Weights and data are drawn at random: no speed of a dense
network goes by their values. `bench/measure_gpu.py` measures the parts: products, memory, attention, launches.
"""

import argparse
import csv
import gc
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

LONG_S, QUICK_S, IDLE_S = 8.0, 0.01, 5.0
FEWEST, WARM = 4, 3
MILLI = 1e-3
# layers, width, heads, heads of keys and values, width inside, words, words in and out are one table
LLAMAS = {
    "Llama 3.2 1B": (16, 2_048, 32, 8, 8_192, 128_256, True),
    "Llama 3.2 3B": (28, 3_072, 24, 8, 8_192, 128_256, True),
    "Llama 3.1 8B": (32, 4_096, 32, 8, 14_336, 128_256, False),
    "tiny": (2, 64, 4, 2, 128, 512, True),
}
RANK = 16  # of adapters on every linear layer


@dataclass
class JobRun:
    """One measured job. Without a rate, `note` says why."""

    job: str
    model: str
    batch: int
    tokens: int
    setup: str
    rate: float | None = None
    unit: str = ""
    step_s: float | None = None
    steps: int = 0
    watts: float | None = None
    memory_gb: float | None = None
    note: str = ""


TRAINED = (("GPT-2 124M", 32, 1_024), ("Llama 3.2 1B", 2, 4_096))  # model, sequences, tokens of each
TUNED = (("Llama 3.1 8B", 1, 4_096), ("Llama 3.1 8B", 4, 4_096), ("Llama 3.2 3B", 4, 4_096))
TINY = (("tiny", 1, 64),)
PICTURES = (("vit_b_16", 256), ("resnet50", 256), ("vit_l_16", 128))
# What a job that cannot run raises: no library, no kernel, no memory (a RuntimeError to PyTorch).
CANNOT = (ImportError, RuntimeError, ValueError, TypeError, AttributeError, OSError)

Step = Callable[[], Any]
Job = tuple[JobRun, float, Callable[[], Step]]  # what it is, units of work in one step, and what builds the step


def llama(torch: Any, name: str, device: str, dtype: Any) -> Any:
    """A network of that shape with weights drawn at random."""
    from transformers import LlamaConfig, LlamaForCausalLM

    layers, width, heads, kv_heads, inside, words, tied = LLAMAS[name]
    config = LlamaConfig(
        num_hidden_layers=layers, hidden_size=width, num_attention_heads=heads, num_key_value_heads=kv_heads,
        intermediate_size=inside, vocab_size=words, tie_word_embeddings=tied, max_position_embeddings=131_072,
        rope_theta=500_000.0, attn_implementation="sdpa", use_cache=False,
    )  # fmt: skip
    with torch.device(device):
        torch.set_default_dtype(dtype)
        try:
            return LlamaForCausalLM(config)
        finally:
            torch.set_default_dtype(torch.float32)


def gpt2(device: str) -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(attn_pdrop=0.0, resid_pdrop=0.0, embd_pdrop=0.0, attn_implementation="sdpa", use_cache=False)
    return GPT2LMHeadModel(config).to(device)


def language_step(torch: Any, net: Any, device: str, batch: int, tokens: int, *, compiled: bool) -> Step:
    """Forward, backward and update on random tokens, in 16 bits."""
    words = torch.randint(0, net.config.vocab_size, (batch, tokens), device=device)
    net.train()
    trained = [each for each in net.parameters() if each.requires_grad]
    update = torch.optim.AdamW(trained, lr=1e-5, fused=device == "cuda")
    forward = torch.compile(net) if compiled else net

    def step() -> None:
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = forward(input_ids=words, labels=words).loss
        loss.backward()
        update.step()
        update.zero_grad(set_to_none=True)

    return step


def picture_step(torch: Any, net: Any, device: str, batch: int, side: int, *, compiled: bool) -> Step:
    """The same on random pictures, channels last."""
    net = net.to(device, memory_format=torch.channels_last).train()
    pictures = torch.randn(batch, 3, side, side, device=device).to(memory_format=torch.channels_last)
    labels = torch.randint(0, 1_000, (batch,), device=device)
    update = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9, fused=device == "cuda")
    forward = torch.compile(net) if compiled else net

    def step() -> None:
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(forward(pictures), labels)
        loss.backward()
        update.step()
        update.zero_grad(set_to_none=True)

    return step


def answer_step(torch: Any, net: Any, words: Any, answer: int, *, compiled: bool) -> Step:
    """One answer of `answer` tokens to each prompt, as `generate` gives them."""
    net = net.eval()
    how = {"cache_implementation": "static"} if compiled else {}

    def step() -> None:
        with torch.inference_mode():
            net.generate(
                input_ids=words, attention_mask=torch.ones_like(words), do_sample=False, use_cache=True,
                max_new_tokens=answer, min_new_tokens=answer, pad_token_id=0, eos_token_id=None, **how,
            )  # fmt: skip

    return step


def jobs(torch: Any, device: str, quick: bool) -> Iterator[Job]:
    """Everything that is measured, most useful first."""
    yield from pictures(torch, device, quick)
    yield from trainings(torch, device, quick)
    yield from answers(torch, device, quick)


def trainings(torch: Any, device: str, quick: bool) -> Iterator[Job]:
    """Training from the start with 32-bit weights and 16-bit products; adapters on frozen 16-bit weights."""
    compiled = not quick
    for model, batch, tokens in TINY if quick else TRAINED:

        def build(model: str = model, batch: int = batch, tokens: int = tokens) -> Step:
            net = gpt2(device) if model.startswith("GPT") else llama(torch, model, device, torch.float32)
            return language_step(torch, net, device, batch, tokens, compiled=compiled)

        yield JobRun("train", model, batch, tokens, "bf16 autocast, compiled"), batch * tokens, build
    for model, batch, tokens in TINY if quick else TUNED:

        def tune(model: str = model, batch: int = batch, tokens: int = tokens) -> Step:
            from peft import LoraConfig, get_peft_model

            net = llama(torch, model, device, torch.bfloat16)
            net.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
            net.enable_input_require_grads()
            tuned = get_peft_model(net, LoraConfig(r=RANK, lora_alpha=32, target_modules="all-linear"))
            return language_step(torch, tuned, device, batch, tokens, compiled=False)

        yield JobRun("lora", model, batch, tokens, f"bf16, rank {RANK}, full recompute, eager"), batch * tokens, tune


def pictures(torch: Any, device: str, quick: bool) -> Iterator[Job]:
    """Networks of pictures, trained."""
    for name, batch in (("resnet18", 2),) if quick else PICTURES:

        def build(name: str = name, batch: int = batch) -> Step:
            import torchvision

            return picture_step(torch, torchvision.models.get_model(name), device, batch, 224, compiled=not quick)

        how = "bf16 autocast, compiled, channels last, random pictures"
        yield JobRun("pictures", name, batch, 0, how), batch, build


def answers(torch: Any, device: str, quick: bool) -> Iterator[Job]:
    """Answers, kernel by kernel and compiled."""
    model, prompt, length = ("tiny", 8, 4) if quick else ("Llama 3.1 8B", 512, 128)
    for batch, compiled in ((1, False),) if quick else ((1, False), (32, False), (1, True), (32, True)):

        def build(batch: int = batch, compiled: bool = compiled) -> Step:
            net = llama(torch, model, device, torch.bfloat16)
            words = torch.randint(0, net.config.vocab_size, (batch, prompt), device=device)
            return answer_step(torch, net, words, length, compiled=compiled)

        how = "static cache, compiled" if compiled else "eager"
        yield JobRun("answer", model, batch, prompt, f"bf16 generate, {length} out, {how}"), batch * length, build


def energy_j(device: str) -> float:
    """Joules since the driver was loaded; 0 where nobody counts them."""
    if device != "cuda":
        return 0.0
    try:
        import pynvml
    except ImportError:
        return 0.0
    pynvml.nvmlInit()
    return float(pynvml.nvmlDeviceGetTotalEnergyConsumption(pynvml.nvmlDeviceGetHandleByIndex(0))) * MILLI


def wait(torch: Any, device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def measure(torch: Any, device: str, job: Job, long_s: float) -> JobRun:
    """Warm up, then run steps for `long_s` seconds at least."""
    run, work, build = job
    step = build()
    for _ in range(WARM):
        step()
    wait(torch, device)
    start, before, steps = time.perf_counter(), energy_j(device), 0
    while steps < FEWEST or time.perf_counter() - start < long_s:
        step()
        wait(torch, device)
        steps += 1
    seconds, joules = time.perf_counter() - start, energy_j(device) - before
    run.rate, run.unit = work * steps / seconds, "pictures/s" if run.job == "pictures" else "tokens/s"
    run.step_s, run.steps, run.watts = seconds / steps, steps, joules / seconds if joules else None
    if device == "cuda":
        run.memory_gb = torch.cuda.max_memory_allocated() / 1e9
    return run


def idle(torch: Any, device: str) -> JobRun:
    """The accelerator with a process on it that does nothing, and what the driver says of it."""
    asks = ["nvidia-smi", "--query-gpu=name,driver_version,power.limit,clocks.sm", "--format=csv,noheader"]
    said = subprocess.run(asks, capture_output=True, text=True, check=False).stdout.strip()
    torch.zeros(1, device=device)
    before = energy_j(device)
    time.sleep(IDLE_S)
    watts = (energy_j(device) - before) / IDLE_S
    return JobRun("idle", "", 0, 0, f"{said}; torch {torch.__version__}", watts=watts)


def measured(torch: Any, device: str, job: Job, long_s: float) -> JobRun:
    """The job's figures, or why there are none; then everything that it held is let go."""
    try:
        return measure(torch, device, job, long_s)
    except CANNOT as error:
        job[0].note = f"{type(error).__name__}: {error}"[:300]
        return job[0]
    finally:
        torch.compiler.reset()
        gc.collect()
        if device == "cuda":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()


def runs(torch: Any, wanted: argparse.Namespace) -> Iterator[JobRun]:
    begun = time.perf_counter()
    if wanted.device == "cuda":
        yield idle(torch, wanted.device)
    for job in jobs(torch, wanted.device, wanted.quick):
        if wanted.only not in (None, job[0].job):
            continue
        if time.perf_counter() - begun > wanted.within:
            return
        yield measured(torch, wanted.device, job, QUICK_S if wanted.quick else LONG_S)


def main() -> int:
    """Write a line for each job; what cannot run says why and stops nothing."""
    import torch

    parser = argparse.ArgumentParser(description="Whole jobs on one GPU.")
    parser.add_argument("--out", type=Path, default=Path("measured_jobs"), help="writes OUT.csv")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--quick", action="store_true", help="tiny networks: shows that it runs")
    parser.add_argument("--only", choices=("pictures", "train", "lora", "answer"), help="jobs of one kind")
    parser.add_argument("--within", type=float, default=3_600.0, metavar="SECONDS", help="begin no job after that")
    wanted = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    with wanted.out.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [each.name for each in fields(JobRun)])
        table.writeheader()
        for run in runs(torch, wanted):
            table.writerow(asdict(run))
            file.flush()
            print(run, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
