"""CloudRift: its machines by data centre, with how many of each are free. It counts in cents."""

from collections.abc import Iterator

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import BYTES, CENTS, Row, Rows, Told, number, parse_gigabytes, positive, text, whole

URL = "https://api.cloudrift.ai/api/v1/instance-types/list"
QUESTION = {"version": "2025-03-21", "data": {"selector": {"ByServiceAndLocation": {"services": ["vm"]}}}}


def read(ask: Fetcher) -> Told:
    """The one page."""
    rows = Rows("CloudRift")
    reply = ask.post(URL, QUESTION)
    for kind in rows.list_at(reply.json(), "data", "instance_types"):
        for variant in rows.list_at(kind, "variants"):
            yield from rows.each(reply, _variant, variant, kind)
    rows.check()


def _variant(rows: Rows, variant: Row, kind: Row) -> Iterator[AnyObservation]:
    if odd := rows.lacks(variant, "name", "cost_per_hour", "gpu_count"):
        yield odd
        return
    count, cents = whole(variant["gpu_count"]), positive(variant["cost_per_hour"])
    if count is None or cents is None:
        return
    memory = parse_gigabytes(variant.get("vram"), BYTES)
    for place, nodes in (variant.get("nodes_per_dc") or {}).items():
        yield Observation(
            seller="cloudrift",
            accelerator=accelerator("cloudrift", text(kind.get("brand_short")), memory),
            count=count,
            purchase="on_demand",
            price=cents / CENTS,
            region=str(place),
            sku=text(variant["name"]),
            vcpus=positive(variant.get("cpu_count")),
            ram_gb=parse_gigabytes(variant.get("dram"), BYTES),
            memory_gb=memory,
            free=int(number(nodes) or 0),
        )


FEED = Feed(
    name="cloudrift",
    label="CloudRift",
    page="https://www.cloudrift.ai/pricing",
    hosts=("api.cloudrift.ai",),
    licence="public API; facts cited",
    read=read,
)
