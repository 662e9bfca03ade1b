"""Scaleway: its machines, zone by zone. It asks euros, and does not say so."""

from collections.abc import Iterator

from pricing.feeds.feed import AnyObservation, Feed, FeedError, Fetcher, Observation
from pricing.feeds.machines import accelerator, regions
from pricing.feeds.parsing import BYTES, Row, Rows, Told, parse_gigabytes, positive, read_parts, text, whole

URL = "https://api.scaleway.com/instance/v1/zones/{zone}/products/servers"
PER_PAGE = 100
FREE = {"available": 1, "scarce": 1, "shortage": 0}
COUNTRIES = {"fr": ("FR",), "nl": ("NL",), "pl": ("PL",)}


def read(ask: Fetcher) -> Told:
    """All zones."""
    rows = Rows("Scaleway")
    yield from read_parts(regions("scaleway"), lambda zone: _zone(rows, ask, zone))
    rows.check()


def _zone(rows: Rows, ask: Fetcher, zone: str) -> Told:
    url, page = URL.format(zone=zone), 0
    free = _availability(ask, url)
    while True:
        page += 1
        reply = ask.get(url, params={"per_page": str(PER_PAGE), "page": str(page)})
        servers = rows.table_at(reply.json(), "servers")
        for name, row in servers.items():
            yield from rows.each(reply, _machine, {"name": name, **row}, zone, free)
        if len(servers) < PER_PAGE:
            return


def _availability(ask: Fetcher, url: str) -> dict[str, str]:
    """How well machines can be had, by name; nothing where that is not told."""
    try:
        told = ask.get(f"{url}/availability", params={"per_page": str(PER_PAGE)}).json()["servers"]
        return {name: text(one.get("availability")) for name, one in told.items()}
    except (FeedError, KeyError, TypeError, AttributeError):
        return {}


def _machine(rows: Rows, row: Row, zone: str, free: dict[str, str]) -> Iterator[AnyObservation]:
    count = whole(row.get("gpu"))
    if count is None:
        return
    if odd := rows.lacks(row, "hourly_price"):
        yield odd
        return
    told = row.get("gpu_info") or {}
    memory = parse_gigabytes(told.get("gpu_memory"), BYTES)  # of one, whatever the machine has
    called = text(told.get("gpu_name")) or text(row["name"]).split("-")[0]
    if price := positive(row["hourly_price"]):
        yield Observation(
            seller="scaleway",
            accelerator=accelerator("scaleway", called, memory),
            count=count,
            purchase="on_demand",
            price=price,
            currency="EUR",
            region=zone,
            area="europe",
            countries=COUNTRIES.get(zone[:2], ()),
            sku=text(row["name"]),
            vcpus=positive(row.get("ncpus")),
            ram_gb=parse_gigabytes(row.get("ram"), BYTES),
            memory_gb=memory,
            free=FREE.get(free.get(text(row["name"]), "")),
        )


FEED = Feed(
    name="scaleway",
    label="Scaleway",
    page="https://www.scaleway.com/en/pricing/gpu/",
    hosts=("api.scaleway.com",),
    licence="public API; facts cited",
    read=read,
)
