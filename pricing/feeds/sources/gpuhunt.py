"""The lists that gpuhunt collects each hour from others, one packed file for each seller."""

import csv
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date

from pricing.feeds.feed import Feed, FeedReply, Fetcher, Observation
from pricing.feeds.machines import accelerator, add_form_factor, machines
from pricing.feeds.parsing import (
    Observations,
    ReplyRows,
    by_rows,
    day,
    lowest,
    offers,
    positive,
    read_parts,
    text,
    whole,
)

URL = "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3/{seller}"
SELLERS = ("aws", "azure", "cloudrift", "gcp", "lambdalabs", "nebius", "oci", "runpod", "verda")
ONE_PRICE = "lambdalabs"  # in all its regions, though there is a row for each
NEEDED = ("instance_name", "location", "price", "gpu_count", "gpu_name", "gpu_memory", "spot", "flags", "provider_data")
LARGEST = 100_000_000  # bytes of a list when it is unpacked
ZONE = re.compile(r"(?<=\d)-[a-f]$")  # of Google: us-central1-b
CLUSTER = "runpod-cluster"


@by_rows("gpuhunt")
def read(ask: Fetcher, rows: ReplyRows) -> Observations:
    return read_parts(lambda seller: lowest(_seller(rows, ask, seller)), SELLERS)


def _seller(rows: ReplyRows, ask: Fetcher, seller: str) -> Observations:
    version = ask.get(f"{URL.format(seller=seller)}/version").text().strip()  # 20261120-42
    collected = day(f"{version[:4]}-{version[4:6]}-{version[6:8]}")
    if collected is None:
        raise rows.wrong(f"want a version such as 20261120-42 of {seller}, got {version[:60]!r}")
    reply = ask.get(f"{URL.format(seller=seller)}/{version}/catalog.zip")
    table = csv.DictReader(_unpacked(rows, reply, seller))
    rows.columns(table.fieldnames or (), NEEDED)
    for line in table:
        yield from ((reply, observation) for observation in _machine(seller, line, collected))


def _unpacked(rows: ReplyRows, reply: FeedReply, seller: str) -> io.StringIO:
    try:
        archive = zipfile.ZipFile(io.BytesIO(reply.content()))
        member = archive.getinfo(f"{seller}.csv")
        if member.file_size > LARGEST:
            raise rows.wrong(f"{member.filename} would unpack to {member.file_size:,} bytes")
        return io.StringIO(archive.read(member).decode(), newline="")
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, NotImplementedError, RuntimeError) as error:
        raise rows.wrong(f"want a zip with {seller}.csv in it") from error


def _machine(seller: str, line: dict[str, str], collected: date) -> Iterator[Observation]:
    name, memory, spot = text(line["instance_name"]), positive(line["gpu_memory"]), text(line["spot"]) == "True"
    machine = machines(seller).get(name)
    if not line["gpu_name"] or (machine and machine.count is None):
        return  # no accelerator, or a part of an accelerator listed as one
    board = accelerator("gpuhunt", add_form_factor(line["gpu_name"], name), memory)
    doubted = machine and machine.on_demand_doubt and not spot
    try:
        calendar = json.loads(line["provider_data"] or "{}").get("is_dws_calendar_mode")
    except (ValueError, AttributeError):
        calendar = False
    yield from offers(
        seller, machine.accelerator if machine else board, whole(line["gpu_count"]),
        {("capacity_block" if calendar else "spot" if spot else "on_demand"): line["price"]},
        region="" if seller == ONE_PRICE else ZONE.sub("", text(line["location"])),
        sku=f"{name}{', cluster' if CLUSTER in text(line['flags']).split() else ''}", memory_gb=memory,
        fabric=machine.fabric if machine else None, doubts=(machine.on_demand_doubt,) if machine and doubted else (),
        day=collected,
    )  # fmt: skip


FEED = Feed(
    "gpuhunt", "gpuhunt", "https://github.com/dstackai/gpuhunt", ("dstack-gpu-pricing.s3.eu-west-1.amazonaws.com",),
    "MPL-2.0; facts cited", read, via="third_party",
)  # fmt: skip
