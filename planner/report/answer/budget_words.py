"""A budget for the whole plan: what each of the ways to spend it takes and leaves."""

from planner.money.verdict.answer import Answer
from planner.money.ways import WAYS
from planner.report import words
from planner.report.title import current_option

_MOST_WAYS = 3


def budget_sentences(answer: Answer) -> tuple[str, ...]:
    """Return what the cheapest ways of up to three groups leave of the budget; nothing where none is entered."""
    usd, current = answer.plan.setting.terms.budget_usd, current_option(answer)
    ways = [way for way in answer.cards if way is not current][:_MOST_WAYS]
    if usd is None or not ways:
        return ()
    each = [_spent_text(WAYS[way.option.way].start_text, float(way.measures.bills_usd), usd) for way in ways]
    return (f"Of your {words.usd(usd)}, in total cash: {'; '.join(each)}.",)


def _spent_text(name: str, spent_usd: float, budget_usd: float) -> str:
    left = budget_usd - spent_usd
    if left < 0:
        return f"{name} takes {words.usd(spent_usd)}, {words.usd(-left)} too much"
    return f"{name} takes {words.usd(spent_usd)} and leaves {words.usd(left)}"
