"""Parts of the patterns of a line: numbers, times, rates, what is counted and who asks."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from planner.study.one_line import quantities
from planner.study.one_line.line_words import WORDS
from planner.study.one_line.quantities import (
    NUMBER,
    PLAIN,
    REQUESTS,
    TOKENS,
    WHO,
    Rule,
)

SPACE = re.compile(r"(\(\?<[=!][^)]*\))|(?<!\[-) (?![*+{])(\??)")  # not in a look-behind or a class


def rule(name: str, pattern: str, value: Callable[[re.Match[str]], Any] | Any) -> Rule:
    """Build a rule; each space in its pattern stands for some of them."""
    spaced = SPACE.sub(lambda match: match[1] or (" *" if match[2] else " +"), pattern)
    return Rule(name, re.compile(spaced), value if callable(value) else lambda _: value)


# 2.500 requests and 450.000 € have no thousandths.
IN_POINTS, NO_UNIT_PRICE = r"[1-9]\d{0,2}\.\d{3}", r"(?!\s*(?:/|per|an?)\s*(?:kwh|gpu|h))"
COUNTED_IN_THOUSANDS = re.compile(
    rf"(?<![\d.,]){IN_POINTS}(?=\s?(?:(?:€|(?:euros?|eur|chf|sek|nok|dkk|pln|czk)(?![a-z])){NO_UNIT_PRICE}"
    rf"|{REQUESTS}(?![a-z])(?!\s*(?:/|per|an?)\s*s)|hours(?![a-z])|{WHO}|{TOKENS}|gpu))"
    rf"|(?:(?<=€)|(?<=€ )|(?<=eur )|(?<=chf )){IN_POINTS}(?![\d.,]*\d){NO_UNIT_PRICE}"
)
ANY_N, ANY_N2, PLAIN_N = rf"(?P<n>{NUMBER})", rf"(?P<n2>{NUMBER})", rf"(?P<n>{PLAIN})"
END, END9 = "(?![a-z])", "(?![a-z0-9])"
NOUNS = "|".join(word for word in WORDS["requests"].split() if len(word) > len("r|q"))
_PART = re.compile(r"\{([A-Z][A-Z0-9_]*)\}")
PARTS: dict[str, Any] = {**vars(quantities), **globals()}


def whole(pattern: str) -> str:
    """Return a pattern with its parts in it."""
    return _PART.sub(lambda part: str(PARTS[part[1]]), pattern)


for _name, _part in WORDS["parts"].items():
    PARTS[_name] = whole(_part)
PATTERNS: Mapping[str, re.Pattern[str]] = {name: re.compile(whole(text)) for name, text in WORDS["patterns"].items()}
