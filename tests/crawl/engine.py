"""What the engine itself says of a plan: every other place is compared with this."""

from typing import Any

from planner.money.measures import discounted_ledger
from planner.money.renting.orders import busiest_order
from planner.report.answer.plan_report import PlanReport, PlanResult
from planner.report.answer.side_by_side import compare_table
from planner.report.mix_report import mix_text
from planner.study.buy_or_wait import BuyOrWaitUnavailable, waiting
from planner.study.measures import MEASURES, results_of
from planner.study.mix.best_mix import MixUnavailable, best_mix
from planner.study.uncertainty.tornado import tornado
from tests.crawl.figures import HALF, PLAN, Figures

_COMPARED = {"present_usd": "net present cost", "total_cash_usd": "total cash", "cash_today_usd": "cash on day one"}


def read_engine(figures: Figures, result: PlanResult) -> None:
    """Note the measures of each option, its parts, break-evens, what moves the saving, and what an order pays."""
    answer = result.answer
    _read_options(figures, result)
    if answer.shares is not None and answer.share_cheaper is not None:
        figures.add(PLAN, "lead_per_100", 100 * answer.share_cheaper, "answer", HALF)
    figures.say("title", result.summary.title)
    for even in answer.break_evens:
        if even.name != "month":
            figures.add(PLAN, f"even {even.name}", even.value, "break-evens")
    if answer.pair is not None:
        first, second = answer.pair
        figures.add(first.option.title, "payback_discounted_months", answer.payback.months, "answer")
        figures.add(PLAN, "saved_usd", second.as_entered_usd - first.as_entered_usd, "as entered", 0.01)
        _read_bars(figures, result)
    _read_studies(figures, result)
    _read_orders(figures, result)
    _read_comparison(figures, result)


def _read_options(figures: Figures, result: PlanResult) -> None:
    """Note the measures and the parts of each option."""
    futures = result.futures
    for each in results_of(result.plan, result.answer, futures):
        title = each.way.option.title
        for measure in MEASURES:
            figures.add(title, measure.name, measure.number(each), "measures")
        if futures is not None and each.present is not None:
            figures.add(title, "cheapest_per_100", 100 * futures.cheapest_share[each.key], "futures", HALF)
            figures.add(title, "present_usd", each.present.middle, "futures")
        ledger = discounted_ledger(result.plan.setting, each.way.option.ledger)
        for part in {line.part for line in ledger.lines}:
            figures.add(title, f"part: {part}", ledger.part_usd(part), "ledger")


def _read_bars(figures: Figures, result: PlanResult) -> None:
    """Note what each input alone does to the saving."""
    assert result.answer.pair is not None
    first, second = (way.option for way in result.answer.pair)
    for bar in tornado(result.plan, first, second):
        figures.add(PLAN, f"low end of {bar.input.name}", bar.saved_low_usd, "tornado")
        figures.add(PLAN, f"high end of {bar.input.name}", bar.saved_high_usd, "tornado")
        for end in ("low", "typical", "high"):
            figures.add(PLAN, f"drawn {bar.input.name} {end}", getattr(bar.input.spread, end), "tornado")
        if bar.input.name in ("usd_per_kwh", "usd_per_server", "usd_per_accelerator", "lead_time_months"):
            figures.add(PLAN, f"even {bar.input.name}", bar.flip, "tornado", 0.002 * abs(bar.flip or 0.0))


def _read_studies(figures: Figures, result: PlanResult) -> None:
    """Note what an order today costs, and the best mix: both are options of the plan, as entered."""
    study, mix = waiting(result.plan), result.plan.option("mix")
    own = result.plan.option("own")
    if not isinstance(study, BuyOrWaitUnavailable) and own is not None and study.title == own.title:
        figures.add(own.title, "as_entered_usd", study.now_usd, "buy or wait", 0.01)
        figures.add(PLAN, "order in month 0 present_usd", study.now_usd, "buy or wait", 0.01)
    best = best_mix(result.plan)
    if mix is not None and not isinstance(best, MixUnavailable) and mix_text(best.mix) == mix.title:
        figures.add(mix.title, "as_entered_usd", best.usd, "best mix", 0.01)


def _read_orders(figures: Figures, result: PlanResult) -> None:
    """Note what the plan's order on demand pays."""
    setting = result.plan.setting
    price = setting.offers.market_price(setting.offers.on_demand)
    if price is not None and price.count == busiest_order(setting).accelerators:
        for end in ("low", "typical", "high"):
            figures.add(f"order of {price.count} on_demand", end, getattr(price.band, end), "plan")


def _read_comparison(figures: Figures, result: PlanResult) -> None:
    """Note what plans side by side say of this one."""
    answer = result.answer
    table = compare_table([PlanReport("plan", result.plan, answer, result.summary, futures=result.futures)])
    cells: dict[str, Any] = dict(zip(table["Measure"], table[table.columns[1]], strict=True))
    figures.say("title", cells["Verdict"])
    figures.add(PLAN, "days of a run", cells.get("One run takes, days"), "compare table")
    figures.add(PLAN, "memory of each, GB", cells.get("Memory needed of each GPU, GB"), "compare table")
    figures.add(PLAN, "serving output_tokens_per_s", cells.get("Tokens a second"), "compare table")
    figures.add(PLAN, "serving accelerators_at_peak", cells.get("GPUs at the peak"), "compare table")
    resolved = result.plan.setting.resolved
    for served in resolved.servings[:1] if resolved else ():
        figures.add(PLAN, "serving accelerators_at_average", served.accelerators_at_average, "plan")
    if answer.shares is not None:
        figures.add(PLAN, "lead_per_100", cells["Best option cheaper in so many of 100 futures"], "compare table", HALF)
    for label, way in (("Best option", answer.best), ("Own", answer.own), ("Rent", answer.rent)):
        for measure, text in _COMPARED.items() if way else ():
            figures.add(way.option.title if way else "", measure, cells[f"{label}, {text}, USD"], "compare table")
    for label, name in (("Utilization, share of hours", "busy_share"), ("Electricity, per kWh", "usd_per_kwh")):
        figures.add(PLAN, f"even {name}", cells.get(f"Same cost at: {label}"), "compare table")
