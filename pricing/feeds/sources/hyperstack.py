"""Hyperstack, with a key: what an accelerator costs by its price book, in machines of the sizes it lists."""

import re
from collections.abc import Iterator

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import Row, Rows, Told, positive, text, whole

URL = "https://infrahub-api.nexgencloud.com/v1"
SPOT = re.compile(r"-spot$")


def read(ask: Fetcher) -> Told:
    """The price book, and then the machines."""
    rows = Rows("Hyperstack")
    headers = {"api_key": ask.key()}
    book = rows.list_at(ask.get(f"{URL}/pricebook", headers=headers).json())
    prices = {text(one.get("name")): price for one in book if (price := positive(one.get("value")))}
    if not prices:
        raise rows.wrong("want a price book of names and values")
    reply = ask.get(f"{URL}/core/flavors", headers=headers)
    for group in rows.list_at(reply.json(), "data"):
        for row in rows.list_at(group, "flavors"):
            yield from rows.each(reply, _flavour, row, prices)
    rows.check()


def _flavour(rows: Rows, row: Row, prices: dict[str, float]) -> Iterator[AnyObservation]:
    count = whole(row.get("gpu_count"))
    if count is None:
        return
    if odd := rows.lacks(row, "name", "gpu"):
        yield odd
        return
    called, stock = text(row["gpu"]), row.get("stock_available")
    if called not in prices:
        yield UnreadableRow(text(row["name"]), f"{called} is not in the price book")
        return
    board = SPOT.sub("", called)
    yield Observation(
        seller="hyperstack",
        accelerator=accelerator("hyperstack", board),
        count=count,
        purchase="spot" if board != called else "on_demand",
        price=prices[called],
        per="accelerator",
        region=text(row.get("region_name")),
        sku=text(row["name"]),
        vcpus=positive(row.get("cpu")),
        ram_gb=positive(row.get("ram")),
        free=None if stock is None else int(bool(stock)),
    )


FEED = Feed(
    name="hyperstack",
    label="Hyperstack",
    page="https://www.hyperstack.cloud/gpu-pricing",
    hosts=("infrahub-api.nexgencloud.com",),
    licence="facts cited",
    read=read,
    key_name="HYPERSTACK_API_KEY",
)
