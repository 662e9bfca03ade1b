"""Words for plans that sell idle hours: what they bring, and, where that is all there is to do, whether it pays."""

from planner.money.measures import todays
from planner.money.plan import Plan
from planner.money.selling import PRICE, SHARE
from planner.money.verdict.answer import Answer
from planner.money.verdict.breakeven import value_of
from planner.money.verdict.weighed import Weighed
from planner.money.ways import WAYS
from planner.report import words
from planner.report.futures.counted import share_words
from planner.report.seller import seller_of, share_that_pays
from planner.scenario.durations import years_words


def seller_sentences(plan: Plan, found: Answer, bought: str) -> tuple[str, ...]:
    """What buying to sell comes to, how sure that is, and that renting is no other way to do it."""
    own, rent = seller_of(found), found.rent
    assert own is not None
    share, rate = share_that_pays(found, own), words.percent(plan.setting.discount_rate_per_year, 1)
    result = -own.present_usd
    brings = f"{'gain' if result >= 0 else 'lose'} about {words.usd(abs(result))}{_ends(own)}"
    years = years_words(plan.setting.scenario.years)
    return (
        f"Over {years}, {bought}, with {_terms(own)}, {brings}: in today's money, at {rate} a year, against not "
        "buying.",
        *(() if share is None else (f"It pays in {share_words(share)} simulated futures.",)),
        *(() if rent is None else (f"{_NO_USE}: {words.usd(rent.present_usd)}.",)),
    )


_NO_USE = "Renting beside it has no use but for the little work of your own"


def _ends(way: Weighed) -> str:
    """The range of what it gains or loses; where both can be, each is named."""
    low, high = (words.usd(abs(usd)) for usd in (way.low_usd, way.high_usd))
    if low == high:
        return ""
    if way.low_usd < 0 < way.high_usd:
        return f" (from a loss of {high} to a gain of {low})"
    return f" ({high} to {low})" if way.high_usd < 0 else f" ({low} to {high})"


def income_sentences(found: Answer) -> tuple[str, ...]:
    """What idle hours bring, where some are sold beside one's own work."""
    told = (*(found.pair or (found.best,)), found.own)
    way = next((one for one in told if one is not None and value_of(PRICE, one.option.ledger)), None)
    if way is None:
        return ()
    ledger = todays(found.plan.setting, way.option.ledger)
    usd = words.usd(-float(ledger.part_usd("income") + ledger.part_usd("selling")))
    doing = WAYS[way.option.way].doing
    return (f"In it, {doing} has {_terms(way)}: {usd} in today's money, before the electricity they take.",)


def _terms(way: Weighed) -> str:
    """At which share, price and fee hours are sold."""
    share, usd, fee = (value_of(name, way.option.ledger) for name in (SHARE, PRICE, "sale_fee_share"))
    less = f", less {words.percent(fee[0])} for who sells them" if fee and fee[0] else ""
    sold = words.percent(share[0]) if share else "part"
    return f"{sold} of idle hours sold at {words.usd_per_hour(usd[0] if usd else 0.0)}{less}"
