"""What would turn the answer, in words and tables: the tornado, the map, the stress tests, the indices."""

from collections.abc import Sequence

from planner.money.plan import Plan
from planner.money.verdict.answer import PROBABLE, Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.futures.counted import first_cheaper_per_100
from planner.report.futures.input_words import label, lower, range_of, short, written
from planner.report.table import Table
from planner.report.title import title
from planner.study.uncertainty.break_even_map import BreakEvenMap
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.stress import StressResult
from planner.study.uncertainty.sure_verdict import Judged
from planner.study.uncertainty.tornado import Index, TornadoBar, likeliest_flip


def most_likely_change(plan: Plan, found: Answer, drawn: Futures) -> tuple[str, ...]:
    """The one input that is likeliest to turn a probable answer, and by how much."""
    if found.verdict not in PROBABLE or found.pair is None:
        return ()
    bar = likeliest_flip(plan, found.pair[0].option, found.pair[1].option, drawn.inputs)
    if bar is None or bar.flip is None:
        return ("No single figure turns this within its range; several together would.",)
    one = bar.input
    return (
        f"Likeliest to turn this: {lower(label(one.name))}, at {written(one.name, bar.flip)} instead of "
        f"{written(one.name, one.spread.typical)}.",
    )


def tornado_title(bars: Sequence[TornadoBar]) -> str:
    """The finding of the tornado: Change of rents a year matters most."""
    if not bars:
        return "Nothing that is open moves the answer."
    widest = bars[0]
    flips = [bar for bar in bars if bar.flips_sign]
    many = f"{words.count(len(flips), 'input')} alone can turn the answer" if flips else "no input alone turns it"
    return f"{label(widest.input.name)} matters most; {many}."


def tornado_table(bars: Sequence[TornadoBar], who: str = "owning") -> Table:
    """What owning (or the mix) saves at both ends of each input, and where it turns."""
    return Table.of(
        [
            {
                "Input": label(bar.input.name),
                "Typical": written(bar.input.name, bar.input.spread.typical),
                "8 of 10 futures": range_of(bar.input),
                f"{_first(who)} saves at the low end, USD": bar.saved_low_usd,
                "At the high end, USD": bar.saved_high_usd,
                "Same cost at": "–" if bar.flip is None else written(bar.input.name, bar.flip),
                "Why": bar.input.reason if bar.flip is not None else f"turns {bar.reason}",
                "Source": bar.input.source,
            }
            for bar in bars
        ]
    )


def map_summary(found: BreakEvenMap, who: str = "owning") -> str:
    """What the map shows, for those who cannot see it."""
    wins = float((found.saved_usd > 0).mean())
    across, up = found.across, found.up
    return (
        f"{_first(who)} costs less on {words.share_per_100(wins):g}% of this map "
        f"({lower(short(across.name))} from left to right, {lower(short(up.name))} from bottom to top); "
        f"you are at {written(across.name, across.you)} and {written(up.name, up.you)}."
    )


def map_table(found: BreakEvenMap) -> Table:
    """What owning saves in each cell, USD: one row for each value upwards."""
    columns = [written(found.across.name, value) for value in found.across.values]
    upwards = [written(found.up.name, value) for value in found.up.values]
    rows = [[up, *saved] for up, saved in zip(upwards, found.saved_usd, strict=True)]
    return Table.listed([label(found.up.name), *columns], rows)


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
    two = [WAYS[one.option.way] for one in pair or ()]
    if len(two) == 2 and two[0].side == two[1].side:
        usd = {one.option.key: one.present_usd for one in found.ranked}
        first, second = (usd.get(one.option.key) for one in pair or ())
        heads = [_first(one.doing) for one in two]
    else:
        first, second = (one.present_usd if one else None for one in (found.own, found.rent))
        heads = ["Owning", "Renting"]
    return {
        "Plan": name,
        "Answer": title(found),
        f"{heads[0]}, USD": first,
        f"{heads[1]}, USD": second,
        f"{heads[0]} is cheaper, of 100 futures": first_cheaper_per_100(judged),
        "Break-even use": "none" if busy is None or busy.value is None else words.percent(busy.value),
    }


def indices_table(found: Sequence[Index]) -> Table:
    """Which share of the doubt comes from each input: by itself, and with what it works through."""
    return Table.of(
        [{"Input": label(one.name), "By itself": one.first, "With all it works through": one.total} for one in found]
    )


def _first(text: str) -> str:
    return text[:1].upper() + text[1:]
