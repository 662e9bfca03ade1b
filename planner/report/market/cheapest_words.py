"""A market study as text, table and data: the front, the recommendation, the runners-up and why they lost."""

from collections import Counter
from dataclasses import asdict
from typing import Any

from planner.money.ways import WAYS
from planner.report.forms import finite, join_sections, to_plain_data
from planner.report.table import Table, text_table
from planner.speed.training.result import Interval
from planner.study.market.survey import Market, MarketCandidate

_RUNNERS_UP = 10
_REASONS = 8


def market_text(found: Market) -> str:
    """The whole study as text for a terminal."""
    sections = [
        (found.what, "\n".join(found.why)),
        ("The front: nothing is both sooner and cheaper", text_table(_front_table(found))),
        ("Runners-up, the best of each accelerator", text_table(_runners_up_table(found))),
        ("Why tries lost", "\n".join(_reasons(found))),
    ]
    if found.service:
        sections[1] = ("The front: nothing is both faster and cheaper", sections[1][1])
    return join_sections(sections)


def market_table(found: Market) -> Table:
    """Every try with its reason, for CSV."""
    return Table.from_raw_rows([_row(one, found) for one in found.tries])


def market_data(found: Market) -> dict[str, Any]:
    """The whole study as data: numbers stay numbers, what does not exist is None."""

    def data(one: MarketCandidate | None) -> Any:
        return None if one is None else {"words": one.words, **to_plain_data(asdict(one) | {"why_not": _why_not(one)})}

    return {
        "what": found.what,
        "recommended": data(found.taken),
        "best": data(found.best),
        "fastest": data(found.fastest),
        "nearest": data(found.nearest),
        "deadline_days": found.deadline_days,
        "budget_usd": found.budget_usd,
        "usd_are_of": "a month" if found.monthly else "the run",
        "why": list(found.why),
        "front": [data(one) for one in found.front],
        "tries": [data(one) for one in found.tries],
    }


def _row(one: MarketCandidate, found: Market) -> dict[str, Any]:
    return {
        "accelerator": one.accelerator or None,
        "accelerators": one.accelerators or None,
        "way": one.way,
        "provider": one.provider,
        "offer": one.offer,
        **_ends("days", one.days),
        **_ends("usd_a_month" if found.monthly else "usd", one.usd),
        "tokens_per_s_per_accelerator": one.tokens_per_s_per_accelerator,
        "tpot_p99_ms": one.tpot_p99_ms,
        "layout": one.layout,
        "price_age_days": one.age_days,
        "on_front": one.on_front,
        "recommended": one == found.best,
        "why_not": _why_not(one),
    }


def _ends(name: str, what: Interval | None) -> dict[str, float | None]:
    """A range as three columns."""
    ends = (None, None, None) if what is None else (finite(what.typical), finite(what.low), finite(what.high))
    return dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))


def _front_table(found: Market) -> Table:
    rows = ((one, _shown(one, found)) for one in found.front)
    return Table.of([row | {"layout": one.layout or "–", "": _note(one, found)} for one, row in rows])


def _note(one: MarketCandidate, found: Market) -> str:
    return "recommended" if one == found.best else _why_not(one)


def _why_not(one: MarketCandidate) -> str:
    return str(one.why_not or "")


def _runners_up_table(found: Market) -> Table:
    """The cheapest try of each accelerator that has a price, the recommended one aside."""
    best: dict[str, MarketCandidate] = {}
    for one in sorted((one for one in found.tries if one.usd is not None), key=_runner_up_sort_key):
        best.setdefault(one.accelerator, one)
    skip = found.best.accelerator if found.best else None
    rows = sorted((one for key, one in best.items() if key != skip), key=_runner_up_sort_key)
    return Table.of(
        [_shown(one, found) | {"why not": str(one.why_not or "on the front, but dearer")} for one in rows[:_RUNNERS_UP]]
    )


def _runner_up_sort_key(one: MarketCandidate) -> tuple[bool, float, float]:
    """Those that lost by price or doubt before those that break a limit."""
    kept_to = one.why_not is None or one.why_not.is_dominated
    return (not kept_to, one.cost, one.speed)


def _shown(one: MarketCandidate, found: Market) -> dict[str, Any]:
    times = (
        {"ms a token": one.tpot_p99_ms} if found.service else {"days": None if one.days is None else one.days.typical}
    )
    return {
        "accelerators": f"{one.accelerators:,} x {one.label}" if one.accelerator else "–",
        "way": WAYS[one.way].paid_for,
        "seller": one.provider or "–",
        **times,
        "USD a month" if found.monthly else "USD": None if one.usd is None else one.usd.typical,
    }


def _reasons(found: Market) -> list[str]:
    """How many tries lost for which kind of reason."""
    kinds = Counter(one.why_not.counted for one in found.tries if one.why_not)
    lines = [f"{number:,} {kind}" for kind, number in kinds.most_common(_REASONS)]
    rest = sum(kinds.values()) - sum(number for _, number in kinds.most_common(_REASONS))
    return lines + ([f"{rest:,} for other reasons"] if rest else [])
