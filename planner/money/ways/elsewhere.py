"""Elsewhere: the model that is paid for now, by the token, from the cheapest other seller of it."""

from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.setting import PlanContext
from planner.money.ways.bill import NO_BILL
from planner.money.ways.hosted import priced_tokens
from pricing.market.rivals import cheapest_price


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build all work by the same model at another seller."""
    bill, hosted = setting.scenario.bill, setting.scenario.hosted
    paid = setting.catalogue.hosted.get((bill and bill.price) or "")
    if bill is None:
        return Unavailable(NO_BILL)
    if paid is None or hosted is None:
        return Unavailable("which model is the bill for? name bill.price")
    tokens = (hosted.million_input_tokens_per_month or 0.0, hosted.million_output_tokens_per_month or 0.0)
    other = cheapest_price(setting.catalogue, (paid.model,), *tokens, without=bill.price)
    if other is None:
        return Unavailable(f"no other seller offers {paid.label} by the token")
    return priced_tokens(setting, other, f"Pay {setting.catalogue.hosted[other].vendor} for the same model")


WAY = OptionSpec(
    key="elsewhere", place=13, side="rent", build=build, name="Same model, other seller",
    verdict_text="Buy the same model elsewhere", gerund="another seller of the same model", result_text="with {what}",
    purchase_text="by the token", style=ChartStyle("#7c2d12", "#fdba74", "dashdot", "star"), inputs="bill",
    when_empty="left out", is_billed_by_token=True, has_own_card=True,
)  # fmt: skip
