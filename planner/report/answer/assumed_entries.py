"""The entry that nobody typed and that makes over a fifth of a total, with the field that would replace it."""

from collections.abc import Iterator, Sequence

import numpy as np

from planner.money.ledger import Ledger
from planner.money.measures import present_usd
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.scenario.path import get_value
from planner.scenario.question import KEYS

LARGE_SHARE = 0.2
# The part of a ledger, in words, and the keys of which one replaces it. Chips and rents are named by their price.
_ENTRIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "storage": ("disks", ("disk",)),
    "egress": ("traffic out", ("egress",)),
    "staff": ("people", ("crew", "leastpeople", "people", "salary", "running")),
    "space": ("space and hosting", ("colo", "running")),
    "power": ("electricity", ("kwh", "running")),
    "network": ("the network between servers", ("net", "capex")),
    "upkeep": ("maintenance and insurance", ("upkeep", "running")),
    "support": ("support", ("support",)),
}


def assumed_entry_sentences(plan: Plan, ways: Sequence[EvaluatedOption]) -> tuple[str, ...]:
    """Return a sentence about the largest entry that was not typed, if it is over a fifth of an option's cost."""
    entries = [entry for way in ways for entry in _untyped_entries(plan, way)]
    share, usd, way, part = max(entries, key=lambda entry: entry[0], default=(0.0, 0.0, None, ""))
    if way is None or share <= LARGE_SHARE:
        return ()
    name, keys = _ENTRIES[part]
    return (
        f"Not entered, but {words.percent(share)} of what {WAYS[way.option.way].start_text} costs: {name}, "
        f"{words.usd(usd)} in all. Yours goes under “{KEYS[keys[0]].label}”.",
    )


def deciding_people_sentences(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Return a sentence where the option that costs least does so since it takes fewer people."""
    best, *others = answer.ranked
    turned = [way for way in others if _without_people_usd(plan, way) < _without_people_usd(plan, best)]
    if not turned or answer.verdict == "close":
        return ()
    first = min(turned, key=lambda way: _without_people_usd(plan, way))
    name, least = (WAYS[way.option.way].start_text for way in (first, best))
    return () if name == least else (f"The people decide: without them {name} would cost less than {least}.",)


def _without_people_usd(plan: Plan, way: EvaluatedOption) -> float:
    people = Ledger("", tuple(line for line in way.option.ledger.lines if line.part == "staff"))
    return way.as_entered_usd - float(present_usd(plan.setting, people))


def _untyped_entries(plan: Plan, way: EvaluatedOption) -> Iterator[tuple[float, float, EvaluatedOption, str]]:
    """Yield share, sum, option and part of each part of its ledger for which nothing was typed."""
    sums: dict[str, float] = {}
    for line in way.option.ledger.lines:
        sums[line.part] = sums.get(line.part, 0.0) + float(np.nansum(line.usd))
    total = sum(usd for usd in sums.values() if usd > 0)
    for part, usd in sums.items():
        if part in _ENTRIES and total > 0 and not any(_is_typed(plan, key) for key in _ENTRIES[part][1]):
            yield usd / total, usd, way, part


def _is_typed(plan: Plan, key: str) -> bool:
    return get_value(plan.setting.written, KEYS[key].path) is not None
