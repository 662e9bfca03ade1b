"""Who buys machines to sell their hours does not ask "rent or buy?" but whether to buy at all: the title he reads."""

from __future__ import annotations

from planner.money.selling import only_sells
from planner.money.verdict.answer import PROBABLE, Answer, Weighed
from planner.money.ways import WAYS


def seller_of(found: Answer) -> Weighed | None:
    """The way that owns, where its machines do hardly any work of one's own and the hours are sold; else None."""
    own = found.best if found.best and WAYS[found.best.option.way].owns else found.own
    if own is None or found.rent is None or not only_sells(found.plan.setting, own.option.accelerators):
        return None
    return own


def seller_title(found: Answer) -> str | None:
    """The verdict of who only sells; None for everybody else."""
    own = seller_of(found)
    if own is None or found.best is None or found.limit is not None:
        return None
    if found.verdict == "close":
        return "Too close to call: what is sold about pays for the machines."
    if found.best is own:
        advice = f"{WAYS[own.option.way].advice} and sell the hours: it pays"
    elif own.present_usd < 0:
        return None  # it pays, and something else pays better
    else:
        advice = "Do not buy to sell: it does not pay"
    return f"Probably {advice[0].lower()}{advice[1:]}." if found.verdict in PROBABLE else f"{advice}."
