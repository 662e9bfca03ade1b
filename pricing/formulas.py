"""Text in the cells of a CSV: a spreadsheet may run what starts with = + - @, a tab or a line end as a formula.

Such text gets an apostrophe in front where it is written, and loses it where it is read.
"""

import unicodedata

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def guarded(text: str) -> str:
    """Text that no spreadsheet takes for a formula; what looks guarded already is guarded once more."""
    return "'" + text if text.lstrip("'").lstrip(" \u00a0").startswith(_FORMULA_STARTS) else text


def unescape_csv_formula(cell: str) -> str:
    """Return the text of a cell as it was before it was guarded."""
    return cell[1:] if cell.startswith("'") and guarded(cell[1:]) == cell else cell


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # control, format, half a character, line and paragraph ends
_EMPTY = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")  # letters and accents by class, without ink


NO_PLACE = "does not show (a control or invisible mark): leave it out"


def is_invisible(mark: str) -> bool:
    """Return whether a character does not show."""
    return mark in _EMPTY or unicodedata.category(mark) in _UNSEEN


def unseen(text: str, allowed: str = "") -> str:
    """Return the first mark of a text that does not show, as `U+202E at character 5`; empty where all show."""
    if text.isascii() and text.isprintable():
        return ""
    marks = ((place, mark) for place, mark in enumerate(text, start=1) if mark not in allowed and is_invisible(mark))
    return next((f"U+{ord(mark):04X} at character {place:,}" for place, mark in marks), "")


def printable(text: str, longest: int = 60) -> str:
    """Return a text from outside as a sentence may show it: cut short, ? in place of each mark that does not show."""
    clean = "".join(mark if mark.isprintable() and not is_invisible(mark) else "?" for mark in text[:longest])
    return clean if len(text) <= longest else f"{clean}…"


def reject_invisible(text: str) -> str:
    """Return the text, or a `ValueError` that says which mark of it does not show."""
    if mark := unseen(text):
        raise ValueError(f"{mark} {NO_PLACE}")
    return text


def without_unseen(text: str) -> str:
    """Return the text as one line, without the marks that do not show."""
    return " ".join("".join(" " if is_invisible(mark) else mark for mark in text).split())


def escape_character(mark: str) -> str:
    r"""Return a mark by its number, as many languages write it: \x1b, \u202e."""
    number = ord(mark)
    return f"\\x{number:02x}" if number <= 0xFF else f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
