"""Does one comparison decide? Random plans whose title, sentences, chances and table are held against each other.

No title names a way that is neither the cheapest at typical figures nor in most futures; what is compared is the
cheapest and the cheapest of another kind; "N of 100" counts these two.
"""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from planner.money.ways import WAYS, Side
from planner.report.futures.counted import confidence_sentences, format_futures_count
from planner.report.title import title
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import Judged, decided
from pricing import Catalogue, load_catalogue

PLANS = 2_000
SEED = 20261122
CHIPS = (
    "H100-SXM5-80GB", "H200-SXM-141GB", "B200-SXM-180GB", "A100-SXM4-80GB", "L40S-48GB", "RTX-4090-24GB",
    "MI300X-192GB", "L4-24GB",
)  # fmt: skip


def main() -> Iterator[str]:
    """Yield the number of plans by verdict, and those that contradict themselves."""
    words: Counter[str] = Counter()
    wrong = []
    for scenario, judged in answers(load_catalogue(), PLANS, SEED):
        words[judged.answer.verdict] += 1
        wrong += [f"{one}: {scenario.model_dump(exclude_defaults=True)}" for one in complaints(judged)]
    yield ", ".join(f"{word} {count}" for word, count in words.most_common())
    yield f"{len(wrong)} of {PLANS:,} plans contradict themselves"
    yield from wrong[:10]


def answers(catalogue: Catalogue, plans: int, seed: int) -> Iterator[tuple[Scenario, Judged]]:
    """Random plans with their answers; the same seed, the same plans."""
    rng = Random(seed)
    for _ in range(plans):
        scenario = random_scenario(rng)
        yield scenario, decided(planned(catalogue, scenario, catalogue.day))


def random_scenario(rng: Random) -> Scenario:
    """A plan as somebody might ask for it: growth, use, years, sizes, seasons, jobs, limits."""
    work: dict[str, Any] = {
        "accelerators": rng.choice((1, 2, 4, 8, 16, 24, 32, 64, 128, 256)),
        "busy_share": rng.choice((0.1, 0.3, 0.5, 0.6, 0.8, 1.0)),
        "growth_per_year": rng.choice((0.0, 0.0, 0.2, 0.4, 1.0, -0.3)),
        "may_stop": rng.random() < 0.2,
    }
    if rng.random() < 0.3:
        work["season"] = tuple(rng.choice((0.3, 0.5, 1.0, 1.5)) for _ in range(12))
    if rng.random() < 0.2:
        work["may_wait"] = True
    elif rng.random() < 0.2:
        work["jobs"] = ({"accelerators": rng.choice((16, 64)), "hours": 168.0, "every_months": 6},)
    asked: dict[str, Any] = {
        "accelerator": rng.choice(CHIPS), "years": rng.choice((0.5, 1.0, 2.0, 3.0, 4.0, 5.0)), "work": (work,),
    }  # fmt: skip
    if rng.random() < 0.15:
        asked["terms"] = {"cash_on_day_one_usd": rng.choice((5e4, 5e5, 5e6))}
    return Scenario.model_validate(asked)


def retyped_choice(judged: Judged) -> Scenario | None:
    """The plan with what the program chose typed by hand: its fleet with its orders, or its mix; None for neither."""
    found = judged.answer
    setting, best = found.plan.setting, found.best
    if best is None or best.option.way not in ("own", "mix"):
        return None
    written = setting.written
    if best.option.way == "mix":
        return written.model_copy(update={"mix": setting.scenario.mix})
    typed = {"orders": best.option.orders} if best.option.orders else {"accelerators": int(best.option.accelerators)}
    return written.model_copy(update={"own": written.own.model_copy(update=typed)})


def complaints(judged: Judged) -> Iterator[str]:
    """Yield the contradictions of an answer."""
    found, drawn = judged.answer, judged.futures
    usd = [one.present_usd for one in found.ranked]
    if usd != sorted(usd):
        yield "the table is not in order"
    if found.best is None or found.limit is not None or found.against is None or drawn is None:
        return
    best, against = (WAYS[one.option.way] for one in (found.best, found.against))
    if best.side == against.side and len({WAYS[one.option.way].side for one in found.ranked}) > 1:
        yield "two ways of one kind are compared"
    if {found.best, found.against} != set(found.pair or ()):
        yield "what is told beside each other is not what is compared"
    yield from _cheapest_not_named(judged, best.side, against.side)
    share = drawn.share_cheaper(found.best.option.key, found.against.option.key)
    if format_futures_count(share) not in " ".join(confidence_sentences(found)):
        yield "N of 100 counts another pair"


def _cheapest_not_named(judged: Judged, best: Side, against: Side) -> Iterator[str]:
    """Return whether the named kind is neither the cheapest nor that of most futures."""
    found, drawn = judged.answer, judged.futures
    assert drawn is not None
    first = WAYS[found.ranked[0].option.way].side
    shares: dict[Side, float] = {}
    for one in found.ranked:
        side = WAYS[one.option.way].side
        shares[side] = shares.get(side, 0.0) + drawn.cheapest_share.get(one.option.key, 0.0)
    if best not in (first, max(shares, key=lambda side: shares[side])):
        yield f"{title(found)!r} is neither the cheapest nor in most futures"
    if first not in (best, against):
        yield f"{found.ranked[0].option.title!r} is the cheapest and not compared"
