"""Sale and lease-back: machines, bought or there already, are sold to a lessor and used on for a monthly payment."""

from dataclasses import replace
from functools import partial

from planner.money.inflation import deflate_lines
from planner.money.ledger import YOUR_INPUT, Line
from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.owning import Ownership
from planner.money.owning.resale import existing_hardware, whole_months
from planner.money.setting import PlanContext
from planner.money.timeline import Holding
from planner.money.ways import keep
from planner.money.ways.lease import LeaseTerms, add_lease_terms, build_leased_fleet, implied_rate_note, payment_lines
from planner.money.ways.own import fleet_with_rent_ledger
from planner.scenario.own import ExistingHardware, SaleAndLeaseBack

_LENT = "sale_price_share * ({price})"
_TITLE = "Sell and lease back"
IS_A_LOAN = "With the right to buy back it mostly counts as a loan, not a sale (ASC 842-40, IFRS 16): ask accounting"
IS_A_SALE = "It counts as a sale only where the lessor has the machines for good (ASC 606, IFRS 15): ask accounting"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build the machines that are bought, or that are kept, sold and leased back."""
    deal, kept = setting.scenario.sale_and_lease_back, existing_hardware(setting)
    if deal is None:
        return Unavailable("no sale and lease-back is entered: enter what a lessor pays, and what he takes a month")
    if deal.of == "kept":
        if kept is None:
            return Unavailable("what is kept is to be sold and leased back, and nothing is entered as being there")
        return _existing_ledger(setting, deal, kept)
    terms = _terms(setting, deal, deal.left_share)
    fleet = build_leased_fleet(setting, terms, "nothing would ever be sold to a lessor")
    if isinstance(fleet, Unavailable):
        return fleet
    lines, first = fleet.lines(partial(_new_purchase_lines, setting, deal, terms)), fleet.parts[0]
    after = "After it is sold" if deal.buys_back else "After the lease"
    quote = implied_rate_note(setting, first.sheet, terms, _LENT.format(price=first.paid), "lease-back")
    accounting = IS_A_LOAN if deal.buys_back else IS_A_SALE
    return fleet_with_rent_ledger(setting, _TITLE, fleet, lines, *quote, accounting, after=after)


def _terms(setting: PlanContext, deal: SaleAndLeaseBack, left_share: float | None) -> LeaseTerms:
    return LeaseTerms(
        usd_per_month=deal.usd_per_month,
        rate_per_year=deal.rate_per_year,
        years=setting.tried.get("lease_back_years", deal.years),
        in_advance=deal.in_advance,
        left_share=left_share,
        buys_at_end=deal.buys_back,
        sold_share=deal.price_share,
    )


def _new_purchase_lines(
    setting: PlanContext, deal: SaleAndLeaseBack, terms: LeaseTerms, part: Ownership
) -> tuple[Line, ...]:
    put, lent = part.sheet, _LENT.format(price=part.paid)
    put.add("sale_price_share", deal.price_share, "share of the price", YOUR_INPUT)
    add_lease_terms(setting, put, part.holding, terms)
    sold = put.line("Sold to the lessor", "hardware", f"-1 * {lent} * delivered")
    return (
        *(replace(line, treatment="expense") for line in part.purchase_lines),
        *deflate_lines(setting, (sold,), part.holding.ordered_years),
        *payment_lines(setting, put, part.holding, terms, lent),
        *part.setup_lines,
        *part.operating_lines,
        *part.sold_hours_lines,
        *part.exit_lines,
        *(part.resale_lines if deal.buys_back else ()),
    )


def _existing_ledger(
    setting: PlanContext, deal: SaleAndLeaseBack, kept: ExistingHardware
) -> OptionLedger | Unavailable:
    """Build machines sold today. Their market value stays their price, as where they are kept."""
    paid_usd = deal.price_share * (kept.usd_today_if_sold or 0.0)
    left = (
        min((kept.usd_at_end or 0.0) / paid_usd, 1.0) if deal.left_share is None and paid_usd > 0 else deal.left_share
    )
    terms = _terms(setting, deal, left or 0.0)
    lasts = deal.buys_back or terms.years is None
    held = Holding(setting.timeline, until_months=setting.timeline.months if lasts else whole_months(terms.years, 0.0))
    rented = keep.supplemental_rent(setting, kept, held, after="After the lease")
    if isinstance(rented, Unavailable):
        return rented
    put, lent = keep.existing_inputs(setting, kept, held), _LENT.format(price="usd_today_if_sold")
    put.add_all(held.flags())
    put.add("sale_price_share", deal.price_share, "share of what it would fetch", YOUR_INPUT)
    add_lease_terms(setting, put, held, terms)
    lines = (
        keep.forgone_sale(put),
        put.line("Sold to the lessor", "hardware", f"-1 * {lent} * starts", treatment="sale"),
        *payment_lines(setting, put, held, terms, lent),
        *keep.existing_running_lines(put, setting, kept),
        *(keep.end_value_line(put, setting) if deal.buys_back else ()),
        *rented.lines,
    )
    quote = implied_rate_note(setting, put, terms, lent, "lease-back")
    notes = (*quote, IS_A_LOAN if deal.buys_back else IS_A_SALE)
    return keep.existing_ledger(setting, kept, f"{_TITLE} {kept.label}", lines, rented, *notes)


WAY = OptionSpec(
    key="sale_and_lease_back",
    place=5,
    side="own",
    build=build,
    name="Sale and lease-back",
    verdict_text="Sell and lease back",
    gerund="leasing back",
    result_text="with {what} sold and leased back",
    purchase_text="sold and leased back",
    style=ChartStyle("#854d0e", "#fde68a", "dot", "diamond"),
    inputs="sale_and_lease_back",
    when_empty="left out",
    waits_for_delivery=True,
)
