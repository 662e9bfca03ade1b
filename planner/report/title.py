"""The verdict as a title."""

from planner.money.selling import is_resale_only
from planner.money.verdict.answer import PROBABLE, Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words


def title(answer: Answer) -> str:
    """The verdict in as few words as it takes."""
    if (said := selling_title(answer)) is not None:
        return said
    if answer.verdict == "close":
        return _tie_title(answer)
    if answer.best is None:
        cannot_be_had = "on_demand" in answer.plan.setting.offers.lacks
        return "Not to be had as asked." if cannot_be_had else "Not enough to answer yet."
    if answer.limit is not None and answer.limit.is_least:
        return f"Nothing keeps to {answer.limit.limited_quantity}: {answer.limit.said}."
    advice = _advice_text(answer.best)
    if answer.asked is not None and answer.best.option.way == "own" and answer.best is not answer.asked:
        advice = f"Buy {answer.best.option.accelerators:,.0f}, not {answer.asked.option.accelerators:,.0f}"
    if answer.verdict in PROBABLE:
        advice = f"Probably {words.lower_first(advice)}"
    return f"{advice}." if answer.limit is None else f"{advice}: {answer.limit.said}."


def _advice_text(way: EvaluatedOption) -> str:
    """What to do who chooses a way; a mix says how much of each."""
    record = WAYS[way.option.way]
    return way.option.title if record.side == "mix" else record.advice


def _tie_title(answer: Answer) -> str:
    """Two ways that cost the same; where one is a part of everything, both are named: it is no either-or."""
    pair = answer.pair or ()
    if not any(WAYS[way.option.way].side == "mix" for way in pair):
        return "Too close to call."
    first, second = sorted(pair, key=lambda one: WAYS[one.option.way].side == "mix")
    other = _advice_text(second)
    return f"{_advice_text(first)}, or {words.lower_first(other)}: about the same."


def hour_selling_option(answer: Answer) -> EvaluatedOption | None:
    """The way that owns, where its machines do hardly any work of one's own and the hours are sold; else None."""
    own = answer.best if answer.best and WAYS[answer.best.option.way].owns else answer.own
    if own is None or not is_resale_only(answer.plan.setting, own.option.accelerators):
        return None
    return own


def profitable_share(answer: Answer, own: EvaluatedOption) -> float | None:
    """In which share of futures owning costs less than renting, which costs a seller next to nothing.

    None where renting was not what it was weighed against.
    """
    pair = [way for way in (answer.best, answer.against) if way is not None]
    if answer.share_cheaper is None or own not in pair or not any(WAYS[way.option.way].rents_machines for way in pair):
        return None
    return answer.share_cheaper if answer.best is own else 1 - answer.share_cheaper


def selling_title(answer: Answer) -> str | None:
    """The verdict of who only sells; None for everybody else."""
    own = hour_selling_option(answer)
    if own is None or answer.best is None or answer.limit is not None:
        return None
    pays = f"{WAYS[own.option.way].advice} and sell the hours: it pays"
    if profitable_share(answer, own) is None:  # only ways to own were weighed; not buying costs nothing
        return f"{pays}." if own.present_usd < 0 else f"{_NOT}."
    if answer.verdict == "close":
        return "Too close to call: what is sold about pays for the machines."
    if answer.best is not own and own.present_usd < 0:
        return None  # it pays, and something else pays better
    advice = pays if answer.best is own else _NOT
    return f"Probably {words.lower_first(advice)}." if answer.verdict in PROBABLE else f"{advice}."


_NOT = "Do not buy to sell: it does not pay"
