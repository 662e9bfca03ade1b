"""DigitalOcean, with a key: its droplets with accelerators."""

from collections.abc import Iterator

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import MB, Row, Rows, Told, parse_gigabytes, positive, text, whole

URL = "https://api.digitalocean.com/v2/sizes"
PER_PAGE = "200"


def read(ask: Fetcher) -> Told:
    """All pages."""
    rows, number = Rows("DigitalOcean"), 0
    while True:
        number += 1
        question = {"per_page": PER_PAGE, "page": str(number)}
        reply = ask.get(URL, params=question, headers={"Authorization": f"Bearer {ask.key()}"})
        page = reply.json()
        for row in rows.list_at(page, "sizes"):
            if row.get("gpu_info"):
                yield from rows.each(reply, _droplet, row)
        if not ((page.get("links") or {}).get("pages") or {}).get("next"):
            break
    rows.check()


def _droplet(rows: Rows, row: Row) -> Iterator[AnyObservation]:
    if odd := rows.lacks(row, "slug", "price_hourly", "gpu_info"):
        yield odd
        return
    gpu = row["gpu_info"]
    count, price = whole(gpu.get("count")), positive(row["price_hourly"])
    if count is None or price is None:
        return
    total = positive((gpu.get("vram") or {}).get("amount"))  # of all of them
    memory = total / count if total else None
    maker, _, model = text(gpu.get("model")).partition("_")
    yield Observation(
        seller="digitalocean",
        accelerator=accelerator("digitalocean", (model or maker).replace("_", " "), memory),
        count=count,
        purchase="on_demand",
        price=price,
        sku=text(row["slug"]),
        vcpus=positive(row.get("vcpus")),
        ram_gb=parse_gigabytes(row.get("memory"), MB),
        memory_gb=memory,
        free=len(row.get("regions") or ()) if row.get("available", True) else 0,
    )


FEED = Feed(
    name="digitalocean",
    label="DigitalOcean",
    page="https://www.digitalocean.com/pricing/gpu-droplets",
    hosts=("api.digitalocean.com",),
    licence="facts cited",
    read=read,
    key_name="DIGITALOCEAN_TOKEN",
)
