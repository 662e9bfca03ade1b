"""What is printed, fit for the terminal that prints it: nothing that it would obey, nothing that it cannot write.

Names come from files, links and tables of others. What a terminal would take for an order (to move, to recolour, to
turn the direction of writing) is printed as its number, `\\x1b`. What the terminal's alphabet lacks is printed in
letters it has: × as x, – as -, … as three points.
"""

import os
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any, TextIO, cast

from pricing.caching import cached
from pricing.formulas import escape_character, is_invisible

_IN_LETTERS = {
    "×": "x", "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "…": "...", "·": "-", "•": "*", "€": "EUR", "£": "GBP",
    "→": "->", "←": "<-", "≥": ">=", "≤": "<=", "≈": "~", "±": "+/-", "‘": "'", "’": "'", "“": '"', "”": '"',
    "„": '"', "«": '"', "»": '"', "µ": "u", "μ": "u", "°": " degrees", "─": "-", "│": "|", "├": "|", "└": "`",
    "█": "#", "ß": "ss", "æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "œ": "oe", "Œ": "OE",
}  # fmt: skip
_LAYOUT = "\n\t"  # of tables and lines


@contextmanager
def readable() -> Iterator[None]:
    """Make all text within fit for the output and for stderr."""
    out = TerminalStream(sys.stdout, "standard output")
    err = TerminalStream(sys.stderr, "")
    with redirect_stdout(cast(TextIO, out)), redirect_stderr(cast(TextIO, err)):
        yield


class TerminalStream:
    """A stream that writes only characters of the one under it. Without a name it hides that it is full or gone."""

    def __init__(self, under: TextIO | None, name: str) -> None:
        self.under = under or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(self.under, name)

    def write(self, text: str) -> int:
        """Write a text, made fit."""
        self._try(lambda: self.under.write(text.translate(_fit(stream_encoding(self.under)))))
        return len(text)

    def flush(self) -> None:
        """Write the buffer."""
        self._try(self.under.flush)

    def _try(self, write: Callable[[], object]) -> None:
        try:
            write()
        except OSError as error:
            self._discard_buffer()
            if self._name:
                raise OSError(error.errno, error.strerror or str(error), self._name) from error

    def _discard_buffer(self) -> None:
        """Discard unwritten text, or it would fail again when the process ends."""
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.under.fileno())


def stream_encoding(stream: TextIO) -> str:
    return stream.encoding or "utf-8"


def tell(sentence: str) -> None:
    """Print one line on stderr, whatever stands in the names in it."""
    sys.stderr.write(f"{' '.join(sentence.split())}\n")


def redraw_line(line: str) -> None:
    """Redraw the last line of the terminal; our own text may move the cursor."""
    err: Any = sys.stderr
    under = err.under if isinstance(err, TerminalStream) else err
    under.write(f"\r{line}")
    under.flush()


def escape_unprintable_json(text: str, stream: TextIO) -> str:
    r"""JSON with \u in place of what the stream could not print, or should not: it reads as the same data."""
    return text.translate(_codes(stream_encoding(stream)))


class _CharacterMap(dict[int, str]):
    """The text to print for each character; computed at first use."""

    def __init__(self, instead: Callable[[str], str]) -> None:
        super().__init__()
        self._instead = instead

    def __missing__(self, number: int) -> str:
        self[number] = self._instead(chr(number))
        return self[number]


@cached(8)
def _fit(encoding: str) -> _CharacterMap:
    def instead(mark: str) -> str:
        if mark in _LAYOUT:
            return mark
        if is_invisible(mark):
            return escape_character(mark)
        return mark if _has(encoding, mark) else _transliterate(encoding, mark)

    return _CharacterMap(instead)


@cached(8)
def _codes(encoding: str) -> _CharacterMap:
    def instead(mark: str) -> str:
        if mark in _LAYOUT or (_has(encoding, mark) and not is_invisible(mark)):
            return mark
        pairs = mark.encode("utf-16-be", "surrogatepass").hex()
        return "".join(f"\\u{pairs[start : start + 4]}" for start in range(0, len(pairs), 4))

    return _CharacterMap(instead)


def _has(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _transliterate(encoding: str, mark: str) -> str:
    """Return a character in letters of the terminal: without its accent, or as a question mark."""
    bare = "".join(letter for letter in unicodedata.normalize("NFKD", mark) if not unicodedata.combining(letter))
    for text in (_IN_LETTERS.get(mark, ""), bare):
        if text and _has(encoding, text):
            return text
    return "?"
