"""Vast.ai: offers of verified hosts now. Of like machines in a country the lowest counts, and how many there are.

Without a key one reply holds 64 offers, whatever the question says; so each accelerator is a question of its own.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pricing.feeds.feed import Feed, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import accelerator, table
from pricing.feeds.parsing import (
    MB,
    Observations,
    ReplyRows,
    Row,
    by_rows,
    lowest,
    offers,
    parse_gigabytes,
    text,
    whole,
)

URL = "https://console.vast.ai/api/v0/bundles/"
MOST, MOST_WITH_KEY = 64, 3_000  # offers in one reply
SIZES: tuple[dict[str, int], ...] = ({"eq": 1}, {"gte": 2, "lte": 3}, {"gte": 4, "lte": 7}, {"gte": 8})
NEEDED = ("gpu_name", "num_gpus", "dph_total", "geolocation")
QUESTION: dict[str, Any] = {
    "verified": {"eq": True}, "rentable": {"eq": True}, "rented": {"eq": False}, "order": [["dph_total", "asc"]],
    "type": "on-demand", "limit": MOST_WITH_KEY,
}  # fmt: skip


@by_rows("Vast")
def read(ask: Fetcher, rows: ReplyRows) -> Observations:
    """Ask for each accelerator by its name, and then for all others."""
    names = sorted({row["called"] for row in table("boards") if row["seller"] == "vast"})
    questions = [*({"eq": name} for name in names), {"notin": names}]
    yield from lowest(listing for name in questions for listing in _listings(rows, ask, {"gpu_name": name}))


def _listings(rows: ReplyRows, ask: Fetcher, question: Mapping[str, Any]) -> Observations:
    """Read the reply to a question; where it is full, ask again for each size of machine."""
    key = ask.key()
    headers = {"Authorization": f"Bearer {key}"} if key else None
    reply = ask.post(URL, {**QUESTION, **question}, headers=headers)
    machines, most = rows.list_at(reply.json(), "offers"), MOST_WITH_KEY if key else MOST
    if len(machines) >= most and "num_gpus" not in question:
        for sizes in SIZES:
            yield from _listings(rows, ask, {**question, "num_gpus": sizes})
        return
    if len(machines) >= most:
        yield reply, UnreadableRow(f"machines of {question}", f"the reply is full with {most:,}: there may be more")
    yield from rows.read(reply, machines, NEEDED, _machine)


def _machine(row: Row) -> Iterator[Observation]:
    memory = parse_gigabytes(row.get("gpu_ram"), MB)
    name, count = text(row["gpu_name"]), whole(row["num_gpus"])
    board = accelerator("vast", name, memory)
    memory = memory if board == name else None  # hosts of one accelerator name slightly different sizes
    machine = "vast", board, count
    country = text(row["geolocation"]).rpartition(" ")[2].rpartition(",")[2]  # "Texas, US"
    yield from offers(*machine, {"on_demand": row["dph_total"]}, region=country, memory_gb=memory, free=1)
    doubts = ("minimum_bid",)
    yield from offers(*machine, {"spot": row.get("min_bid")}, region=country, memory_gb=memory, doubts=doubts)


FEED = Feed(
    "vast", "Vast.ai", "https://vast.ai/pricing", ("console.vast.ai",), "public marketplace API; facts cited", read,
    sellers=("vast", "vastai"), key_name="VAST_API_KEY", key_optional=True,
)  # fmt: skip
