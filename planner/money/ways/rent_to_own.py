"""Rent to own: payments by the month, after which the machines are yours, and yours to sell."""

from planner.money.finance import implied_lease_rate
from planner.money.fleet import build_fleet
from planner.money.inflation import deflate_lines
from planner.money.ledger import YOUR_INPUT, Line
from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.owning import Ownership, owned
from planner.money.owning.resale import Installments, value
from planner.money.setting import PlanContext
from planner.money.ways.lease import loan_comparison_note
from planner.money.ways.own import cannot_buy_reason, fleet_size, fleet_with_rent_ledger, too_late_reason
from planner.scenario.own import RentToOwn

ASK = "Rent that ends in owning is mostly booked as a purchase: ask accounting"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build the same fleet as bought, paid by the month."""
    quote = setting.scenario.rent_to_own
    if quote is None:
        return Unavailable("no rent-to-own quote is entered: enter what it costs a month, and for how many months")
    accelerators = fleet_size(setting)
    fleet = build_fleet(  # the quote is for all of them, at once
        setting, accelerators, (), lambda setting, need, part: owned(setting, need, refreshed=False, part=part)
    )
    if fleet is None:
        return cannot_buy_reason(setting, accelerators)
    too_late = too_late_reason(fleet, "nothing would ever be paid for")
    if too_late is not None:
        return too_late
    part = fleet.parts[0]
    owning = (*part.setup_lines, *part.operating_lines, *part.sold_hours_lines, *part.exit_lines, *part.resale_lines)
    lines = (*_payment_lines(setting, quote, part), *owning)
    return fleet_with_rent_ledger(setting, "Rent to own", fleet, lines, *_implied_rate_note(setting, part), ASK)


def _payment_lines(setting: PlanContext, quote: RentToOwn, part: Ownership) -> tuple[Line, ...]:
    put = part.sheet
    Installments(part.holding, float(quote.months)).add_to(put, "rent_to_own")
    put.add("rent_to_own_usd_per_month", quote.usd_per_month, "USD a month", YOUR_INPUT)
    put.add("upfront_usd", quote.upfront_usd, "USD", YOUR_INPUT)
    put.add("final_usd", quote.final_usd, "USD", YOUR_INPUT)
    due = "rent_to_own_usd_per_month * (rent_to_own_months - payments_made)"
    lines = (
        put.line("Paid on delivery", "finance", "upfront_usd * delivered"),
        put.line("Monthly payments", "finance", "rent_to_own_usd_per_month * pays"),
        put.line("Last payment", "finance", "final_usd * settles"),
        put.line("Payments still due at the end", "commitment", f"{due} * sold"),
    )
    return deflate_lines(setting, lines)


def _implied_rate_note(setting: PlanContext, part: Ownership) -> tuple[str, ...]:
    """Return the rate behind the quote."""
    put = part.sheet
    rate = implied_lease_rate(
        price_usd=value(put, part.paid) - put.used["upfront_usd"].value,
        usd_per_month=put.used["rent_to_own_usd_per_month"].value,
        months=put.used["rent_to_own_months"].value,
        balloon_usd=put.used["final_usd"].value,
        in_advance=False,
    )
    return (loan_comparison_note(setting, "rent-to-own", rate),)


WAY = OptionSpec(
    key="rent_to_own",
    place=4,
    side="own",
    build=build,
    name="Rent to own",
    verdict_text="Rent to own",
    gerund="renting to own",
    result_text="rented to own",
    purchase_text="rented to own",
    style=ChartStyle("#475569", "#cbd5e1", "longdashdot", "hexagon"),
    inputs="rent_to_own",
    when_empty="left out",
    waits_for_delivery=True,
)
