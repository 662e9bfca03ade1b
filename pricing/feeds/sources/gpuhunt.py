"""The lists that gpuhunt collects each hour from others, one packed file for each seller.

Of AWS only its spot prices are taken: its own list has the rest.
"""

import csv
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date

from pricing.choices import Purchase
from pricing.feeds.feed import Feed, FeedReply, Fetcher, Observation
from pricing.feeds.machines import accelerator, add_form_factor, machines
from pricing.feeds.parsing import Rows, Told, day, lowest, positive, read_parts, text, whole

URL = "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3/{seller}"
SELLERS = ("aws", "azure", "cloudrift", "gcp", "lambdalabs", "nebius", "oci", "runpod", "verda")
SPOT_ONLY = "aws"
ONE_PRICE = "lambdalabs"  # in all its regions, though there is a row for each
WANTED = ("instance_name", "location", "price", "gpu_count", "gpu_name", "gpu_memory", "spot", "flags", "provider_data")
LARGEST = 100_000_000  # bytes of a list when it is unpacked
ZONE = re.compile(r"(?<=\d)-[a-f]$")  # of Google: us-central1-b
CLUSTER = "runpod-cluster"


def read(ask: Fetcher) -> Told:
    """All sellers."""
    rows = Rows("gpuhunt")
    return read_parts(SELLERS, lambda seller: lowest(_seller(rows, ask, seller)))


def _seller(rows: Rows, ask: Fetcher, seller: str) -> Iterator[tuple[FeedReply, Observation]]:
    version = ask.get(f"{URL.format(seller=seller)}/version").text().strip()  # 20261120-42
    collected = day(f"{version[:4]}-{version[4:6]}-{version[6:8]}")
    if collected is None:
        raise rows.wrong(f"want a version such as 20261120-42 of {seller}, got {version[:60]!r}")
    reply = ask.get(f"{URL.format(seller=seller)}/{version}/catalog.zip")
    table = csv.DictReader(_unpacked(rows, reply, seller))
    rows.columns(table.fieldnames or (), WANTED)
    for line in table:
        if (one := _machine(seller, line, collected)) is not None:
            yield reply, one


def _unpacked(rows: Rows, reply: FeedReply, seller: str) -> io.StringIO:
    try:
        archive = zipfile.ZipFile(io.BytesIO(reply.content()))
        found = archive.getinfo(f"{seller}.csv")
        if found.file_size > LARGEST:
            raise rows.wrong(f"{found.filename} would unpack to {found.file_size:,} bytes")
        return io.StringIO(archive.read(found).decode(), newline="")
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, NotImplementedError, RuntimeError) as error:
        raise rows.wrong(f"want a zip with {seller}.csv in it") from error


def _machine(seller: str, line: dict[str, str], collected: date) -> Observation | None:
    count, price = whole(line["gpu_count"]), positive(line["price"])
    spot = text(line["spot"]) == "True"
    if count is None or price is None or not line["gpu_name"] or (seller == SPOT_ONLY and not spot):
        return None
    name = text(line["instance_name"])
    known, memory = machines(seller).get(name), positive(line["gpu_memory"])
    if known and known.count is None:
        return None  # a part of an accelerator, listed as one
    return Observation(
        seller=seller,
        accelerator=known.accelerator
        if known
        else accelerator("gpuhunt", add_form_factor(line["gpu_name"], name), memory),
        count=count,
        purchase=_purchase(line, spot=spot),
        price=price,
        region="" if seller == ONE_PRICE else ZONE.sub("", text(line["location"])),
        sku=f"{name}{', cluster' if CLUSTER in text(line['flags']).split() else ''}",
        memory_gb=memory,
        fabric=known.fabric if known else None,
        doubts=(known.on_demand_doubt,) if known and known.on_demand_doubt and not spot else (),
        day=collected,
    )


def _purchase(line: dict[str, str], *, spot: bool) -> Purchase:
    try:
        calendar = json.loads(line["provider_data"] or "{}").get("is_dws_calendar_mode")
    except (ValueError, AttributeError):
        calendar = False
    return "capacity_block" if calendar else "spot" if spot else "on_demand"


FEED = Feed(
    name="gpuhunt",
    label="gpuhunt",
    page="https://github.com/dstackai/gpuhunt",
    hosts=("dstack-gpu-pricing.s3.eu-west-1.amazonaws.com",),
    licence="MPL-2.0; facts cited",
    read=read,
    via="third_party",
    second_hand=("azure", "cloudrift", "gcp", "oci", "runpod", "verda"),
)
