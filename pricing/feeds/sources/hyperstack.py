"""Hyperstack, with a key: prices of accelerators in its price book, in machines of the sizes it lists."""

import re
from collections.abc import Iterator

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, UnreadableRow
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import Observations, ReplyRows, Row, offers, positive, text, whole

URL = "https://infrahub-api.nexgencloud.com/v1"
SPOT = re.compile(r"-spot$")


def read(ask: Fetcher) -> Observations:
    """Read the price book, and then the machines."""
    rows = ReplyRows("Hyperstack")
    headers = {"api_key": ask.key()}
    book = rows.list_at(ask.get(f"{URL}/pricebook", headers=headers).json())
    prices = {text(entry.get("name")): price for entry in book if (price := positive(entry.get("value")))}
    if not prices:
        raise rows.wrong("want a price book of names and values")
    reply = ask.get(f"{URL}/core/flavors", headers=headers)
    for group in rows.list_at(reply.json(), "data"):
        flavours = (row for row in rows.list_at(group, "flavors") if whole(row.get("gpu_count")))
        yield from rows.read(reply, flavours, ("name", "gpu"), _flavour, prices)
    rows.check()


def _flavour(row: Row, prices: dict[str, float]) -> Iterator[AnyObservation]:
    name, stock = text(row["gpu"]), row.get("stock_available")
    if name not in prices:
        yield UnreadableRow(text(row["name"]), f"{name} is not in the price book")
        return
    board = SPOT.sub("", name)
    yield from offers(
        "hyperstack", accelerator("hyperstack", board), whole(row["gpu_count"]),
        {"spot" if board != name else "on_demand": prices[name]}, per="accelerator",
        region=text(row.get("region_name")), sku=text(row["name"]), vcpus=positive(row.get("cpu")),
        ram_gb=positive(row.get("ram")), free=None if stock is None else int(bool(stock)),
    )  # fmt: skip


FEED = Feed(
    "hyperstack", "Hyperstack", "https://www.hyperstack.cloud/gpu-pricing", ("infrahub-api.nexgencloud.com",),
    "facts cited", read, key_name="HYPERSTACK_API_KEY", sellers=("hyperstack",),
)  # fmt: skip
