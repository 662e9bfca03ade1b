"""Oracle Cloud: what each part costs by its price list, and what its shapes are made of by its cost estimator."""

from collections.abc import Iterator

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import machines, rule
from pricing.feeds.parsing import Row, Rows, Told, positive, text, whole

PRICES = "https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/"
SHAPES = "https://www.oracle.com/a/ocom/docs/cloudestimator2/data/shapes.json"
PER_GPU = "GPU Per Hour"
OTHER_PRODUCTS = ("Cloud@Customer", "Resource Commit")
EVERYWHERE = "all commercial regions"


def read(ask: Fetcher) -> Told:
    """Shapes with accelerators, each with the price of the part it is billed by."""
    rows = Rows("Oracle")
    prices = _prices(rows, ask)
    reply = ask.get(SHAPES)
    for shape in rows.list_at(reply.json(), "items"):
        if whole(shape.get("gpuQty")) and not shape.get("hidden") and shape.get("status", "ACTIVE") == "ACTIVE":
            yield from rows.each(reply, _shape, shape, prices)
    rows.check()


def _prices(rows: Rows, ask: Fetcher) -> dict[str, float]:
    """Of one accelerator for one hour, by part number."""
    found: dict[str, float] = {}
    items = rows.list_at(ask.get(PRICES, params={"currencyCode": "USD"}).json(), "items")
    for item in items:
        by_gpu = item.get("metricName") == PER_GPU
        if by_gpu and not any(word in text(item.get("displayName")) for word in OTHER_PRODUCTS):
            found |= {text(item.get("partNumber")): price for price in _dollars(item)}
    if not found:
        raise rows.wrong(f"none of {len(items):,} products is priced by {PER_GPU!r} any more")
    return found


def _dollars(item: Row) -> Iterator[float]:
    for local in item.get("currencyCodeLocalizations") or ():
        if local.get("currencyCode") == "USD":
            for one in local.get("prices") or ():
                if one.get("model") == "PAY_AS_YOU_GO" and (price := positive(one.get("value"))):
                    yield price


def _shape(rows: Rows, shape: Row, prices: dict[str, float]) -> Iterator[AnyObservation]:
    if odd := rows.lacks(shape, "name", "products"):
        yield odd
        return
    name = text(shape["name"]).split()[0]  # "BM.GPU.GB200.4 (NVL72)"
    machine = machines("oci").get(name)
    parts = [text(one.get("partNumber")) for one in shape["products"]]
    found = next(((part, prices[part]) for part in parts if part in prices), None)
    if machine is None or machine.count is None:
        yield UnreadableRow(name, "a shape whose accelerators are not known")
    elif found is None:
        yield UnreadableRow(name, f"billed by {' and '.join(parts) or 'no part'}, which the price list does not have")
    else:
        part, price = found
        on_demand = Observation(
            seller="oci",
            accelerator=machine.accelerator,
            count=machine.count,
            purchase="on_demand",
            price=price,
            per="accelerator",
            region=EVERYWHERE,
            area="anywhere",
            sku=f"{name} ({part})",
            fabric=machine.fabric,
        )
        yield on_demand
        if shape.get("allowPreemptible"):
            yield _preemptible(on_demand)


def _preemptible(one: Observation) -> Observation:
    share = rule("oci_preemptible_share")
    return Observation(
        seller=one.seller, accelerator=one.accelerator, count=one.count, purchase="spot", price=one.price * share,
        per=one.per, region=one.region, area=one.area, sku=one.sku, fabric=one.fabric,
        note=f"by its terms {share:g} of the price on demand",
    )  # fmt: skip


FEED = Feed(
    name="oci",
    label="Oracle Cloud",
    page="https://www.oracle.com/cloud/price-list/",
    hosts=("apexapps.oracle.com", "www.oracle.com"),
    licence="public price list; facts cited",
    read=read,
)
