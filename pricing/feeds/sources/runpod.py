"""RunPod: what its pods and clusters cost for each accelerator, and whether there are any now."""

from collections.abc import Iterator
from typing import Any

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import Row, Rows, Told, positive, text, whole

URL = "https://api.runpod.io/graphql"
LOWEST = "lowestPrice(input: {{gpuCount: 1, secureCloud: {secure}}}) {{ minimumBidPrice stockStatus }}"
QUERY = (
    "query { gpuTypes { id displayName memoryInGb secureCloud communityCloud securePrice communityPrice "
    "oneMonthPrice threeMonthPrice sixMonthPrice clusterPrice maxGpuCountSecureCloud maxGpuCountCommunityCloud "
    f"secure: {LOWEST.format(secure='true')} community: {LOWEST.format(secure='false')} }} }}"
)
TERMS: dict[str, Purchase] = {
    "oneMonthPrice": "reserved_1m", "threeMonthPrice": "reserved_3m", "sixMonthPrice": "reserved_6m",
}  # fmt: skip
SLICE = "MIG"  # a part of an accelerator
SECURE, COMMUNITY, CLUSTER = "Secure Cloud", "Community Cloud", "Instant Cluster"


def read(ask: Fetcher) -> Told:
    """One question for all."""
    rows = Rows("RunPod")
    reply = ask.post(URL, {"query": QUERY})
    answer = reply.json()
    if isinstance(answer, dict) and answer.get("errors") and not answer.get("data"):
        raise rows.wrong(f"it refuses the question: {str(answer['errors'])[:200]}")
    for row in rows.list_at(answer, "data", "gpuTypes"):
        yield from rows.each(reply, _type, row)
    rows.check()


def _type(rows: Rows, row: Row) -> Iterator[AnyObservation]:
    if odd := rows.lacks(row, "displayName", "memoryInGb"):
        yield odd
        return
    name, memory = text(row["displayName"]), positive(row["memoryInGb"])
    if SLICE in name or memory is None:
        return
    common: dict[str, Any] = {
        "seller": "runpod", "accelerator": accelerator("runpod", name, memory), "per": "accelerator",
        "region": "global", "area": "anywhere", "memory_gb": memory,
    }  # fmt: skip
    yield from _secure(row, common)
    yield from _community(row, common)
    if price := positive(row.get("clusterPrice")):
        count = whole(row.get("maxGpuCountSecureCloud")) or 8
        yield Observation(
            count=count, purchase="on_demand", price=price, sku=CLUSTER, fabric="not_stated", **common
        )  # fmt: skip


def _secure(row: Row, common: dict[str, Any]) -> Iterator[Observation]:
    price = positive(row.get("securePrice"))
    if price is None or not row.get("secureCloud", True):
        return
    now = row.get("secure") or {}
    free = 1 if now.get("stockStatus") else 0
    yield Observation(count=1, purchase="on_demand", price=price, sku=SECURE, free=free, **common)
    for name, term in TERMS.items():
        if reserved := positive(row.get(name)):
            doubts = ("odd",) if reserved >= price else ()  # a term that saves nothing is no offer of one
            yield Observation(count=1, purchase=term, price=reserved, sku=SECURE, doubts=doubts, **common)
    if bid := positive(now.get("minimumBidPrice")):
        yield Observation(count=1, purchase="spot", price=bid, sku=SECURE, free=free, doubts=("minimum_bid",), **common)


def _community(row: Row, common: dict[str, Any]) -> Iterator[Observation]:
    """Where there is no stock the price is a placeholder."""
    now, price = row.get("community") or {}, positive(row.get("communityPrice"))
    if price and now.get("stockStatus"):
        yield Observation(count=1, purchase="on_demand", price=price, sku=COMMUNITY, free=1, **common)


FEED = Feed(
    name="runpod",
    label="RunPod",
    page="https://www.runpod.io/pricing",
    hosts=("api.runpod.io",),
    licence="public API; facts cited",
    read=read,
)
