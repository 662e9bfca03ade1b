"""Vast.ai: offers of verified hosts now. Of like machines in a country the lowest counts, and how many there are."""

from collections.abc import Iterator
from typing import Any

from pricing.feeds.feed import Feed, FeedReply, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import MB, Observations, ReplyRows, Row, lowest, offers, parse_gigabytes, text, whole

URL = "https://console.vast.ai/api/v0/bundles/"
MOST = 3_000  # that one reply holds; without it a few dozen
SIZES: tuple[dict[str, int], ...] = ({"eq": 1}, {"gte": 2, "lte": 3}, {"gte": 4, "lte": 7}, {"gte": 8})
NEEDED = ("gpu_name", "num_gpus", "dph_total", "geolocation")
QUESTION: dict[str, Any] = {
    "verified": {"eq": True}, "rentable": {"eq": True}, "rented": {"eq": False}, "order": [["dph_total", "asc"]],
    "type": "on-demand", "limit": MOST,
}  # fmt: skip


def read(ask: Fetcher) -> Observations:
    """Ask one question for each range of sizes, so that none is cut off."""
    rows = ReplyRows("Vast")
    replies = ((sizes, ask.post(URL, {**QUESTION, "num_gpus": sizes})) for sizes in SIZES)
    yield from lowest(listing for sizes, reply in replies for listing in _listings(rows, reply, sizes))
    rows.check()


def _listings(rows: ReplyRows, reply: FeedReply, sizes: dict[str, int]) -> Observations:
    machines = rows.list_at(reply.json(), "offers")
    if len(machines) >= MOST:
        yield reply, UnreadableRow(f"machines of {sizes}", f"the reply is full with {MOST:,}: there may be more")
    yield from rows.read(reply, machines, NEEDED, _machine)


def _machine(row: Row) -> Iterator[Observation]:
    memory = parse_gigabytes(row.get("gpu_ram"), MB)
    machine = "vast", accelerator("vast", text(row["gpu_name"]), memory), whole(row["num_gpus"])
    country = text(row["geolocation"]).rpartition(" ")[2].rpartition(",")[2]  # "Texas, US"
    yield from offers(*machine, {"on_demand": row["dph_total"]}, region=country, memory_gb=memory, free=1)
    doubts = ("minimum_bid",)
    yield from offers(*machine, {"spot": row.get("min_bid")}, region=country, memory_gb=memory, doubts=doubts)


FEED = Feed(
    "vast", "Vast.ai", "https://vast.ai/pricing", ("console.vast.ai",), "public marketplace API; facts cited", read,
    sellers=("vast", "vastai"),
)  # fmt: skip
