"""Numbers in words as digits: sixty thousand, two dozen, half a million, two and a half, 60 grand."""

import re

_COUNTED = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: number for number, word in enumerate(_COUNTED.split(), 1)}
_SMALL |= {word: 10 * number for number, word in enumerate(_TENS.split(), 2)} | {"fourty": 40, "ninty": 90}
_TIMES = {
    "dozen": 12.0, "hundred": 1e2, "thousand": 1e3, "grand": 1e3, "k": 1e3, "million": 1e6, "mil": 1e6,
    "billion": 1e9, "trillion": 1e12,
}  # fmt: skip
_VAGUE = {"couple": 2.0, "few": 3.0, "several": 4.0, "handful": 5.0}  # assumptions, shown with what they are taken for
_PARTS = {"half": 0.5, "quarter": 0.25}
_SIZES = ((1e12, "t"), (1e9, "b"), (1e6, "m"), (1e3, "k"))


def _any(words: object) -> str:
    return "|".join(sorted(words, key=len, reverse=True))  # type: ignore[call-overload]


_TO_99 = rf"(?:(?:{_any(_TENS.split())}|fourty|ninty)(?:[ -](?:{_any(_COUNTED.split()[:9])}))?|{_any(_SMALL)})(?![a-z])"
_TO_999 = rf"(?:(?:(?:{_TO_99}|an?) )?hundred(?:(?: and| -)? {_TO_99})?|{_TO_99})"
_NUMBER = re.compile(
    rf"(?<![\w.,-])(?P<q>(?:an? )?(?:half|quarter)(?: of)? an?(?= )"
    rf"|(?:a )?(?:half|quarter)(?= (?:million|billion|trillion|dozen))"
    rf"|(?:a )?(?:couple|few|handful)(?: of|(?= (?:hundred|thousand|million|dozen|k)))|a (?:couple|few|handful)"
    rf"|several|{_TO_999}|hundred|dozen|an?|\d[\d,]*(?:\.\d+)?)"
    rf"(?: and (?:an? )?(?P<part>half|quarter))?"
    rf"(?:[ -](?P<times>{_any(_TIMES)})(?![a-z])(?: (?:and )?(?P<rest>{_TO_999}))?)?(?![a-z])"
)
_AND_A_HALF = re.compile(r"(?<![\w.,-])(an?|one|\d+) (hour|day|week|month|year)s? and a half(?![a-z])")


def _below_thousand(text: str) -> float:
    """Return what words of a number up to 999 add up to."""
    number = 0.0
    for word in re.findall(r"[a-z]+|\d+", text):
        if word in ("hundred", "dozen"):
            number = max(number, 1.0) * _TIMES[word]
        elif word not in ("a", "an", "and", "of"):
            number += _SMALL.get(word) or _VAGUE.get(word) or _PARTS.get(word) or float(word if word.isdigit() else 0)
    return number


def _digits(match: re.Match[str]) -> str:
    """Return a number in digits with zeros before it, as long as its words; what has no number word stays."""
    words, times, part = match["q"], match["times"], match["part"]
    is_plain = words in ("a", "an", "one") or words[0].isdigit()
    if is_plain and (
        not (times or part) or (words[0].isdigit() and not (part or times in ("dozen", "hundred", "grand")))
    ):
        return match[0]
    first = float(words.replace(",", "")) if words[0].isdigit() and "hundred" not in words else _below_thousand(words)
    number = ((first or 1.0) + _PARTS.get(part or "", 0.0)) * _TIMES.get(times or "", 1.0)
    number += _below_thousand(match["rest"] or "")
    mark = "$" if times == "grand" else ""
    text = f"{number:.0f}" if number.is_integer() else f"{number:.10g}"
    if len(mark + text) > len(match[0]):
        text = next((f"{number / size:.10g}{letter}" for size, letter in _SIZES if number >= size), text)
    return mark + text.zfill(len(match[0]) - len(mark))


def in_digits(line: str) -> str:
    """Return a line in lower case with its number words in digits, each in its place."""
    line = _AND_A_HALF.sub(
        lambda match: f"{float(match[1]) if match[1].isdigit() else 1:g}.5 {match[2]}s".zfill(len(match[0])), line
    )
    return _NUMBER.sub(_digits, line)
