"""toolshedlabs' gpu-price-feed: what it reads each day from eight sellers, offer by offer."""

from collections.abc import Iterator
from datetime import date

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import Row, Rows, Told, day, lowest, positive, text, whole

URL = "https://raw.githubusercontent.com/toolshedlabs-hash/gpu-price-feed/main/data/prices.json"
PURCHASES: dict[str, Purchase] = {"on-demand": "on_demand", "spot": "spot"}
FORMS = frozenset({"SXM", "PCIe", "NVL"})
SAID = "provider"  # who says the form; else it is the only one that is made, or nobody says
NEEDED = ("provider", "gpu_family", "gpu_count", "pricing_type")


def read(ask: Fetcher) -> Told:
    """The one file."""
    rows = Rows("toolshedlabs")
    reply = ask.get(URL)
    page = reply.json()
    made = day(rows.at(page, "collected_at"))
    offers = rows.list_at(page, "offers")
    yield from lowest(told for row in offers for told in rows.each(reply, _offer, row, made))
    rows.check()


def _offer(rows: Rows, row: Row, made: date | None) -> Iterator[AnyObservation]:
    if odd := rows.lacks(row, *NEEDED):
        yield odd
        return
    count, price = whole(row["gpu_count"]), positive(row.get("price_total_hr"))
    if count is None or price is None or row.get("gpu_partition"):
        return  # a part of an accelerator
    purchase = PURCHASES.get(text(row["pricing_type"]))
    if purchase is None:
        yield UnreadableRow(
            f"{row['provider']}, {row['gpu_family']}", f"sold as {row['pricing_type']!r}, which is not known here"
        )
        return
    memory = positive(row.get("vram_gb"))
    yield Observation(
        seller=text(row["provider"]),
        accelerator=accelerator("toolshedlabs", _called(row, memory), memory),
        count=count,
        purchase=purchase,
        price=price,
        currency=text(row.get("currency")) or "USD",
        region=text(row.get("region")),
        memory_gb=memory,
        free=None if row.get("available") is None else int(bool(row["available"])),
        day=made,
    )


def _called(row: Row, memory: float | None) -> str:
    family, form = text(row["gpu_family"]), text(row.get("gpu_form"))
    if form in FORMS and row.get("gpu_form_source") == SAID:
        return f"{family} {form}{f' {memory:g}GB' if memory else ''}"
    return family


FEED = Feed(
    name="toolshedlabs",
    label="toolshedlabs",
    page="https://github.com/toolshedlabs-hash/gpu-price-feed",
    hosts=("raw.githubusercontent.com",),
    licence="not stated; facts cited",
    read=read,
    via="third_party",
    second_hand=("akamai", "datacrunch", "runpod", "scaleway", "vastai", "vultr"),  # as it calls them,
)
