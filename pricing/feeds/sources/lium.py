"""Lium: the machines of its market that can be had now. Of like ones in a country the lowest counts."""

from collections.abc import Iterator

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import Row, Rows, Told, lowest, positive, text, whole

URL = "https://lium.io/api/public/v1/nodes"
NEEDED = ("gpu_model", "gpu_count", "available_gpu_count", "price_per_gpu_hour")


def read(ask: Fetcher) -> Told:
    """The one page."""
    rows = Rows("Lium")
    reply = ask.get(URL)
    nodes = rows.list_at(reply.json(), "nodes")
    yield from lowest(told for node in nodes for told in rows.each(reply, _node, node))
    rows.check()


def _node(rows: Rows, node: Row) -> Iterator[AnyObservation]:
    """What one order can take: from the fewest that are rented out of a machine to all that are free."""
    if odd := rows.lacks(node, *NEEDED):
        yield odd
        return
    count, price = whole(node["gpu_count"]), positive(node["price_per_gpu_hour"])
    free, least = whole(node["available_gpu_count"]), whole(node.get("min_rentable_gpu_count")) or count
    if count is None or least is None or price is None:
        return
    memory, spot = positive(node.get("gpu_memory_gb")), node.get("tier") == "spot"
    for sold in sorted({least, count}):
        yield Observation(
            seller="lium",
            accelerator=accelerator("lium", text(node["gpu_model"]), memory),
            count=sold,
            purchase="spot" if spot else "on_demand",
            price=price,
            per="accelerator",
            region=text(node.get("country_code")),
            sku=text(node.get("tier")),
            memory_gb=memory,
            free=(free or 0) // sold,
        )


FEED = Feed(
    name="lium",
    label="Lium",
    page="https://lium.io",
    hosts=("lium.io",),
    licence="public API; facts cited",
    read=read,
    may_be_empty=True,
)
