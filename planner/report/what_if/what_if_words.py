"""The What if page in words: what matters most, what a test makes of the answer, where the doubt comes from."""

from collections.abc import Iterable, Sequence

import numpy as np

from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer.sentences import AnswerSummary, told
from planner.report.futures.counted import confidence_sentences
from planner.report.futures.input_words import lower, short, written
from planner.report.title import title
from planner.study.uncertainty.break_even_map import BreakEvenMap, has_scenario_field
from planner.study.uncertainty.stress import StressTest, stresses
from planner.study.uncertainty.sure_verdict import Judged
from planner.study.uncertainty.tornado import Index, TornadoBar
from pricing.figure import Source

NOTHING_MOVES = "Every figure of this plan is certain, so nothing moves the answer."
HOW_TO_READ = (
    "Each bar takes one input from the low to the high end of its range, which eight of ten futures lie in, while all "
    "others stay as entered. Where a bar crosses the thick line the answer turns."
)
WHAT_INDICES_ARE = (
    "The first column is the share of the doubt that would be gone if this input were known. The second also counts "
    "what it does together with others: where both are alike, the input works by itself. Both carry an error of a few "
    "percent, so small ones may fall below nought. All inputs are taken to be independent here."
)
ONLY_HERE = "Tests change this view only. The plan in the question above, and the other pages, stay as entered."
_SAME = "both ways cost the same"
_MOST_OF_IT = 0.8  # of the doubt
_ONE_SIDE = ("own", "probably own", "rent", "probably rent", "limited", "mix", "probably mix")


def no_comparison_summary(judged: Judged) -> AnswerSummary | None:
    """The answer without two ways to set against each other; None where there are two."""
    found = judged.answer
    if found.pair is not None:
        return None
    said = told(found.plan, found, judged.futures)
    then = "With two ways to compare, this page shows what would change the answer."
    return AnswerSummary(said.title, (*said.sentences, then), ())


def pair(found: Answer) -> tuple[Option, Option]:
    """The two ways that are set against each other: those that the verdict compares."""
    assert found.pair is not None  # there is something to ask
    return found.pair[0].option, found.pair[1].option


def headline(found: Answer, bars: Sequence[TornadoBar]) -> str:
    """The finding of the page: what matters most, and where it turns the answer."""
    if not bars:
        return "Nothing here moves the answer"
    most = bars[0]
    turns = "the answer turns" if found.verdict in _ONE_SIDE else _SAME
    said = f"{short(most.input.name)} matters most"
    if most.flips_sign and most.flip is not None:
        return f"{said}: {turns} at {written(most.input.name, most.flip)}"
    one = next(iter(answer_changing_inputs(bars)), None)
    if one is None or one.flip is None:
        return f"{said}; nothing alone turns the answer"
    return f"{said}; {turns} if {lower(short(one.input.name))} is {written(one.input.name, one.flip)}"


def answer_changing_inputs(bars: Iterable[TornadoBar]) -> list[TornadoBar]:
    """The inputs that turn the sign within their own range, the least surprising first."""
    return sorted((bar for bar in bars if bar.flips_sign), key=lambda bar: abs(bar.flip_sigmas or 0.0))


def tornado_sentences(found: Answer, bars: Sequence[TornadoBar]) -> tuple[str, ...]:
    """What the answer is, and which of its inputs could turn it alone, each with the value at which it does."""
    said = (f"As entered: {title(found)}", *confidence_sentences(found))
    if not bars:
        return (*said, NOTHING_MOVES)
    turning = answer_changing_inputs(bars)
    if not turning:
        return (*said, f"None of {words.count(len(bars), 'open input')} turns that alone within its range.")
    each = words.listed(
        f"{lower(short(bar.input.name))} ({written(bar.input.name, bar.flip or 0.0)})" for bar in turning
    )
    return (*said, f"{len(turning)} of {words.count(len(bars), 'open input')} can turn that alone: {each}.")


def map_click_hint(found: BreakEvenMap, can: Sequence[str]) -> str:
    """What a click on the map does; empty where neither side can be entered."""
    if not can:
        return ""
    sets = words.listed(lower(short(name)) for name in can)
    rest = [lower(short(side.name)) for side in (found.across, found.up) if side.name not in can]
    kept = f" There is no field for {rest[0]}: it stays as it is." if rest else ""
    return f"Click a place on the map to plan with it: that sets {sets}.{kept}"


def stress_label(key: str) -> str:
    """A test as its button calls it, and so as an address does: made of its key, which stays for ever."""
    return key.replace("-", " ").capitalize()


def axis_label(name: str) -> str:
    """An input as the lists of the map call it, and so as an address does: made of its name in the formulas."""
    plain = name.replace("_", " ").replace("usd", "USD")
    return plain[:1].upper() + plain[1:]


def stress_verdict_text(keys: Sequence[str], now: Answer, then: Answer | None) -> str:
    """The verdict before and under the tests that are chosen."""
    if not keys:
        return f"As entered: {title(now)}"
    if then is None:
        return f"Nothing of this plan is touched. Still: {title(now)}"
    before, after = title(now), title(then)
    return f"Still: {after}" if before == after else f"{before.rstrip('.')} becomes: {after}"


def stress_source(stress: StressTest, source: Source) -> str:
    """Why a test is worth trying, and who says so."""
    kind = {"assumption": "Our assumption", "derived": "Worked out from", "measured": "Measured by"}
    by = kind.get(stress.kind, "Reported by")
    joint = ", resting on" if stress.kind == "assumption" else ""
    why = f"{stress.reason[:1].upper()}{stress.reason[1:]}."
    return f"{why} {by}{joint} {source.title}, read {words.day(source.retrieved)}."


def enterable(plan: Plan, under: Plan | None) -> dict[str, float]:
    """What a test tries, where a scenario has a field for all of it; else nothing."""
    tried = {} if under is None else dict(under.setting.tried)
    values = {name: float(np.asarray(value).flat[0]) for name, value in tried.items()}
    return values if all(has_scenario_field(plan, name) for name in values) else {}


def tests() -> tuple[str, ...]:
    """The keys of all tests, in the order of their buttons."""
    return tuple(stresses())


def uncertainty_summary(found: Sequence[Index]) -> str:
    """How few inputs make most of the doubt, in words."""
    if not found:
        return NOTHING_MOVES
    made, few = 0.0, list[str]()
    for one in sorted(found, key=lambda index: -index.first):
        if made >= _MOST_OF_IT:
            break
        made += max(one.first, 0.0)
        few.append(f"{lower(short(one.name))} ({words.percent(max(one.first, 0.0))})")
    return f"{words.percent(min(made, 1.0))} of the doubt comes from {words.listed(few)}, each by itself."
