"""Two texts of one plan in different money: the same but for amounts, and each amount is dollars at the rate."""

import re
from itertools import zip_longest

_SUFFIX = {"": 1.0, "k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12, "G": 1e9, " million": 1e6, " billion": 1e9}
_NUMBER = r"(?P<digits>\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?)(?P<suffix> million| billion|[kMBTG](?![A-Za-z]))?"


def _parts(text: str, mark: str, code: str) -> tuple[list[str], list[tuple[str, float, float]]]:
    """Return the words between numbers, and each number with its mark, its value and half of its last digit."""
    pattern = re.compile(rf"(?P<mark>{re.escape(mark)})?{_NUMBER}")
    words, numbers, end = [], [], 0
    for match in pattern.finditer(text):
        words.append(text[end : match.start()])
        end = match.end()
        size = _SUFFIX[match["suffix"] or ""]
        digits = match["digits"].replace(",", "")
        shown = re.sub(r"e.*", "", digits)
        last = 10.0 ** -len(shown.partition(".")[2])
        whole = re.sub(r"\D", "", shown).lstrip("0")
        if match["mark"] and size == 1 and float(digits) >= 1:  # $276,000 and $42.60 are rounded to three figures
            last = max(last, 10.0 ** (len(str(int(float(digits)))) - 3))
        if match["mark"] and size > 1 and len(whole) < 3:  # 1.5 million is 1.50
            last = 10.0 ** (len(shown.partition(".")[0]) - 3)
        numbers.append((match["mark"] or "", float(digits) * size, last * size / 2))
    blank = re.compile(rf"[ -]{{2,}}|\b{re.escape(code)}\b|\n")
    return [blank.sub(" ", part).strip() for part in (*words, text[end:])], numbers


def differences(usd_text: str, text: str, mark: str, code: str, usd_per_unit: float) -> list[str]:
    """Return where a text is not the same as in dollars with each amount at the rate."""
    (words, numbers), (others, amounts) = _parts(usd_text, "$", "USD"), _parts(text, mark, code)
    wrong = [f"{one!r}, not {other!r}" for one, other in zip_longest(words, others) if one != other][:3]
    for (dollar, usd, usd_off), (sign, amount, off) in zip(numbers, amounts, strict=False):
        is_same = amount == usd and not dollar and not sign
        in_rate = abs(amount - usd / usd_per_unit) <= 1.001 * (off + usd_off / usd_per_unit)
        if not is_same and (bool(dollar) != bool(sign) or not in_rate):
            wrong.append(f"{dollar}{usd:,} is shown as {sign}{amount:,}")
    return wrong
