"""Akamai (Linode): its machines with accelerators, with other prices in some regions."""

import re
from collections.abc import Iterator
from typing import Any

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import MB, Row, Rows, Told, parse_gigabytes, positive, text, whole

URL = "https://api.linode.com/v4/linode/types"
PER_PAGE = "500"
MODEL = re.compile(r"(?:.*\+ )?(?P<model>.+?)(?: GPU)? x\d+\b.*")  # "Dedicated 32GB + RTX6000 GPU x1"


def read(ask: Fetcher) -> Told:
    """All pages."""
    rows, number, pages = Rows("Linode"), 0, 1
    while number < pages:
        number += 1
        reply = ask.get(URL, params={"page": str(number), "page_size": PER_PAGE})
        page = reply.json()
        pages = whole(page.get("pages") if isinstance(page, dict) else None) or number
        for row in rows.list_at(page, "data"):
            yield from rows.each(reply, _machine, row)
    rows.check()


def _machine(rows: Rows, row: Row) -> Iterator[AnyObservation]:
    count = whole(row.get("gpus"))
    if count is None:
        return
    if odd := rows.lacks(row, "id", "label", "price"):
        yield odd
        return
    model = MODEL.fullmatch(text(row["label"]))
    if model is None:
        yield UnreadableRow(text(row["label"]), "says no accelerator in its label")
        return
    common: dict[str, Any] = {
        "seller": "akamai", "accelerator": accelerator("linode", model["model"]), "count": count,
        "purchase": "on_demand", "sku": text(row["id"]), "vcpus": positive(row.get("vcpus")),
        "ram_gb": parse_gigabytes(row.get("memory"), MB),
    }  # fmt: skip
    if price := positive((row["price"] or {}).get("hourly")):
        yield Observation(price=price, **common)
    for place in row.get("region_prices") or ():
        if price := positive(place.get("hourly")):
            yield Observation(price=price, region=text(place.get("id")), **common)


FEED = Feed(
    name="linode",
    label="Akamai Cloud (Linode)",
    page="https://www.linode.com/pricing/",
    hosts=("api.linode.com",),
    licence="public API; facts cited",
    read=read,
)
