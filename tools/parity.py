"""Check that a refactoring moved nothing: the same calls on two states of the tree, byte by byte.

    python tools/parity.py main

A revision is recorded on a checkout of its own, then this tree, with the calls of this file: every preset with all its
files, 300 random scenarios, 200 questions to `train`, `serve` and `cheapest`, the tables of prices and of checks.
Differences are printed and the exit is 1; with `--numbers` sentences may change and numbers may not. Nothing is kept:
last month's results are no oracle for today.
"""

import contextlib
import difflib
import io
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

TREE = Path(__file__).parents[1]
DAY = "2026-11-21"
RANDOM_SCENARIOS, RANDOM_QUESTIONS = 300, 200
SHOWN_LINES = 12
DIFFERENCES = 1
CHIPS = (
    "H100-SXM5-80GB",
    "A100-SXM4-80GB",
    "B200-SXM-192GB",
    "H200-SXM-141GB",
    "MI300X-192GB",
    "L40S-48GB",
    "RTX-4090-24GB",
)
MODELS = (
    "Llama-3.1-8B",
    "Llama-3.3-70B",
    "Mixtral-8x7B",
    "Qwen2.5-7B",
    "Mistral-7B-v0.1",
    "Gemma-3-27B",
    "DeepSeek-V3",
)
CHECKS = ("training", "serving")
PRESETS = tuple(sorted(one.stem for one in (TREE / "planner/scenario/presets").glob("*.yaml")))

# What a random scenario may say, by the dotted path that files use. Half of a plan's fields are left to the catalogue.
FIELDS: dict[str, tuple[Any, ...]] = {
    "years": (1.0, 2.0, 3.0, 5.0),
    "site": ("US", "US-TX", "DE", "NO", "JP", "GB"),
    "rent.usd_per_accelerator_hour": (1.2, 2.69, 4.5),
    "rent.hours_per_session": (0.5, 8.0, 100.0),
    "rent.support_share": (0.0, 0.1),
    "reserve.term": ("reserved_1m", "reserved_1y", "reserved_3y"),
    "reserve.usd_per_accelerator_hour": (0.9, 2.1),
    "reserve.at_end": ("roll", "expire"),
    "spot.usd_per_accelerator_hour": (0.5, 1.4),
    "spot.interruptions_per_hour": (0.0, 0.05),
    "own.accelerators": (4, 8, 16),
    "own.usd_per_accelerator": (9_000.0, 31_000.0),
    "own.usd_per_server": (180_000.0, 290_000.0),
    "own.order_month": (0, 6),
    "own.lead_time_months": (0.0, 7.0),
    "own.place": ("colocation", "own_room"),
    "own.usd_per_kwh": (0.05, 0.3),
    "own.residual_share": (0.0, 0.4),
    "own.refresh_years": (2.0, 4.0),
    "own.running_usd_per_month": (3_000.0,),
    "loan.rate_per_year": (0.06, 0.12),
    "loan.balloon_share": (0.0, 0.3),
    "lease.usd_per_month": (6_000.0, 12_000.0),
    "lease.buys_at_end": (True, False),
    "rent_to_own": ({"usd_per_month": 9_000.0, "months": 24}, {"usd_per_month": 4_000.0, "months": 36}),
    "hosted": ({"million_input_tokens_per_month": 900.0, "million_output_tokens_per_month": 200.0},),
    "kept": ({"accelerators": 4, "relative_speed": 0.4, "usd_today_if_sold": 40_000.0, "power_w_each": 400.0},),
    "mix": ({"own_accelerators": 4, "reserve_accelerators": 2}, {"own_accelerators": 8, "peaks": "spot"}),
    "terms.discount_rate_per_year": (0.0, 0.09, 0.2),
    "terms.rent_change_per_year": (-0.15, 0.0, 0.2),
    "terms.timing": ("month_end", "month_middle", "year_end", "year_middle", "dated"),
    "terms.inflation_per_year": (0.0, 0.03),
    "terms.cash_on_day_one_usd": (100_000.0,),
    "terms.usd_per_waiting_hour": (50.0,),
    "tax": ({"tax_share": 0.25}, {"tax_share": 0.21, "vat_share": 0.19}),
}  # fmt: skip
WORK: dict[str, tuple[Any, ...]] = {
    "may_wait": (True, False),
    "may_stop": (True, False),
    "growth_per_year": (-0.3, 0.0, 0.5, 2.0),
    "season": ([0.2, 0.4, 1, 1, 1.5, 2, 1, 1, 1, 1, 1, 0.9],),
    "jobs": ([{"accelerators": 16, "hours": 200.0, "first_month": 3, "every_months": 6, "within_days": 20.0}],),
    "storage_tb": (0.0, 50.0),
    "egress_tb_per_month": (0.0, 20.0),
    "accelerators_per_job": (1, 2),
}
DONE: tuple[dict[str, Any], ...] = (
    {"accelerators": 8, "busy_share": 0.6},
    {"accelerators": 32, "busy_share": 0.15},
    {"accelerators": 16, "accelerator_hours_per_month": 5_000.0},
    {"accelerators": 8, "by_hour": [0.2] * 8 + [1.0] * 10 + [0.5] * 6},
    {"accelerators": 16, "train": {"model": "Llama-3.1-8B", "tokens": 2e10}},
    {"accelerators": 8, "train": {"model": "Llama-3.1-8B", "method": "lora", "tokens": 1e8, "runs_per_month": 4.0}},
    {"accelerators": 8, "serve": {"model": "Llama-3.3-70B", "requests_per_s": 3.0, "ttft_ms": 2_000.0}},
    {"accelerators": 2, "serve": {"model": "Qwen2.5-7B", "requests_per_s": 1.0, "peak_requests_per_s": 6.0}},
)  # fmt: skip


def scenario(chance: random.Random) -> dict[str, Any]:
    """A plan as a file may hold it; some are refused, and then the refusal is what is compared."""
    found: dict[str, Any] = {"name": "Parity", "accelerator": chance.choice(CHIPS)}
    found["work"] = [dict(chance.choice(DONE)) for _ in range(chance.choice((1, 1, 2)))]
    for work in found["work"]:
        work |= {name: chance.choice(WORK[name]) for name in WORK if chance.random() < 0.2}
    for path, values in FIELDS.items():
        if chance.random() < 0.25:
            *rooms, name = path.split(".")
            room = found
            for one in rooms:
                room = room.setdefault(one, {})
            room[name] = chance.choice(values)
    return found


def question(chance: random.Random) -> list[str]:
    """One question to `train`, `serve` or `cheapest`."""
    verb, model = chance.choice(("train", "serve", "cheapest")), chance.choice(MODELS)
    words = [verb, "--model", model]
    if verb == "cheapest":
        words += chance.choice((["--tokens", "20B", "--deadline-days", "30"], ["--requests-per-s", "4"]))
        return [*words, *chance.choice(([], ["--accelerator", chance.choice(CHIPS)]))]
    words += ["--accelerator", chance.choice(CHIPS), "--count", chance.choice(("1", "8", "64"))]
    if verb == "train":
        words += [*chance.choice(([], ["--tokens", "5B"])), *chance.choice(([], ["--precision", "fp8"], ["--tp", "2"]))]
        return [*words, *chance.choice(([], ["--method", "lora"], ["--zero", "zero3"], ["--seq-len", "32768"]))]
    words += ["--input-tokens", chance.choice(("200", "4000")), "--output-tokens", chance.choice(("100", "900"))]
    return [*words, *chance.choice(([], ["--requests-per-s", "2"], ["--mode", "offline"], ["--ttft-ms", "1500"]))]


def written(folder: Path) -> None:
    """The random scenarios, once for both trees."""
    folder.mkdir()
    chance = random.Random(11)
    for number in range(RANDOM_SCENARIOS):
        (folder / f"{number}.yaml").write_text(yaml.safe_dump(scenario(chance)), encoding="utf-8")


def calls(folder: Path) -> Iterator[list[str]]:
    """Every call that is compared. `@` stands for the folder into which files are written."""
    for preset in PRESETS:
        yield ["plan", preset, "--csv", "@/cash.csv", "--csv-assumptions", "@/in.csv", "--csv-results", "@/out.csv"]
        yield ["plan", preset, "--json"]
    yield ["compare", *PRESETS]
    for verb in (["prices"], *(["check", one] for one in CHECKS)):
        yield from ([*verb, *form] for form in ([], ["--json"]))
    for number in range(RANDOM_SCENARIOS):
        form = ["--json"] if number % 2 else ["--csv-results", "@/out.csv"]
        yield ["plan", str(folder / f"{number}.yaml"), *form]
    chance = random.Random(12)
    for _ in range(RANDOM_QUESTIONS):
        yield [*question(chance), *chance.choice(([], ["--json"]))]


def answered(call: Sequence[str], out: Path) -> str:
    """Return the output of a call, its exit code, and the files that it writes."""
    from planner.cli import main

    output, errors = io.StringIO(), io.StringIO()
    dated = [] if "check" in call[0] else ["--day", DAY]
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        end = main([word.replace("@", str(out)) for word in call] + dated)
    files = {one.name: one.read_bytes().decode() for one in sorted(out.iterdir())}
    for one in out.iterdir():
        one.unlink()
    text = "\n".join(
        [f"exit {end}", output.getvalue(), errors.getvalue(), *(f"{name}\n{text}" for name, text in files.items())]
    )
    return text.replace(str(out), "@")


def record(inputs: Path, into: Path) -> None:
    """The answers of the tree that Python imports from, one file for each call."""
    with tempfile.TemporaryDirectory() as out:
        for number, call in enumerate(calls(inputs)):
            head = " ".join(call).replace(str(inputs), "")
            (into / f"{number:04}").write_text(f"{head}\n{answered(call, Path(out))}", encoding="utf-8")


def recorded(tree: Path, inputs: Path, into: Path) -> subprocess.Popen[bytes]:
    """The same in a process of its own: the calls of this file, the planner of that tree."""
    into.mkdir()
    paths = os.environ | {"PYTHONPATH": str(tree)}
    return subprocess.Popen([sys.executable, "-P", __file__, "--record", inputs, into], cwd=tree, env=paths)


def numbers(text: str) -> Counter[str]:
    """Return every number in a text, whatever words stand around it."""
    return Counter(re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?", text))


def differences(before: Path, after: Path, only_numbers: bool) -> list[str]:
    """Return what differs, call by call: in every character, or in the numbers alone."""
    found = []
    for path in sorted(before.iterdir()):
        texts = path.read_text(), (after / path.name).read_text()
        old, new = (text.splitlines() for text in texts)
        if numbers(texts[0]) != numbers(texts[1]) if only_numbers else old != new:
            lines = list(difflib.unified_diff(old, new, lineterm="", n=0))[2:]
            found.append(
                "\n".join([old[0], *lines[:SHOWN_LINES], f"… {len(lines)} lines" * (len(lines) > SHOWN_LINES)])
            )
    return found


def compare(revision: str, only_numbers: bool) -> int:
    """Record both trees beside each other and tell how they differ."""
    with tempfile.TemporaryDirectory() as kept:
        room = Path(kept)
        written(room / "inputs")
        subprocess.run(["git", "worktree", "add", "-q", "--detach", room / "tree", revision], cwd=TREE, check=True)
        try:
            runs = [
                recorded(tree, room / "inputs", room / name) for tree, name in ((room / "tree", "old"), (TREE, "new"))
            ]
            ends = [run.wait() for run in runs]
            if any(ends):
                raise SystemExit("A tree could not be recorded.")
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", room / "tree"], cwd=TREE, check=True)
        found = differences(room / "old", room / "new", only_numbers)
        calls = sum(1 for _ in (room / "old").iterdir())
    print("\n\n".join([*found, f"{len(found)} of {calls} calls differ from {revision}."]))
    return DIFFERENCES if found else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        record(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        words = [word for word in sys.argv[1:] if word != "--numbers"]
        sys.exit(compare(words[0] if words else "HEAD", "--numbers" in sys.argv))
