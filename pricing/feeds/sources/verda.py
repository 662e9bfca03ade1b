"""Verda (once DataCrunch): its machines, on demand and spot, and where some are free now, where it says so."""

import re
from collections.abc import Iterator, Mapping

from pricing.choices import Purchase
from pricing.feeds.feed import Feed, FeedError, Fetcher, Observation
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import Observations, ReplyRows, Row, first_reply, offers, positive, text, whole
from pricing.feeds.sources import nested

HOSTS = ("api.datacrunch.io", "api.verda.com")
SPOTS: dict[str, Purchase] = {"false": "on_demand", "true": "spot"}
COUNT = re.compile(r"\d+\s*x\s+")

Free = dict[tuple[str, str], int]


def read(ask: Fetcher) -> Observations:
    """Read which machines are free, and then the machines."""
    rows, free = ReplyRows("Verda"), _availability(ask)
    reply = first_reply(ask, (f"https://{host}/v1/instance-types" for host in HOSTS))
    machines = [
        row
        for row in rows.list_at(reply.json())
        if isinstance(gpu := row.get("gpu"), Mapping) and whole(gpu.get("number_of_gpus"))
    ]
    yield from rows.read(reply, machines, ("instance_type", "price_per_hour"), _machine, free)
    rows.check()


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


def _machine(row: Row, free: Free) -> Iterator[Observation]:
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


FEED = Feed(
    "verda", "Verda", "https://verda.com/pricing", HOSTS, "public API; facts cited", read,
    sellers=("verda", "datacrunch"),
)  # fmt: skip
