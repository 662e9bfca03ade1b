"""A line in the spelling that its rules read: English words, decimal points, thousands, counts before their names.

What replaces a part is as long as that, so that places in the line stay.
"""

import math
import re
from collections.abc import Callable

from planner.study.one_line.line_patterns import COUNTED_IN_THOUSANDS
from planner.study.one_line.line_words import FOREIGN, TRANSLATED
from planner.study.one_line.number_words import in_digits
from planner.study.one_line.quantities import WHO


def _in_thousands(match: re.Match[str]) -> str:
    """Return an Indian number in thousands or millions: 20 lakh, 1.5 crore."""
    number = f"{float(match[1]) * 100:g}k" if match[2].startswith("la") else f"{float(match[1]) * 10:g}m"
    has_mark = re.search(r"(?:[₹$€]|rs\.?|inr|rupees) ?$", match.string[: match.start()])
    mark = "₹" if match["sum"] is not None and not has_mark else ""
    return mark + number.zfill(len(match[0]) - len(mark))


_POINTS = {ord("."): ",", ord(" "): ",", ord("|"): "."}
# Each is as long as what replaces it.
_SPELLINGS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"(?<=\d)'(?=\d{3}(?!\d))"), ","),
    (re.compile(r"(?<=\d)'s(?!\w)"), "s "),  # h100's
    (re.compile(r"(?<=[a-z])'s(?!\w)|(?<=mio)\."), lambda match: " " * len(match[0])),
    (re.compile(r"(?<=[a-z\d])-(?=(?:hours?|days?|weeks?|months?|years?)(?![a-z]))"), " "),  # a100-hours
    (re.compile(  # 40,000 sdxl images
        r"(?<![\w.,])(\d[\d.,]*(?: ?[km](?![a-z]))?) (sdxl|flux|whisper|llama|qwen|mistral|gemma|bert)"
        r"(?= (?:images|pictures|calls|requests|prompts|queries|messages)(?![a-z]))"), r"\2 \1"),
    (re.compile(r"(?<![\d.,])(\d+(?:\.\d+)?)\s?(lakhs?|lacs?|crores?)(?![a-z])"
        r"(?P<sum>(?=\s*(?:budget|capex|total|only|for |to |per |a |$|[,.;+])))?"), _in_thousands),
    (re.compile(r"(?<=\d)[- ]equivalents?(?![a-z])|(?<=[a-z\d])\*(?=[a-z])|(?<=[a-z])\*(?=\d)"),
     lambda it: " " * len(it[0])),
    (re.compile(  # a card that is broken is not what is wanted
        r"(?<![\w.])(?:(?:my|our|the|one) )?(?:(?:rtx|gtx|rx) )?[a-z]{0,3}\d{2,4}[a-z]{0,2}(?: (?:ti|super|xtx?))?"
        r"s? (?:(?:is|are|was|just|has|have|card|gpu) )*(?:dies|died|dying|dead|broke|broken"
        r"|failed|failing|gave up|fried|toast)(?![a-z])"), lambda it: " " * len(it[0])),
    (re.compile(r"(?<=\d) ([mk])(?=(?:sek|eur|usd|chf|gbp|nok|dkk|pln|czk)(?![a-z]))"), r"\1 "),
    (re.compile(r"(?<![\w.])10\^([369])(?!\d)"), lambda it: f"1{' kmb'[int(it[1]) // 3]}".rjust(4)),
    (re.compile(r"(?<=[a-z] )(\d+(?:\.\d+)?) billions?(?! tok)(?![a-z])"), lambda it: f"{it[1]}b".ljust(len(it[0]))),
    (re.compile(r"(?<![a-z])(?:minus|negative) (?=\d)"), lambda match: "-".rjust(len(match[0]))),
    (re.compile(r"(?<![\w.,])\d[\d.,]*k?(?: [a-z]+)?[,. ]+(?:no wait|no,|sorry|wait|make that|i mean|or rather"
        r"|scratch that)[,. ]+(?=\d)"),
        lambda match: " " * len(match[0])),
    # A slice of TPUs as a count of chips; a name counts two cores a chip up to v4 and of v5p: v4-32 has 16.
    (re.compile(r"(?<![\w.])(tpu[ -]?)?(v[2-7][ep]?)-(\d{1,4})(?!\w)"), lambda it: (
        f"{max(int(it[3]) // (1 if it[2].endswith('e') else 2), 1)} {it[1] or ''}{it[2]}".ljust(len(it[0])))),
    (re.compile(  # 1.000.000, 22.500,50 and 1 250 000 or 40 000 EUR
        r"(?<![\w.,-])\d{1,3}(?:(?:\.\d{3}){2,}(?:,\d{1,2})?|(?:\.\d{3})+,\d{1,2}|(?: \d{3}){2,}"
        r"|(?: \d{3})(?=\s?(?:[€£$]|eur|chf|usd|gbp|sek|nok|dkk|pln|czk|dollar|euro))| 000(?=\s[a-z]))(?![\d.,]*\d)"),
     lambda match: match[0].replace(",", "|").translate(_POINTS)),
    (re.compile(r"(financed|financing|loan|credit|borrow\w*)( (?:over|for|on) [0-9]+ (?:months|years))"
        r"( (?:at|@) [0-9.]+ ?%)"), r"\1\3\2"),
    (COUNTED_IN_THOUSANDS, lambda match: match[0].replace(".", ",")),
    (re.compile(r"(?<![\d.,])(\d+),(\d{1,2})(?![\d.,]*\d)"), r"\1.\2"),
)  # fmt: skip
_SIZED = r"(\d+(?:,\d{3})*(?:\.\d+)?) ?(k|m|bn?)?(?![a-z0-9])"
_RANGE = re.compile(  # 5k to 50k users, $2-3 an hour, between 10 and 20 rps; 8 to 18 h, 2026-2028, 4090 to 5090: none
    r"(?:(between )|(?<![\w.,:-]))(?:about )?[$€£]?(?!(?:20[1-4]\d|[1-5]0[5-9]0)(?!\d))"
    rf"{_SIZED} ?(?(1)and |(?:-|–|to ))(?:about )?[$€£]?{_SIZED}"
    r"(?=\s?(?:%|[$€£/]|(?!am|pm|(?:on )?weekdays|h(?![a-z0-9])"
    r"|uhr|o'clock|bits?|gb|tb|kw|w(?![a-z])|s(?:econds?)?(?![a-z])"
    r"|ms)[a-wyz]))"
)
_CHANGE = re.compile(
    r"(?:from|grow\w*|scal\w*|increas\w*|expand\w*|go|going|upgrad\w*|mov\w*|version|layers?|gpus?|cards?)"
    r"(?: (?:it|them|us|our|the|fleet|cluster|of))* $"
)
_SIZE_OF = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "bn": 1e9}
_OF_COUNTS = re.compile(
    rf"\s?(?:x |nvidia |used |new )*(?:(?:[a-z]+ )?{WHO}|gpus?|cards?|nodes?|servers?|[a-z]{{1,4}} ?\d)"
)


def middle_of_ranges(line: str, notes: list[str]) -> str:
    """Return a line with the middle of each range in its place, as long as the range, and note each."""

    def middle(match: re.Match[str]) -> str:
        ends = ((match[2], match[3] or match[5]), (match[4], match[5]))
        low, high = (float(number.replace(",", "")) * _SIZE_OF[unit or ""] for number, unit in ends)
        mean = math.ceil((low + high) / 2) if _OF_COUNTS.match(line, match.end()) else (low + high) / 2
        mark = "".join(each for each in match[0] if each in "$€£")[:1]
        text = min(
            (f"{mark}{mean / times:.10g}{unit}" for unit, times in _SIZE_OF.items() if mean >= times or not unit),
            key=len,
        )
        if low >= high or len(text) > len(match[0]) or (not match[1] and _CHANGE.search(line[: match.start()])):
            return match[0]
        notes.append(f"Of {match[0].strip()} the middle is taken: {mean:,.10g}.")
        return text.rjust(len(match[0]))

    return _RANGE.sub(middle, line)


def plain_spelling(line: str) -> str:
    """Return a line in lower case in English, with points and thousands as this program writes them: 2,5, 1.000.000."""
    line = in_digits(FOREIGN.sub(lambda it: TRANSLATED[(it.lastindex or 1) - 1][1].ljust(len(it[0])), line))
    for pattern, spelled in _SPELLINGS:
        line = pattern.sub(spelled, line)
    return line
