"""The verdict as a title."""

from planner.money.selling import is_resale_only
from planner.money.verdict.answer import PROBABLE, Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words

_NOT = "Do not buy to sell: it does not pay"


def title(answer: Answer) -> str:
    """Return the verdict in as few words as possible."""
    if (selling := selling_title(answer)) is not None:
        return selling
    if answer.verdict == "close":
        return _tie_title(answer)
    if answer.best is None:
        is_sold_out = "on_demand" in answer.plan.setting.offers.lacks
        return "Not available as asked." if is_sold_out else "Not enough to answer yet."
    if answer.limit is not None and answer.limit.is_unavoidable:
        return f"Nothing keeps to {answer.limit.limited_quantity}: {answer.limit.message}."
    advice = _advice_text(answer.best)
    if answer.requested is not None and answer.best.option.way == "own" and answer.best is not answer.requested:
        advice = f"Buy {answer.best.option.accelerators:,.0f}, not {answer.requested.option.accelerators:,.0f}"
    if answer.verdict in PROBABLE:
        advice = f"Probably {words.lower_first(advice)}"
    return f"{advice}." if answer.limit is None else f"{advice}: {answer.limit.message}."


def _advice_text(way: EvaluatedOption) -> str:
    """Return the action that an option stands for; a mix states the number of each."""
    spec = WAYS[way.option.way]
    return way.option.title if spec.side == "mix" else spec.verdict_text


def _tie_title(answer: Answer) -> str:
    """Return the title of a tie; where one option is a mix both are named, since it is no either-or."""
    first, *others = sorted(answer.pair or (), key=lambda way: WAYS[way.option.way].side == "mix")
    if not others or WAYS[others[0].option.way].side != "mix":
        return "Too close to call."
    return f"{_advice_text(first)}, or {words.lower_first(_advice_text(others[0]))}: about the same."


def hour_selling_option(answer: Answer) -> EvaluatedOption | None:
    """Return the owning option if its hours are sold and it does hardly any work of one's own; else None.

    The buyer of such machines does not ask "rent or buy?" but whether to buy at all.
    """
    own = answer.best if answer.best and WAYS[answer.best.option.way].owns else answer.own
    return own if own is not None and is_resale_only(answer.plan.setting, own.option.accelerators) else None


def profitable_share(answer: Answer, own: EvaluatedOption) -> float | None:
    """Return the share of futures in which owning costs less than renting, which costs a seller next to nothing.

    None where the comparison was not with renting.
    """
    pair = [way for way in (answer.best, answer.against) if way is not None]
    if answer.share_cheaper is None or own not in pair or not any(WAYS[way.option.way].rents_machines for way in pair):
        return None
    return answer.share_cheaper if answer.best is own else 1 - answer.share_cheaper


def selling_title(answer: Answer) -> str | None:
    """Return the verdict for a buyer who only sells; None for all others."""
    own = hour_selling_option(answer)
    if own is None or answer.best is None or answer.limit is not None:
        return None
    pays = f"{WAYS[own.option.way].verdict_text} and sell the hours: it pays"
    if profitable_share(answer, own) is None:  # only owning was compared; not buying costs nothing
        return f"{pays}." if own.present_usd < 0 else f"{_NOT}."
    if answer.verdict == "close":
        return "Too close to call: the sold hours about pay for the machines."
    if answer.best is not own and own.present_usd < 0:
        return None  # it pays, and another option pays better
    advice = pays if answer.best is own else _NOT
    return f"Probably {words.lower_first(advice)}." if answer.verdict in PROBABLE else f"{advice}."
