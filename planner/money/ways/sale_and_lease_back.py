"""Sale and lease-back: what is bought, or there already, is sold to a lessor and used on for a payment by the month."""

from dataclasses import replace
from functools import partial

from planner.money.fleet import build_fleet
from planner.money.inflation import agreed
from planner.money.ledger import YOUR_INPUT, Line
from planner.money.owning import Ownership
from planner.money.owning.resale import whole_months
from planner.money.setting import PlanContext
from planner.money.timeline import Holding
from planner.money.ways import keep
from planner.money.ways.lease import LeaseTerms, add_lease_terms, implied, lease_order_builder, lease_orders, payments
from planner.money.ways.ledger_of_way import OptionLedger, Unavailable
from planner.money.ways.own import cannot_buy_reason, fleet_size, fleet_with_rent_ledger, left_out
from planner.money.ways.record import Look, OptionSpec
from planner.scenario.own import ExistingHardware, SaleAndLeaseBack

_LENT = "sale_price_share * ({price})"
_TITLE = "Sell and lease back"
IS_A_LOAN = "With the right to buy back it mostly counts as a loan, not a sale (ASC 842-40, IFRS 16): ask accounting"
IS_A_SALE = "It counts as a sale only where the lessor has the machines for good (ASC 606, IFRS 15): ask accounting"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """The machines that are bought, or that are kept, sold and leased back."""
    asked, kept = setting.scenario.sale_and_lease_back, setting.scenario.kept
    if asked is None:
        return Unavailable("no sale and lease-back is entered: enter what a lessor pays, and what he takes a month")
    if asked.of == "kept":
        if kept is None:
            return Unavailable("what is kept is to be sold and leased back, and nothing is entered as being there")
        return _existing_ledger(setting, asked, kept)
    return _new_purchase_ledger(setting, asked)


def _terms(setting: PlanContext, asked: SaleAndLeaseBack, left_share: float | None) -> LeaseTerms:
    return LeaseTerms(
        usd_per_month=asked.usd_per_month,
        rate_per_year=asked.rate_per_year,
        years=setting.tried.get("lease_back_years", asked.years),
        in_advance=asked.in_advance,
        left_share=left_share,
        buys_at_end=asked.buys_back,
    )


def _new_purchase_ledger(setting: PlanContext, asked: SaleAndLeaseBack) -> OptionLedger | Unavailable:
    """Bought and sold on delivery: what is lost on the price counts at once, as the books of a sale have it."""
    accelerators, terms = fleet_size(setting), _terms(setting, asked, asked.left_share)
    found = build_fleet(setting, accelerators, lease_orders(setting, terms), lease_order_builder(terms))
    if found is None:
        return cannot_buy_reason(setting, accelerators)
    too_late = left_out(found, "nothing would ever be sold to a lessor")
    if too_late is not None:
        return too_late
    lines, first = found.lines(partial(_new_purchase_lines, setting, asked, terms)), found.parts[0]
    after = "After it is sold" if asked.buys_back else "After the lease"
    quote = implied(setting, first.sheet, terms, _LENT.format(price=first.paid), "lease-back")
    return fleet_with_rent_ledger(
        setting, _TITLE, found, lines, *quote, IS_A_LOAN if asked.buys_back else IS_A_SALE, after=after
    )


def _new_purchase_lines(
    setting: PlanContext, asked: SaleAndLeaseBack, terms: LeaseTerms, part: Ownership
) -> tuple[Line, ...]:
    put, lent = part.sheet, _LENT.format(price=part.paid)
    put.add("sale_price_share", asked.price_share, "share of the price", YOUR_INPUT)
    add_lease_terms(setting, put, part.holding, terms)
    sold = put.line("Sold to the lessor", "hardware", f"-1 * {lent} * delivered")
    return (
        *(replace(line, treatment="expense") for line in part.purchase_lines),
        *agreed(setting, (sold,), part.holding.ordered_years),
        *payments(setting, put, part.holding, terms, lent),
        *part.setup_lines,
        *part.operating_lines,
        *part.sold_hours_lines,
        *part.exit_lines,
        *(part.resale_lines if asked.buys_back else ()),
    )


def _existing_ledger(
    setting: PlanContext, asked: SaleAndLeaseBack, kept: ExistingHardware
) -> OptionLedger | Unavailable:
    """Sold today. What it would fetch otherwise stays its price, as where it is kept; in the end it is gone."""
    paid_usd = asked.price_share * kept.usd_today_if_sold
    left = min(kept.usd_at_end / paid_usd, 1.0) if asked.left_share is None and paid_usd > 0 else asked.left_share
    terms = _terms(setting, asked, left or 0.0)
    gone = setting.timeline.months if terms.years is None else whole_months(terms.years, 0.0)
    held = Holding(setting.timeline, until_months=setting.timeline.months if asked.buys_back else gone)
    rented = keep.supplemental_rent(setting, kept, held, after="After the lease")
    if isinstance(rented, Unavailable):
        return rented
    put, lent = keep.said(setting, kept, held), _LENT.format(price="usd_today_if_sold")
    put.add_all(held.flags())
    put.add("sale_price_share", asked.price_share, "share of what it would fetch", YOUR_INPUT)
    add_lease_terms(setting, put, held, terms)
    lines = (
        keep.forgone_sale(put),
        put.line("Sold to the lessor", "hardware", f"-1 * {lent} * starts", treatment="sale"),
        *payments(setting, put, held, terms, lent),
        *keep.existing_running_lines(put, setting, kept),
        *(keep.end_value_line(put, setting) if asked.buys_back else ()),
    )
    warnings = (*implied(setting, put, terms, lent, "lease-back"), IS_A_LOAN if asked.buys_back else IS_A_SALE)
    return keep.ledger(setting, kept, f"{_TITLE} {kept.label}", (*lines, *rented.lines), (*warnings, *rented.warnings))


WAY = OptionSpec(
    key="sale_and_lease_back",
    place=5,
    side="own",
    build=build,
    name="Sale and lease-back",
    advice="Sell and lease back",
    doing="leasing back",
    said="with {what} sold and leased back",
    paid_for="sold and leased back",
    look=Look("#854d0e", "#fde68a", "dot", "diamond"),
    inputs="sale_and_lease_back",
    when_empty="left out",
    waits_for_delivery=True,
)
