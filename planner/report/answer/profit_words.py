"""Profit and loss of sold hours in words and tables: the rows by year, and the break-even of selling."""

from collections.abc import Callable

from planner.money.accounting.fiscal import periods
from planner.money.measures import discounted_ledger
from planner.money.plan import Plan
from planner.money.profit_and_loss import MOST_TIMES, sells_hours
from planner.money.selling import PRICE, SHARE, is_resale_only
from planner.money.verdict.answer import Answer
from planner.money.verdict.breakeven import ledger_input_value
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.books import ALWAYS, PROFIT_LABELS, option_profit_and_loss
from planner.report.files import document_parts as parts
from planner.report.futures.counted import format_futures_count
from planner.report.table import Table, text_table
from planner.report.title import hour_selling_option, profitable_share
from planner.report.words import Tile
from planner.scenario.durations import years_words

HEAD = "profit and loss, USD as billed"


def primary_selling_option(answer: Answer) -> EvaluatedOption | None:
    """Return the option whose profit and loss comes first: the best that sells hours, an owning one before others."""
    ways = (hour_selling_option(answer), answer.best, answer.own, *answer.ranked)
    return next((way for way in ways if way is not None and sells_hours(way.option)), None)


def profit_table(plan: Plan, way: EvaluatedOption, *, quarters: bool = False) -> Table:
    """Return the rows by year or quarter and in total, without those that are always 0."""
    spans = periods(plan.setting, quarters=quarters, has_today=False)
    rows = [
        {"USD, income above 0": PROFIT_LABELS[name], **spans.by_label(usd), "All years": float(usd.sum())}
        for name, usd in option_profit_and_loss(plan.setting, way).by_month.items()
        if name in ALWAYS or usd.any()
    ]
    return Table.of(rows)


def break_even_sentences(plan: Plan, way: EvaluatedOption) -> tuple[str, ...]:
    """Return the price and the share without a loss, as billed and discounted to today."""
    if not sells_hours(way.option):
        return ()
    profit = option_profit_and_loss(plan.setting, way)
    by_price, by_share = f"at no price up to {MOST_TIMES:g} times yours", "not even if all idle hours are sold"
    if profit.break_even_usd is not None:
        usd = profit.break_even_usd_today
        today = "at none" if usd is None else words.usd_per_hour(usd)
        by_price = f"from {words.usd_per_hour(profit.break_even_usd)} a sold hour on (discounted to today {today})"
    if profit.break_even_share is not None:
        share = profit.break_even_share_today
        today = "not even all are enough" if share is None else words.percent(share)
        sold = words.percent(profit.break_even_share)
        by_share = f"if {sold} of the idle hours are sold (discounted to today {today})"
    is_seller = is_resale_only(plan.setting, way.option.accelerators)
    beside = "" if is_seller else ", though it also pays for your own work"
    return (f"{way.option.title}: as billed, nothing is lost {by_price}; at your price, {by_share}{beside}.",)


def seller_tiles(plan: Plan, way: EvaluatedOption) -> tuple[Tile, ...]:
    """Return the tiles of a buyer who only sells: gain or loss, and the break-even price and share."""
    profit = option_profit_and_loss(plan.setting, way)
    is_gain, ledger = way.present_usd <= 0, way.option.ledger
    low, high = sorted((-way.low_usd, -way.high_usd)) if is_gain else (way.low_usd, way.high_usd)
    ends = "no range" if low == high else f"{words.format_usd_short(low)} to {words.format_usd_short(high)}"
    detail = f"{way.option.title}: the whole plan discounted to today, less sales; 8 of 10 futures lie in the range"

    def break_even(label: str, value: float | None, write: Callable[[float], str], name: str) -> Tile:
        you = ledger_input_value(name, ledger)
        yours = "" if you is None else f"you: {write(you[0])}"
        return Tile(label, "none" if value is None else write(value), yours, "Discounted to today, all else as it is")

    return (
        Tile("Gain" if is_gain else "Loss", words.format_usd_short(abs(way.present_usd)), ends, detail),
        break_even("Pays at a price of", profit.break_even_usd_today, words.usd_per_hour, PRICE),
        break_even("Pays if you sell", profit.break_even_share_today, words.percent, SHARE),
    )


def profit_text(plan: Plan, way: EvaluatedOption) -> str:
    """Return table and sentence for a terminal; empty where no hours are sold."""
    if not sells_hours(way.option):
        return ""
    return "\n".join((text_table(profit_table(plan, way)), *break_even_sentences(plan, way)))


def profit_csv(answer: Answer) -> Table:
    """Return one row for each option, each row of its profit and loss, and each year."""
    rows = [
        {"option": way.option.key, "row": name, "label": PROFIT_LABELS[name], "year": year, "usd": float(amount)}
        for way in answer.ranked
        for name, usd in option_profit_and_loss(answer.plan.setting, way).rows.items()
        for year, amount in enumerate(usd, start=1)
    ]
    return Table.of(rows, ("option", "row", "label", "year", "usd"))


def profit_document(plan: Plan, way: EvaluatedOption) -> parts.ProfitAndLossSchema | None:
    """Return profit and loss as JSON has it."""
    if not sells_hours(way.option):
        return None
    profit = option_profit_and_loss(plan.setting, way)
    rows = tuple(
        parts.ProfitRowSchema(
            name=name, label=PROFIT_LABELS[name], by_year_usd=tuple(usd.tolist()), total_usd=float(usd.sum())
        )
        for name, usd in profit.rows.items()
    )
    return parts.ProfitAndLossSchema(
        rows=rows,
        break_even_usd_per_hour_sold=profit.break_even_usd,
        break_even_usd_per_hour_sold_today=profit.break_even_usd_today,
        break_even_sold_share=profit.break_even_share,
        break_even_sold_share_today=profit.break_even_share_today,
    )


def seller_sentences(plan: Plan, answer: Answer, bought: str) -> tuple[str, ...]:
    """Return the result of buying to sell, its probability, and that renting is no other way to do it."""
    own, rent = hour_selling_option(answer), answer.rent
    assert own is not None
    share, rate = profitable_share(answer), words.percent(plan.setting.discount_rate_per_year, 1)
    brings = f"{'gain' if own.present_usd <= 0 else 'lose'} about {words.usd(abs(own.present_usd))}{_range_text(own)}"
    sentences = [
        f"Over {years_words(plan.setting.scenario.years)}, {bought}, with {_terms_text(own)}, {brings}: in today's "
        f"money, discount rate {rate} a year, against not buying."
    ]
    if share is not None:
        sentences.append(f"It pays in {format_futures_count(share)} simulated futures.")
    if rent is not None:
        sentences.append(f"Renting serves only the little work of your own: {words.usd(rent.present_usd)}.")
    return tuple(sentences)


def _range_text(way: EvaluatedOption) -> str:
    """Return the range of the gain or loss; where both are possible, each is named."""
    low, high = (words.usd(abs(usd)) for usd in (way.low_usd, way.high_usd))
    if low == high:
        return ""
    if way.low_usd < 0 < way.high_usd:
        return f" (from a loss of {high} to a gain of {low})"
    return f" ({high} to {low})" if way.high_usd < 0 else f" ({low} to {high})"


def income_sentences(answer: Answer) -> tuple[str, ...]:
    """Return the income from idle hours, where some are sold beside one's own work."""
    ways = (*(answer.pair or (answer.best,)), answer.own)
    way = next((way for way in ways if way is not None and ledger_input_value(PRICE, way.option.ledger)), None)
    if way is None:
        return ()
    ledger = discounted_ledger(answer.plan.setting, way.option.ledger)
    usd = words.usd(-float(ledger.part_usd("income") + ledger.part_usd("selling")))
    terms = f"{WAYS[way.option.way].gerund} has {_terms_text(way)}"
    return (f"In it, {terms}: {usd} discounted to today, before the electricity they take.",)


def _terms_text(way: EvaluatedOption) -> str:
    share, usd, fee = (ledger_input_value(name, way.option.ledger) for name in (SHARE, PRICE, "sale_fee_share"))
    less = f", less a fee of {words.percent(fee[0])}" if fee and fee[0] else ""
    sold = words.percent(share[0]) if share else "part"
    return f"{sold} of idle hours sold at {words.usd_per_hour(usd[0] if usd else 0.0)}{less}"
