"""Azure: the retail price API, by family of machines. On demand, spot, reservations and savings plans."""

from collections.abc import Iterator

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import MachineType, machines
from pricing.feeds.parsing import HOURS_OF, TERMS, Observations, ReplyRows, Row, by_rows, offers, positive, text

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


@by_rows("Azure")
def read(ask: Fetcher, rows: ReplyRows) -> Observations:
    """Read all families, each to its last page."""
    unknown: set[str] = set()
    for family in FAMILIES:
        for kind in KINDS:
            reply = ask.get(URL, params={"api-version": VERSION, "$filter": FILTER.format(family=family, kind=kind)})
            while True:
                page = reply.json()
                machines = filter(_is_machine, rows.list_at(page, "Items"))
                yield from rows.read(reply, machines, NEEDED, _row, unknown)
                if not (following := page.get("NextPageLink")):
                    break
                reply = ask.get(str(following))


def _is_machine(row: Row) -> bool:
    product = f"{text(row.get('productName'))} {text(row.get('meterName'))}"
    return not any(word in product for word in OTHER_PRODUCTS) and row.get("type", "Consumption") in KINDS


def _row(row: Row, unknown: set[str]) -> Iterator[AnyObservation]:
    """Yield a reservation's price is that of the whole term, though its unit says an hour."""
    name, price = text(row["armSkuName"]), positive(row["retailPrice"])
    machine = machines("azure").get(name)
    if machine is None and name not in unknown:
        unknown.add(name)
        yield UnreadableRow(name, "a machine with unknown accelerators")
    if machine is None or machine.count is None or price is None:
        return
    term = TERMS.get(text(row.get("reservationTerm")))
    if term:
        yield from _priced(row, machine, price / HOURS_OF[term], term, ", reservation")
    elif row.get("reservationTerm"):
        yield UnreadableRow(machine.name, f"a reservation of {row['reservationTerm']}, a term unknown here")
    else:
        yield from _priced(row, machine, price, "spot" if "Spot" in text(row.get("meterName")) else "on_demand")
    for plan in row.get("savingsPlan") or ():
        if plan_term := TERMS.get(text(plan.get("term"))):
            yield from _priced(row, machine, plan.get("retailPrice"), plan_term)


def _priced(
    row: Row, machine: MachineType, price: object, purchase: Purchase, product: str = ""
) -> Iterator[Observation]:
    """Savings plans carry the machine's own name, as in the catalogue; reservations are another product."""
    return offers(
        "azure", machine.accelerator, machine.count, {purchase: price}, currency=text(row.get("currencyCode")) or "USD",
        region=text(row["armRegionName"]), sku=f"{machine.name}{product}", vcpus=machine.vcpus, ram_gb=machine.ram_gb,
        fabric=machine.fabric,
    )  # fmt: skip


FEED = Feed(
    "azure", "Azure", "https://azure.microsoft.com/en-us/pricing/details/virtual-machines/linux/",
    ("prices.azure.com",), "public price API; facts cited", read, sellers=("azure",),
)  # fmt: skip
