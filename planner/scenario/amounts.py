"""Large numbers as people type and read them: 15T, 300 B, 2e12, 1,000,000, 1.4 trillion."""

import re

_SIZES = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_GROUPED = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_AMOUNT = re.compile(rf"([0-9]+(?:\.[0-9]*)?(?:e\+?[0-9]{{1,2}})?)\s*({'|'.join(_SIZES)})")
_WRITTEN = ((1e12, "T"), (1e9, "B"), (1e6, "M"))


def count(number: float | str, singular: str, plural: str | None = None) -> str:
    """1 offer, 12 offers, 2.5 months. A text is a number that is written already."""
    text = number if isinstance(number, str) else f"{number:,}" if isinstance(number, int) else f"{number:,.10g}"
    return f"{text} {singular if text == '1' else plural or singular + 's'}"


def parse_amount(text: str) -> float | None:
    """The number that a text stands for; None where it stands for none. A comma only parts thousands."""
    match = _AMOUNT.fullmatch(_GROUPED.sub("", text.strip().casefold()))
    return None if match is None else float(match[1]) * _SIZES[match[2]]


class AmbiguousNumberError(ValueError):
    """A number that stands for two amounts: 250.000 is 250, or 250,000 where points part thousands."""

    def __init__(self, digits: str) -> None:
        whole, _, parts = digits.partition(".")
        self.digits = digits
        self.large = whole + parts
        short = parts.rstrip("0")
        self.small = (
            f"{whole}.{short:0<{4 if len(short) == 3 else 2}}"  # with three places it would be read two ways again
        )


def parse_sum(text: str) -> float | None:
    """The number in an amount of money: with a decimal point or a decimal comma, thousands parted or not, 250k or 1.2M.

    A comma before exactly three digits parts thousands, as this program writes them; a point there can be either, and
    raises `TwoReadings`. None where the text is no number.
    """
    match = _DIGITS.match(text.strip())
    if match is None:
        return None
    ended = _NO_CENTS.sub("", text.strip())
    if ended != text.strip():  # 25.000,-
        return parse_amount(_thousands_out(ended) or ended)
    digits, size = match[0].strip(), text.strip()[match.end() :]
    plain = digits if size and digits.count(".") == 1 and "," not in digits else _with_point(digits)  # 1.234k, 1.125e3
    return None if plain is None else parse_amount(plain + size)


_SPACES = str.maketrans({"\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2019": "'"})
_DIGITS = re.compile(r"[0-9][0-9.,'\u2019 \u00a0\u2009\u202f]*")
_NO_CENTS = re.compile(r"[.,](-{1,2}|[\u2013\u2014])$")
_PARTED = re.compile(r"[0-9]{1,3}(?:(?P<mark>[.,' ])[0-9]{3})(?:(?P=mark)[0-9]{3})*|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}")


def _thousands_out(digits: str) -> str | None:
    """Digits without the marks that part their thousands (or lakhs); None where these stand elsewhere."""
    plain = digits.translate(_SPACES)
    return re.sub("[^0-9]", "", plain) if plain.isdigit() or _PARTED.fullmatch(plain) else None


def _with_point(digits: str) -> str | None:
    """Digits in either convention with nothing but a decimal point; None where they agree with neither."""
    last = max(digits.rfind("."), digits.rfind(","))
    if last < 0:
        return _thousands_out(digits)
    whole, mark, parts = digits[:last], digits[last], digits[last + 1 :]
    if not parts.isdigit() and parts:
        return None
    if mark in whole:  # it stands several times: it parts thousands
        return _thousands_out(digits)
    if len(parts) == 3 and re.fullmatch("[1-9][0-9]{0,2}", whole):
        if mark == ".":
            raise AmbiguousNumberError(digits)
        return whole + parts
    before = _thousands_out(whole)
    return None if before is None else f"{before}.{parts}"


def format_amount(value: float) -> str:
    """A number as its largest unit and no digit lost: 1 T, 1.4 T, 12,000. `parse_amount` reads it back the same."""
    for size, letter in _WRITTEN:
        if value >= size and parse_amount(short := f"{value / size:.12g} {letter}") == value:
            return short
    return f"{value:,.0f}" if value == int(value) else f"{value:.17g}"


def large(value: float, digits: int = 3) -> str:
    """Return a large number in words: 1.4 trillion, 250 million, 800."""
    size = float(f"{value:.{digits}g}")
    for limit, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if size >= limit:
            return f"{size / limit:,g} {word}"
    return f"{size:,.0f}"
