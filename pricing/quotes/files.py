"""From the bytes of a file somebody brings to rows of cells, each with its line. CSV or YAML, distinguished by looking.

Nothing here knows what a cell means. What makes the whole file unreadable is a `QuoteError`; what spoils one row is a
`Problem`, and the other rows are kept. A CSV header is the exception: an unknown column there may change what every row
means, so the file is refused with the name of the column.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from math import isfinite
from typing import Any, get_args

from pricing import strict_yaml
from pricing.choices import Area, Purchase
from pricing.errors import CatalogError, QuoteError
from pricing.figure import parse_day
from pricing.formulas import unseen
from pricing.names import either

MAX_BYTES = 1_000_000
MAX_ROWS = 5_000
COLUMNS = (
    "kind", "provider", "accelerator", "accelerators_per_instance", "region", "area", "purchase",
    "most_accelerators", "usd_per_accelerator_hour", "usd_per_instance_hour", "discount_share", "server",
    "accelerators", "price_usd", "low_usd", "high_usd", "currency", "valid_from", "valid_until", "starts", "ends",
    "note",
)  # fmt: skip

_LONGEST_SHOWN = 60
_NAMED_AT_ONCE = 5
_SEPARATORS = ",;\t"
_NOT_TEXT = {
    b"PK\x03\x04": "an Excel workbook or another ZIP archive",
    b"PK\x05\x06": "an empty ZIP archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"%PDF": "a PDF",
    b"\x1f\x8b": "a gzip archive",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}
# Our own CSV export puts an apostrophe before text that a spreadsheet would run as a formula. Only that one comes off:
# the apostrophe of 's-Hertogenbosch stays.
_GUARD = re.compile(r"\A'(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])")


@dataclass(frozen=True)
class QuoteProblem:
    """One thing wrong (or worth a second look) in a file: where, what stands there, what was wanted instead."""

    line: int
    column: str
    got: str
    wanted: str
    is_question: bool = False

    def __str__(self) -> str:
        place = f"Line {self.line}, {self.column}" if self.column else f"Line {self.line}"
        if self.is_question:
            return f"{place}: {self.wanted}{f', got {self.got!r}' if self.got else ''}."
        return f"{place}: want {self.wanted}, got {repr(self.got) if self.got else 'nothing'}."


@dataclass(frozen=True)
class QuoteCells:
    """The filled cells of one row: text from CSV; text, numbers, days or booleans from YAML."""

    line: int
    cells: Mapping[str, Any]
    decimal_comma: bool = False


def read_rows(raw: bytes, *, name: str) -> tuple[list[QuoteCells], list[QuoteProblem]]:
    """Return all rows that can be distinguished, and what is wrong with the others. `name` must be fit to be shown."""
    text = _text(raw, name)
    rows, problems = _yaml_rows(text, name) if _is_yaml(text, name) else _csv_rows(text, name)
    if not rows and not problems:
        raise QuoteError(f"{name} has no rows: want at least one price, discount or hardware quote.")
    return rows, problems


def shown(value: object) -> str:
    """Return a value as an error shows it: as text, and never longer than a line."""
    text = str(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def format_number(number: float) -> str:
    """Return a number as an error shows it: 3.99, 2000000."""
    return f"{number:.10g}"


def did_you_mean(word: str, words: tuple[str, ...]) -> str:
    """Return a hint to put behind a wish, or nothing where nothing is near."""
    near = get_close_matches(word[:_LONGEST_SHOWN], words, n=1, cutoff=0.5)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _text(raw: bytes, name: str) -> str:
    if len(raw) > MAX_BYTES:
        raise QuoteError(f"{name} is too long: want at most {MAX_BYTES:,} bytes.")
    for start, what in _NOT_TEXT.items():
        if raw.startswith(start):
            raise QuoteError(f"{name} looks like {what}: save it as CSV (UTF-8) and bring that file.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        wish = "save it as CSV (UTF-8) and bring that file"
        raise QuoteError(f"{name} is not UTF-8 text (byte {error.start + 1:,} is not): {wish}.") from error
    if "\0" in text:
        raise QuoteError(f"{name} is not text: save it as CSV (UTF-8) and bring that file.")
    if not text.strip():
        raise QuoteError(f"{name} is empty: want a CSV or YAML file with at least one row.")
    return text


def _is_yaml(text: str, name: str) -> bool:
    if name.casefold().endswith((".yaml", ".yml")):
        return True
    content = (line for line in text.splitlines() if line.strip() and not line.startswith(("#", "---")))
    return next(content, "").startswith(("quotes:", "{"))


# CSV


def _csv_rows(text: str, name: str) -> tuple[list[QuoteCells], list[QuoteProblem]]:
    separator = max(_SEPARATORS, key=next(line for line in text.splitlines() if line.strip()).count)
    header: list[str] | None = None
    rows: list[QuoteCells] = []
    problems: list[QuoteProblem] = []
    for line, cells in _records(text, separator):
        if isinstance(cells, QuoteProblem):
            problems.append(cells)
        elif header is None:
            header = None if cells[0].strip().casefold() == "sep=" else _header(cells, name)
        elif any(cell.strip() for cell in cells[len(header) :]):
            problems.append(_too_wide(line, cells[len(header) :], len(header), separator))
        else:
            rows.append(QuoteCells(line, _filled(header, cells), decimal_comma=separator == ";"))
        _check_row_count(len(rows) + len(problems), name)
    if header is None:
        raise _no_header(name)
    return rows, problems


def _records(text: str, separator: str) -> Iterator[tuple[int, list[str] | QuoteProblem]]:
    """Yield each record that is not blank with the line it starts on, or what is wrong with it."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, QuoteProblem(line, "", str(error), "each double quote closed (what it swallowed was not read)")
            continue
        if any(cell.strip() for cell in cells):
            yield line, cells


def _header(cells: list[str], name: str) -> list[str]:
    header = [_column(cell) for cell in cells]
    while header and not header[-1]:
        header.pop()
    unknown = [column for column in header if column not in COLUMNS]
    if len(unknown) == len(header):
        raise _no_header(name)
    if unknown:
        named = unknown[:_NAMED_AT_ONCE]
        wishes = " ".join(f"there is no column {shown(column)!r}{_nearest_column(column)}." for column in named)
        raise QuoteError(f"{name}: {wishes} The columns are {', '.join(COLUMNS)}.")
    twice = [column for column in COLUMNS if header.count(column) > 1]
    if twice:
        raise QuoteError(f"{name}: the column {twice[0]!r} stands twice in the header; want it once.")
    return header


def _nearest_column(column: str) -> str:
    """Our columns say accelerator where most people say GPU."""
    return did_you_mean(column.replace("gpu", "accelerator"), COLUMNS)


def _no_header(name: str) -> QuoteError:
    example = "kind,provider,accelerator,usd_per_accelerator_hour"
    return QuoteError(f"{name} has no header: want a first line that names the columns, such as {example}.")


def _column(name: str) -> str:
    """Return a column's name as we write it: `USD per accelerator-hour` is `usd_per_accelerator_hour`."""
    return re.sub(r"[\s\-]+", "_", _unescaped(name).strip("\ufeff").casefold())


def _filled(header: list[str], cells: list[str]) -> dict[str, str]:
    pairs = zip(header, (_unescaped(cell) for cell in cells), strict=False)
    return {column: cell for column, cell in pairs if cell}


def _unescaped(cell: str) -> str:
    return _GUARD.sub("", cell.strip()).strip()


def _too_wide(line: int, extra: list[str], width: int, separator: str) -> QuoteProblem:
    hint = f"a value with {separator!r} in it stands in double quotes, a decimal is written 3.25"
    got = next(cell for cell in extra if cell.strip())
    return QuoteProblem(line, "", shown(got), f"{width} cells, as many as the header has ({hint})")


def _check_row_count(rows: int, name: str) -> None:
    if rows > MAX_ROWS:
        raise QuoteError(f"{name} has more than {MAX_ROWS:,} rows: want at most that many.")


# YAML


def _yaml_rows(text: str, name: str) -> tuple[list[QuoteCells], list[QuoteProblem]]:
    try:
        data = strict_yaml.read(text, file=name)
        where = strict_yaml.lines(text, file=name)
    except CatalogError as error:
        raise QuoteError(f"{error}.") from error
    items = data.get("quotes") if isinstance(data, dict) and len(data) == 1 else None
    if not isinstance(items, tuple):
        raise QuoteError(f"{name}: want one list of rows under the key 'quotes' and nothing beside it.")
    _check_row_count(len(items), name)
    rows: list[QuoteCells] = []
    problems: list[QuoteProblem] = []
    for position, item in enumerate(items):
        line = where["quotes", str(position)]
        wrong = list(_wrong_keys(line, item))
        problems += wrong
        if not wrong:
            rows.append(QuoteCells(line, {_column(key): cell for key, cell in item.items() if cell not in (None, "")}))
    return rows, problems


def _wrong_keys(line: int, item: object) -> Iterator[QuoteProblem]:
    if not isinstance(item, dict):
        yield QuoteProblem(line, "", shown(item), "a row of keys and values, such as {provider: ..., accelerator: ...}")
        return
    seen: set[str] = set()
    for key, cell in item.items():
        column = _column(str(key))
        if column not in COLUMNS:
            yield QuoteProblem(line, shown(key), shown(key), f"a known column{_nearest_column(column)}")
        elif column in seen:
            yield QuoteProblem(line, column, shown(key), "each column once")
        elif isinstance(cell, dict | tuple):
            yield QuoteProblem(line, column, shown(cell), "one plain value")
        seen.add(column)


LONGEST_TEXT = 200
WISHES = {
    "provider": "a provider's name",
    "accelerator": "an accelerator of the catalogue",
    "server": "a server of the catalogue",
    "accelerators_per_instance": "a whole number from 1 to 100,000",
    "accelerators": "a whole number from 1 to 100,000",
    "most_accelerators": "a whole number from 1 to 100,000",
    "usd_per_accelerator_hour": "a price above 0 and at most 1,000 USD (leave it empty to ask for a quote)",
    "usd_per_instance_hour": "a price above 0 (leave it empty to ask for a quote)",
    "discount_share": "a share above 0 and below 1, such as 0.18 for 18 %",
    "price_usd": "a price above 0 and at most 10,000,000 USD",
    "low_usd": "a price above 0 and at most 10,000,000 USD, or nothing",
    "high_usd": "a price above 0 and at most 10,000,000 USD, or nothing",
    "valid_from": "a day such as 2026-01-31",
    "valid_until": "a day such as 2026-01-31",
    "starts": "a day such as 2026-01-31",
    "ends": "a day after it starts, such as 2026-01-31",
}
KINDS = ("offer", "discount", "hardware")

_CHOICES: dict[str, tuple[str, ...]] = {"kind": KINDS, "purchase": get_args(Purchase), "area": get_args(Area)}
_NUMBERS = frozenset(
    {"usd_per_accelerator_hour", "usd_per_instance_hour", "discount_share", "price_usd", "low_usd", "high_usd"}
)
_WHOLE_NUMBERS = frozenset({"accelerators_per_instance", "accelerators", "most_accelerators"})
_DAYS = frozenset({"valid_from", "valid_until", "starts", "ends"})
_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")
_COMMA_DECIMAL = re.compile(r"[-+]?[0-9]+,[0-9]+")
_GROUPED = re.compile(r"[-+]?[0-9]{1,3}([,.' \u00a0\u202f][0-9]{3})+([.,][0-9]+)?")
_PERCENT = re.compile(r"([0-9]+(?:[.,][0-9]+)?)\s*%")
_SOME_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_LOOKS_GROUPED = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}")
_LONGEST_NUMBER = 40


def read_cell(row: QuoteCells, column: str) -> Any:
    """Return the value of one filled cell, in the type its column wants."""
    cell = row.cells[column]
    if column in _NUMBERS:
        if isinstance(cell, str):
            plain = cell.replace(",", ".") if row.decimal_comma and _COMMA_DECIMAL.fullmatch(cell) else cell
            if len(plain) > _LONGEST_NUMBER or not _NUMBER.fullmatch(plain):
                raise ValueError(_suggest_fix(column, cell[: 2 * _LONGEST_NUMBER]))
            number = float(plain)
            if not isfinite(number):
                raise ValueError(WISHES[column])
            return number
        if isinstance(cell, bool) or not isinstance(cell, int | float):
            raise ValueError(WISHES[column])
        return float(cell)
    if column in _WHOLE_NUMBERS:
        return _whole(column, cell)
    if column in _DAYS:
        return _day(column, cell)
    return _choice(cell, _CHOICES[column]) if column in _CHOICES else single_line_text(cell)


def has_thousands_separator(cell: object) -> bool:
    """Return whether a number may have been meant as thousands: `32.500` is 32.5 to us and 32500 to half of Europe."""
    return isinstance(cell, str) and _LOOKS_GROUPED.fullmatch(cell) is not None


def single_line_text(cell: object) -> str:
    """One line of text without anything invisible in it."""
    if not isinstance(cell, str):
        raise ValueError("text (in YAML, put it in quotes)")
    if len(cell) > LONGEST_TEXT:
        raise ValueError(f"at most {LONGEST_TEXT} characters")
    if unseen(cell):
        raise ValueError("one line of text without control or invisible characters")
    return cell


def _suggest_fix(column: str, text: str) -> str:
    if column == "discount_share" and (percent := _PERCENT.fullmatch(text)):
        share = float(percent[1].replace(",", ".")) / 100
        return f"a share: {format_number(share)} for {text}"
    if _COMMA_DECIMAL.fullmatch(text) and not _GROUPED.fullmatch(text):
        return f"a decimal point: {text.replace(',', '.')}"
    if _GROUPED.fullmatch(text):
        return "a plain number without thousands separators, such as 1234.50"
    if (number := _SOME_NUMBER.search(text)) and not text.startswith("-"):
        return f"a plain number without currency or unit, such as {number[0]}"
    return WISHES[column]


def _whole(column: str, cell: object) -> int:
    if isinstance(cell, str) and re.fullmatch(r"[0-9]{1,9}", cell):
        return int(cell)
    if isinstance(cell, bool) or not isinstance(cell, int):
        raise ValueError(WISHES[column])
    return cell


def _day(column: str, cell: object) -> date:
    try:
        day = parse_day(cell)
    except ValueError as error:
        raise ValueError("a day of the calendar") from error
    if not isinstance(day, date):
        raise ValueError(WISHES[column])
    return day


def _choice(cell: object, options: tuple[str, ...]) -> str:
    word = re.sub(r"[\s\-]+", "_", single_line_text(cell).casefold())
    if word not in options:
        raise ValueError(either(options) + did_you_mean(word, options))
    return word
