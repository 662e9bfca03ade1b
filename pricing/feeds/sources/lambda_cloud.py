"""Lambda, with a key: its machines, and in how many regions there are some now."""

import re
from collections.abc import Iterator

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import CENTS, Row, Rows, Told, positive, text, whole

URL = "https://cloud.lambdalabs.com/api/v1/instance-types"
DESCRIBED = re.compile(r"(?P<count>\d+)x (?P<model>.+?) \((?P<memory>\d+) GB ?(?P<form>[\w ]*)\)")


def read(ask: Fetcher) -> Told:
    """The one page."""
    rows = Rows("Lambda")
    reply = ask.get(URL, headers={"Authorization": f"Bearer {ask.key()}"})
    for entry in rows.table_at(reply.json(), "data").values():
        yield from rows.each(reply, _machine, entry)
    rows.check()


def _machine(rows: Rows, entry: Row) -> Iterator[AnyObservation]:
    row = entry.get("instance_type") or {}
    if odd := rows.lacks(row, "name", "description", "price_cents_per_hour"):
        yield odd
        return
    said = DESCRIBED.match(text(row["description"])) or DESCRIBED.match(text(row.get("gpu_description")))
    if said is None:
        if "gpu" in text(row["name"]):
            yield UnreadableRow(
                text(row["name"]), f"describes itself in words that are not known: {row['description']}"
            )
        return
    cents, specs = positive(row["price_cents_per_hour"]), row.get("specs") or {}
    form = said["form"].split()
    called = f"{said['model']} {form[0]}" if form else said["model"]
    if cents and (count := whole(said["count"])):
        yield Observation(
            seller="lambda",
            accelerator=accelerator("lambda", called, float(said["memory"])),
            count=count,
            purchase="on_demand",
            price=cents / CENTS,
            sku=text(row["name"]),
            vcpus=positive(specs.get("vcpus")),
            ram_gb=positive(specs.get("memory_gib")),
            memory_gb=float(said["memory"]),
            free=len(entry.get("regions_with_capacity_available") or ()),
        )


FEED = Feed(
    name="lambda",
    label="Lambda",
    page="https://lambda.ai/pricing",
    hosts=("cloud.lambdalabs.com",),
    licence="facts cited",
    read=read,
    key_name="LAMBDA_API_KEY",
)
