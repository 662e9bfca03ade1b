"""Azure: the retail price API, by family of machines. On demand, spot, reservations and savings plans."""

from collections.abc import Iterator

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import Machine, machines
from pricing.feeds.parsing import HOURS_OF, TERMS, Row, Rows, Told, positive, text

URL = "https://prices.azure.com/api/retail/prices"
VERSION = "2023-01-01-preview"  # the one that has savings plans
FAMILIES = ("Standard_NC", "Standard_ND", "Standard_NV", "Standard_NG")
FILTER = (
    "serviceName eq 'Virtual Machines' and contains(armSkuName, '{family}') and priceType eq '{kind}' "
    "and contains(productName, 'Windows') eq false and contains(productName, 'Dedicated') eq false "
    "and contains(meterName, 'Low Priority') eq false"
)
OTHER_PRODUCTS = ("Windows", "Dedicated", "CloudServices", "Low Priority")
KINDS = ("Consumption", "Reservation")
NEEDED = ("armSkuName", "armRegionName", "retailPrice")


def read(ask: Fetcher) -> Told:
    """All families, each to its last page."""
    rows = Rows("Azure")
    unknown: set[str] = set()
    for family in FAMILIES:
        for kind in KINDS:
            question = {"api-version": VERSION, "$filter": FILTER.format(family=family, kind=kind)}
            reply = ask.get(URL, params=question)
            while True:
                page = reply.json()
                for row in rows.list_at(page, "Items"):
                    yield from rows.each(reply, _row, row, unknown)
                if not (following := page.get("NextPageLink")):
                    break
                reply = ask.get(str(following))
    rows.check()


def _row(rows: Rows, row: Row, unknown: set[str]) -> Iterator[AnyObservation]:
    if not _is_machine(row):
        return
    if odd := rows.lacks(row, *NEEDED):
        yield odd
        return
    name = text(row["armSkuName"])
    machine = machines("azure").get(name)
    if machine is None:
        if name not in unknown:
            unknown.add(name)
            yield UnreadableRow(name, "a machine whose accelerators are not known")
    elif machine.count:
        yield from _prices(row, machine, machine.count)


def _is_machine(row: Row) -> bool:
    product, meter = text(row.get("productName")), text(row.get("meterName"))
    others = any(word in f"{product} {meter}" for word in OTHER_PRODUCTS)
    return not others and row.get("type", "Consumption") in KINDS


def _prices(row: Row, machine: Machine, count: int) -> Iterator[AnyObservation]:
    """A reservation's price is that of the whole term, though its unit says an hour."""
    term = TERMS.get(text(row.get("reservationTerm")))
    price = positive(row["retailPrice"])
    if price is None:
        return
    if term:
        yield _priced(row, machine, count, price / HOURS_OF[term], term, ", reservation")
    elif row.get("reservationTerm"):
        yield UnreadableRow(machine.name, f"a reservation of {row['reservationTerm']}, which nobody here counts with")
    else:
        spot = "Spot" in text(row.get("meterName"))
        yield _priced(row, machine, count, price, "spot" if spot else "on_demand")
    for plan in row.get("savingsPlan") or ():
        plan_term, hourly = TERMS.get(text(plan.get("term"))), positive(plan.get("retailPrice"))
        if plan_term and hourly:
            yield _priced(row, machine, count, hourly, plan_term)


def _priced(row: Row, machine: Machine, count: int, price: float, purchase: Purchase, product: str = "") -> Observation:
    """Savings plans carry the machine's own name, as in the catalogue; reservations are another product."""
    return Observation(
        seller="azure",
        accelerator=machine.accelerator,
        count=count,
        purchase=purchase,
        price=price,
        currency=text(row.get("currencyCode")) or "USD",
        region=text(row["armRegionName"]),
        sku=f"{machine.name}{product}",
        vcpus=machine.vcpus,
        ram_gb=machine.ram_gb,
        fabric=machine.fabric,
    )


FEED = Feed(
    name="azure",
    label="Azure",
    page="https://azure.microsoft.com/en-us/pricing/details/virtual-machines/linux/",
    hosts=("prices.azure.com",),
    licence="public price API; facts cited",
    read=read,
)
