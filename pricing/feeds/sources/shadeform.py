"""Shadeform, with a key: machines of many sellers in one list, and where each can be had now. It counts in cents."""

from collections.abc import Iterator

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import CENTS, Row, Rows, Told, positive, text, whole

URL = "https://api.shadeform.ai/v1/instances/types"


def read(ask: Fetcher) -> Told:
    """The one page."""
    rows = Rows("Shadeform")
    reply = ask.get(URL, headers={"X-API-KEY": ask.key()})
    for row in rows.list_at(reply.json(), "instance_types"):
        yield from rows.each(reply, _machine, row)
    rows.check()


def _machine(rows: Rows, row: Row) -> Iterator[AnyObservation]:
    if odd := rows.lacks(row, "cloud", "hourly_price", "configuration"):
        yield odd
        return
    made_of = row["configuration"]
    count, cents = whole(made_of.get("num_gpus")), positive(row["hourly_price"])
    if count is None or cents is None:
        return
    memory, form = positive(made_of.get("vram_per_gpu_in_gb")), text(made_of.get("interconnect"))
    called = text(made_of.get("gpu_type")).replace("_", " ")
    for place in row.get("availability") or ():
        yield Observation(
            seller=text(row["cloud"]),
            accelerator=accelerator("shadeform", f"{called} {form}".strip(), memory),
            count=count,
            purchase="on_demand",
            price=cents / CENTS,
            region=text(place.get("region")),
            sku=text(row.get("shade_instance_type")),
            vcpus=positive(made_of.get("vcpus")),
            ram_gb=positive(made_of.get("memory_in_gb")),
            memory_gb=memory,
            free=int(bool(place.get("available"))),
        )


FEED = Feed(
    name="shadeform",
    label="Shadeform",
    page="https://www.shadeform.ai",
    hosts=("api.shadeform.ai",),
    licence="facts cited",
    read=read,
    via="third_party",
    key_name="SHADEFORM_API_KEY",
    second_hand=("digitalocean", "hyperstack", "lambda", "lambdalabs", "scaleway", "datacrunch", "verda", "vultr"),
)
