"""Daytona: accelerators by the hour for its sandboxes. Processors and memory are billed beside them."""

from collections.abc import Iterator

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import Row, Rows, Told, positive, text

URL = "https://billing.app.daytona.io/gpu-pricing"
PRICES: dict[str, Purchase] = {"onDemandPricePerHour": "on_demand", "spotPricePerHour": "spot"}
NOT_SOLD = frozenset({"B200"})  # has a rate, but is refused when it is ordered


def read(ask: Fetcher) -> Told:
    """The one page."""
    rows = Rows("Daytona")
    reply = ask.get(URL)
    for row in rows.list_at(reply.json(), "gpus"):
        yield from rows.each(reply, _type, row)
    rows.check()


def _type(rows: Rows, row: Row) -> Iterator[AnyObservation]:
    if odd := rows.lacks(row, "type", "onDemandPricePerHour"):
        yield odd
        return
    called = text(row["type"])
    for name, purchase in PRICES.items():
        if price := positive(row.get(name)):
            yield Observation(
                seller="daytona",
                accelerator=accelerator("daytona", called),
                count=1,
                purchase=purchase,
                price=price,
                per="accelerator",
                sku=called,
                doubts=("component_only", *(("listed_not_sold",) if called in NOT_SOLD else ())),
            )


FEED = Feed(
    name="daytona",
    label="Daytona",
    page="https://www.daytona.io/pricing",
    hosts=("billing.app.daytona.io",),
    licence="public API; facts cited",
    read=read,
)
