"""The entry that nobody typed and that makes over a fifth of a total, with the field that would replace it."""

from collections.abc import Iterator, Sequence

import numpy as np

from planner.money.plan import Plan
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
    "staff": ("people", ("leastpeople", "people", "salary", "running")),
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
