"""Lease: somebody else buys, you pay by the month. It goes back at the end, or you buy what is left of it."""

from functools import partial

from planner.money.ledger import Line
from planner.money.owning import Owned
from planner.money.setting import Setting
from planner.money.stages.fleet import fleet_of
from planner.money.ways.lease_terms import LeaseTerms, held_for, implied, orders_leased, payments, say_terms
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
    found = fleet_of(setting, accelerators, orders_leased(setting, terms), held_for(terms))
    if found is None:
        return not_owned(setting, accelerators)
    too_late = left_out(found, "nothing would ever be leased")
    if too_late is not None:
        return too_late
    after = "After it is sold" if lease.buys_at_end else "After the lease"
    lines = found.lines(partial(_lines, setting, terms))
    first = found.parts[0]
    warnings = (*implied(setting, first.put, terms, first.paid, "lease"), ASK)
    return with_rent(setting, "Lease", found, lines, *warnings, after=after)


def _lines(setting: Setting, terms: LeaseTerms, part: Owned) -> tuple[Line, ...]:
    say_terms(setting, part.put, part.held, terms)
    paid = payments(setting, part.put, part.held, terms, part.paid)
    kept = part.sale if terms.buys_at_end else ()
    return (*paid, *part.beside, *part.running, *part.sold_on, *part.end, *kept)


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
