"""Vast.ai: what verified hosts offer now. Of like machines in a country the lowest counts, and how many there are."""

import re
from collections.abc import Iterator
from typing import Any

from pricing.feeds.feed import AnyObservation, Feed, FeedReply, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import MB, Row, Rows, Told, lowest, number, parse_gigabytes, positive, text, whole

URL = "https://console.vast.ai/api/v0/bundles/"
MOST = 3_000  # that one reply holds; without it a few dozen
SIZES: tuple[dict[str, int], ...] = ({"eq": 1}, {"gte": 2, "lte": 3}, {"gte": 4, "lte": 7}, {"gte": 8})
LAST_PART = re.compile(r"[^, ]*$")  # "Texas, US"
NEEDED = ("gpu_name", "num_gpus", "dph_total", "geolocation")


def read(ask: Fetcher) -> Told:
    """One question for each range of sizes, so that none is cut off."""
    rows = Rows("Vast")
    yield from lowest(told for sizes in SIZES for told in _offers(rows, ask.post(URL, _question(sizes)), sizes))
    rows.check()


def _offers(rows: Rows, reply: FeedReply, sizes: dict[str, int]) -> Told:
    offers = rows.list_at(reply.json(), "offers")
    if len(offers) >= MOST:
        yield reply, UnreadableRow(f"machines of {sizes}", f"the reply is full with {MOST:,}: there may be more")
    for offer in offers:
        yield from rows.each(reply, _offer, offer)


def _question(sizes: dict[str, int]) -> dict[str, Any]:
    return {
        "verified": {"eq": True},
        "rentable": {"eq": True},
        "rented": {"eq": False},
        "num_gpus": sizes,
        "order": [["dph_total", "asc"]],
        "type": "on-demand",
        "limit": MOST,
    }


def _offer(rows: Rows, offer: Row) -> Iterator[AnyObservation]:
    if odd := rows.lacks(offer, *NEEDED):
        yield odd
        return
    count, memory = whole(offer["num_gpus"]), parse_gigabytes(offer.get("gpu_ram"), MB)
    if count is None:
        return
    name = text(offer["gpu_name"])
    country = LAST_PART.search(text(offer["geolocation"]))
    common: dict[str, Any] = {
        "seller": "vast",
        "accelerator": accelerator("vast", name, memory),
        "count": count,
        "region": country[0] if country else "",
        "memory_gb": memory,
    }
    if price := positive(offer["dph_total"]):
        yield Observation(purchase="on_demand", price=price, free=1, **common)
    if bid := number(offer.get("min_bid")):
        yield Observation(purchase="spot", price=bid, doubts=("minimum_bid",), **common)


FEED = Feed(
    name="vast",
    label="Vast.ai",
    page="https://vast.ai/pricing",
    hosts=("console.vast.ai",),
    licence="public marketplace API; facts cited",
    read=read,
)
