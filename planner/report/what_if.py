"""The What if page in words: what matters most, what a test makes of the answer, where the doubt comes from."""

from collections.abc import Iterable, Sequence

import numpy as np

from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.sentences import AnswerSummary, summarize_answer
from planner.report.futures.counted import confidence_sentences, first_cheaper_per_100
from planner.report.futures.input_words import input_label, p10_p90_text, short_label, value_text
from planner.report.table import Table
from planner.report.title import title
from planner.study.uncertainty.break_even_map import BreakEvenMap, has_scenario_field
from planner.study.uncertainty.stress import StressResult, StressTest, stresses
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
    said = summarize_answer(found.plan, found, judged.futures)
    then = "With two ways to compare, this page shows what would change the answer."
    return AnswerSummary(said.title, (*said.sentences, then), ())


def compared_pair(answer: Answer) -> tuple[Option, Option]:
    """The two ways that are set against each other: those that the verdict compares."""
    assert answer.pair is not None  # there is something to ask
    return answer.pair[0].option, answer.pair[1].option


def headline(answer: Answer, bars: Sequence[TornadoBar]) -> str:
    """The finding of the page: what matters most, and where it turns the answer."""
    if not bars:
        return "Nothing here moves the answer"
    most = bars[0]
    turns = "the answer turns" if answer.verdict in _ONE_SIDE else _SAME
    said = f"{short_label(most.input.name)} matters most"
    if most.flips_sign and most.flip is not None:
        return f"{said}: {turns} at {value_text(most.input.name, most.flip)}"
    one = next(iter(answer_changing_inputs(bars)), None)
    if one is None or one.flip is None:
        return f"{said}; nothing alone turns the answer"
    return (
        f"{said}; {turns} if {words.lower_first(short_label(one.input.name))} is {value_text(one.input.name, one.flip)}"
    )


def answer_changing_inputs(bars: Iterable[TornadoBar]) -> list[TornadoBar]:
    """The inputs that turn the sign within their own range, the least surprising first."""
    return sorted((bar for bar in bars if bar.flips_sign), key=lambda bar: abs(bar.flip_sigmas or 0.0))


def tornado_sentences(answer: Answer, bars: Sequence[TornadoBar]) -> tuple[str, ...]:
    """What the answer is, and which of its inputs could turn it alone, each with the value at which it does."""
    said = (f"As entered: {title(answer)}", *confidence_sentences(answer))
    if not bars:
        return (*said, NOTHING_MOVES)
    turning = answer_changing_inputs(bars)
    if not turning:
        return (*said, f"None of {words.count(len(bars), 'open input')} turns that alone within its range.")
    each = words.listed(
        f"{words.lower_first(short_label(bar.input.name))} ({value_text(bar.input.name, bar.flip or 0.0)})"
        for bar in turning
    )
    return (*said, f"{len(turning)} of {words.count(len(bars), 'open input')} can turn that alone: {each}.")


def map_click_hint(grid: BreakEvenMap, can: Sequence[str]) -> str:
    """What a click on the map does; empty where neither side can be entered."""
    if not can:
        return ""
    sets = words.listed(words.lower_first(short_label(name)) for name in can)
    rest = [words.lower_first(short_label(side.name)) for side in (grid.across, grid.up) if side.name not in can]
    kept = f" There is no field for {rest[0]}: it stays as it is." if rest else ""
    return f"Click a place on the map to plan with it: that sets {sets}.{kept}"


def stress_label(key: str) -> str:
    """A test as its button calls it, and so as an address does: made of its key, which stays for ever."""
    return key.replace("-", " ").capitalize()


def axis_label(name: str) -> str:
    """An input as the lists of the map call it, and so as an address does: made of its name in the formulas."""
    plain = name.replace("_", " ").replace("usd", "USD")
    return words.upper_first(plain)


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
    why = words.sentence(stress.reason)
    return f"{why} {by}{joint} {source.title}, read {words.day(source.retrieved)}."


def scenario_fields_of_test(plan: Plan, under: Plan | None) -> dict[str, float]:
    """What a test tries, where a scenario has a field for all of it; else nothing."""
    tried = {} if under is None else dict(under.setting.tried)
    values = {name: float(np.asarray(value).flat[0]) for name, value in tried.items()}
    return values if all(has_scenario_field(plan, name) for name in values) else {}


def stress_test_keys() -> tuple[str, ...]:
    """The keys of all tests, in the order of their buttons."""
    return tuple(stresses())


def uncertainty_summary(indices: Sequence[Index]) -> str:
    """How few inputs make most of the doubt, in words."""
    if not indices:
        return NOTHING_MOVES
    made, few = 0.0, list[str]()
    for one in sorted(indices, key=lambda index: -index.first):
        if made >= _MOST_OF_IT:
            break
        made += max(one.first, 0.0)
        few.append(f"{words.lower_first(short_label(one.name))} ({words.percent(max(one.first, 0.0))})")
    return f"{words.percent(min(made, 1.0))} of the doubt comes from {words.listed(few)}, each by itself."


def tornado_title(bars: Sequence[TornadoBar]) -> str:
    """The finding of the tornado: Change of rents a year matters most."""
    if not bars:
        return "Nothing that is open moves the answer."
    widest = bars[0]
    flips = [bar for bar in bars if bar.flips_sign]
    many = f"{words.count(len(flips), 'input')} alone can turn the answer" if flips else "no input alone turns it"
    return f"{input_label(widest.input.name)} matters most; {many}."


def tornado_table(bars: Sequence[TornadoBar], who: str = "owning") -> Table:
    """What owning (or the mix) saves at both ends of each input, and where it turns."""
    return Table.of(
        [
            {
                "Input": input_label(bar.input.name),
                "Typical": value_text(bar.input.name, bar.input.spread.typical),
                "8 of 10 futures": p10_p90_text(bar.input),
                f"{words.upper_first(who)} saves at the low end, USD": bar.saved_low_usd,
                "At the high end, USD": bar.saved_high_usd,
                "Same cost at": "–" if bar.flip is None else value_text(bar.input.name, bar.flip),
                "Why": bar.input.reason if bar.flip is not None else f"turns {bar.reason}",
                "Source": bar.input.source,
            }
            for bar in bars
        ]
    )


def map_summary(grid: BreakEvenMap, who: str = "owning") -> str:
    """What the map shows, for those who cannot see it."""
    wins = float((grid.saved_usd > 0).mean())
    across, up = grid.across, grid.up
    return (
        f"{words.upper_first(who)} costs less on {words.share_per_100(wins):g}% of this map "
        f"({words.lower_first(short_label(across.name))} from left to right, "
        f"{words.lower_first(short_label(up.name))} from bottom to top); "
        f"you are at {value_text(across.name, across.you)} and {value_text(up.name, up.you)}."
    )


def map_table(grid: BreakEvenMap) -> Table:
    """What owning saves in each cell, USD: one row for each value upwards."""
    columns = [value_text(grid.across.name, value) for value in grid.across.values]
    upwards = [value_text(grid.up.name, value) for value in grid.up.values]
    rows = [[up, *saved] for up, saved in zip(upwards, grid.saved_usd, strict=True)]
    return Table.listed([input_label(grid.up.name), *columns], rows)


def stress_table(tests: Sequence[StressResult], now: Judged, together: Judged | None = None) -> Table:
    """The plan as it is, under each test, and under all of them together: the answer, both costs, how sure."""
    pair = now.answer.pair
    rows = [_stress_row(AS_ENTERED, now, pair)]
    for one in tests:
        if one.judged is None:
            rows.append({"Plan": one.stress.label, "Answer": "not in this plan"})
        else:
            rows.append(_stress_row(one.stress.label, one.judged, pair))
    return Table.of([*rows, *([_stress_row(TOGETHER, together, pair)] if together else [])])


AS_ENTERED, TOGETHER = "As entered", "All of these together"


def _stress_row(name: str, judged: Judged, pair: tuple[EvaluatedOption, EvaluatedOption] | None) -> dict[str, object]:
    """One row; `pair` is what is compared as entered, which names the columns where it is of one side."""
    found = judged.answer
    busy = found.break_even("busy_share")
    two = [WAYS[way.option.way] for way in pair or ()]
    if len(two) == 2 and two[0].side == two[1].side:
        usd = {way.option.key: way.present_usd for way in found.ranked}
        first, second = (usd.get(way.option.key) for way in pair or ())
        heads = [words.upper_first(spec.doing) for spec in two]
    else:
        first, second = (way.present_usd if way else None for way in (found.own, found.rent))
        heads = ["Owning", "Renting"]
    return {
        "Plan": name,
        "Answer": title(found),
        f"{heads[0]}, USD": first,
        f"{heads[1]}, USD": second,
        f"{heads[0]} is cheaper, of 100 futures": first_cheaper_per_100(judged),
        "Break-even use": "none" if busy is None or busy.value is None else words.percent(busy.value),
    }


def indices_table(indices: Sequence[Index]) -> Table:
    """Which share of the doubt comes from each input: by itself, and with what it works through."""
    return Table.of(
        [
            {"Input": input_label(index.name), "By itself": index.first, "With all it works through": index.total}
            for index in indices
        ]
    )
