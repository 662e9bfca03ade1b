"""A plan as rows of a CSV, a name and a value each, alone or in the zip of a pack: written, edited and read back.

What is read may come from a spreadsheet: another separator, encoding or order of rows and columns, numbers with a
decimal comma. The row `one_half` tells the decimal sign; without it a number that can be two numbers is refused.
"""

import csv
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from planner.scenario.fields import field_spec
from planner.scenario.known_names import ScenarioError, unknown_key_message
from planner.scenario.path import Path, format_path
from pricing.formulas import NO_PLACE, printable, unescape_csv_formula, unseen
from pricing.strict_yaml import MAX_BYTES

ONE_HALF = "one_half"
PLAN_FILE, FILES_FILE = "plan.csv", "files.csv"
_PLAN = re.compile(r"(^|/)plan\.csv$|\.ya?ml$", re.IGNORECASE)
_MOST_FILES = 200
_NO_FILE = re.compile(r"^__MACOSX/|(^|/)\._|/$")  # what some programs put beside the files
_ID = "assumption_id"  # a column of the assumptions, among which the plan stands too
OF_PLAN = "plan."  # begins the ids of its fields there
_MOST_BYTES, _HEAD_BYTES = 20_000_000, 500  # of the assumptions
_NO_PLAN = f"no row {OF_PLAN}…: all else follows from a plan. Export it again, or send {PLAN_FILE}, which is the plan"
_HEAD_KINDS = {"schema": "whole", "day": "day", "catalogue": "text"}
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, KeyError, OSError, RuntimeError,
               ValueError)  # fmt: skip
_EMPTY: Mapping[str, Any] = {"{}": {}, "[]": ()}
_SWITCHES = dict.fromkeys(("true", "wahr", "yes", "1"), True) | dict.fromkeys(("false", "falsch", "no", "0"), False)
_SEPARATORS = ",;\t"
_NUMERIC = re.compile(r"[-+]?[\d., '\u2019\u00a0\u202f]*\d[.,]?(e[-+]?\d{1,3})?", re.IGNORECASE | re.ASCII)
_THOUSANDS = re.compile(r"(?<=\d)[ '\u2019\u00a0\u202f](?=\d{3})")
_ENCODINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


class CsvCell(int):
    """The line of a cell; errors say the column and the file with it."""

    where: str

    def __new__(cls, line: int, file: str, column: str = "value") -> "CsvCell":
        """Return the line of a cell in this column."""
        cell = super().__new__(cls, line)
        cell.where = f" of {file}, column {column}"
        return cell

    def __str__(self) -> str:
        return f"{int(self)}{self.where}"


def plan_csv_rows(head: Mapping[str, object], changed: Mapping[str, Any]) -> Iterator[tuple[str, object, str, str]]:
    """Yield the rows of a plan: the head of its file, then each field that differs from the defaults."""
    yield (ONE_HALF, 0.5, "", "leave it: tells which decimal sign this file uses")
    for name, value in head.items():
        yield (name, value, "", "as in docs/scenario.md")
    for path, value in (leaf for name, inner in changed.items() for leaf in _leaves(inner, (name,))):
        spec = field_spec(path)
        assert spec is not None  # a scenario has no other fields
        label = str((spec.page_field or {}).get("label", ""))
        choices = f"one of {', '.join(spec.choices)}" if spec.choices else ""
        meaning = "; ".join(text for text in (label, spec.help, choices) if text)
        yield (format_path(path), value, spec.unit, meaning)


def _leaves(data: Any, path: Path) -> Iterator[tuple[Path, object]]:
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, tuple) else ()
    if not inner or not data:
        yield path, "{}" if data == {} else "[]" if data == () else data
    for step, value in inner:
        yield from _leaves(value, (*path, step))


# From a zip


def unpack_plan(raw: bytes, name: str, most_bytes: int) -> tuple[bytes, str, tuple[str, ...]]:
    """Return the plan's file out of a pack, its name, and notes on what else was changed there."""
    if len(raw) > most_bytes or raw.count(b"PK\x01\x02") > _MOST_FILES:
        wish = f"a pack has at most {most_bytes:,} bytes and {_MOST_FILES} files: send {PLAN_FILE} alone"
        raise ScenarioError(name, None, wish)
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as pack:
            files = [one for one in pack.infolist() if not _NO_FILE.search(one.filename)]
            plan = _only_plan([one.filename for one in files], name)
            changes = _changes(pack, files)
            return _contents(pack, plan, name), plan.rpartition("/")[2], changes
    except _BROKEN_ZIP as error:
        wish = f"no zip that can be read ({printable(str(error))}): export the pack again, or send {PLAN_FILE} alone"
        raise ScenarioError(name, None, wish) from error


def _only_plan(files: list[str], name: str) -> str:
    plans = [file for file in files if _PLAN.search(file)]
    if len(plans) == 1:
        return plans[0]
    listed = printable(", ".join(plans or files) or "nothing", 200)
    if plans:
        raise ScenarioError(name, None, f"{len(plans)} plans are in it ({listed}): leave one")
    raise ScenarioError(name, None, f"no {PLAN_FILE} is in it, but {listed}: export the pack again, or send a plan")


def _contents(pack: zipfile.ZipFile, file: str, name: str) -> bytes:
    with pack.open(file) as packed:
        raw = packed.read(MAX_BYTES + 1)  # whatever its header says of its size
    if len(raw) > MAX_BYTES:
        raise ScenarioError(name, None, f"{printable(file)} has more than {MAX_BYTES:,} bytes: no plan is so long")
    return raw


def _changes(pack: zipfile.ZipFile, files: list[zipfile.ZipInfo]) -> tuple[str, ...]:
    """Return a note where a file beside the plan is not as it was exported: changes there are not read."""
    by_name = {one.filename.rpartition("/")[2]: one for one in files}
    if FILES_FILE not in by_name:
        return ()
    text = decoded(_contents(pack, by_name[FILES_FILE].filename, FILES_FILE), FILES_FILE)
    now = {file: checksum(one.CRC) for file, one in by_name.items()}
    rows = _cells(text, FILES_FILE, ("file", "checksum"))
    other = [printable(file) for _, file, before in rows if file != PLAN_FILE and now.get(file) != before]
    said = f"{', '.join(other)}: changed or missing since the export. Only {PLAN_FILE} is read: type changes there."
    return (said,) if other else ()


def checksum(crc: int) -> str:
    """Return the checksum of a file of a pack, as text that no spreadsheet takes for a number."""
    return f"crc32-{crc:08x}"


# From a CSV


def read_plan_csv(
    raw: bytes, name: str, base: Mapping[str, Any] | None = None
) -> tuple[Any, Mapping[tuple[str, ...], int]]:
    """Return the data of a plan in a CSV, and the line of each name; or raise `ScenarioError`.

    Assumptions without the row `plan.schema` are a part: they change these fields of the plan whose data is `base`.
    """
    column, is_part, cells = _rows_of_plan(raw, name)
    mark = next((sign for _, field, text in cells if field == ONE_HALF for sign in ",." if sign in text), "")
    values: dict[Path, Any] = {}
    lines: dict[tuple[str, ...], int] = {}
    for line, field, text in cells:
        if field == ONE_HALF or not text:
            continue
        path, cell = _path(field, CsvCell(line, name, column), name), CsvCell(line, name)
        if path in values:
            wish = f"{field} stands there twice, first in line {int(lines[tuple(field.split('.'))])}"
            raise ScenarioError(name, CsvCell(line, name, column), wish)
        values[path] = _value(text, path, mark, (name, cell))
        steps = tuple(field.split("."))
        lines.update({steps[:n]: cell for n in range(1, len(steps) + 1) if n == len(steps) or steps[:n] not in lines})
    if is_part and base is None:
        raise ScenarioError(name, None, f"a part of a plan, without the row {OF_PLAN}schema: load it over a plan")
    return _nested({**_kept(base or {}, values), **values} if is_part else values, (), (name, lines)), lines


def _rows_of_plan(raw: bytes, name: str) -> tuple[str, bool, list[tuple[int, str, str]]]:
    """Return the column of names, whether the rows are a part of a plan, and line, field and value of each."""
    if _ID.encode() not in raw[:_HEAD_BYTES].replace(b"\0", b"").lower():
        return "name", False, list(_cells(decoded(raw, name), name, ("name", "value")))
    rows = [
        (line, key.removeprefix(OF_PLAN), value or text)
        for line, key, value, text in _cells(decoded(raw, name, _MOST_BYTES), name, (_ID, "value", "text"))
        if key.startswith(OF_PLAN)
    ]
    if not rows:
        raise ScenarioError(name, None, _NO_PLAN)
    return _ID, all(field != "schema" for _, field, _ in rows), rows


def _kept(base: Mapping[str, Any], values: Mapping[Path, Any]) -> dict[Path, Any]:
    """Return the fields of a plan that stay beside new ones: none that stands for them, or under them."""
    leaves = {path: _EMPTY.get(value, value) if isinstance(value, str) else value
              for name, inner in base.items() for path, value in _leaves(inner, (name,))}  # fmt: skip
    return {
        path: value
        for path, value in leaves.items()
        if not any(path[: len(new)] == new or new[: len(path)] == path for new in values)
    }


def decoded(raw: bytes, name: str, most: int = MAX_BYTES) -> str:
    """Return the text of a file: UTF-8, or UTF-16 with its mark."""
    if len(raw) > most:
        raise ScenarioError(name, None, f"more than {most:,} bytes: no plan is so long")
    try:
        return raw.decode(_ENCODINGS.get(raw[:2], "utf-8-sig"))
    except UnicodeDecodeError as error:
        wish = f"not UTF-8 text: byte 0x{raw[error.start]:02x}; save it as CSV UTF-8"
        raise ScenarioError(name, raw[: error.start].count(b"\n") + 1, wish) from error


def _cells(text: str, name: str, wanted: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield line and cells of each row that is not empty, from the columns that are wanted."""
    source, line = io.StringIO(text, newline=""), 1
    head = source.readline()
    if head.casefold().startswith("sep="):  # of a spreadsheet
        head, line = source.readline(), 2
    separator = max(_SEPARATORS, key=head.count)
    columns = [cell.strip(" \"'\r\n").casefold() for cell in head.split(separator)]
    if missing := [column for column in wanted if column not in columns]:
        wish = f"no column {' and no column '.join(missing)} in {printable(head.strip()) or 'an empty line'}"
        raise ScenarioError(name, line, f"{wish}; in a pack the plan is {PLAN_FILE}")
    reader = csv.reader(source, delimiter=separator, strict=True)
    while True:
        at = line + reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise ScenarioError(name, at, f"no row of a CSV ({error}): is a quote not closed?") from error
        if row is None:
            return
        if any(cell.strip() for cell in row):
            yield at, *_wanted(row, [(column, columns.index(column)) for column in wanted], name, at)


def _wanted(row: list[str], columns: list[tuple[str, int]], name: str, line: int) -> tuple[str, ...]:
    short = next((column for column, place in columns if place >= len(row)), None)
    if short is not None:
        raise ScenarioError(
            name, CsvCell(line, name, short), f"no such cell in {printable(','.join(row))}: is it cut off?"
        )
    first, *rest = (unescape_csv_formula(row[place]) for _, place in columns)
    for (column, _), cell in zip(columns, (first, *rest), strict=True):
        if mark := unseen(cell, "\t\r\n"):
            raise ScenarioError(name, CsvCell(line, name, column), f"{printable(cell)}: {mark} {NO_PLACE}")
    if not first.strip():
        raise ScenarioError(name, CsvCell(line, name, columns[0][0]), f"nothing stands beside {printable(rest[0])}")
    return first.strip(), *rest


def _path(field: str, cell: CsvCell, name: str) -> Path:
    steps = field.split(".")
    path: Path = tuple(int(step) if step.isascii() and step.isdigit() else step for step in steps)
    known = next((n for n in range(len(path), 0, -1) if field_spec(path[:n]) is not None), 0)
    if known == len(path) or field in _HEAD_KINDS:
        return path
    wish = f"{printable('.'.join(steps[: known + 1]))}: {unknown_key_message(steps[known], path[:known])}"
    raise ScenarioError(name, cell, wish)


def _value(text: str, path: Path, mark: str, where: tuple[str, int]) -> Any:
    """Return what a cell says, by the kind of its field; what it cannot be stays text, and is refused as such."""
    spec = field_spec(path)
    kind = spec.kind if spec is not None else _HEAD_KINDS[str(path[0])]
    if kind == "text":
        return text
    text = text.strip()
    match kind:
        case "whole" | "number" if _NUMERIC.fullmatch(text):
            number = _number(text, mark, format_path(path), where)
            return int(number) if kind == "whole" and number.is_integer() else number
        case "switch":
            return _SWITCHES.get(text.casefold(), text)
        case "record" | "list":
            return _EMPTY.get(text, text)
    return text


def _number(text: str, mark: str, field: str, where: tuple[str, int]) -> float:
    """Return a number in the convention of its file; one with both marks says its own."""
    digits = _THOUSANDS.sub("", text)
    marks = ".," if not mark or {".", ","} <= set(digits) else mark
    readings = {number for one in marks if (number := _reading(digits, one)) is not None}
    if len(readings) == 1:
        return readings.pop()
    ways = " or ".join(f"{number:.15g}" for number in sorted(readings))
    sign = {"": "one sign for decimals", ".": "a decimal point", ",": "a decimal comma"}[mark]
    wish = (
        f"is that {ways}? Add a row {ONE_HALF} with 0.5 or 0,5"
        if ways
        else f"want a number with {sign}, as in {ONE_HALF}"
    )
    raise ScenarioError(where[0], where[1], f"{field}: {printable(text)}: {wish}")


def _reading(digits: str, mark: str) -> float | None:
    other = re.escape("," if mark == "." else ".")
    number = rf"[-+]?(\d+|[1-9]\d{{0,2}}({other}\d{{3}})+)?({re.escape(mark)}\d*)?(e[-+]?\d{{1,3}})?"
    plain = re.sub(other, "", digits).replace(mark, ".")
    return float(plain) if re.fullmatch(number, digits, re.IGNORECASE) and re.search(r"\d", plain) else None


def _nested(values: Mapping[Path, Any], at: Path, where: tuple[str, Mapping[tuple[str, ...], int]]) -> Any:
    """Return the values by path as records in each other; entries of a list are in the order of their numbers."""
    groups: dict[str | int, dict[Path, Any]] = {}
    for path, value in values.items():
        groups.setdefault(path[0], {})[path[1:]] = value
    for step, inner in groups.items():
        if () in inner and len(inner) > 1:
            raise _refusal((*at, step), "has a value and fields of its own: leave one", where)
    data = {step: inner[()] if () in inner else _nested(inner, (*at, step), where) for step, inner in groups.items()}
    if not any(isinstance(step, int) for step in data):
        return data
    gap = next((place for place in range(len(data)) if place not in data), None)
    if gap is not None:
        raise _refusal(
            (*at, max(step for step in data if isinstance(step, int))),
            f"{format_path((*at, gap))} is missing: count from 0",
            where,
        )
    return tuple(data[place] for place in range(len(data)))


def _refusal(path: Path, wish: str, where: tuple[str, Mapping[tuple[str, ...], int]]) -> ScenarioError:
    name, lines = where
    return ScenarioError(name, lines[tuple(map(str, path))], f"{format_path(path)}: {wish}")
