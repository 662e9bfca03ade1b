"""Profit and loss in words and tables, for who sells hours: the rows by year, and where selling breaks even."""

from collections.abc import Callable

from planner.money.measures import discounted_ledger
from planner.money.plan import Plan
from planner.money.profit_and_loss import MOST_TIMES, ROWS, ProfitAndLoss, profit_and_loss
from planner.money.selling import PRICE, SHARE, is_resale_only
from planner.money.setting import PlanContext
from planner.money.verdict.answer import Answer
from planner.money.verdict.breakeven import value_of
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.files import document_parts as parts
from planner.report.futures.counted import format_futures_count
from planner.report.table import Table, text_table
from planner.report.title import hour_selling_option, profitable_share
from planner.report.words import Tile
from planner.scenario.durations import years_words
from pricing.caching import cached

HEAD = "profit and loss, USD as billed"
LABELS = dict(
    zip(
        ROWS,
        (
            "Hours sold on", "Fees, and selling them", "Electricity", "Space", "People", "Upkeep",
            "Lease, other payments",
            "Rented beside it", "EBITDA", "Written off in the books", "Sales, less what the books held", "Interest",
            "Profit before tax", "Tax and VAT", "Profit", "Cash, beside it",
        ),
        strict=True,
    )
)  # fmt: skip
ALWAYS = frozenset({"revenue", "ebitda", "depreciation", "before_tax", "profit", "cash"})


@cached(16)
def option_profit_and_loss(setting: PlanContext, way: EvaluatedOption) -> ProfitAndLoss | None:
    """Profit and loss of a way; None where it sells no hours."""
    return profit_and_loss(setting, way.option)


def primary_selling_option(answer: Answer) -> EvaluatedOption | None:
    """The way whose profit and loss is shown first: the best of those that sell hours, one's own before others."""
    wanted = (hour_selling_option(answer), answer.best, answer.own, *answer.ranked)
    return next(
        (way for way in wanted if way is not None and option_profit_and_loss(answer.plan.setting, way) is not None),
        None,
    )


def profit_table(plan: Plan, way: EvaluatedOption) -> Table | None:
    """The rows by year and in all; those in which nothing ever moves are left out."""
    told = option_profit_and_loss(plan.setting, way)
    if told is None:
        return None
    rows = []
    for name, usd in told.rows.items():
        if name in ALWAYS or usd.any():
            years = {f"Year {year}": float(amount) for year, amount in enumerate(usd, start=1)}
            rows.append({"USD, income above nought": LABELS[name], **years, "All years": float(usd.sum())})
    return Table.of(rows)


def break_even_sentences(plan: Plan, way: EvaluatedOption) -> tuple[str, ...]:
    """The price and the share at which nothing is lost, as billed and in today's money."""
    told = option_profit_and_loss(plan.setting, way)
    if told is None:
        return ()
    price, share = told.break_even_usd, told.break_even_share
    by_price = f"at no price up to {MOST_TIMES:g} times yours"
    if price is not None:
        today = _today(told.break_even_usd_today, words.usd_per_hour, "at none")
        by_price = f"from {words.usd_per_hour(price)} a sold hour on ({today})"
    by_share = "not even if all idle hours are sold"
    if share is not None:
        today = _today(told.break_even_share_today, words.percent, "not even all are enough")
        by_share = f"if {words.percent(share)} of the idle hours are sold ({today})"
    beside = (
        "" if is_resale_only(plan.setting, way.option.accelerators) else ", though your own work is paid for by it too"
    )
    return (f"{way.option.title}: as billed, nothing is lost {by_price}; at your price, {by_share}{beside}.",)


def _today(value: float | None, write: Callable[[float], str], none: str) -> str:
    return f"in today's money {none if value is None else write(value)}"


def seller_tiles(plan: Plan, way: EvaluatedOption) -> tuple[Tile, ...]:
    """What who only sells wants to know first: gain or loss, and the price and the share from which on it pays."""
    told = option_profit_and_loss(plan.setting, way)
    if told is None:
        return ()
    price, share = told.break_even_usd_today, told.break_even_share_today
    is_gain = way.present_usd <= 0
    low, high = sorted((-way.low_usd, -way.high_usd)) if is_gain else (way.low_usd, way.high_usd)
    ends = "no range" if low == high else f"{words.format_usd_short(low)} to {words.format_usd_short(high)}"
    said = f"{way.option.title}: the whole plan in today's money, less what is sold; 8 of 10 futures lie in the range"
    return (
        Tile("Gain" if is_gain else "Loss", words.format_usd_short(abs(way.present_usd)), ends, said),
        _break_even_tile("Pays at a price of", price, words.usd_per_hour, value_of(PRICE, way.option.ledger)),
        _break_even_tile("Pays if you sell", share, words.percent, value_of(SHARE, way.option.ledger)),
    )


def _break_even_tile(
    label: str, value: float | None, write: Callable[[float], str], you: tuple[float, str] | None
) -> Tile:
    yours = "" if you is None else f"you: {write(you[0])}"
    return Tile(label, "none" if value is None else write(value), yours, "In today's money, all else as it is")


def profit_text(plan: Plan, way: EvaluatedOption) -> str:
    """Table and sentence for a terminal; empty where no hours are sold."""
    table = profit_table(plan, way)
    return "" if table is None else "\n".join((text_table(table), *break_even_sentences(plan, way)))


def profit_csv(answer: Answer) -> Table:
    """Every way that sells hours: one row for each row of its profit and loss and each year."""
    columns = ("option", "row", "label", "year", "usd")
    rows = [
        {"option": way.option.key, "row": name, "label": LABELS[name], "year": year, "usd": float(amount)}
        for way in answer.ranked
        if (told := option_profit_and_loss(answer.plan.setting, way)) is not None
        for name, usd in told.rows.items()
        for year, amount in enumerate(usd, start=1)
    ]
    return Table.of(rows, columns)


def profit_document(plan: Plan, way: EvaluatedOption) -> parts.ProfitAndLossSchema | None:
    """The same as JSON has it."""
    told = option_profit_and_loss(plan.setting, way)
    if told is None:
        return None
    return parts.ProfitAndLossSchema(
        rows=tuple(
            parts.ProfitRowSchema(
                name=name, label=LABELS[name], by_year_usd=tuple(usd.tolist()), total_usd=float(usd.sum())
            )
            for name, usd in told.rows.items()
        ),
        break_even_usd_per_hour_sold=told.break_even_usd,
        break_even_usd_per_hour_sold_today=told.break_even_usd_today,
        break_even_sold_share=told.break_even_share,
        break_even_sold_share_today=told.break_even_share_today,
    )


def seller_sentences(plan: Plan, answer: Answer, bought: str) -> tuple[str, ...]:
    """What buying to sell comes to, how sure that is, and that renting is no other way to do it."""
    own, rent = hour_selling_option(answer), answer.rent
    assert own is not None
    share, rate = profitable_share(answer, own), words.percent(plan.setting.discount_rate_per_year, 1)
    result = -own.present_usd
    brings = f"{'gain' if result >= 0 else 'lose'} about {words.usd(abs(result))}{_ends(own)}"
    years = years_words(plan.setting.scenario.years)
    return (
        f"Over {years}, {bought}, with {_terms(own)}, {brings}: in today's money, at {rate} a year, against not "
        "buying.",
        *(() if share is None else (f"It pays in {format_futures_count(share)} simulated futures.",)),
        *(() if rent is None else (f"{_NO_USE}: {words.usd(rent.present_usd)}.",)),
    )


_NO_USE = "Renting beside it has no use but for the little work of your own"


def _ends(way: EvaluatedOption) -> str:
    """The range of what it gains or loses; where both can be, each is named."""
    low, high = (words.usd(abs(usd)) for usd in (way.low_usd, way.high_usd))
    if low == high:
        return ""
    if way.low_usd < 0 < way.high_usd:
        return f" (from a loss of {high} to a gain of {low})"
    return f" ({high} to {low})" if way.high_usd < 0 else f" ({low} to {high})"


def income_sentences(answer: Answer) -> tuple[str, ...]:
    """What idle hours bring, where some are sold beside one's own work."""
    told = (*(answer.pair or (answer.best,)), answer.own)
    way = next((way for way in told if way is not None and value_of(PRICE, way.option.ledger)), None)
    if way is None:
        return ()
    ledger = discounted_ledger(answer.plan.setting, way.option.ledger)
    usd = words.usd(-float(ledger.part_usd("income") + ledger.part_usd("selling")))
    doing = WAYS[way.option.way].doing
    return (f"In it, {doing} has {_terms(way)}: {usd} in today's money, before the electricity they take.",)


def _terms(way: EvaluatedOption) -> str:
    """At which share, price and fee hours are sold."""
    share, usd, fee = (value_of(name, way.option.ledger) for name in (SHARE, PRICE, "sale_fee_share"))
    less = f", less {words.percent(fee[0])} for who sells them" if fee and fee[0] else ""
    sold = words.percent(share[0]) if share else "part"
    return f"{sold} of idle hours sold at {words.usd_per_hour(usd[0] if usd else 0.0)}{less}"
