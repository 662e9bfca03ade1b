"""The What if page in words and tables: tornado, map, stress tests, sensitivity indices."""

from collections.abc import Iterable, Sequence

import numpy as np

from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.sentences import AnswerSummary, summarize_answer
from planner.report.futures.counted import first_cheaper_per_100
from planner.report.futures.input_words import input_label, p10_p90_text, short_label, value_text
from planner.report.table import Table
from planner.report.title import title
from planner.study.uncertainty.break_even_map import BreakEvenMap, has_scenario_field
from planner.study.uncertainty.stress import StressResult, StressTest
from planner.study.uncertainty.sure_verdict import Judged
from planner.study.uncertainty.tornado import SobolIndex, TornadoBar
from pricing.figure import Source

NOTHING_MOVES = "Every figure of this plan is certain, so nothing moves the answer."
HOW_TO_READ = (
    "Each bar takes one input through its range, which holds eight of ten futures. All others stay as entered. Where a "
    "bar crosses the thick line, both cost the same."
)
WHAT_INDICES_ARE = (
    "The first column is the share of the uncertainty that would vanish if this input were known. The second also "
    "counts its effect together with others: where both are alike, the input works by itself. Both carry an error of "
    "a few percent, so small ones may fall below 0. All inputs are assumed to be independent here."
)
ONLY_HERE = "Tests change this view only. The plan in the question above, and the other pages, stay as entered."
_SAME = "both options cost the same"
_MOST_OF_IT = 0.8  # of the uncertainty


def no_comparison_summary(judged: Judged) -> AnswerSummary | None:
    """Return the answer where there are no two options to compare; None where there are."""
    answer = judged.answer
    if answer.pair is not None:
        return None
    summary = summarize_answer(answer.plan, answer, judged.futures)
    hint = "With two options to compare, this page shows what would change the answer."
    return AnswerSummary(summary.title, (*summary.sentences, hint), ())


def compared_pair(answer: Answer) -> tuple[Option, Option]:
    """Return the two options that the verdict compares."""
    assert answer.pair is not None  # there is something to ask
    return answer.pair[0].option, answer.pair[1].option


def headline(bars: Sequence[TornadoBar]) -> str:
    """Return the finding of the page: the most important input, and the value at which both options cost the same."""
    if not bars:
        return "Nothing here moves the answer"
    most = bars[0]
    finding = f"{short_label(most.input.name)} matters most"
    if most.flips_sign and most.flip is not None:
        return f"{finding}: {_SAME} at {value_text(most.input.name, most.flip)}"
    bar = next(iter(answer_changing_inputs(bars)), None)
    if bar is None or bar.flip is None:
        return f"{finding}; nothing alone makes both cost the same"
    return f"{finding}; {_SAME} if {_inner_label(bar.input.name)} is {value_text(bar.input.name, bar.flip)}"


def _inner_label(name: str) -> str:
    return words.lower_first(short_label(name))


def answer_changing_inputs(bars: Iterable[TornadoBar]) -> list[TornadoBar]:
    """Return the inputs that change the sign within their range, the most likely first."""
    return sorted((bar for bar in bars if bar.flips_sign), key=lambda bar: abs(bar.flip_sigmas or 0.0))


def tornado_sentence(bars: Sequence[TornadoBar]) -> str:
    """Return how many inputs turn the answer alone."""
    if not bars:
        return NOTHING_MOVES
    many, turning = words.count(len(bars), "uncertain input"), answer_changing_inputs(bars)
    if not turning:
        return f"None of {many} alone can make both cost the same."
    return f"{len(turning)} of {many} alone can make both cost the same."


def map_click_hint(grid: BreakEvenMap, can: Sequence[str]) -> str:
    """Return the effect of a click on the map; empty where neither axis has a field."""
    if not can:
        return ""
    sets = words.listed(map(_inner_label, can))
    rest = [_inner_label(side.name) for side in (grid.across, grid.up) if side.name not in can]
    note = f" There is no field for {rest[0]}: it stays as it is." if rest else ""
    return f"Click a point on the map to plan with its {sets}.{note}"


def stress_label(key: str) -> str:
    """Return the label of a test on its button and in links: made of its key, which never changes."""
    return key.replace("-", " ").capitalize()


def axis_label(name: str) -> str:
    """Return the label of an input in the lists of the map and in links: made of its name in the formulas."""
    return words.upper_first(name.replace("_", " ").replace("usd", "USD"))


def stress_verdict_text(keys: Sequence[str], now: Answer, then: Answer | None) -> str:
    """Return the verdict before and under the chosen tests."""
    if not keys:
        return f"As entered: {title(now)}"
    if then is None:
        return f"The tests do not touch this plan. Still: {title(now)}"
    before, after = title(now), title(then)
    return f"Still: {after}" if before == after else f"{before.rstrip('.')} becomes: {after}"


def stress_source(stress: StressTest, source: Source) -> str:
    """Return the reason for a test, and its source."""
    kind = {"assumption": "Our assumption", "derived": "Worked out from", "measured": "Measured by"}
    by = kind.get(stress.kind, "Reported by")
    joint = ", resting on" if stress.kind == "assumption" else ""
    return f"{words.sentence(stress.reason)} {by}{joint} {source.title}, read {words.day(source.retrieved)}."


def scenario_fields_of_test(plan: Plan, under: Plan | None) -> dict[str, float]:
    """Return the values that a test tries, where a scenario has a field for all of them; else nothing."""
    tried = {} if under is None else dict(under.setting.tried)
    values = {name: float(np.asarray(value).flat[0]) for name, value in tried.items()}
    return values if all(has_scenario_field(plan, name) for name in values) else {}


def uncertainty_summary(indices: Sequence[SobolIndex]) -> str:
    """Return the few inputs that make most of the uncertainty."""
    if not indices:
        return NOTHING_MOVES
    total, few = 0.0, list[str]()
    for index in sorted(indices, key=lambda index: -index.first):
        if total >= _MOST_OF_IT:
            break
        total += max(index.first, 0.0)
        few.append(f"{_inner_label(index.name)} ({words.percent(max(index.first, 0.0))})")
    return f"{words.percent(min(total, 1.0))} of the uncertainty comes from {words.listed(few)}, each by itself."


def tornado_title(bars: Sequence[TornadoBar]) -> str:
    """Return the finding of the tornado: Yearly change of rents matters most."""
    if not bars:
        return "No uncertain input changes the answer."
    flips = sum(bar.flips_sign for bar in bars)
    alone = f"{words.count(flips, 'input')} alone can make both cost the same" if flips else "no input alone does"
    return f"{input_label(bars[0].input.name)} matters most; {alone}."


def tornado_table(bars: Sequence[TornadoBar], side: str = "owning") -> Table:
    """Return the saving of owning (or the mix) at both ends of each input, and where it turns."""
    return Table.of(
        [
            {
                "Input": input_label(bar.input.name),
                "Typical": value_text(bar.input.name, bar.input.spread.typical),
                "8 of 10 futures": p10_p90_text(bar.input),
                f"{words.upper_first(side)} saves at the low end, USD": bar.saved_low_usd,
                "At the high end, USD": bar.saved_high_usd,
                "Same cost at": "–" if bar.flip is None else value_text(bar.input.name, bar.flip),
                "Why": bar.input.reason if bar.flip is not None else f"turns {bar.reason}",
                "Source": bar.input.source,
            }
            for bar in bars
        ]
    )


def map_summary(grid: BreakEvenMap, side: str = "owning") -> str:
    """Return the map in a sentence, for screen readers."""
    wins = float((grid.saved_usd > 0).mean())
    across, up = grid.across, grid.up
    return (
        f"{words.upper_first(side)} costs less on {words.share_per_100(wins):g}% of this map "
        f"(horizontal axis: {_inner_label(across.name)}, "
        f"vertical axis: {_inner_label(up.name)}); "
        f"you are at {value_text(across.name, across.you)} and {value_text(up.name, up.you)}."
    )


def map_table(grid: BreakEvenMap) -> Table:
    """Return the saving of owning in each cell [USD]: one row for each value upwards."""
    columns = [value_text(grid.across.name, value) for value in grid.across.values]
    upwards = [value_text(grid.up.name, value) for value in grid.up.values]
    rows = [[up, *saved] for up, saved in zip(upwards, grid.saved_usd, strict=True)]
    return Table.listed([input_label(grid.up.name), *columns], rows)


def stress_table(tests: Sequence[StressResult], now: Judged, together: Judged | None = None) -> Table:
    """Return answer, both costs and probability as entered, under each test, and under all tests together."""
    pair = now.answer.pair
    rows = [_stress_row(AS_ENTERED, now, pair)]
    for test in tests:
        absent: dict[str, object] = {"Plan": test.stress.label, "Answer": "not in this plan"}
        rows.append(absent if test.judged is None else _stress_row(test.stress.label, test.judged, pair))
    return Table.of([*rows, *([_stress_row(TOGETHER, together, pair)] if together else [])])


AS_ENTERED, TOGETHER = "As entered", "All of these together"


def _stress_row(name: str, judged: Judged, pair: tuple[EvaluatedOption, EvaluatedOption] | None) -> dict[str, object]:
    """Return one row; the pair compared as entered names the columns where both are of one side."""
    answer = judged.answer
    busy, two = answer.break_even("busy_share"), [WAYS[way.option.way] for way in pair or ()]
    if len(two) == 2 and two[0].side == two[1].side:
        usd = {way.option.key: way.present_usd for way in answer.ranked}
        first, second = (usd.get(way.option.key) for way in pair or ())
        heads = [words.upper_first(spec.gerund) for spec in two]
    else:
        first, second = (way.present_usd if way else None for way in (answer.own, answer.rent))
        heads = ["Owning", "Renting"]
    return {
        "Plan": name,
        "Answer": title(answer),
        f"{heads[0]}, USD": first,
        f"{heads[1]}, USD": second,
        f"{heads[0]} is cheaper, of 100 futures": first_cheaper_per_100(judged),
        "Break-even use": "none" if busy is None or busy.value is None else words.percent(busy.value),
    }


def indices_table(indices: Sequence[SobolIndex]) -> Table:
    """Return the share of the uncertainty that comes from each input: by itself, and together with others."""
    rows = [(input_label(index.name), index.first, index.total) for index in indices]
    return Table.listed(("Input", "By itself", "With all it works through"), rows) if rows else Table.of([])
