"""The file of a sweep: whole blocks of lines, on disk before the next; found again, it is gone on with.

Beside it stands a note of what it is of: grid, day, facts and program. Rows are added only to a file whose note says
the same, after its last whole line.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import BinaryIO

import pricing
from planner.cli.common import UsageError, is_regular_file, named, write_file
from planner.report.files.sweep import LINE_END, SweepColumns

NOTE = ".sweep.json"
_PROGRAM = (".py", ".csv", ".json", ".txt", ".yaml")
_LOCKED = "another sweep is writing {name}: wait for it, or choose another name after --csv"


@dataclass(frozen=True)
class SweepManifest:
    """What a file of rows belongs to. Where one of these differs, no row of one may stand in the other."""

    grid: str
    day: str
    facts: str  # catalogue and quotes
    program: str
    rows: int


_WORDS = {"grid": "grid", "day": "day", "facts": "prices", "program": "version of this program", "rows": "grid"}


def digest(*parts: bytes) -> str:
    """A name for some bytes."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]


def code_digest() -> str:
    """A name for the version of the program: every module and every constant of it may change a number."""
    roots = (Path(__file__).parents[1], Path(pricing.__file__).parent)
    files = sorted(path for root in roots for path in root.rglob("*") if path.suffix in _PROGRAM and path.is_file())
    return digest(*(path.read_bytes() for path in files))


def noted(out: Path) -> SweepManifest | None:
    """The note that a file was begun with; None where there is none."""
    path = _beside(out)
    if not path.is_file():
        return None
    try:
        note = SweepManifest(**json.loads(path.read_text(encoding="utf-8")))
        date.fromisoformat(note.day)
    except (ValueError, TypeError) as error:
        raise UsageError(f"{path}: not a note of a sweep; remove it and {out.name} to begin anew") from error
    return note


def _beside(out: Path) -> Path:
    return out.with_name(out.name + NOTE)


class Rows:
    """A file of rows that is being written. Use with `with`: it is locked until then.

    The last row that was found is not believed: it may be torn in a number, with a line end put behind it by whoever
    looked at the file. It stays where it is until it has been reckoned again.
    """

    def __init__(self, out: Path, note: SweepManifest, columns: SweepColumns) -> None:
        self._out, self._note, self._columns = out, note, columns
        self._file: BinaryIO
        self._doubtful = b""  # the last row that was found
        self.done = 0  # rows that stand in it
        self.found = 0  # of them, those that stood there from the beginning

    def __enter__(self) -> Rows:
        if not is_regular_file(self._out):
            raise UsageError(
                f"{self._out}: a sweep is gone on with in its file; want a file on a disk, not a pipe or device"
            )
        before = noted(self._out)
        if before is None and self._out.exists() and self._out.stat().st_size:
            raise UsageError(f"{self._out}: there is such a file, and it is not of a sweep; choose another name")
        if before is not None and before != self._note:
            mine, theirs = asdict(self._note), asdict(before)
            other = " and ".join(dict.fromkeys(_WORDS[key] for key in mine if mine[key] != theirs[key]))
            raise UsageError(
                f"{self._out}: begun with another {other}; choose another name, or remove it and "
                f"{_beside(self._out).name} to begin anew. Nothing was written"
            )
        self._file = self._out.open("r+b" if self._out.exists() else "x+b")
        _lock(self._file, self._out.name)
        if before is None:
            write_file(_beside(self._out), json.dumps(asdict(self._note), indent=2).encode())
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, heed: Callable[[list[tuple[str, str]]], None]) -> None:
        """Find what is there, telling `heed` each row's word and best way; cut off what was not finished."""
        head = self._columns.head
        believed = end = len(head) if self._file.readline() == head else 0
        last: tuple[str, str] | None = None
        for line in self._file if believed else ():
            cells = self._cells(line)
            if cells is None:
                break
            if last is not None:
                heed([last])
                self.done, believed = self.done + 1, end
            last, self._doubtful = (cells[self._columns.word_at], cells[self._columns.best_at]), line
            end += len(line)
        self.found = self.done
        with named(self._out):
            self._file.truncate(end)
            self._file.seek(believed)
        if not believed:
            self._write([head])

    def _cells(self, line: bytes) -> list[str] | None:
        """The cells of a line that is the next row as a whole; None where it is not."""
        number = self.done + bool(self._doubtful)
        if not line.endswith(LINE_END) or not line.startswith(f"{number},".encode()):
            return None
        try:
            cells = next(csv.reader([line.removesuffix(LINE_END).decode("utf-8")], strict=True))
        except (UnicodeDecodeError, csv.Error):
            return None
        return cells if len(cells) == len(self._columns.names) else None

    def add(self, lines: Sequence[bytes], count: int) -> None:
        """The next rows, on disk when this returns."""
        self.found += bool(lines) and lines[0] == self._doubtful
        self._doubtful = b""
        self._write(lines)
        self.done += count

    def _write(self, lines: Sequence[bytes]) -> None:
        with named(self._out):
            self._file.write(b"".join(lines))
            self._file.truncate()  # a doubtful row may have been longer
            self._file.flush()
            os.fsync(self._file.fileno())


def _lock(file: BinaryIO, name: str) -> None:
    """Lock the file, so that only one may write. Where files cannot be locked, nobody checks."""
    try:
        import fcntl  # not on every system
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UsageError(_LOCKED.format(name=name)) from error
