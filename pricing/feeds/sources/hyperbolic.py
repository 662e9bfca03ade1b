"""Hyperbolic: the list that it keeps for SkyPilot."""

from collections.abc import Iterator
from typing import Any

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import Row, Rows, Told, positive, text, whole

URL = "https://api.hyperbolic.xyz/v2/skypilot/catalog"


def read(ask: Fetcher) -> Told:
    """The one page."""
    rows = Rows("Hyperbolic")
    reply = ask.get(URL)
    for row in rows.list_at(reply.json(), "vms"):
        yield from rows.each(reply, _machine, row)
    rows.check()


def _machine(rows: Rows, row: Row) -> Iterator[AnyObservation]:
    if odd := rows.lacks(row, "AcceleratorName", "AcceleratorCount", "Price"):
        yield odd
        return
    count = whole(row["AcceleratorCount"])
    if count is None:
        return
    common: dict[str, Any] = {
        "seller": "hyperbolic", "accelerator": accelerator("hyperbolic", text(row["AcceleratorName"])), "count": count,
        "region": text(row.get("Region")), "sku": text(row.get("InstanceType")), "vcpus": positive(row.get("vCPUs")),
        "ram_gb": positive(row.get("MemoryGiB")),
    }  # fmt: skip
    if price := positive(row["Price"]):
        yield Observation(purchase="on_demand", price=price, **common)
    if price := positive(row.get("SpotPrice")):
        yield Observation(purchase="spot", price=price, **common)


FEED = Feed(
    name="hyperbolic",
    label="Hyperbolic",
    page="https://www.hyperbolic.ai/marketplace",
    hosts=("api.hyperbolic.xyz",),
    licence="public API; facts cited",
    read=read,
)
