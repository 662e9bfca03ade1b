"""The lists that SkyPilot collects and hosts, of sellers whose own list wants a key.

Its files carry no day. Only those are read that it writes each day; others are kept by hand, some for years.
"""

import csv
import re
from collections.abc import Iterator

from pricing.feeds.feed import Feed, Fetcher, Observation
from pricing.feeds.machines import accelerator, add_form_factor
from pricing.feeds.parsing import MB, Observations, ReplyRows, first_reply, lowest, number, offers, text, whole

PLACES = (
    "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8/{cloud}/vms.csv",
    "https://skypilot-catalog.s3.us-east-1.amazonaws.com/catalogs/v8/{cloud}/vms.csv",
)
CLOUDS = ("lambda", "shadeform")
RESOLD = "shadeform"  # its machines are other sellers': massedcompute_A6000
ONE_PRICE = "lambda"  # in all its regions, though there is a row for each
SIZE = re.compile(r"'SizeInMiB': ([\d.]+)")
NEEDED = ("InstanceType", "GpuInfo", "AcceleratorName", "AcceleratorCount", "Price", "SpotPrice", "Region")


def read(ask: Fetcher) -> Observations:
    """Read each seller's file, from the mirror where the first place does not answer."""
    rows = ReplyRows("SkyPilot")
    for cloud in CLOUDS:
        reply = first_reply(ask, (place.format(cloud=cloud) for place in PLACES))
        table = csv.DictReader(reply.text().splitlines())
        rows.columns(table.fieldnames or (), NEEDED)
        yield from lowest((reply, offer) for line in table for offer in _machine(cloud, line))


def _machine(cloud: str, line: dict[str, str]) -> Iterator[Observation]:
    if not line["AcceleratorName"]:
        return
    name = text(line["InstanceType"])
    seller, _, machine = name.partition("_") if cloud == RESOLD else (cloud, "", name)
    size = SIZE.search(line["GpuInfo"] or "")
    memory = number(size[1]) if size else None
    memory = memory / MB if memory and memory >= MB else memory  # some say it in GB
    board = accelerator("skypilot", add_form_factor(text(line["AcceleratorName"]), machine), memory)
    yield from offers(
        seller, board, whole(line["AcceleratorCount"]), {"on_demand": line["Price"], "spot": line["SpotPrice"]},
        region="" if cloud == ONE_PRICE else text(line["Region"]), sku=machine, memory_gb=memory,
    )  # fmt: skip


FEED = Feed(
    "skypilot", "SkyPilot's catalogue", "https://github.com/skypilot-org/skypilot-catalog",
    ("raw.githubusercontent.com", "skypilot-catalog.s3.us-east-1.amazonaws.com"), "none seen; facts cited", read,
    via="third_party",
)  # fmt: skip
