"""Verda (once DataCrunch): its machines, on demand and spot, and where some can be had now, where it says so."""

import re
from collections.abc import Iterator
from typing import Any

from pricing.feeds.feed import AnyObservation, Feed, FeedError, Fetcher, Observation
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import Row, Rows, Told, first_reply, positive, text, whole

HOSTS = ("api.datacrunch.io", "api.verda.com")
SPOTS = {"false": "on_demand", "true": "spot"}
HOW_MANY = re.compile(r"\d+\s*x\s+")


def read(ask: Fetcher) -> Told:
    """The machines, after what can be had."""
    rows, free = Rows("Verda"), _availability(ask)
    reply = first_reply(ask, (f"https://{host}/v1/instance-types" for host in HOSTS))
    for row in rows.list_at(reply.json()):
        yield from rows.each(reply, _machine, row, free)
    rows.check()


def _availability(ask: Fetcher) -> dict[tuple[str, str], int]:
    """In how many places a machine can be had, by purchase; nothing where it does not tell people without a key."""
    found: dict[tuple[str, str], int] = {}
    for spot, purchase in SPOTS.items():
        try:
            places = first_reply(
                ask, (f"https://{host}/v1/instance-availability" for host in HOSTS), params={"is_spot": spot}
            )
            for place in places.json():
                for name in place["availabilities"]:
                    found[name, purchase] = found.get((name, purchase), 0) + 1
        except (FeedError, KeyError, TypeError):
            continue
    return found


def _machine(rows: Rows, row: Row, free: dict[tuple[str, str], int]) -> Iterator[AnyObservation]:
    gpu = row.get("gpu") or {}
    count = whole(gpu.get("number_of_gpus"))
    if count is None:
        return
    if odd := rows.lacks(row, "instance_type", "price_per_hour"):
        yield odd
        return
    name, told = text(row["instance_type"]), HOW_MANY.sub("", text(gpu.get("description")), count=1)
    memory = positive((row.get("gpu_memory") or {}).get("size_in_gigabytes"))
    common: dict[str, Any] = {
        "seller": "verda",
        "accelerator": accelerator("verda", told, memory / count if memory else None),
        "count": count,
        "currency": text(row.get("currency")).upper() or "USD",
        "sku": name,
        "vcpus": positive((row.get("cpu") or {}).get("number_of_cores")),
        "ram_gb": positive((row.get("memory") or {}).get("size_in_gigabytes")),
        "memory_gb": memory / count if memory else None,
    }
    if price := positive(row["price_per_hour"]):
        yield Observation(purchase="on_demand", price=price, free=_known(free, name, "on_demand"), **common)
    if price := positive(row.get("spot_price") or row.get("spot_price_per_hour")):
        yield Observation(purchase="spot", price=price, free=_known(free, name, "spot"), **common)


def _known(free: dict[tuple[str, str], int], name: str, purchase: str) -> int | None:
    told = any(kind == purchase for _, kind in free)
    return free.get((name, purchase), 0) if told else None


FEED = Feed(
    name="verda",
    label="Verda",
    page="https://verda.com/pricing",
    hosts=HOSTS,
    licence="public API; facts cited",
    read=read,
)
