"""Rent to own: payments by the month, after which the machines are yours, and yours to sell."""

import numpy as np

from planner.money.demand.stream import DemandLayer
from planner.money.finance import implied_lease_rate
from planner.money.fleet import build_fleet
from planner.money.inflation import agreed
from planner.money.ledger import YOUR_INPUT, Line
from planner.money.owning import Ownership, owned
from planner.money.owning.lines import FleetOrder
from planner.money.owning.resale import Installments, value
from planner.money.setting import PlanContext
from planner.money.ways.lease import loan_comparison_note
from planner.money.ways.ledger_of_way import OptionLedger, Unavailable
from planner.money.ways.own import cannot_buy_reason, first, fleet_size, fleet_with_rent_ledger, left_out
from planner.money.ways.record import Look, OptionSpec

ASK = "Rent that ends in owning is mostly booked as a purchase: ask accounting"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """The same fleet as where it is bought, paid for bit by bit."""
    if setting.scenario.rent_to_own is None:
        return Unavailable("no rent-to-own quote is entered: enter what it costs a month, and for how many months")
    accelerators = fleet_size(setting)
    found = build_fleet(setting, accelerators, (), _held)  # the quote is for all of them, at once
    if found is None:
        return cannot_buy_reason(setting, accelerators)
    too_late = left_out(found, "nothing would ever be paid for")
    if too_late is not None:
        return too_late
    part = found.parts[0]
    lines = (
        *_payments(setting, part),
        *part.setup_lines,
        *part.operating_lines,
        *part.sold_hours_lines,
        *part.exit_lines,
        *part.resale_lines,
    )
    return fleet_with_rent_ledger(setting, "Rent to own", found, lines, *_implied(setting, part), ASK)


def _held(setting: PlanContext, need: DemandLayer, part: FleetOrder | None) -> Ownership | None:
    return owned(setting, need, refreshed=False, part=part)


def _payments(setting: PlanContext, found: Ownership) -> tuple[Line, ...]:
    put, quote = found.sheet, setting.scenario.rent_to_own
    assert quote is not None  # build() asked
    Installments(found.holding, float(quote.months)).add_to(put, "rent_to_own")
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
    return agreed(setting, lines)


def _implied(setting: PlanContext, found: Ownership) -> tuple[str, ...]:
    """A sentence with the rate behind the quote, said of the plan and not of the ends of its range."""
    if setting.case != "typical":
        return ()
    put = found.sheet
    used = {name: put.used[name].value for name in ("upfront_usd", "final_usd", "rent_to_own_months")}
    rate = implied_lease_rate(
        price_usd=value(put, found.paid) - used["upfront_usd"],
        usd_per_month=put.used["rent_to_own_usd_per_month"].value,
        months=used["rent_to_own_months"],
        balloon_usd=used["final_usd"],
        in_advance=False,
    )
    return (loan_comparison_note(setting, "rent-to-own", first(rate.value), str(np.asarray(rate.reason).flat[0])),)


WAY = OptionSpec(
    key="rent_to_own",
    place=4,
    side="own",
    build=build,
    name="Rent to own",
    advice="Rent to own",
    doing="renting to own",
    said="rented to own",
    paid_for="rented to own",
    look=Look("#475569", "#cbd5e1", "longdashdot", "hexagon"),
    inputs="rent_to_own",
    when_empty="left out",
    waits_for_delivery=True,
)
