"""Hot Aisle, with a key: the machines that a team can have now. The key is `TEAM:TOKEN`, as its lists are by team.

It counts in cents, and memory in bytes.
"""

from collections.abc import Iterator

from pricing.feeds.feed import AnyObservation, Feed, FeedError, Fetcher, Observation
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import BYTES, CENTS, Row, Rows, Told, lowest, parse_gigabytes, positive, text, whole

URL = "https://admin.hotaisle.app/api/teams/{team}/{kind}/available/"
KINDS = {"virtual_machines": "VM", "bare_metal": "bare metal"}


def read(ask: Fetcher) -> Told:
    """Virtual machines, and whole ones."""
    team, colon, token = ask.key().partition(":")
    if not colon:
        raise FeedError("Hot Aisle wants HOTAISLE_API_KEY as TEAM:TOKEN.")
    rows = Rows("Hot Aisle")
    for kind, sku in KINDS.items():
        reply = ask.get(URL.format(team=team, kind=kind), headers={"Authorization": f"Token {token}"})
        machines = rows.list_at(reply.json())
        yield from lowest(told for row in machines for told in rows.each(reply, _machine, row, sku))
    rows.check()


def _machine(rows: Rows, row: Row, sku: str) -> Iterator[AnyObservation]:
    if odd := rows.lacks(row, "OnDemandPrice", "Specs"):
        yield odd
        return
    specs, cents = row["Specs"], positive(row["OnDemandPrice"])
    gpu: Row = next(iter(specs.get("gpus") or ()), {})
    count = whole(gpu.get("count"))
    if count and cents:
        yield Observation(
            seller="hotaisle",
            accelerator=accelerator("hotaisle", text(gpu.get("model"))),
            count=count,
            purchase="on_demand",
            price=cents / CENTS,
            sku=sku,
            vcpus=positive(specs.get("cpu_cores")),
            ram_gb=parse_gigabytes(specs.get("ram_capacity"), BYTES),
            free=1,
        )


FEED = Feed(
    name="hot-aisle",
    label="Hot Aisle",
    page="https://hotaisle.xyz/pricing/",
    hosts=("admin.hotaisle.app",),
    licence="facts cited",
    read=read,
    may_be_empty=True,
    key_name="HOTAISLE_API_KEY",
)
