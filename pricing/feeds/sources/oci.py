"""Oracle Cloud: the price of each part from its price list, and the parts of its shapes from its cost estimator."""

from collections.abc import Iterator
from dataclasses import replace

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, UnreadableRow
from pricing.feeds.machines import machines, rule
from pricing.feeds.parsing import Observations, ReplyRows, Row, by_rows, first_reply, offers, positive, text, whole

PRICES = (
    "https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/?currencyCode=USD",
    "https://www.oracle.com/a/ocom/docs/cloudestimator2/data/products.json",  # names no metric
)
SHAPES = "https://www.oracle.com/a/ocom/docs/cloudestimator2/data/shapes.json"
PER_GPU = "GPU Per Hour"
OTHER_PRODUCTS = ("Cloud@Customer", "Resource Commit")
EVERYWHERE = "all commercial regions"


@by_rows("Oracle")
def read(ask: Fetcher, rows: ReplyRows) -> Observations:
    """Read the shapes with accelerators, each with the price of the part it is billed by."""
    prices = _prices(rows, ask)
    reply = ask.get(SHAPES)
    shapes = [
        shape
        for shape in rows.list_at(reply.json(), "items")
        if whole(shape.get("gpuQty")) and not shape.get("hidden") and shape.get("status", "ACTIVE") == "ACTIVE"
    ]
    yield from rows.read(reply, shapes, ("name", "products"), _shape, prices)


def _prices(rows: ReplyRows, ask: Fetcher) -> dict[str, float]:
    prices: dict[str, float] = {}
    items = rows.list_at(first_reply(ask, PRICES).json(), "items")
    for item in items:
        by_gpu = item.get("metricName", PER_GPU) == PER_GPU
        if by_gpu and not any(word in text(item.get("displayName")) for word in OTHER_PRODUCTS):
            prices |= {text(item.get("partNumber")): price for price in _dollars(item)}
    if not prices:
        raise rows.wrong(f"none of {len(items):,} products is priced by {PER_GPU!r} any more")
    return prices


def _dollars(item: Row) -> Iterator[float]:
    for local in item.get("currencyCodeLocalizations") or ():
        for price in local.get("prices") or () if local.get("currencyCode") == "USD" else ():
            if price.get("model") == "PAY_AS_YOU_GO" and (usd := positive(price.get("value"))):
                yield usd


def _shape(shape: Row, prices: dict[str, float]) -> Iterator[AnyObservation]:
    name = text(shape["name"]).split()[0]  # "BM.GPU.GB200.4 (NVL72)"
    machine = machines("oci").get(name)
    parts = [text(product.get("partNumber")) for product in shape["products"]]
    priced = [part for part in parts if part in prices]
    if machine is None or machine.count is None:
        yield UnreadableRow(name, "a shape with unknown accelerators")
    elif len(priced) != 1:
        lacks = "of which several have a price" if priced else "which the price list does not have"
        yield UnreadableRow(name, f"billed by {' and '.join(parts) or 'no part'}, {lacks}")
    else:
        part = priced[0]
        for on_demand in offers(
            "oci", machine.accelerator, machine.count, {"on_demand": prices[part]}, per="accelerator",
            region=EVERYWHERE, area="anywhere", sku=f"{name} ({part})", fabric=machine.fabric,
        ):  # fmt: skip
            yield on_demand
            if shape.get("allowPreemptible"):
                share = rule("oci_preemptible_share")
                note = f"by its terms {share:g} of the price on demand"
                yield replace(on_demand, purchase="spot", price=on_demand.price * share, note=note)


FEED = Feed(
    "oci", "Oracle Cloud", "https://www.oracle.com/cloud/price-list/", ("apexapps.oracle.com", "www.oracle.com"),
    "public price list; facts cited", read, sellers=("oci",),
)  # fmt: skip
