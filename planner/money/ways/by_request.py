"""By the request: a seller's network of pictures, sound or video, paid for each picture, clip or minute."""

from planner.money.inflation import deflate_lines
from planner.money.ledger import YOUR_INPUT
from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.setting import PlanContext
from planner.money.ways.hosted import add_hosted_price


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build all requests of the one service of the plan at the lowest list price of each."""
    task = works[0].serve if len(works := setting.written.work) == 1 else None
    if not task or (price := setting.catalogue.facts.get(f"request-usd-{task.model.lower()}")) is None:
        return Unavailable("sellers known here price only some networks of pictures, sound and video by the request")
    sheet = setting.work_sheet()
    sheet.add("requests_per_s", task.requests_per_s, "requests a second", YOUR_INPUT)
    add_hosted_price(sheet, "usd_per_request", price.figure, None, setting.day)
    how = "requests_per_s * 3600 * hours_per_month * usd_per_request * work_level * runs"
    return OptionLedger(
        title="Pay by the request", what=price.label, accelerators=0.0, useful_hours=setting.demand.all.busy_hours,
        lines=deflate_lines(setting, (sheet.line("Requests", "tokens", how),)),
    )  # fmt: skip


WAY = OptionSpec(
    key="by_request", place=18, side="rent", build=build, name="API by the request",
    verdict_text="Use a hosted model by the request", gerund="a model by the request", result_text="with {what}",
    purchase_text="by the request", style=ChartStyle("#365314", "#d9f99d", "longdashdot", "diamond-wide"),
    filled_by_service=True, is_billed_by_token=True,
)  # fmt: skip
