"""Alike: an open model by the token that scores about as much as the one that is paid for now."""

from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.setting import PlanContext
from planner.money.ways.bill import NO_BILL
from planner.money.ways.hosted import priced_tokens
from pricing.market.rivals import alike_models, cheapest_price, rivals, scores_text, usual_board


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build all work by the cheapest open model that a board calls about as good."""
    bill, hosted = setting.scenario.bill, setting.scenario.hosted
    paid = setting.catalogue.hosted.get((bill and bill.price) or "")
    if bill is None:
        return Unavailable(NO_BILL)
    if paid is None or hosted is None:
        return Unavailable("which model is the bill for? name bill.price")
    board = bill.like or usual_board(paid.model)
    if board is None or paid.model not in rivals().boards[board].scores:
        return Unavailable(f"no board known here has {paid.label}: name the model that would do, under serve")
    tokens = (hosted.million_input_tokens_per_month or 0.0, hosted.million_output_tokens_per_month or 0.0)
    key = cheapest_price(setting.catalogue, alike_models(paid.model, board), *tokens, without=bill.price)
    if key is None:
        label = rivals().boards[board].label
        return Unavailable(f"no open model that is sold by the token scores as much as {paid.label} on {label}")
    other = setting.catalogue.hosted[key]
    note = (
        f"{other.label} counts as like {paid.label} by {scores_text(paid, other.model, board)}. No board holds for all "
        "tasks: choose another under “An open model counts as like it by”"
    )
    return priced_tokens(setting, key, "Pay for an open model like it", note)


WAY = OptionSpec(
    key="alike",
    place=14,
    side="rent",
    build=build,
    name="Open model like it",
    verdict_text="Use an open model by the token",
    gerund="an open model like it",
    result_text="with {what}, an open model like it",
    purchase_text="by the token",
    style=ChartStyle("#166534", "#86efac", "longdash", "triangle-up"),
    inputs="bill",
    when_empty="left out",
    is_billed_by_token=True,
)
