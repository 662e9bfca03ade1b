"""gpurentalprices.com: what it reads from some thirty sellers' pages each day, for each accelerator.

Its rows of AWS and Google Cloud are left out: they were wrong (an old price, and an accelerator without its machine).
"""

from collections.abc import Iterator
from datetime import date

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import Row, Rows, Told, day, lowest, positive, text, whole

URL = "https://raw.githubusercontent.com/adriannutiu/gpu-rental-prices/main/data/latest.json"
KINDS: dict[str, tuple[Purchase, str, tuple[str, ...]]] = {
    "on-demand": ("on_demand", "", ()),
    "secure": ("on_demand", "Secure Cloud", ()),
    "community": ("on_demand", "Community Cloud", ()),
    "spot": ("spot", "", ()),
    "serverless": ("on_demand", "serverless", ("per_second_service",)),
}
WRONG = frozenset({"aws", "gcp"})


def read(ask: Fetcher) -> Told:
    """The one file."""
    rows = Rows("gpurentalprices")
    reply = ask.get(URL)
    page = reply.json()
    made = day(rows.at(page, "date"))
    offers = rows.list_at(page, "offers")
    yield from lowest(told for row in offers for told in rows.each(reply, _offer, row, made))
    rows.check()


def _offer(rows: Rows, row: Row, made: date | None) -> Iterator[AnyObservation]:
    if odd := rows.lacks(row, "provider", "gpu", "usd_hr", "kind"):
        yield odd
        return
    seller, called, price = text(row["provider"]), text(row["gpu"]), positive(row["usd_hr"])
    if price is None or seller in WRONG:
        return
    if row["kind"] not in KINDS:
        yield UnreadableRow(f"{seller}, {called}", f"sold as {row['kind']!r}, which is not known here")
        return
    purchase, sku, doubts = KINDS[row["kind"]]
    memory = positive(row.get("vram_gb"))
    yield Observation(
        seller=seller,
        accelerator=accelerator("gpurentalprices", called, memory),
        count=whole(row.get("min_gpus")) or 1,
        purchase=purchase,
        price=price,
        per="accelerator",
        sku=sku,
        memory_gb=memory,
        doubts=doubts,
        day=day(row.get("fetched_at")) or made,
    )


FEED = Feed(
    name="gpurentalprices",
    label="gpurentalprices.com",
    page="https://gpurentalprices.com",
    hosts=("raw.githubusercontent.com",),
    licence="CC-BY-4.0",
    read=read,
    via="third_party",
    second_hand=(
        *("aws", "azure", "gcp", "oci", "vast", "runpod", "vultr", "verda", "scaleway", "akamai", "lium"),
        *("thundercompute", "hyperbolic", "cloudrift", "daytona", "datacrunch", "linode", "vastai", "thunder-compute"),
    ),
)
