"""RunPod: prices of pods and clusters for each accelerator, and whether there are any now."""

from collections.abc import Iterator
from typing import Any

from pricing.choices import Purchase
from pricing.feeds.feed import Feed, Fetcher, Observation
from pricing.feeds.machines import accelerator, rule
from pricing.feeds.parsing import Observations, ReplyRows, Row, offers, positive, text, whole

URL = "https://api.runpod.io/graphql"
LOWEST = "lowestPrice(input: {{gpuCount: 1, secureCloud: {secure}}}) {{ minimumBidPrice stockStatus }}"
QUERY = (
    "query { gpuTypes { id displayName memoryInGb secureCloud communityCloud securePrice communityPrice "
    "oneMonthPrice threeMonthPrice sixMonthPrice maxGpuCountSecureCloud maxGpuCountCommunityCloud "
    f"secure: {LOWEST.format(secure='true')} community: {LOWEST.format(secure='false')} }} "
    "clusters: gpuTypes(input: {cluster: true}) { id clusterPrice } }"
)
TERMS: dict[str, Purchase] = {
    "oneMonthPrice": "reserved_1m", "threeMonthPrice": "reserved_3m", "sixMonthPrice": "reserved_6m",
}  # fmt: skip
SLICE = "MIG"  # a part of an accelerator
SECURE, COMMUNITY, CLUSTER = "Secure Cloud", "Community Cloud", "Instant Cluster"


def read(ask: Fetcher) -> Observations:
    rows = ReplyRows("RunPod")
    reply = ask.post(URL, {"query": QUERY})
    answer = reply.json()
    if isinstance(answer, dict) and answer.get("errors") and not answer.get("data"):
        raise rows.wrong(f"it refuses the question: {str(answer['errors'])[:200]}")
    clusters = {row.get("id"): row.get("clusterPrice") for row in rows.at(answer, "data").get("clusters") or ()}
    types = [{**row, "clusterPrice": clusters.get(row.get("id"))} for row in rows.list_at(answer, "data", "gpuTypes")]
    yield from rows.read(reply, types, ("displayName", "memoryInGb"), _type)
    rows.check()


def _type(row: Row) -> Iterator[Observation]:
    name, memory = text(row["displayName"]), positive(row["memoryInGb"])
    if SLICE in name or memory is None:
        return
    pod = "runpod", accelerator("runpod", name, memory), 1
    common: dict[str, Any] = {"per": "accelerator", "region": "global", "area": "anywhere", "memory_gb": memory}
    secure, community = row.get("secure") or {}, row.get("community") or {}
    price, free = positive(row.get("securePrice")), 1 if secure.get("stockStatus") else 0
    placeholder = price == rule("runpod_placeholder_usd") and not free
    if price and row.get("secureCloud", True) and not placeholder:
        yield from offers(*pod, {"on_demand": price}, sku=SECURE, free=free, **common)
        for key, term in TERMS.items():
            saves = (positive(row.get(key)) or 0.0) < price  # a term that saves nothing is no offer of one
            yield from offers(*pod, {term: row.get(key)}, sku=SECURE, doubts=() if saves else ("odd",), **common)
        bid: dict[Purchase, object] = {"spot": secure.get("minimumBidPrice")}
        yield from offers(*pod, bid, sku=SECURE, free=free, doubts=("minimum_bid",), **common)
    if community.get("stockStatus") and row.get("communityCloud", True):  # else the price is a placeholder
        yield from offers(*pod, {"on_demand": row.get("communityPrice")}, sku=COMMUNITY, free=1, **common)
    count = whole(row.get("maxGpuCountSecureCloud")) or 8
    cluster: dict[Purchase, object] = {"on_demand": row.get("clusterPrice")}
    yield from offers(*pod[:2], count, cluster, sku=CLUSTER, fabric="not_stated", **common)


FEED = Feed(
    "runpod", "RunPod", "https://www.runpod.io/pricing", ("api.runpod.io",), "public API; facts cited", read,
    sellers=("runpod",),
)  # fmt: skip
