"""What a guarantee of the resale is worth, in words: where it is entered, and in the answer."""

from planner.report import words
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.guarantee import guarantee_worth


def guarantee_sentence(drawn: Futures | None) -> str:
    """What it pays on average over the futures, beside what it costs; empty where there is none."""
    found = None if drawn is None else guarantee_worth(drawn)
    if found is None:
        return ""
    paid, money = words.usd_short(found.paid_usd), "in today's money and before tax"
    pays = f"it pays in {words.times_of_100(found.paying_share)} futures, and {paid} on average over all of them"
    if found.cost_usd <= 0:
        return f"The guarantee of the resale is entered as free; {pays}, {money}."
    more = "more" if found.gain_usd >= 0 else "less"
    beside = f"{words.usd_short(abs(found.gain_usd))} {more} than it costs"
    return f"The guarantee of the resale costs {words.usd_short(found.cost_usd)}; {pays}: {beside}, {money}."
