"""Live prices: 60,000 observations judged, kept and laid over the catalogue; a long file read in pieces.

All times are those of the processor, so that what else the machine does is left out.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from time import process_time

from pricing import load_catalogue
from pricing.catalogue import Catalogue
from pricing.feeds.client import Client, ClientLimits
from pricing.feeds.database import opened
from pricing.feeds.feed import Feed, Observation
from pricing.feeds.gate import MarketPrices, PriceValidator
from pricing.feeds.live import current
from pricing.feeds.store import LivePriceStore, SourceRefresh
from pricing.feeds.written import SourceInfo
from pricing.query import OfferFilter, find

OBSERVATIONS = 60_000
DAY = date(2026, 11, 22)
FILE_BYTES = 1_000_000_000
_LINE = b'"JRTCKXETXF","Standard_ND96isr_H100_v5","eastus","OnDemand","98.32","USD","Linux","Shared","192","1900 GiB"\n'
_COLD = """
from time import process_time
start = process_time()
from pricing.feeds.live import current
loaded = process_time()
found = current()
print(process_time() - loaded, loaded - start, len(found.offers))
"""


def main() -> Iterator[str]:
    """Yield the measurements, line by line."""
    facts = load_catalogue()
    for products in (3_000, OBSERVATIONS):
        with tempfile.TemporaryDirectory() as folder:
            environ = {"RENT_OR_BUY_DATA": folder, "XDG_CACHE_HOME": f"{folder}/cache"}
            os.environ |= environ
            yield f"{OBSERVATIONS:,} observations of {products:,} products:"
            yield from _laid(facts, products, environ)
    yield _time_streaming()


def _laid(facts: Catalogue, products: int, environ: dict[str, str]) -> Iterator[str]:
    days = OBSERVATIONS // products
    start = process_time()
    with closing(opened(environ)) as database:
        for number in range(days):
            _keep(facts, LivePriceStore(database), products, DAY - timedelta(days=days - 1 - number), number)
    yield f"judged and kept in {process_time() - start:.2f} s ({days} refreshes)"
    start = process_time()
    live = current(environ)
    new = len(live.offers) - len(facts.offers)
    yield f"laid over for the first time {process_time() - start:.2f} s: {new:,} new offers"
    runs = [subprocess.run([sys.executable, "-c", _COLD], capture_output=True, text=True, check=True) for _ in range(5)]
    cold = sorted(tuple(map(float, one.stdout.split())) for one in runs)
    yield f"loaded with the catalogue in a new process {cold[2][0]:.3f} s (and {cold[2][1]:.2f} s of imports)"
    wish = OfferFilter(accelerators=frozenset({"H100-SXM5-80GB"}))
    find(live, wish, DAY)
    start = process_time()
    for _ in range(20):
        find(current(environ), wish, DAY)
    seconds, count = (process_time() - start) / 20, len(find(live, wish, DAY).ids)
    yield f"a query of one accelerator {seconds * 1e3:.2f} ms ({count:,} offers found)"


def _keep(facts: Catalogue, store: LivePriceStore, products: int, day: date, number: int) -> None:
    chance = random.Random(number)
    chips = ["H100-SXM5-80GB", "H200-SXM-141GB", "A100-SXM4-80GB", "L4-24GB", "T4-16GB", "B200-SXM-180GB"]
    now = datetime(day.year, day.month, day.day, tzinfo=UTC)
    before = store.before("bench", day)
    gate = PriceValidator(MarketPrices.of(facts), before, day)
    readings = []
    for product in range(products):
        chip = chips[product % len(chips)]
        middle = gate.market.median(chip, spot=False) or 1.0
        one = Observation(
            seller="AWS", accelerator=chip, count=1, purchase="on_demand", region=f"eu-zone-{product % 300}",
            sku=f"machine {product}", price=middle * chance.uniform(0.9, 1.1),
        )  # fmt: skip
        readings.append(gate.reading(one, "digest"))
    about = SourceInfo("Bench", "https://example.org", "MIT", "price_api")
    with store.database.writing():
        store.keep(SourceRefresh(str(day), "bench", about, day, now, seen=products), readings, now)


def _time_streaming() -> str:
    """A long price file, line by line. Measured in this process: the most that it ever held."""
    server = HTTPServer(("127.0.0.1", 0), _LongFileHandler)
    threading.Thread(target=server.handle_request, daemon=True).start()
    feed = Feed(
        "long", "Long", "https://long.example", ("long.example",), "MIT", lambda ask: iter(()),
        largest_reply_bytes=2 * FILE_BYTES,
    )  # fmt: skip
    client = Client(feed, ClientLimits(), at={"long.example": f"http://127.0.0.1:{server.server_address[1]}"})
    before = _peak_memory_mb()
    start = process_time()
    lines = sum(1 for _ in client.get("https://long.example/file").lines())
    seconds = process_time() - start
    client.close()
    server.server_close()
    size = f"{FILE_BYTES / 1e9:.0f} GB in {lines:,} lines"
    return f"{size}: {seconds:.0f} s, the process held at most {_peak_memory_mb():,.0f} MB ({before:,.0f} MB before)"


def _peak_memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000


class _LongFileHandler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """A thousand lines at a time."""
        piece = _LINE * 1_000
        self.send_response(200)
        self.end_headers()
        for _ in range(FILE_BYTES // len(piece)):
            self.wfile.write(piece)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
