"""Measures on a GPU, in a few minutes, what the speed models assume. Needs Python 3.11 and PyTorch, nothing else.

Copy this one file to the machine and run `python measure_gpu.py --out mine`. It writes mine.csv and mine.yaml:
products by shape and precision, memory, attention, launches, the link to the host, and, where there are several GPUs,
exchanges between them; with clocks, power, driver and versions. `python -m tools.check_gpu mine.yaml` compares them.
"""

import argparse
import csv
import io
import json
import platform
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FORMAT = 1
GIGA, TERA, MICRO = 1e9, 1e12, 1e-6
SQUARES, QUICK_SQUARES = (512, 1_024, 2_048, 4_096, 8_192, 16_384), (128, 256)
# Tokens x width in x width out of real layers: 8 and 70 billion parameters, a full batch and few requests.
LAYERS = (
    (16, 4_096, 14_336), (256, 4_096, 14_336), (4_096, 4_096, 14_336), (16, 8_192, 28_672), (8_192, 8_192, 28_672),
)  # fmt: skip
QUICK_LAYERS = ((16, 256, 512),)
PRECISIONS = ("bf16", "fp16", "fp8", "tf32", "fp32")
MEMORY_BYTES, QUICK_MEMORY_BYTES = (64 << 20, 512 << 20, 2 << 30), (4 << 20,)
LENGTHS, QUICK_LENGTHS = (1_024, 2_048, 4_096, 8_192, 16_384), (128,)
HEADS, HEAD_WIDTH, TOKENS = 32, 128, 16_384  # of attention: a model of 8 billion; tokens in all
EXCHANGES, QUICK_EXCHANGES = (16 << 10, 256 << 10, 4 << 20, 64 << 20, 512 << 20), (16 << 10,)
LONG_S, QUICK_S = 0.25, 0.01  # of one measurement
# How PyTorch says "no such numbers", "no kernel", "out of memory": the last two are RuntimeErrors to it.
CANNOT = (RuntimeError, AttributeError, TypeError, ValueError, AssertionError, MemoryError, OSError)
REPEATS, MOST_CALLS = 5, 10_000
COLUMNS = ("what", "precision", "shape", "value", "unit", "seconds", "repeats", "note")


@dataclass
class Measurement:
    """One measured figure, the median of several; `seconds` is one call. Without a value, `note` says why."""

    what: str
    precision: str
    shape: str
    unit: str
    value: float | None = None
    seconds: float | None = None
    repeats: int = 0
    note: str = ""


@dataclass
class Case:
    """Something to be measured: what one call does, in units of work, and how to make the call."""

    what: str
    precision: str
    shape: str
    unit: str
    work: float  # of one call, in FLOP or bytes; 0 where the time itself is the figure
    make: Callable[[], Callable[[], Any]] = field(repr=False)

    def result(self, seconds: list[float], calls: int) -> Measurement:
        """The figure of a case whose calls took these seconds."""
        one = statistics.median(seconds)
        value = value_of(self.unit, self.work, one)
        return Measurement(self.what, self.precision, self.shape, self.unit, value, one, calls)


def value_of(unit: str, work: float, seconds: float) -> float:
    """The figure in its unit."""
    scale = {"TFLOP/s": TERA, "GB/s": GIGA}
    return seconds / MICRO if unit == "us" else work / seconds / scale[unit]


def matmul_flops(rows: int, inner: int, columns: int) -> float:
    """Operations of a product, a multiplication and an addition each."""
    return 2.0 * rows * inner * columns


def attention_flops(batch: int, heads: int, length: int, width: int) -> float:
    """Operations of causal attention forward: two products, half of each masked."""
    return 2 * matmul_flops(length, width, length) * batch * heads / 2


def ring_bytes(size: float, ranks: int) -> float:
    """Bytes that one link carries in an all-reduce of so many bytes."""
    return size * 2 * (ranks - 1) / ranks


def shapes(quick: bool) -> list[tuple[int, int, int]]:
    """Rows, inner width and columns of the products."""
    squares = [(side, side, side) for side in (QUICK_SQUARES if quick else SQUARES)]
    return squares + list(QUICK_LAYERS if quick else LAYERS)


def cases(torch: Any, device: str, quick: bool) -> Iterator[Case]:
    """All measurements of one device."""
    for precision in PRECISIONS:
        for shape in shapes(quick):
            yield matmul(torch, device, precision, shape)
    for size in QUICK_MEMORY_BYTES if quick else MEMORY_BYTES:
        yield from memory(torch, device, size)
    for length in QUICK_LENGTHS if quick else LENGTHS:
        yield from attention(torch, device, length, 512 if quick else TOKENS)
    yield launch(torch, device)
    if device != "cpu":
        yield from host_link_cases(torch, device, 4 << 20 if quick else 512 << 20)


def matmul(torch: Any, device: str, precision: str, shape: tuple[int, int, int]) -> Case:
    """One product."""
    rows, inner, columns = shape

    def make() -> Callable[[], Any]:
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        if precision in ("fp8", "tf32") and device == "cpu":
            raise RuntimeError("a processor does not compute in it")
        if precision == "fp8":
            return scaled_product(torch, device, rows, inner, columns)
        kind = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(precision, torch.float32)
        left = torch.randn(rows, inner, device=device, dtype=kind)
        right = torch.randn(inner, columns, device=device, dtype=kind)
        out = torch.empty(rows, columns, device=device, dtype=kind)
        return lambda: torch.matmul(left, right, out=out)

    name = "x".join(map(str, shape))
    return Case("matmul", precision, name, "TFLOP/s", matmul_flops(rows, inner, columns), make)


def scaled_product(torch: Any, device: str, rows: int, inner: int, columns: int) -> Callable[[], Any]:
    """A product of 8-bit numbers with one scale for each side."""
    kind = torch.float8_e4m3fnuz if getattr(torch.version, "hip", None) else torch.float8_e4m3fn
    left = torch.randn(rows, inner, device=device).to(kind)
    right = torch.randn(columns, inner, device=device).to(kind).t()  # column after column, as the units want it
    one = torch.ones((), device=device, dtype=torch.float32)
    return lambda: torch._scaled_mm(left, right, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)


def memory(torch: Any, device: str, size: int) -> Iterator[Case]:
    """Copying, which reads and writes; and reading alone."""

    def ones() -> Any:
        return torch.ones(size // 4, device=device, dtype=torch.float32)

    def copy() -> Callable[[], Any]:
        source, target = ones(), ones()
        return lambda: target.copy_(source)

    yield Case("memory copy", "", str(size), "GB/s", 2.0 * size, copy)
    yield Case("memory read", "", str(size), "GB/s", float(size), lambda: ones().sum)


def attention(torch: Any, device: str, length: int, tokens: int) -> Iterator[Case]:
    """Causal attention of prompts, and one new token for each of many that look back so far."""
    batch = max(tokens // length, 1)

    def queries(rows: int) -> Any:
        return torch.randn(batch, HEADS, rows, HEAD_WIDTH, device=device, dtype=torch.bfloat16)

    def prompts() -> Callable[[], Any]:
        q, k, v = queries(length), queries(length), queries(length)
        return lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    def decode() -> Callable[[], Any]:
        q, k, v = queries(1), queries(length), queries(length)
        return lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v)

    name = f"{batch}x{HEADS}x{length}x{HEAD_WIDTH}"
    yield Case("attention", "bf16", name, "TFLOP/s", attention_flops(batch, HEADS, length, HEAD_WIDTH), prompts)
    yield Case("attention decode", "bf16", name, "GB/s", 2.0 * 2 * batch * HEADS * length * HEAD_WIDTH, decode)


def launch(torch: Any, device: str) -> Case:
    """The time between two kernels that do next to nothing."""

    def make() -> Callable[[], Any]:
        one = torch.zeros(1, device=device)
        return lambda: one.add_(1)

    return Case("launch", "", "1", "us", 0.0, make)


def host_link_cases(torch: Any, device: str, size: int) -> Iterator[Case]:
    """From pinned memory of the host to the device, and back."""

    def link(back: bool) -> Callable[[], Any]:
        host = torch.empty(size, dtype=torch.uint8, pin_memory=True)
        there = torch.empty(size, dtype=torch.uint8, device=device)
        source, target = (there, host) if back else (host, there)
        return lambda: target.copy_(source, non_blocking=True)

    yield Case("host to device", "", str(size), "GB/s", float(size), lambda: link(False))
    yield Case("device to host", "", str(size), "GB/s", float(size), lambda: link(True))


def measure(torch: Any, device: str, case: Case, long_s: float) -> Measurement:
    """Warm up, find how many calls fill the time, then take the median of several rounds. A failure is a result."""
    try:
        with torch.inference_mode():
            call = case.make()
            clock = select_timer(torch, device)
            once = max(clock(call, 3), 1e-9)
            calls = int(min(max(long_s / REPEATS / once, 1), MOST_CALLS))
            return case.result([clock(call, calls) for _ in range(REPEATS)], calls * REPEATS)
    except CANNOT as error:  # one case less; what is measured besides must be written
        why = " ".join(f"{type(error).__name__}: {error}".split())[:160]
        return Measurement(case.what, case.precision, case.shape, case.unit, note=why)
    finally:
        if device != "cpu":
            torch.cuda.empty_cache()


def select_timer(torch: Any, device: str) -> Callable[[Callable[[], Any], int], float]:
    """Return a timer of one of so many calls: by events of the device, or by the clock of the host. [s]"""

    def by_host(call: Callable[[], Any], calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            call()
        return (time.perf_counter() - start) / calls

    def by_events(call: Callable[[], Any], calls: int) -> float:
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        start.record()
        for _ in range(calls):
            call()
        end.record()
        torch.cuda.synchronize()
        return float(start.elapsed_time(end)) / 1e3 / calls

    return by_host if device == "cpu" else by_events


def exchange(rank: int, ranks: int, sizes: tuple[int, ...], address: str, answers: Any) -> None:
    """One of several processes, one for each GPU, that add up what they hold; the first one tells the times."""
    import torch
    from torch import distributed as dist

    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method=address, rank=rank, world_size=ranks)
    clock, found = select_timer(torch, "cuda"), []
    for size in sizes:
        held = torch.ones(size // 2, device="cuda", dtype=torch.bfloat16)

        def call(held: Any = held) -> Any:
            return dist.all_reduce(held)

        clock(call, 5)
        found.append(statistics.median(clock(call, 20) for _ in range(REPEATS)))
    if rank == 0:
        answers.put(found)
    dist.destroy_process_group()


def measure_all_reduce(torch: Any, quick: bool) -> list[Measurement]:
    """All-reduce between all GPUs of the machine, by size; empty with one."""
    ranks = torch.cuda.device_count()
    if ranks < 2:
        return []
    sizes = QUICK_EXCHANGES if quick else EXCHANGES
    import torch.multiprocessing as processes

    failed = (*CANNOT, processes.ProcessRaisedException, processes.ProcessExitedException)
    try:
        answers = processes.get_context("spawn").SimpleQueue()
        address = f"tcp://127.0.0.1:{free_port()}"
        processes.spawn(exchange, args=(ranks, sizes, address, answers), nprocs=ranks)
        times = answers.get()
    except failed as error:
        return [Measurement("all-reduce", "bf16", f"{ranks} GPUs", "GB/s", note=" ".join(str(error).split())[:160])]
    results = []
    for size, seconds in zip(sizes, times, strict=True):
        rate = value_of("GB/s", ring_bytes(size, ranks), seconds)
        results.append(Measurement("all-reduce", "bf16", f"{ranks}x{size}", "GB/s", rate, seconds, 20 * REPEATS))
    return results


def free_port() -> int:
    """A port of this machine that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


SMI = {
    "driver": "driver_version", "power_limit_w": "power.limit", "power_w": "power.draw", "sm_clock_mhz": "clocks.sm",
    "memory_clock_mhz": "clocks.mem", "temperature_c": "temperature.gpu", "pcie_generation": "pcie.link.gen.max",
    "pcie_lanes": "pcie.link.width.max",
}  # fmt: skip


def read_nvidia_smi() -> dict[str, str]:
    """Return the nvidia-smi output for the first GPU; empty without one."""
    command = ["nvidia-smi", f"--query-gpu={','.join(SMI.values())}", "--format=csv,noheader,nounits", "--id=0"]
    try:
        output = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    return dict(zip(SMI, (cell.strip() for cell in output.strip().split(",")), strict=False))


def machine(torch: Any, device: str) -> dict[str, Any]:
    """Return the measured machine and its software."""
    about: dict[str, Any] = {"name": platform.processor() or platform.machine(), "count": 1, "memory_bytes": 0}
    if device != "cpu":
        first = torch.cuda.get_device_properties(0)
        about = {"name": first.name, "count": torch.cuda.device_count(), "memory_bytes": first.total_memory}
        about["compute_capability"] = f"{first.major}.{first.minor}"
    about |= {"torch": torch.__version__, "python": platform.python_version()}
    return about | {"cuda": str(torch.version.cuda or getattr(torch.version, "hip", "") or "")}


def as_csv(results: list[Measurement]) -> str:
    """A row for each result."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(one) for one in results)
    return text.getvalue()


def as_yaml(about: dict[str, Any], loaded: dict[str, str], results: list[Measurement], day: str, quick: bool) -> str:
    """All of it: strings as JSON writes them, which YAML reads the same."""
    lines = [f"format: {FORMAT}", f"date: {day}", f"quick: {str(quick).lower()}", "device:"]
    lines += [f"  {name}: {json.dumps(value)}" for name, value in about.items()]
    lines += ["under_load:", *(f"  {name}: {json.dumps(value)}" for name, value in loaded.items())]
    if not loaded:
        lines[-1] = "under_load: {}"
    lines.append("results:")
    for one in results:
        cells = ", ".join(f"{name}: {json.dumps(value)}" for name, value in asdict(one).items())
        lines.append(f"  - {{{cells}}}")
    return "\n".join(lines) + "\n"


def everything(
    torch: Any, device: str, quick: bool, say: Callable[[str], None]
) -> tuple[list[Measurement], dict[str, str]]:
    """Every measurement in turn; clocks and power are read after the longest products, while the device is warm."""
    found, loaded = list[Measurement](), dict[str, str]()
    for case in cases(torch, device, quick):
        one = measure(torch, device, case, QUICK_S if quick else LONG_S)
        found.append(one)
        figure = f"{one.value:,.4g} {one.unit}" if one.value is not None else one.note
        say(f"{one.what} {one.precision} {one.shape}: {figure}")
        if device != "cpu" and one.what == "matmul" and not loaded and "8192x8192x8192" in one.shape:
            loaded = read_nvidia_smi()
    if device != "cpu":
        found += measure_all_reduce(torch, quick)
    return found, loaded or (read_nvidia_smi() if device != "cpu" else {})


def put(path: Path, text: str) -> None:
    """A whole file, written beside the one that is there and then in its place."""
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_text(text, encoding="utf-8", newline="\n")
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise SystemExit(f"{path}: not written, {error.strerror}.") from error


def run(arguments: list[str]) -> int:
    """Measure and write. Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("measured_gpu"), help="writes OUT.csv and OUT.yaml")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes: shows that it runs")
    wanted = parser.parse_args(arguments)
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed here: pip install torch.", file=sys.stderr)
        return 1
    if wanted.device == "cuda" and not torch.cuda.is_available():
        print("PyTorch sees no GPU here; --device cpu --quick shows that this runs.", file=sys.stderr)
        return 1
    results, loaded = everything(torch, wanted.device, wanted.quick, print)
    day = datetime.now(UTC).date().isoformat()
    put(wanted.out.with_suffix(".csv"), as_csv(results))
    put(wanted.out.with_suffix(".yaml"), as_yaml(machine(torch, wanted.device), loaded, results, day, wanted.quick))
    print(f"{wanted.out.with_suffix('.csv')} and {wanted.out.with_suffix('.yaml')} written.")
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
