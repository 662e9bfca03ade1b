"""Does one table decide? Random plans whose word, title, sentences and figures are held against their shares.

No word says more than its group's share, no title leaves out the group with the largest share, every figure is the
median of its futures and no range is stretched to hold it.
"""

import math
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from planner.money.verdict.answer import Answer
from planner.money.verdict.decision import CLOSE_GAP, PROBABLE, gap_share, group, independent_prices
from planner.money.verdict.shares import PLAIN, PROBABLY, VerdictShares
from planner.report.futures.counted import confidence_sentences, format_futures_count
from planner.report.title import tied_options, title
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
    fields: dict[str, Any] = {
        "accelerator": rng.choice(CHIPS), "years": rng.choice((0.5, 1.0, 2.0, 3.0, 4.0, 5.0)), "work": (work,),
    }  # fmt: skip
    if rng.random() < 0.15:
        fields["terms"] = {"cash_on_day_one_usd": rng.choice((5e4, 5e5, 5e6))}
    return Scenario.model_validate(fields)


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
    answer, futures = judged.answer, judged.futures
    usd = [each.present_usd / each.option.work_share for each in answer.ranked]
    if usd != sorted(usd):
        yield "the table is not in order"
    if futures is None or answer.best is None:
        return
    for option in answer.ranked:
        shown = (option.low_usd, option.present_usd, option.high_usd)
        if futures.row(option.option.key) is not None and shown != tuple(futures.present(option.option.key)):
            yield f"{option.option.title!r} is not the median, the 10th and the 90th percentile of its futures"
    if answer.shares is None or answer.limit is not None:
        return
    if abs(sum(answer.shares.share.values()) - 1) > 1e-9:
        yield "the shares do not sum to 1"
    if answer.shares.second is not None:
        yield from _word_and_title(answer, answer.shares)


def _word_and_title(answer: Answer, shares: VerdictShares) -> Iterator[str]:
    """Yield where the word says more than the share of its group, or the title leaves that group out."""
    share = round(shares.lead_share, 2)
    least = 0.0 if answer.verdict == "close" else PROBABLY if answer.verdict in PROBABLE else PLAIN
    is_of_one_seller = independent_prices(answer.plan.setting).get("rent", math.inf) < 2
    if share < least or (answer.verdict == "close" and share >= PROBABLY and not is_of_one_seller):
        yield f"{answer.verdict!r} where the leading group holds {share:.0%}"
    if answer.best is None or answer.against is None:
        yield "two groups, and no two options"
        return
    named = tuple(group(option.option) for option in (answer.best, answer.against))
    if named != (shares.lead, shares.second):
        yield f"{title(answer)!r} is about {named}, and most futures are those of {shares.lead} and {shares.second}"
    usd = sorted(each.present_usd / each.option.work_share for each in tied_options(answer))
    is_alike = title(answer).endswith(": about the same.")
    is_tie = answer.verdict == "close" and answer.plan.setting.scenario.sell is None
    if is_tie and is_alike != (gap_share(*usd) <= CLOSE_GAP):
        yield f"{title(answer)!r} where the medians are {usd[0]:,.0f} and {usd[1]:,.0f}"
    count = format_futures_count(shares.lead_share)
    if answer.plan.setting.scenario.sell is None and count not in " ".join(confidence_sentences(answer)):
        yield "N of 100 counts something else"
