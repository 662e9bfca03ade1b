"""Where no mix is looked for: what was tried all the same, and by how much each costs more than the cheapest way."""

from collections.abc import Sequence

from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.mix.mix_words import in_words
from planner.report.table import Table
from planner.study.mix.search import Tried

COST, MORE = "Today's money, USD", "More than the cheapest"


def tried_sentences(found: Answer, tried: Sequence[Tried]) -> tuple[str, ...]:
    """The cheapest way alone, and how far the nearest mix is from it."""
    if not found.ranked:
        return ()
    best = found.ranked[0]
    alone = f"The cheapest way alone is {best.option.title}: {words.usd(best.present_usd)} in today's money."
    if not tried:
        return (alone, "Nothing here can be divided between two ways.")
    nearest = tried[0]
    said = f"{in_words(nearest.mix)}: {words.usd(nearest.usd)}"
    return (alone, f"Of {words.count(len(tried), 'mix', 'mixes')} tried, this costs the least: {said}.")


def tried_table(found: Answer, tried: Sequence[Tried]) -> Table:
    """Every way alone and every mix that was tried, the cheapest first."""
    costs = [(one.option.title, one.present_usd) for one in found.ranked if one.option.way != "mix"]
    costs += [(in_words(one.mix), one.usd) for one in tried]
    least = min((usd for _, usd in costs), default=0.0)
    return Table.of(
        [
            {"Way": title, COST: usd, MORE: round(usd / least - 1, 2) if least > 0 else None}
            for title, usd in sorted(costs, key=lambda one: one[1])
        ],
        ("Way", COST, MORE),
    )
