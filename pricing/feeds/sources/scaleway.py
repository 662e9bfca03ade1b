"""Scaleway: its machines, zone by zone. It asks euros, and does not say so."""

from collections.abc import Iterator

from pricing.feeds.feed import Feed, FeedError, Fetcher, Observation
from pricing.feeds.machines import accelerator, regions
from pricing.feeds.parsing import (
    BYTES,
    Observations,
    ReplyRows,
    Row,
    by_rows,
    offers,
    pages,
    parse_gigabytes,
    positive,
    read_parts,
    text,
    whole,
)
from pricing.feeds.sources import numbered

URL = "https://api.scaleway.com/instance/v1/zones/{zone}/products/servers"
PER_PAGE = 100
FREE = {"available": 1, "scarce": 1, "shortage": 0}
NEXT_PAGE = numbered(lambda page, _: sum(isinstance(row, dict) for row in page["servers"].values()) >= PER_PAGE)
COUNTRIES = {"fr": ("FR",), "nl": ("NL",), "pl": ("PL",)}


@by_rows("Scaleway")
def read(ask: Fetcher, rows: ReplyRows) -> Observations:
    yield from read_parts(lambda zone: _zone(rows, ask, zone), regions("scaleway"))


def _zone(rows: ReplyRows, ask: Fetcher, zone: str) -> Observations:
    url = URL.format(zone=zone)
    try:
        available = ask.get(f"{url}/availability", params={"per_page": str(PER_PAGE)}).json()["servers"]
        free = {name: text(server.get("availability")) for name, server in available.items()}
    except (FeedError, KeyError, TypeError, AttributeError):  # it does not say
        free = {}
    for reply, page in pages(ask, url, {"per_page": str(PER_PAGE), "page": "1"}, NEXT_PAGE):
        servers = rows.table_at(page, "servers")
        machines = (
            {"name": name, **row}
            for name, row in servers.items()
            if whole(row.get("gpu")) and not row.get("end_of_service")
        )
        yield from rows.read(reply, machines, ("hourly_price",), _machine, zone, free)


def _machine(row: Row, zone: str, free: dict[str, str]) -> Iterator[Observation]:
    gpu, name = row.get("gpu_info") or {}, text(row["name"])
    memory = parse_gigabytes(gpu.get("gpu_memory"), BYTES)  # of one, whatever the machine has
    return offers(
        "scaleway", accelerator("scaleway", text(gpu.get("gpu_name")) or name.split("-")[0], memory), whole(row["gpu"]),
        {"on_demand": row["hourly_price"]}, currency="EUR", region=zone, area="europe",
        countries=COUNTRIES.get(zone[:2], ()), sku=name, vcpus=positive(row.get("ncpus")),
        ram_gb=parse_gigabytes(row.get("ram"), BYTES), memory_gb=memory, free=FREE.get(free.get(name, "")),
    )  # fmt: skip


FEED = Feed(
    "scaleway", "Scaleway", "https://www.scaleway.com/en/pricing/gpu/", ("api.scaleway.com",),
    "public API; facts cited", read, sellers=("scaleway",),
)  # fmt: skip
