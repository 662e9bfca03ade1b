"""How a CSV is written: separator, decimal sign and encoding; text is in quotes, and no text becomes a formula."""

import codecs
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pricing.formulas import guarded

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}
DECIMALS = {"point": ".", "comma": ","}
_BLOCK = 5_000  # rows
_REPEATED = frozenset({str, date, type(None)})
ENCODINGS = ("utf-8-sig", "utf-8", "utf-16")  # the first has a mark by which spreadsheets know it


@dataclass(frozen=True)
class CsvStyle:
    """The choices of whoever reads the file; a number with the separator in it stands in quotes."""

    separator: str = "comma"
    decimal: str = "point"
    encoding: str = ENCODINGS[0]
    empty: str = '""'

    def chunks(self, columns: Mapping[str, Sequence[object]]) -> Iterator[bytes]:
        """Yield the bytes of a CSV with these columns, block by block: full precision, empty where there is nothing."""
        encode, separator = codecs.getincrementalencoder(self.encoding)().encode, SEPARATORS[self.separator]
        yield encode(f"{separator.join(map(self._cell, columns))}\r\n")
        known: dict[object, str] = {}  # of texts and days: most stand in many rows
        count = max(map(len, columns.values()), default=0)
        for start in range(0, count, _BLOCK):
            block = [self._cells(column[start : start + _BLOCK], known) for column in columns.values()]
            yield encode("".join(f"{separator.join(row)}\r\n" for row in zip(*block, strict=True)))

    def _cells(self, cells: Sequence[Any], known: dict[object, str]) -> list[str]:
        kinds = set(map(type, cells))
        if kinds <= _REPEATED:
            known.update({cell: self._cell(cell) for cell in set(cells) - known.keys()})
            return list(map(known.__getitem__, cells))
        return list(map(self._number if kinds == {float} else self._cell, cells))

    def _number(self, value: float) -> str:
        if math.isnan(value):
            return self.empty
        number = str(value + 0)  # no -0 in a file
        if self.decimal == "point":
            return number
        number = number.replace(".", DECIMALS[self.decimal])
        return f'"{number}"' if SEPARATORS[self.separator] in number else number

    def _cell(self, value: object) -> str:
        if value is None:
            return self.empty
        if isinstance(value, bool):
            return f'"{str(value).lower()}"'
        if isinstance(value, int | float):
            return self._number(value)
        text = guarded(value.isoformat() if hasattr(value, "isoformat") else str(value))
        return '"' + text.replace('"', '""') + '"'


DEFAULT_STYLE = CsvStyle()
