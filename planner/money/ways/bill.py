"""The bill: what is paid now for the work, by the token or by contract, and goes on with it."""

from planner.money.inflation import deflate_lines
from planner.money.ledger import YOUR_INPUT
from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.setting import PlanContext
from planner.money.timeline import PLAN

GROWING = "bill_usd_per_month * (1 + bill_growth_per_year) ** begun_years * work_level * runs"
NO_BILL = "no bill is entered: fill in bill.usd_per_month to compare with what you pay now"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build all work as it is paid for today. It has the growth and seasons of the work, and a growth of its own."""
    bill = setting.scenario.bill
    if bill is None:
        return Unavailable(NO_BILL)
    put = setting.work_sheet()
    put.add("bill_usd_per_month", bill.usd_per_month, "USD a month", YOUR_INPUT)
    price = setting.catalogue.hosted.get(bill.price or "")
    name = bill.label or (f"{price.label} of {price.vendor}" if price else "your present service")
    put.add("bill_growth_per_year", bill.growth_per_year, "a year", YOUR_INPUT)
    put.add("begun_years", setting.timeline.begun_years, "years from today to the month", PLAN)
    rented = any(bill.label == it.label for it in setting.catalogue.providers.values())
    is_of_gpus = rented and not any(work.serve for work in setting.written.work)
    line = put.line("The bill", "compute" if is_of_gpus else "tokens", GROWING)  # of GPUs: with people who run them
    return OptionLedger(
        title=f"Keep paying {name}" if bill.label or price else "Keep what you pay now",
        what=name,
        lines=deflate_lines(setting, (line,)),
        useful_hours=setting.demand.all.busy_hours,
        accelerators=0.0,
    )


WAY = OptionSpec(
    key="bill",
    place=12,
    side="rent",
    build=build,
    name="What you pay now",
    verdict_text="Keep what you pay now",
    gerund="what you pay now",
    result_text="with {what}, as now",
    purchase_text="as now",
    style=ChartStyle("#44403c", "#e7e5e4", "solid", "square"),
    inputs="bill",
    when_empty="left out",
    is_billed_by_token=True,
    is_current=True,
)
