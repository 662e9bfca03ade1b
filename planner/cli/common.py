"""Exit codes, the catalogue with quotes, results as text, JSON or CSV. Every verb loads it: nothing heavy here."""

from __future__ import annotations

import argparse
import errno
import json
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.terminal import escape_unprintable_json, tell

if TYPE_CHECKING:
    from planner.report.table import Table
    from pricing import Catalogue


OUTPUT = "-"  # by this name the output itself
_HANDLES = ("/dev/fd/", "/proc/", "/dev/stdin", "/dev/stdout", "/dev/stderr")  # names of what is open already


def write_file(path: Path, data: bytes) -> None:
    """Put `data` where `path` says, all of it or nothing; an `OSError` of it names the path."""
    with named(path):
        _put(path, data)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Whatever the system refuses within is told with the name of the file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _put(path: Path, data: bytes) -> None:
    if str(path) == OUTPUT or _is_output(path):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    elif is_regular_file(path):
        _replace(Path(os.path.realpath(path)), data)
    else:
        path.write_bytes(data)


def is_regular_file(path: Path) -> bool:
    """Whether a path is a file on a disk, or free to become one: no pipe, no device, nothing that is open already."""
    if str(path) == OUTPUT or os.path.abspath(path).startswith(_HANDLES):
        return False
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def _is_output(path: Path) -> bool:
    """Whether a path is the output we print to, by another name: writing it anew would cut off what is printed."""
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):  # no such file, or an output that is none
        return False


def _replace(path: Path, data: bytes) -> None:
    """The file as a whole. One that was there keeps its owner and mode, and is asked whether it may be written to."""
    before = path.stat() if path.exists() else None
    if before is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    new = path.with_name(f".{os.urandom(8).hex()}.new")
    try:
        with new.open("xb") as file:
            if before is not None:
                _like(new, before)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:  # Ctrl-C too leaves nothing behind
        new.unlink(missing_ok=True)
        raise


def _like(path: Path, before: os.stat_result) -> None:
    mine = path.stat()
    if (mine.st_uid, mine.st_gid) != (before.st_uid, before.st_gid):
        with suppress(OSError):  # somebody else's file that we may write to becomes ours, as with any editor
            os.chown(path, before.st_uid, before.st_gid)
    path.chmod(stat.S_IMODE(before.st_mode))


OK, FAILED, BAD_INPUT, NEWS, STOPPED = 0, 1, 2, 3, 130


class UsageError(Exception):
    """Something on the command line cannot be used; the text is the sentence to show."""


def with_quote_file(catalogue: Catalogue, path: Path | None, day: date) -> Catalogue:
    """The catalogue with the quotes of a file laid over it; what is odd about them goes to stderr."""
    if path is None:
        return catalogue
    from pricing.quotes import parse_quotes, with_quotes  # only who brings prices waits for it

    quotes = parse_quotes(path.read_bytes(), name=path.name, catalogue=catalogue, day=day)
    for problem in (*quotes.problems, *quotes.questions):
        tell(f"{path.name}: {problem}")
    return with_quotes(catalogue, quotes)


VERSION = 1  # of the keys that verbs print; those of answers have their own (planner.report.files.answer_schema)


def to_versioned_json(data: Mapping[str, Any]) -> str:
    """Return a result as JSON, with the version of its keys."""
    return to_json({"version": VERSION, **data})


def to_json(data: Any) -> str:
    """JSON as we print it."""
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False, default=lambda day: day.isoformat())
    return escape_unprintable_json(text, sys.stdout)


def stamp(catalogue: Catalogue, day: date) -> dict[str, Any]:
    """The facts that a result rests on, and the day it is of."""
    return {"catalogue_digest": catalogue.digest, "catalogue_day": catalogue.day, "day": day}


def emit(
    args: argparse.Namespace,
    *,
    table: Callable[[], Table],
    data: Callable[[], Mapping[str, Any]],
    text: Callable[[], str],
    aside: str = "",
    byte_order_mark: bool = True,
) -> int:
    """Write a result in each form the arguments ask for; `aside` goes to stderr beside JSON."""
    if args.csv:
        from planner.report.files.csv import BYTE_ORDER_MARK, to_csv  # only for a file

        written = to_csv(table())
        write_file(args.csv, written if byte_order_mark else written.removeprefix(BYTE_ORDER_MARK.encode()))
    sys.stdout.write(to_versioned_json(data()) + "\n" if args.json else text())
    if args.json and aside:
        sys.stderr.write(f"{aside}\n")
    return OK
