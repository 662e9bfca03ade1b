"""Benchmark each verb from the shell and back, against importing numpy in a process of its own in the same run.

It prints the processor time too, which says more on a shared machine. On a quiet one the two times are
alike.
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bench import Aims
from pricing import load_catalogue

REPEATS = 5
NUMPY = ("-c", "import numpy")
_INSTALLED = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}  # what is compiled is kept, as where it is installed
PLAN, PLAN_S = "plan enterprise", 0.8  # what is aimed at, in processor time
# What each is allowed on a quiet machine of two cores. [s]
VERBS: tuple[tuple[str, float], ...] = (
    ("--help", 0.3),
    ("plan --help", 0.3),
    ("pricess", 0.3),
    ("plan enterprize", 0.3),
    ("train --model llama-3-8b --accelerator h1000", 0.3),
    ("schema scenario", 0.7),
    ("prices", 0.7),
    (PLAN, PLAN_S),
    ("plan chat-service", 1.2),
    ("plan fine-tune-70b", 1.2),
    ("cheapest --model llama-3-8b --tokens 300B", 2.0),
    ("cheapest --model llama-3.1-8b --requests-per-s 5", 2.0),
)


class ProcessTimes(NamedTuple):
    """Return the wall time of a process, and its processor time. [s]"""

    wall: float
    processor: float


def main() -> Iterator[str]:
    """One line for each verb: the best of several runs, and its ratio to the reference."""
    load_catalogue()  # the checked copy, which only the first run ever makes
    reference = best(NUMPY)
    yield f"reference: importing numpy in a process of its own: {_told(reference)}"
    for words, allowed in VERBS:
        took = best(("-m", "planner", *words.split()))
        ratio = f"{took.wall / reference.wall:.1f} and {took.processor / reference.processor:.1f} x the reference"
        yield f"{words}: {_told(took)}; {ratio}; at most {allowed:g} s on a quiet machine"
    aims = Aims()
    yield aims.line(PLAN, PLAN_S, lambda: best(("-m", "planner", *PLAN.split()), 1).processor, REPEATS)
    aims.check()


def best(arguments: Sequence[str], repeats: int = REPEATS) -> ProcessTimes:
    """The shortest of several runs, each of the two by itself; one run before them warms the disk."""
    took = [_once(arguments) for _ in range(repeats + 1)][1:]
    return ProcessTimes(min(one.wall for one in took), min(one.processor for one in took))


def _once(arguments: Sequence[str]) -> ProcessTimes:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *arguments], capture_output=True, check=False, env=_INSTALLED)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return ProcessTimes(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _told(took: ProcessTimes) -> str:
    return f"{took.wall:.2f} s, {took.processor:.2f} s of the processor"
