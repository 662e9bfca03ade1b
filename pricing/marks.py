"""Marks that do not show: control characters, marks that turn the direction of writing, marks without width.

They have no place in a name: a terminal may obey them, and a reader sees another name than the one that stands there.
"""

from __future__ import annotations

import unicodedata

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # control, format, half a character, line and paragraph ends


NO_PLACE = "does not show (a control or invisible mark): leave it out"


def is_unseen(mark: str) -> bool:
    """Whether one character does something instead of showing."""
    return unicodedata.category(mark) in _UNSEEN


def unseen(text: str, allowed: str = "") -> str:
    """The first mark of a text that does not show, as `U+202E at character 5`; empty where all show."""
    if text.isprintable():
        return ""
    found = ((place, mark) for place, mark in enumerate(text, start=1) if mark not in allowed and is_unseen(mark))
    return next((f"U+{ord(mark):04X} at character {place:,}" for place, mark in found), "")


def all_seen(text: str) -> str:
    """The text, or a `ValueError` that says which mark of it does not show."""
    if mark := unseen(text):
        raise ValueError(f"{mark} {NO_PLACE}")
    return text


def as_code(mark: str) -> str:
    r"""A mark by its number, as many languages write it: \x1b, \u202e."""
    number = ord(mark)
    return f"\\x{number:02x}" if number <= 0xFF else f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
