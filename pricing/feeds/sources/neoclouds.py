"""Clouds of accelerators whose replies have each their own form: RunPod, Thunder Compute, Verda and Vultr."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, FeedError, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import accelerator, find_accelerator_any_memory, machines, rule
from pricing.feeds.parsing import (
    MB,
    Observations,
    ReplyRows,
    Row,
    by_rows,
    first_reply,
    offers,
    pages,
    parse_gigabytes,
    positive,
    text,
    whole,
)
from pricing.feeds.sources import nested

# RunPod: prices of pods and clusters for each accelerator, and whether there are any now.

RUNPOD_URL = "https://api.runpod.io/graphql"
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


@by_rows("RunPod")
def read_runpod(ask: Fetcher, rows: ReplyRows) -> Observations:
    reply = ask.post(RUNPOD_URL, {"query": QUERY})
    answer = reply.json()
    if isinstance(answer, dict) and answer.get("errors") and not answer.get("data"):
        raise rows.wrong(f"it refuses the question: {str(answer['errors'])[:200]}")
    clusters = {row.get("id"): row.get("clusterPrice") for row in rows.at(answer, "data").get("clusters") or ()}
    types = [{**row, "clusterPrice": clusters.get(row.get("id"))} for row in rows.list_at(answer, "data", "gpuTypes")]
    yield from rows.read(reply, types, ("displayName", "memoryInGb"), _type)


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


RUNPOD = Feed(
    "runpod", "RunPod", "https://www.runpod.io/pricing", ("api.runpod.io",), "public API; facts cited", read_runpod,
    sellers=("runpod",),
)  # fmt: skip


# Thunder Compute: whole accelerators for production, and others shared over a network for trying things out.

THUNDER_URL = "https://api.thundercompute.com:8443/v1"
SKU = re.compile(r"(?P<board>[a-z0-9]+)_x(?P<count>\d+)_(?P<mode>production|prototyping)")
SHARED = "prototyping"
FURTHER_VCPUS = "additional_vcpus"


@by_rows("Thunder Compute")
def read_thunder(ask: Fetcher, rows: ReplyRows) -> Observations:
    """Read the prices, with what is known of each machine."""
    try:
        specs = ask.get(f"{THUNDER_URL}/specs").json()["specs"]
    except (FeedError, KeyError, TypeError):  # it does not say what is in a machine
        specs = {}
    reply = ask.get(f"{THUNDER_URL}/pricing")
    prices = rows.at(reply.json(), "pricing")
    if not isinstance(prices, Mapping):
        raise rows.wrong("want prices by name")
    machines: list[Observation] = []
    for name, price in prices.items():
        spec = specs.get(str(name)) if isinstance(specs, Mapping) else None
        machines += _thunder(str(name), price, spec if isinstance(spec, Mapping) else {}, prices.get(FURTHER_VCPUS))
    if not machines:
        raise rows.wrong(f"want names such as h100_x1_production, got {', '.join(list(map(str, prices))[:8])}")
    yield from ((reply, machine) for machine in machines)


def _thunder(name: str, price: object, spec: Row, usd_per_vcpu: object) -> Iterator[Observation]:
    parts, memory, usd = SKU.fullmatch(name), positive(spec.get("vramGB")), positive(price)
    if parts is None or usd is None:  # disks, snapshots, further processors
        return
    vcpus = min(filter(None, map(positive, spec.get("vcpuOptions") or ())), default=None)  # further ones are extra
    per_vcpu, count = positive(spec.get("ramPerVCPUGiB")), whole(parts["count"]) or 1
    if vcpus and parts["mode"] == SHARED:  # the smallest machine may have more processors than the price holds
        usd += max(vcpus - rule("thunder_vcpus_per_accelerator") * count, 0.0) * (positive(usd_per_vcpu) or 0.0)
    yield from offers(
        "thundercompute", accelerator("thunder", text(spec.get("displayName")) or parts["board"], memory),
        count, {"on_demand": usd}, sku=parts["mode"], vcpus=vcpus,
        ram_gb=vcpus * per_vcpu if vcpus and per_vcpu else None, memory_gb=memory,
        doubts=("may_be_shared",) if parts["mode"] == SHARED else (),
    )  # fmt: skip


THUNDER = Feed(
    "thunder", "Thunder Compute", "https://www.thundercompute.com/pricing",
    ("api.thundercompute.com", "api.thundercompute.com:8443"), "public API; facts cited", read_thunder,
    sellers=("thundercompute",),
)  # fmt: skip


# Verda (once DataCrunch): its machines, on demand and spot, and where some are free now, where it says so.

HOSTS = ("api.datacrunch.io", "api.verda.com")
SPOTS: dict[str, Purchase] = {"false": "on_demand", "true": "spot"}
COUNT = re.compile(r"\d+\s*x\s+")

Free = dict[tuple[str, str], int]


@by_rows("Verda")
def read_verda(ask: Fetcher, rows: ReplyRows) -> Observations:
    """Read which machines are free, and then the machines."""
    free = _availability(ask)
    reply = first_reply(ask, (f"https://{host}/v1/instance-types" for host in HOSTS))
    machines = [
        row
        for row in rows.list_at(reply.json())
        if isinstance(gpu := row.get("gpu"), Mapping) and whole(gpu.get("number_of_gpus"))
    ]
    yield from rows.read(reply, machines, ("instance_type", "price_per_hour"), _verda_machine, free)


def _availability(ask: Fetcher) -> Free:
    """Return in how many places a machine is free, by purchase; nothing where it does not say so without a key."""
    free: Free = {}
    for spot, purchase in SPOTS.items():
        urls = (f"https://{host}/v1/instance-availability" for host in HOSTS)
        try:
            for place in first_reply(ask, urls, params={"is_spot": spot}).json():
                for name in place["availabilities"]:
                    free[name, purchase] = free.get((name, purchase), 0) + 1
        except (FeedError, KeyError, TypeError):
            continue
    return free


def _verda_machine(row: Row, free: Free) -> Iterator[Observation]:
    gpu, name, total = row["gpu"], text(row["instance_type"]), positive(nested(row, "gpu_memory", "size_in_gigabytes"))
    count = whole(gpu["number_of_gpus"])
    memory = total / count if total and count else None
    board = accelerator("verda", COUNT.sub("", text(gpu.get("description")), count=1), memory)
    prices: dict[Purchase, object] = {
        "on_demand": row["price_per_hour"], "spot": row.get("spot_price") or row.get("spot_price_per_hour"),
    }  # fmt: skip
    for purchase, price in prices.items():
        says = any(kind == purchase for _, kind in free)
        yield from offers(
            "verda", board, count, {purchase: price}, currency=text(row.get("currency")).upper() or "USD", sku=name,
            vcpus=positive(nested(row, "cpu", "number_of_cores")),
            ram_gb=positive(nested(row, "memory", "size_in_gigabytes")), memory_gb=memory,
            free=free.get((name, purchase), 0) if says else None,
        )  # fmt: skip


VERDA = Feed(
    "verda", "Verda", "https://verda.com/pricing", HOSTS, "public API; facts cited", read_verda,
    sellers=("verda", "datacrunch"),
)  # fmt: skip


# Vultr: cloud GPUs, bare metal and dedicated machines, each list to its last page.

VULTR_URL = "https://api.vultr.com/v2"
LISTS = (("plans", "vcg"), ("plans", "vdm"), ("plans-metal", ""))
PRICES: dict[Purchase, tuple[str, str]] = {  # the field of the price, and whether it can be ordered so
    "on_demand": ("hourly_cost", "deploy_ondemand"), "spot": ("hourly_cost_preemptible", "deploy_preemptible"),
}  # fmt: skip
UNTRUSTED = "vdm"  # its places are empty although machines are free


@by_rows("Vultr")
def read_vultr(ask: Fetcher, rows: ReplyRows) -> Observations:
    for path, kind in LISTS:
        params = {"per_page": "500"} | ({"type": kind} if kind else {})
        for reply, page in pages(ask, f"{VULTR_URL}/{path}", params, _next_page):
            plans = rows.list_at(page, path.replace("-", "_"))
            yield from rows.read(reply, plans, ("id", "hourly_cost"), _plan, kind)


def _next_page(page: Row, params: Row) -> dict[str, str] | None:
    cursor = text(nested(page, "meta", "links", "next"))
    return {**params, "cursor": cursor} if cursor else None


def _plan(plan: Row, kind: str) -> Iterator[AnyObservation]:
    name, machine = text(plan["id"]), machines("vultr").get(text(plan["id"]))
    if machine:
        yield from _priced(plan, kind, machine.accelerator, machine.count)
    elif plan.get("gpu_type"):  # how many there are follows from the memory of all of them
        called, memory = text(plan["gpu_type"]), positive(plan.get("gpu_vram_gb"))
        board = find_accelerator_any_memory("vultr", called)
        if board is None or not board.memory_gb:
            yield UnreadableRow(name, f"unknown accelerators: {called}")
        elif memory:
            yield from _priced(plan, kind, board.accelerator, whole(memory / board.memory_gb))
    elif kind or name.endswith("-gpu"):
        yield UnreadableRow(name, "a machine with unknown accelerators")


def _priced(plan: Row, kind: str, accelerator: str, count: int | None) -> Iterator[Observation]:
    places = plan.get("location_cost") or {}
    for region, price in {"": plan, **places}.items():
        prices: dict[Purchase, object] = {
            purchase: price.get(field) for purchase, (field, flag) in PRICES.items() if plan.get(flag) is not False
        }
        yield from offers(
            "vultr", accelerator, count, prices, region=str(region), sku=text(plan["id"]),
            vcpus=positive(plan.get("vcpu_count") or plan.get("cpu_threads")),
            ram_gb=parse_gigabytes(plan.get("ram"), MB),
            free=None if kind == UNTRUSTED or region else len(set(plan.get("locations") or ()) - set(places)),
        )  # fmt: skip


VULTR = Feed(
    "vultr", "Vultr", "https://www.vultr.com/pricing/", ("api.vultr.com",), "public API; facts cited", read_vultr,
    sellers=("vultr",),
)  # fmt: skip

FEEDS = (RUNPOD, THUNDER, VERDA, VULTR)
