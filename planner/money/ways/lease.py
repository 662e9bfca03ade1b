"""Lease: somebody else buys, you pay by the month. It goes back at the end, or you buy what is left of it."""

from __future__ import annotations

from planner.money.setting import Setting
from planner.money.ways.lease_terms import LeaseTerms, held_for, implied, payments, say_terms
from planner.money.ways.ledger_of_way import Unavailable, WayLedger
from planner.money.ways.own import fleet_size, left_out, not_owned, with_rent
from planner.money.ways.record import Look, WayRecord

ASK = "A lease mostly stands on the balance sheet (ASC 842, IFRS 16), whatever it is called: ask accounting"


def build(setting: Setting) -> WayLedger | Unavailable:
    """The same fleet as where it is bought, but leased."""
    accelerators, lease = fleet_size(setting), setting.scenario.lease
    terms = LeaseTerms(
        usd_per_month=lease.usd_per_month,
        rate_per_year=lease.rate_per_year,
        years=setting.tried.get("lease_years", lease.years),
        in_advance=lease.in_advance,
        left_share=lease.left_share,
        buys_at_end=lease.buys_at_end,
    )
    found = held_for(setting, accelerators, terms)
    if found is None:
        return not_owned(setting, accelerators)
    too_late = left_out(setting, found, "nothing would ever be leased")
    if too_late is not None:
        return too_late
    say_terms(setting, found.put, found.held, terms)
    paid = payments(setting, found.put, found.held, terms, found.paid)
    lines = (*paid, *found.beside, *found.running, *found.sold_on, *found.end)
    if lease.buys_at_end:
        lines = (*lines, *found.sale)
    after = "After it is sold" if lease.buys_at_end else "After the lease"
    warnings = (*implied(setting, found.put, terms, found.paid, "lease"), ASK)
    return with_rent(setting, "Lease", accelerators, found, lines, *warnings, after=after)


WAY = WayRecord(
    key="lease",
    place=3,
    side="own",
    build=build,
    name="Lease",
    advice="Lease",
    doing="leasing",
    said="with {count} leased",
    paid_for="leased",
    look=Look("#0f766e", "#5eead4", "dashdot", "pentagon"),
    inputs="lease",
    waits_for_delivery=True,
)
