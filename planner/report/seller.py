"""Who buys machines to sell their hours does not ask "rent or buy?" but whether to buy at all: the title he reads."""

from planner.money.selling import is_resale_only
from planner.money.verdict.answer import PROBABLE, Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS


def hour_selling_option(found: Answer) -> EvaluatedOption | None:
    """The way that owns, where its machines do hardly any work of one's own and the hours are sold; else None."""
    own = found.best if found.best and WAYS[found.best.option.way].owns else found.own
    if own is None or not is_resale_only(found.plan.setting, own.option.accelerators):
        return None
    return own


def profitable_share(found: Answer, own: EvaluatedOption) -> float | None:
    """In which share of futures owning costs less than renting, which costs a seller next to nothing.

    None where renting was not what it was weighed against.
    """
    pair = [one for one in (found.best, found.against) if one is not None]
    if found.share_cheaper is None or own not in pair or not any(WAYS[one.option.way].rents_machines for one in pair):
        return None
    return found.share_cheaper if found.best is own else 1 - found.share_cheaper


def selling_title(found: Answer) -> str | None:
    """The verdict of who only sells; None for everybody else."""
    own = hour_selling_option(found)
    if own is None or found.best is None or found.limit is not None:
        return None
    pays = f"{WAYS[own.option.way].advice} and sell the hours: it pays"
    if profitable_share(found, own) is None:  # only ways to own were weighed; not buying costs nothing
        return f"{pays}." if own.present_usd < 0 else f"{_NOT}."
    if found.verdict == "close":
        return "Too close to call: what is sold about pays for the machines."
    if found.best is not own and own.present_usd < 0:
        return None  # it pays, and something else pays better
    advice = pays if found.best is own else _NOT
    return f"Probably {advice[0].lower()}{advice[1:]}." if found.verdict in PROBABLE else f"{advice}."


_NOT = "Do not buy to sell: it does not pay"
