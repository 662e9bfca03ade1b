"""Findings in words: what the Compare page says before it shows anything."""

from dataclasses import dataclass

from planner.money.demand.stream import Need
from planner.money.measures import present_usd
from planner.money.plan import Plan
from planner.money.renting.bill import TODAY, Bills, Money
from planner.money.renting.cheapest_offer import choose
from planner.money.ways import WAYS
from planner.report import words
from planner.report.market.compare import FOLD_DAYS, Own
from planner.scenario.durations import years_words
from pricing import Catalogue
from pricing.belief import BelievedPrice
from pricing.query import AGEING_DAYS, OTHER_CHIP


@dataclass(frozen=True)
class Finding:
    """A title that states what was found, and the sentences that go with it."""

    title: str
    sentences: tuple[str, ...]
    offer: str | None = None


def cheapest(catalogue: Catalogue, need: Need, bills: Bills, own: Own | None) -> Finding:
    """Who to rent from, on the whole plan's cost, each price as what it is worth today."""
    plan = f"{need.most_accelerators:,} x {catalogue.accelerator_label(need.accelerator)}"
    often = need.busy_accelerator_hours / (need.most_accelerators * need.hours_per_month * need.months)
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
        f"{who} is cheapest to rent from: {hour} per busy GPU-hour{aged(bills.prices.at(best))}",
        (total, f"{words.worth(bills.prices.at(best))}.", *printed_lower(bills, best), *bought),
        bills.offers[best],
    )


def counted_in(plan: Plan, money: Money) -> str:
    """In which money the totals are, beside them."""
    if money != TODAY:
        return "Totals are the plain sums of what is paid."
    return f"Totals are in today's money, at {words.percent(plan.setting.discount_rate_per_year, 1)} a year."


def aged(price: BelievedPrice) -> str:
    """The age of a price, for a title that names its seller; nothing where it was read this month, or is yours."""
    old = price.age_days > AGEING_DAYS and not price.yours
    return f", on a price read {price.age_days:,.0f} days ago" if old else ""


def printed_lower(bills: Bills, best: int) -> tuple[str, ...]:
    """A sentence where somebody prints a lower price than the one that is taken, and why it is not believed."""
    number = int((bills.prices.read_usd < bills.prices.read_usd[best]).sum())
    if number == 0:
        return ()
    print_it = "prints" if number == 1 else "print"
    return (
        f"{words.count(number, 'offer')} in the table {print_it} a lower price: old, read once, or dearer in all once "
        "minimums, disks and traffic are counted.",
    )


def not_bought(catalogue: Catalogue, accelerator: str) -> str:
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
        return () if accelerator is None else (not_bought(catalogue, accelerator),)
    return (f"Buying and running it: about {words.usd(own.total_usd)}{ends_of(own)}.",)


def ends_of(own: Own) -> str:
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


def old_words(number: int) -> str:
    """The label of what shows the folded prices."""
    return f"{words.count(number, 'offer')} read more than {FOLD_DAYS} days ago: show"


def hidden_words(hidden: dict[str, int], of: str = "of this GPU", *, is_shown: bool = False) -> str:
    """How many offers the filters leave out, and why; and whether the table lists them all the same."""
    relevant = {reason: number for reason, number in hidden.items() if reason != OTHER_CHIP}
    if not relevant:
        return ""
    reasons = words.listed(f"{number:,} {reason}" for reason, number in relevant.items())
    what = "listed although the filters leave them out" if is_shown else "hidden"
    return f"{words.count(sum(relevant.values()), 'offer')} {of} {what}: {reasons}."
