"""A line in the spelling that its rules read: English words, decimal points, thousands, counts before their names.

What replaces a part is as long as that, so that places in the line stay.
"""

import re

from planner.study.one_line.line_rules import COUNTED_IN_THOUSANDS
from planner.study.one_line.line_words import in_english

# Each is as long as what replaces it: 1.000.000, 22.500,50 and 1 250 000 or 40 000 EUR.
_THOUSANDS = re.compile(
    r"(?<![\w.,-])\d{1,3}(?:(?:\.\d{3}){2,}(?:,\d{1,2})?|(?:\.\d{3})+,\d{1,2}|(?: \d{3}){2,}"
    r"|(?: \d{3})(?=\s?(?:[€£$]|eur|chf|usd|gbp|sek|nok|dkk|pln|czk|dollar|euro))| 000(?=\s[a-z]))(?![\d.,]*\d)"
)
_POINTS = {ord("."): ",", ord(" "): ",", ord("|"): "."}
_MODEL_BETWEEN = re.compile(  # 40,000 sdxl images
    r"(?<![\w.,])(\d[\d.,]*(?: ?[km](?![a-z]))?) (sdxl|flux|whisper|llama|qwen|mistral|gemma|bert)"
    r"(?= (?:images|pictures|calls|requests|prompts|queries|messages)(?![a-z]))"
)
_LAKHS = re.compile(r"(?<![\d.,])(\d+(?:\.\d+)?)\s?(lakhs?|lacs?|crores?)(?![a-z])")
_TPU_SLICE = re.compile(r"(?<![\w.])(tpu[ -]?)?(v[2-7][ep]?)-(\d{1,4})(?!\w)")


def plain_spelling(line: str) -> str:
    """Return a line in lower case in English, with points and thousands as this program writes them: 2,5, 1.000.000."""
    line = in_english(line)
    line = re.sub(r"(?<=\d)'(?=\d{3}(?!\d))", ",", line)
    line = re.sub(r"(?<=\d)'s(?!\w)", "s ", line)  # h100's
    line = re.sub(r"(?<=[a-z])'s(?!\w)|(?<=mio)\.", lambda match: " " * len(match[0]), line)
    line = re.sub(r"(?<=[a-z\d])-(?=(?:hours?|days?|weeks?|months?|years?)(?![a-z]))", " ", line)  # a100-hours
    line = _MODEL_BETWEEN.sub(r"\2 \1", line)
    line = _LAKHS.sub(_in_thousands, line)
    line = _TPU_SLICE.sub(_counted_slice, line)
    line = _THOUSANDS.sub(lambda match: match[0].replace(",", "|").translate(_POINTS), line)
    line = COUNTED_IN_THOUSANDS.sub(lambda match: match[0].replace(".", ","), line)
    return re.sub(r"(?<![\d.,])(\d+),(\d{1,2})(?![\d.,]*\d)", r"\1.\2", line)


def _in_thousands(match: re.Match[str]) -> str:
    """Return an Indian number in thousands or millions: 20 lakh, 1.5 crore."""
    number = f"{float(match[1]) * 100:g}k" if match[2].startswith("la") else f"{float(match[1]) * 10:g}m"
    return number.ljust(len(match[0]))


def _counted_slice(match: re.Match[str]) -> str:
    """Return a slice of TPUs as a count of chips; a name counts two cores a chip up to v4 and of v5p: v4-32 has 16."""
    cores_per_chip = 1 if match[2].endswith("e") else 2
    return f"{max(int(match[3]) // cores_per_chip, 1)} {match[1] or ''}{match[2]}".ljust(len(match[0]))
