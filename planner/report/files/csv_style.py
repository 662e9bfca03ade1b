"""How a CSV is written: separator, decimal sign and encoding; text is in quotes, and no text becomes a formula."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from pricing.formulas import guarded

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}
DECIMALS = {"point": ".", "comma": ","}
ENCODINGS = ("utf-8-sig", "utf-8", "utf-16")  # the first has a mark by which spreadsheets know it


@dataclass(frozen=True)
class CsvStyle:
    """The choices of whoever reads the file; a number with the separator in it stands in quotes."""

    separator: str = "comma"
    decimal: str = "point"
    encoding: str = ENCODINGS[0]

    def encode(self, rows: Iterable[Iterable[object]]) -> bytes:
        """Return rows of cells as the bytes of a CSV: full precision, empty where there is nothing."""
        separator = SEPARATORS[self.separator]
        lines = [separator.join(map(self._cell, row)) for row in rows]
        return "".join(f"{line}\r\n" for line in lines).encode(self.encoding)

    def _cell(self, value: object) -> str:
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return '""'
        if isinstance(value, bool):
            return f'"{str(value).lower()}"'
        if isinstance(value, int | float):
            number = str(value + 0).replace(".", DECIMALS[self.decimal])  # no -0 in a file
            return f'"{number}"' if SEPARATORS[self.separator] in number else number
        text = guarded(value.isoformat() if hasattr(value, "isoformat") else str(value))
        return '"' + text.replace('"', '""') + '"'


DEFAULT_STYLE = CsvStyle()
