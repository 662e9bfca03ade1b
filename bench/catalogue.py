"""Benchmark loading and querying the catalog, against reading as many rows with `csv` in the same run."""

import csv
import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

from planner.money.renting.bill import bills
from planner.money.setting import PlanContext
from planner.report.files.csv import to_csv
from planner.report.market.prices import offer_rows, offer_table
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from pricing.load import DATA, load
from pricing.query import OfferFilter, find

REPEATS = 7
DAY = date(2026, 11, 21)
WISH = OfferFilter(
    accelerators=frozenset({"H100-SXM5-80GB"}), purchases=frozenset({"on_demand", "reserved_1y"}), max_age_days=365
)
COLD = "\n".join(
    (
        "import time",
        "start = time.perf_counter()",
        "import pricing",
        "pricing.load_catalogue()",
        "print(time.perf_counter() - start)",
    )
)


def main() -> Iterator[str]:
    """One line for each thing measured: the best of several runs, and its ratio to the reference."""
    catalogue = load_catalogue()
    rows = offer_rows(catalogue, tuple(catalogue.offers), DAY)
    text = to_csv(offer_table(rows)).decode("utf-8-sig")
    reference = best(lambda: list(csv.DictReader(io.StringIO(text))))
    yield f"reference: csv reads {len(rows):,} offers in {1000 * reference:.1f} ms"
    with tempfile.TemporaryDirectory() as folder:
        first = best(lambda: load(DATA), repeats=3)
        load(DATA, cache=Path(folder))
        kept = best(lambda: load(DATA, cache=Path(folder)))
    yield line("catalogue read from its YAML, nothing kept", first, reference)
    yield line("catalogue read from its checked copy", kept, reference)
    yield line("a new process: imports and catalogue, from the copy", min(cold() for _ in range(3)), reference)
    yield line("a query, filtered and sorted", best(lambda: find(catalogue, WISH, DAY)), reference)
    ids = find(catalogue, WISH, DAY).ids
    setting = PlanContext(catalogue, Scenario(), DAY)
    need = setting.demand.all
    yield line(
        f"the whole plan's bill at {len(ids)} offers, ranked",
        best(lambda: bills(setting, need, ids).ranking),
        reference,
    )


def cold() -> float:
    """Seconds from the first import to a loaded catalogue, in a process of its own."""
    return float(subprocess.run([sys.executable, "-c", COLD], capture_output=True, text=True, check=True).stdout)


def best(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The shortest of several runs: what the work takes when the machine is not disturbed."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def line(what: str, seconds: float, reference: float) -> str:
    """Return a measurement in milliseconds and as a multiple of the reference."""
    return f"{what}: {1000 * seconds:.2f} ms, {seconds / reference:.2f} x the reference"
