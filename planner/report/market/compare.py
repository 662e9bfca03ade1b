"""The comparison as a table: one row for each offer and for buying, the lowest plan total first."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from planner.money.demand.stream import DemandLayer
from planner.money.ledger import Ledger
from planner.money.measures import discounted_ledger, monthly_discount_factors
from planner.money.option import Option
from planner.money.owning import PurchaseQuote, buying
from planner.money.people import people_lines
from planner.money.plan import Plan
from planner.money.renting.bill import TODAY, Money, OfferBills, rank
from planner.money.renting.cheapest_offer import choose
from planner.money.renting.order_market import order_of_purchase
from planner.money.setting import PlanContext
from planner.money.verdict.answer import Answer
from planner.money.ways import WAYS
from planner.report import words
from planner.report.table import Table
from planner.scenario.durations import years_words
from pricing import Catalogue, Figure
from pricing.belief import PriceEstimate
from pricing.orderable import at_once
from pricing.query import AGEING_DAYS, OTHER_CHIP, freshness, trust

BUY_ID = "buy"

# Column names are units and meanings; the screen and the CSV use the same ones. A phone shows the first four.
COLUMNS = (
    "Provider", "Today USD/GPU-h", "Days old", "Plan total USD", "Against buying", "Terms", "Product", "Total is",
    "USD per useful GPU-h", "Sticker USD/GPU-h", "Today low", "Today high", "Typical order USD/GPU-h",
    "Typical order low", "Typical order high", "Checked", "Freshness", "Trust",
    "GPUs per machine", "Region", "Notes", "Source", "Against cheapest", "At once", "Price read", "Page",
)  # fmt: skip
FOLD_DAYS = 60  # a price that was last read longer ago is folded away where there are others


@dataclass(frozen=True)
class PurchaseComparison:
    """Buying beside the offers: in the money of their bills."""

    option: Option
    bought: PurchaseQuote
    ledger: Ledger
    busy_hours: float  # each counted like the money of its month
    band: tuple[float, float, float] | None = None  # 10th percentile, median, 90th of the futures, discounted to today

    @property
    def total_usd(self) -> float:
        """Cost of the whole plan, less resale at the end. [USD]"""
        return float(self.ledger.total_usd)

    @property
    def usd_per_busy_hour(self) -> float:
        """Cost per hour of useful work. [USD/h]"""
        return self.total_usd / self.busy_hours


def purchase_comparison(plan: Plan, money: Money = TODAY, answer: Answer | None = None) -> PurchaseComparison | None:
    """Return buying in this plan, if it has a price; with the answer's range, where the money is the answer's."""
    option, bought = plan.option("own"), buying(plan.setting)
    if option is None or bought is None:
        return None
    if money != TODAY:
        return PurchaseComparison(option, bought, option.ledger, float(option.useful_hours.sum()))
    hours = float((option.useful_hours * monthly_discount_factors(plan.setting)).sum())
    ranked = next((it for it in (answer.ranked if answer else ()) if it.option.key == option.key), None)
    band = None if ranked is None else (ranked.low_usd, ranked.present_usd, ranked.high_usd)
    return PurchaseComparison(option, bought, discounted_ledger(plan.setting, option.ledger), hours, band)


def order_cells(setting: PlanContext, purchases: Sequence[str]) -> list[dict[str, float | None]]:
    """Return what the plan's order typically pays in each kind of purchase, from all sellers, as the answer has it."""
    bands = {}
    for purchase in dict.fromkeys(purchases):
        market = order_of_purchase(setting, purchase)
        is_known = market is not None and market.is_available
        ends = (market.band.typical, market.band.low, market.band.high) if market and is_known else (None,) * 3
        names = ("Typical order USD/GPU-h", "Typical order low", "Typical order high")
        bands[purchase] = {
            name: None if usd is None else words.round_significant(usd, 4)
            for name, usd in zip(names, ends, strict=True)
        }
    return [bands[purchase] for purchase in purchases]


def order_sentence(setting: PlanContext, purchase: str) -> str:
    """Return what an order like the plan's typically pays; empty where nobody has a price."""
    market = order_of_purchase(setting, purchase)
    if market is None:
        return ""
    if not market.is_available:
        return f"{words.upper_first(market.unavailable_text())}."
    low, typical, high = map(words.usd_per_hour, (market.band.low, market.band.typical, market.band.high))
    order = f"An order like yours, {market.count:,} {words.PURCHASE[purchase]}"
    return f"{order}, typically pays {typical} ({low} to {high}){words.availability(market.band)}: plans use that."


def compare_table(
    catalogue: Catalogue,
    need: DemandLayer,
    bills: OfferBills,
    own: PurchaseComparison | None,
    day: date,
    setting: PlanContext | None = None,
) -> Table:
    """Return every bill and the purchase, ranked; with what an order like the plan's pays."""
    rows = rent_rows(catalogue, bills, own, day, setting)
    return ranked_table(COLUMNS, (bills,), rows, None if own is None else (own.total_usd, buy_row(need, own)))


def ranked_table(
    columns: Sequence[str],
    several: Sequence[OfferBills],
    rows: Sequence[dict[str, Any]],
    bought: tuple[float, dict[str, Any]] | None,
) -> Table:
    """Return the offers of some bills as ranked rows, with the row of buying at its rank.

    The index holds the offer ids, so that a selection survives a new order.
    """
    offers = [key for bills in several for key in bills.offers]
    ranked = [(offers[place], rows[place]) for place in rank(several).tolist()]
    if bought is not None:
        own_usd, row = bought
        ranked.insert(sum(int((bills.total_usd <= own_usd).sum()) for bills in several), (BUY_ID, row))
    least = next((row["Plan total USD"] for _, row in ranked if row.get("Plan total USD")), None)
    for _, row in ranked:
        usd = row.get("Plan total USD")
        row["Against cheapest"] = None if usd is None or not least else round(usd / least - 1, 2)
    cells = {name: [row.get(name) for _, row in ranked] for name in columns}
    return Table.from_columns(cells, [key for key, _ in ranked])


def hide_old_prices(table: Table, named: str | None) -> tuple[Table, int]:
    """Return the table without prices last read long ago, and the number of these.

    The offer that the finding names stays; and where all prices are old, all stay.
    """
    old = [
        key != named and days is not None and days > FOLD_DAYS  # not-a-number is no age
        for key, days in table.by_id("Days old").items()
    ]
    recent = table.only(not is_old for is_old in old)
    return (recent, sum(old)) if set(selectable_rows(recent)) - {BUY_ID} else (table, 0)


def rent_rows(
    catalogue: Catalogue,
    bills: OfferBills,
    own: PurchaseComparison | None,
    day: date,
    setting: PlanContext | None = None,
) -> list[dict[str, Any]]:
    """Return the offers of some bills as rows, in their order."""
    amounts = (bills.total_usd.tolist(), bills.usd_per_busy_hour.tolist(), bills.part_usd("idle").tolist())
    rows = []
    for place, (key, total_usd, hour_usd, idle_usd) in enumerate(zip(bills.offers, *amounts, strict=True)):
        offer = catalogue.offers[key]
        row: dict[str, Any] = {
            "Provider": catalogue.providers[offer.provider].label,
            "Terms": words.PURCHASE[offer.purchase],
            "Product": offer.sku or "",
            "GPUs per machine": offer.accelerators_per_instance,
            "Region": offer.region,
            "Freshness": freshness(offer, day),
            "At once": at_once(catalogue, key, day).accelerators,
            "Page": catalogue.providers[offer.provider].page,
        }
        figure, assumed = offer.usd_per_accelerator_hour, bills.assumed[place]
        if figure is None:
            row |= {"Total is": words.NOT_PRICED, "Trust": "no public price", "Notes": offer.note}
            rows.append(dict.fromkeys(COLUMNS) | row)
            continue
        notes = ["bills idle hours"] if idle_usd > 0 else []
        notes += [f"{name.lower()} at what others ask" for name in assumed]
        notes += [words.DOUBT[doubt] for doubt in offer.doubts]
        rows.append(
            row
            | _price_cells(catalogue, figure, bills.prices.at(place), day)
            | {
                "USD per useful GPU-h": hour_usd,
                "Plan total USD": total_usd,
                "Total is": "about" if assumed else "complete",
                "Against buying": None if own is None else round(total_usd / own.total_usd - 1, 2),
                "Notes": "; ".join([*notes, *([offer.note] if offer.note else [])]),
            }
        )
    if setting is None:
        return rows
    orders = order_cells(setting, [catalogue.offers[key].purchase for key in bills.offers])
    return [row | cells for row, cells in zip(rows, orders, strict=True)]


def _price_cells(catalogue: Catalogue, figure: Figure, price: PriceEstimate, day: date) -> dict[str, Any]:
    days, basis = figure.age_days(day), trust(catalogue, figure.newest)
    return {
        "Sticker USD/GPU-h": figure.newest.typical,
        "Today USD/GPU-h": words.round_significant(price.typical, 4),
        "Today low": words.round_significant(price.low, 4),
        "Today high": words.round_significant(price.high, 4),
        "Checked": figure.checked,
        "Days old": days,
        "Trust": basis,
        "Price read": basis if basis == "yours" else f"{basis}, {words.count(days, 'day')} ago",
        "Source": catalogue.sources[figure.newest.source].url,
    }


def buy_row(need: DemandLayer, own: PurchaseComparison) -> dict[str, Any]:
    bought = own.bought
    return {
        "Provider": "Buy and run it",
        "Terms": f"kept {years_words(need.years)}",
        "Product": bought.what,
        "GPUs per machine": bought.accelerators_per_server,
        "Region": bought.site_label,
        **dict.fromkeys(("Sticker USD/GPU-h", "Today USD/GPU-h", "Today low", "Today high")),
        "USD per useful GPU-h": own.usd_per_busy_hour,
        "Plan total USD": own.total_usd,
        "Total is": "complete" if not own.ledger.unpriced else "at least",
        "Against buying": 0.0,
        "Checked": bought.checked,
        "Days old": None,
        "Freshness": "",
        "Trust": bought.trust,
        "Price read": bought.trust,
        "Page": None,
        "Notes": "; ".join((*(() if bought.url else (bought.source,)), *own.option.warnings)),
        "Source": bought.url,
    }


def selectable_rows(table: Table) -> list[str]:
    """Return the rows that have a total and so can be drawn, in the order of the table."""
    return [key for key, usd in table.by_id("Plan total USD").items() if usd is not None and not math.isnan(usd)]


def row_names(picks: Sequence[str], table: Table) -> list[str]:
    """Return distinct names of the selected rows; with the GPU where there are several."""
    parts = ["Provider", *(["GPU"] if "GPU" in table.columns and len(set(table["GPU"])) > 1 else []), "Terms", "Region"]
    columns = [table.by_id(part) for part in parts]
    return unique([", ".join(str(column[key]) for column in columns) for key in picks])


def unique(titles: Sequence[str]) -> list[str]:
    """Return distinct titles: a second 'AWS' becomes 'AWS (2)'."""
    seen: dict[str, int] = {}
    distinct = []
    for title in titles:
        seen[title] = seen.get(title, 0) + 1
        distinct.append(title if seen[title] == 1 else f"{title} ({seen[title]})")
    return distinct


def running_cost_rows(own: PurchaseComparison) -> list[tuple[str, str, str]]:
    """Return label, value and detail of the price, the total, the busy hour and electricity."""
    bought = own.bought
    low, usd, high = map(words.format_usd_short, bought.usd)
    since = "" if bought.since is None else f", {words.day(bought.since)}"
    unit = "server" if bought.accelerators_per_server > 1 else "GPU"
    total, power = map(words.format_usd_short, (own.total_usd, float(own.ledger.part_usd("power"))))
    hour = words.usd_per_hour(own.usd_per_busy_hour)
    return [
        (f"One {unit}", usd, f"{low} to {high}; {bought.source}{since}"),
        ("Buy and run", total, "As entered: hardware, network, space, power, people, less resale"),
        ("Per useful GPU-hour", hour, "The whole total over the hours of useful work"),
        ("Electricity", power, f"At {bought.site_label}'s price, for the energy used"),
    ]


@dataclass(frozen=True)
class Finding:
    """A title with the main result, the sentences that go with it, and those that it rests on."""

    title: str
    sentences: tuple[str, ...]
    offer: str | None = None
    details: tuple[str, ...] = ()


def cheapest(
    catalogue: Catalogue, need: DemandLayer, bills: OfferBills, own: PurchaseComparison | None,
    setting: PlanContext | None = None,
) -> Finding:  # fmt: skip
    """Return the cheapest seller by the cost of the whole plan, at estimated prices of today."""
    label = catalogue.accelerator_label(need.accelerator)
    bought, best = buying_sentences(catalogue, own, need.accelerator), choose((bills,))
    if best is None:
        advice = "Widen the filters below, or enter your own price."
        return Finding(f"No offer here has a price for {label}", (advice, *bought))
    utilization = need.busy_accelerator_hours / (need.peak_accelerators * need.hours_per_month * need.months)
    work = f"used {words.percent(utilization)} of the time for {years_words(need.years)}"
    offer, price = catalogue.offers[bills.offers[best]], bills.prices.at(best)
    seller = words.seller(catalogue.providers[offer.provider].label, offer.sku)
    hour = words.usd_per_hour(float(bills.usd_per_busy_hour[best]))
    usd = words.usd(float(bills.total_usd[best]))
    total = f"{need.peak_accelerators:,} x {label}, {work}: {usd} at {seller}, {words.PURCHASE[offer.purchase]}."
    typical = () if setting is None else tuple(filter(None, (order_sentence(setting, offer.purchase),)))
    lower = int((bills.prices.read_usd < bills.prices.read_usd[best]).sum())
    listed = (
        f"{words.count(lower, 'offer')} in the table {'lists' if lower == 1 else 'list'} a lower price: old, read "
        "once, or more expensive in total with minimums, disks and traffic.",
    )
    return Finding(
        f"{seller} is cheapest to rent from: {hour} per useful GPU-hour{price_age_suffix(price)}",
        (*typical, *bought),
        bills.offers[best],
        (total, f"{words.worth(price)}.", *(listed if lower else ())),
    )


def money_basis_text(plan: Plan, money: Money) -> str:
    """Return what the totals of the table are: with every input as entered, discounted or not."""
    people = ", with the people who run the GPUs" if people_lines(plan.setting) else ""
    if money != TODAY:
        return f"Totals in the table are total cash as entered{people}, not discounted."
    rate = words.percent(plan.setting.discount_rate_per_year, 1)
    return f"Totals in the table are as entered{people}, discounted to today at {rate} a year."


def price_age_suffix(price: PriceEstimate) -> str:
    """Return the age of a price for a title; empty where it was read this month, or is yours."""
    is_old = price.age_days > AGEING_DAYS and not price.yours
    return f", on a price read {price.age_days:,.0f} days ago" if is_old else ""


def no_purchase_reason(catalogue: Catalogue, accelerator: str) -> str:
    """Return why buying does not stand beside the offers."""
    label, chip = catalogue.accelerator_label(accelerator), catalogue.accelerators.get(accelerator)
    if chip is not None and chip.rent_only:
        return f"{label} cannot be bought, only rented."
    sold = [server.price_usd for server in catalogue.servers.values() if server.accelerator == accelerator]
    if any(sold) or (chip is not None and chip.price_usd is not None):
        return f"Buying {label} is not an option of this plan, or is not available for this order."
    if chip is None:
        return f"{label} may be several accelerators, each with its own price: name one to compare with buying."
    return f"No purchase price of {label} is published: enter a quote to compare."


def buying_sentences(catalogue: Catalogue, own: PurchaseComparison | None, accelerator: str | None) -> tuple[str, ...]:
    """Return the cost of buying beside the offer; empty where the offers are of several accelerators."""
    if own is None:
        return () if accelerator is None else (no_purchase_reason(catalogue, accelerator),)
    usd = own.total_usd if own.band is None else own.band[1]
    return (f"Buying and running it: about {words.usd(usd)}{purchase_range_text(own)}.",)


def purchase_range_text(own: PurchaseComparison) -> str:
    """Return the range of buying in words; empty where there is none in this money."""
    if own.band is None:
        return ""
    low, _, high = map(words.usd, own.band)
    return f" ({low} to {high} in eight of ten futures)"


def by_the_token(answer: Answer, money: Money = TODAY) -> tuple[str, ...]:
    """Return the cost of the work by the token, where that is one of the options."""
    way = next((way for way in answer.ranked if WAYS[way.option.way].is_billed_by_token), None)
    if way is None:
        return ()
    usd = way.present_usd if money == TODAY else float(way.option.ledger.total_usd)
    return (f"{words.upper_first(WAYS[way.option.way].purchase_text)}, {way.option.what}: {words.usd(usd)}.",)


def old_prices_label(number: int) -> str:
    """Return the label of the switch that shows the folded prices."""
    return f"{words.count(number, 'offer')} read more than {FOLD_DAYS} days ago: show"


def hidden_offers_text(hidden: dict[str, int], of: str = "of this GPU", *, is_shown: bool = False) -> str:
    """Return how many offers the filters leave out; and whether the table lists them all the same."""
    number = sum(count for reason, count in hidden.items() if reason != OTHER_CHIP)
    state = "listed although the filters leave them out" if is_shown else "hidden"
    return f"{words.count(number, 'offer')} {of} {state}" if number else ""


def hidden_reasons_text(hidden: dict[str, int]) -> str:
    """Return why the filters leave offers out, with the number of each reason."""
    return words.listed(f"{number:,} {reason}" for reason, number in hidden.items() if reason != OTHER_CHIP)
