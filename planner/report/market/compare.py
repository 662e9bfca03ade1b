"""The comparison as a table: one row for each way to get the machines, cheapest plan first."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from planner.money.demand.stream import DemandLayer
from planner.money.ledger import Ledger
from planner.money.measures import discounted_ledger, factors, present_usd
from planner.money.option import Option
from planner.money.owning import PurchaseQuote, buying
from planner.money.plan import Plan
from planner.money.renting.bill import TODAY, Money, OfferBills, rank
from planner.money.renting.cheapest_offer import choose
from planner.money.verdict.answer import Answer
from planner.money.ways import WAYS
from planner.report import words
from planner.report.table import Table
from planner.scenario.durations import years_words
from pricing import Catalogue
from pricing.belief import PriceEstimate
from pricing.query import AGEING_DAYS, OTHER_CHIP, freshness, trust
from pricing.records import Offer

BUY_ID = "buy"

# Column names are units and meanings; the screen and the CSV use the same ones. On a phone the first four are seen.
COLUMNS = (
    "Provider", "Today USD/GPU-h", "Days old", "Plan total USD", "Against buying", "Terms", "Product", "Total is",
    "USD per busy GPU-h", "Sticker USD/GPU-h", "Today low", "Today high", "Checked", "Freshness", "Trust",
    "GPUs per machine", "Region", "Notes", "Source",
)  # fmt: skip
FOLD_DAYS = 60  # a price that nobody has read for longer is folded away where there are others


@dataclass(frozen=True)
class Own:
    """Buying, as it stands beside the offers: in the money of the bills beside it."""

    option: Option
    bought: PurchaseQuote
    ledger: Ledger
    busy_hours: float  # each counted like the money of its month
    ends: tuple[float, float] | None = None  # that eight of ten futures lie in, in today's money

    @property
    def total_usd(self) -> float:
        """What the whole plan costs, less what is sold at the end. [USD]"""
        return float(self.ledger.total_usd)

    @property
    def usd_per_busy_hour(self) -> float:
        """The same over its hours of useful work. [USD/h]"""
        return self.total_usd / self.busy_hours


def purchase_comparison(plan: Plan, money: Money = TODAY, found: Answer | None = None) -> Own | None:
    """Buying in this plan, if it has a price; with the answer's range, where the money is the answer's."""
    option, bought = plan.option("own"), buying(plan.setting)
    if option is None or bought is None:
        return None
    if money != TODAY:
        return Own(option, bought, option.ledger, float(option.useful_hours.sum()))
    hours = float((option.useful_hours * factors(plan.setting)).sum())
    way = next((one for one in (found.ranked if found else ()) if one.option.key == option.key), None)
    ends = None if way is None else (way.low_usd, way.high_usd)
    return Own(option, bought, discounted_ledger(plan.setting, option.ledger), hours, ends)


def compare_table(catalogue: Catalogue, need: DemandLayer, bills: OfferBills, own: Own | None, day: date) -> Table:
    """Every bill and the purchase, ranked."""
    rows = rent_rows(catalogue, bills, own, day)
    return ranked_table(COLUMNS, (bills,), rows, None if own is None else (own.total_usd, buy_row(need, own)))


def ranked_table(
    columns: Sequence[str],
    several: Sequence[OfferBills],
    rows: Sequence[dict[str, Any]],
    bought: tuple[float, dict[str, Any]] | None,
) -> Table:
    """The offers of some bills as ranked rows, with the row of buying where its total belongs.

    The index holds the offer ids, so that a choice survives a new order.
    """
    offers = [key for one in several for key in one.offers]
    ranked = [(offers[place], rows[place]) for place in rank(several).tolist()]
    if bought is not None:
        own_usd, row = bought
        ranked.insert(sum(int((one.total_usd <= own_usd).sum()) for one in several), (BUY_ID, row))
    return Table.from_columns(
        {name: [row.get(name) for _, row in ranked] for name in columns}, [key for key, _ in ranked]
    )


def hide_old_prices(table: Table, named: str | None) -> tuple[Table, int]:
    """The table without prices that nobody has read for long, and how many those are.

    The offer that the finding names stays; and where all prices are old, all stay.
    """
    old = [
        key != named and days is not None and days > FOLD_DAYS  # not-a-number is no age
        for key, days in table.by_id("Days old").items()
    ]
    kept = table.only(not one for one in old)
    return (kept, sum(old)) if set(selectable_rows(kept)) - {BUY_ID} else (table, 0)


class OfferBill(NamedTuple):
    """One offer's bill, as the table needs it."""

    total_usd: float
    usd_per_busy_hour: float
    idle_usd: float
    assumed: tuple[str, ...]  # what the provider publishes no price for, at what the others ask
    price: PriceEstimate


def rent_rows(catalogue: Catalogue, bills: OfferBills, own: Own | None, day: date) -> list[dict[str, Any]]:
    """The offers of some bills as rows, in their order."""
    own_usd = None if own is None else own.total_usd
    prices = [bills.prices.at(place) for place in range(len(bills.offers))]
    amounts = (bills.total_usd, bills.usd_per_busy_hour, bills.part_usd("idle"))
    every = zip(bills.offers, *(amount.tolist() for amount in amounts), bills.assumed, prices, strict=True)
    return [_rent_row(catalogue, catalogue.offers[key], OfferBill(*bill), own_usd, day) for key, *bill in every]


def _rent_row(catalogue: Catalogue, offer: Offer, bill: OfferBill, own_usd: float | None, day: date) -> dict[str, Any]:
    """An offer as a row."""
    figure = offer.usd_per_accelerator_hour
    row: dict[str, Any] = {
        "Provider": catalogue.providers[offer.provider].label,
        "Terms": words.PURCHASE[offer.purchase],
        "Product": offer.sku or "",
        "GPUs per machine": offer.accelerators_per_instance,
        "Region": offer.region,
        "Freshness": freshness(offer, day),
    }
    if figure is None:
        return (
            dict.fromkeys(COLUMNS)
            | row
            | {"Total is": words.NOT_PRICED, "Trust": "no public price", "Notes": offer.note}
        )
    return row | {
        "Sticker USD/GPU-h": figure.newest.typical,
        "Today USD/GPU-h": words.round_significant(bill.price.typical, 4),
        "Today low": words.round_significant(bill.price.low, 4),
        "Today high": words.round_significant(bill.price.high, 4),
        "USD per busy GPU-h": bill.usd_per_busy_hour,
        "Plan total USD": bill.total_usd,
        "Total is": "about" if bill.assumed else "complete",
        "Against buying": None if own_usd is None else round(bill.total_usd / own_usd - 1, 2),
        "Checked": figure.checked,
        "Days old": figure.age_days(day),
        "Trust": trust(catalogue, figure.newest),
        "Notes": _notes(offer, bill),
        "Source": catalogue.sources[figure.newest.source].url,
    }


def buy_row(need: DemandLayer, own: Own) -> dict[str, Any]:
    """Buying as a row."""
    bought = own.bought
    return {
        "Provider": "Buy and run it",
        "Terms": f"kept {years_words(need.years)}",
        "Product": bought.what,
        "GPUs per machine": bought.accelerators_per_server,
        "Region": bought.site_label,
        **dict.fromkeys(("Sticker USD/GPU-h", "Today USD/GPU-h", "Today low", "Today high")),
        "USD per busy GPU-h": own.usd_per_busy_hour,
        "Plan total USD": own.total_usd,
        "Total is": "complete" if not own.ledger.unpriced else "at least",
        "Against buying": 0.0,
        "Checked": bought.checked,
        "Days old": None,
        "Freshness": "",
        "Trust": bought.trust,
        "Notes": "; ".join((*(() if bought.url else (bought.said_by,)), *own.option.warnings)),
        "Source": bought.url,
    }


def _notes(offer: Offer, bill: OfferBill) -> str:
    notes = ["bills idle hours"] if bill.idle_usd > 0 else []
    notes += [f"{name.lower()} at what others ask" for name in bill.assumed]
    notes += [words.DOUBT[doubt] for doubt in offer.doubts]
    notes += [offer.note] if offer.note else []
    return "; ".join(notes)


def selectable_rows(table: Table) -> list[str]:
    """The rows that have a total and so can be drawn, in the order of the table."""
    return [key for key, usd in table.by_id("Plan total USD").items() if usd is not None and not math.isnan(usd)]


def row_names(picks: Sequence[str], table: Table) -> list[str]:
    """What the chosen rows are called, told apart; with the GPU where there are several."""
    parts = ["Provider", *(["GPU"] if "GPU" in table.columns and len(set(table["GPU"])) > 1 else []), "Terms", "Region"]
    told = [table.by_id(part) for part in parts]
    return unique([", ".join(str(column[key]) for column in told) for key in picks])


def unique(titles: Sequence[str]) -> list[str]:
    """Titles told apart: a second 'AWS' becomes 'AWS (2)'."""
    seen: dict[str, int] = {}
    told = []
    for title in titles:
        seen[title] = seen.get(title, 0) + 1
        told.append(title if seen[title] == 1 else f"{title} ({seen[title]})")
    return told


def running_cost_rows(own: Own) -> list[tuple[str, str, str]]:
    """Label, value and detail: price, total, per busy hour, electricity."""
    bought = own.bought
    low, usd, high = bought.usd
    since = "" if bought.since is None else f", {words.day(bought.since)}"
    what = "server" if bought.accelerators_per_server > 1 else "GPU"
    return [
        (
            f"One {what}",
            words.format_usd_short(usd),
            f"{words.format_usd_short(low)} to {words.format_usd_short(high)}; {bought.said_by}{since}",
        ),
        (
            "Buy and run",
            words.format_usd_short(own.total_usd),
            "Hardware, network, space, power, people, less resale",
        ),
        (
            "Per busy GPU-hour",
            words.usd_per_hour(own.usd_per_busy_hour),
            "The whole total over the hours of useful work",
        ),
        (
            "Electricity",
            words.format_usd_short(float(own.ledger.part_usd("power"))),
            f"At {bought.site_label}'s price, by what is drawn",
        ),
    ]


@dataclass(frozen=True)
class Finding:
    """A title that states what was found, and the sentences that go with it."""

    title: str
    sentences: tuple[str, ...]
    offer: str | None = None


def cheapest(catalogue: Catalogue, need: DemandLayer, bills: OfferBills, own: Own | None) -> Finding:
    """Who to rent from, on the whole plan's cost, each price as what it is worth today."""
    plan = f"{need.peak_accelerators:,} x {catalogue.accelerator_label(need.accelerator)}"
    often = need.busy_accelerator_hours / (need.peak_accelerators * need.hours_per_month * need.months)
    work = f"busy {words.percent(often)} of the time for {years_words(need.years)}"
    bought = against(catalogue, own, need.accelerator)
    best = choose((bills,))
    if best is None:
        return Finding(
            f"No offer here has a price for {catalogue.accelerator_label(need.accelerator)}",
            ("Widen the filters below, or enter your own price.", *bought),
        )
    offer = catalogue.offers[bills.offers[best]]
    who = words.seller(catalogue.providers[offer.provider].label, offer.sku)
    hour = words.usd_per_hour(float(bills.usd_per_busy_hour[best]))
    total = f"{plan}, {work}: {words.usd(float(bills.total_usd[best]))} at {who}, {words.PURCHASE[offer.purchase]}."
    return Finding(
        f"{who} is cheapest to rent from: {hour} per busy GPU-hour{price_age_suffix(bills.prices.at(best))}",
        (total, f"{words.worth(bills.prices.at(best))}.", *lower_listed_prices_text(bills, best), *bought),
        bills.offers[best],
    )


def money_basis_text(plan: Plan, money: Money) -> str:
    """In which money the totals are, beside them."""
    if money != TODAY:
        return "Totals are the plain sums of what is paid."
    return f"Totals are in today's money, at {words.percent(plan.setting.discount_rate_per_year, 1)} a year."


def price_age_suffix(price: PriceEstimate) -> str:
    """The age of a price, for a title that names its seller; nothing where it was read this month, or is yours."""
    old = price.age_days > AGEING_DAYS and not price.yours
    return f", on a price read {price.age_days:,.0f} days ago" if old else ""


def lower_listed_prices_text(bills: OfferBills, best: int) -> tuple[str, ...]:
    """A sentence where somebody prints a lower price than the one that is taken, and why it is not believed."""
    number = int((bills.prices.read_usd < bills.prices.read_usd[best]).sum())
    if number == 0:
        return ()
    print_it = "prints" if number == 1 else "print"
    return (
        f"{words.count(number, 'offer')} in the table {print_it} a lower price: old, read once, or dearer in all once "
        "minimums, disks and traffic are counted.",
    )


def no_purchase_reason(catalogue: Catalogue, accelerator: str) -> str:
    """Why buying does not stand beside the offers."""
    label, chip = catalogue.accelerator_label(accelerator), catalogue.accelerators.get(accelerator)
    if chip is not None and chip.rent_only:
        return f"{label} cannot be bought, only rented."
    sold = [one.price_usd for one in catalogue.servers.values() if one.accelerator == accelerator]
    if any(sold) or (chip is not None and chip.price_usd is not None):
        return f"Buying {label} is no way of this plan, or cannot be had as it is asked."
    if chip is None:
        return (
            f"{label} may be several accelerators, each with a price of its own: say which one, to compare with buying."
        )
    return f"Nobody publishes what {label} costs to buy: enter a quote to compare."


def against(catalogue: Catalogue, own: Own | None, accelerator: str | None) -> tuple[str, ...]:
    """What buying costs beside the offer; nothing of it where the offers are of several accelerators."""
    if own is None:
        return () if accelerator is None else (no_purchase_reason(catalogue, accelerator),)
    return (f"Buying and running it: about {words.usd(own.total_usd)}{purchase_range_text(own)}.",)


def purchase_range_text(own: Own) -> str:
    """The range of buying in words; empty where nobody drew it in this money."""
    if own.ends is None:
        return ""
    low, high = map(words.usd, own.ends)
    return f" ({low} to {high} in eight of ten futures)"


def by_the_token(plan: Plan, money: Money = TODAY) -> tuple[str, ...]:
    """What the work costs by the token, where that is one of the ways: nobody rents who need not."""
    found = next((one for one in plan.options if WAYS[one.way].by_the_token), None)
    if found is None:
        return ()
    usd = float(present_usd(plan.setting, found.ledger) if money == TODAY else found.ledger.total_usd)
    return (f"By the token, {found.what}: {words.usd(usd)}.",)


def old_prices_label(number: int) -> str:
    """The label of what shows the folded prices."""
    return f"{words.count(number, 'offer')} read more than {FOLD_DAYS} days ago: show"


def hidden_offers_text(hidden: dict[str, int], of: str = "of this GPU", *, is_shown: bool = False) -> str:
    """How many offers the filters leave out, and why; and whether the table lists them all the same."""
    relevant = {reason: number for reason, number in hidden.items() if reason != OTHER_CHIP}
    if not relevant:
        return ""
    reasons = words.listed(f"{number:,} {reason}" for reason, number in relevant.items())
    what = "listed although the filters leave them out" if is_shown else "hidden"
    return f"{words.count(sum(relevant.values()), 'offer')} {of} {what}: {reasons}."
