"""Shared by all verbs: exit codes, arguments, files, quotes, output. Nothing heavy is loaded here."""

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

from planner.api.records import iso, versioned
from planner.cli.terminal import escape_unprintable_json, tell
from planner.scenario.amounts import parse_amount

if TYPE_CHECKING:
    from planner.api.records import Result
    from planner.report.table import Table
    from pricing import Catalogue
    from pricing.quotes import Quotes


OUTPUT = "-"  # by this name the output itself
_HANDLES = ("/dev/fd/", "/proc/", "/dev/stdin", "/dev/stdout", "/dev/stderr")  # names of what is open already


def write_file(path: Path, data: bytes) -> None:
    """Write `data` to `path`, all of it or nothing; an `OSError` names the path."""
    with named(path):
        _put(path, data)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Give an `OSError` within the name of the file."""
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
    """Return whether a path is a file on a disk, or free to become one: no pipe, device or open file."""
    if str(path) == OUTPUT or os.path.abspath(path).startswith(_HANDLES):
        return False
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def _is_output(path: Path) -> bool:
    """Return whether a path is our own output by another name: a new file would cut it off."""
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):  # no such file, or an output that is none
        return False


def _replace(path: Path, data: bytes) -> None:
    """Replace the file as a whole. An existing file keeps its owner and mode, and must be writable."""
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
    own_stat = path.stat()
    if (own_stat.st_uid, own_stat.st_gid) != (before.st_uid, before.st_gid):
        with suppress(OSError):  # somebody else's file that we may write to becomes ours, as with any editor
            os.chown(path, before.st_uid, before.st_gid)
    path.chmod(stat.S_IMODE(before.st_mode))


OK, FAILED, BAD_INPUT, NEWS, STOPPED = 0, 1, 2, 3, 130


class UsageError(Exception):
    """A bad command line; the text is the sentence to show."""


def read_quote_file(catalogue: Catalogue, path: Path | None, day: date) -> Quotes | None:
    """Return the quotes of a file; problems with them go to stderr."""
    if path is None:
        return None
    from pricing.quotes import parse_quotes  # loaded only for quotes

    quotes = parse_quotes(path.read_bytes(), name=path.name, catalogue=catalogue, day=day)
    for problem in (*quotes.problems, *quotes.questions):
        tell(f"{path.name}: {problem}")
    return quotes


def with_quote_file(catalogue: Catalogue, path: Path | None, day: date) -> Catalogue:
    """Return the catalogue with the quotes of a file."""
    from pricing.quotes import with_quotes

    quotes = read_quote_file(catalogue, path, day)
    return catalogue if quotes is None else with_quotes(catalogue, quotes)


def dated_facts(args: argparse.Namespace) -> tuple[Catalogue, date]:
    """Return the facts with live prices and your quotes over them, and the day of a call."""
    from pricing.feeds.live import current

    day = args.day or date.today()
    return with_quote_file(current(), args.quotes, day), day


def to_versioned_json(data: Mapping[str, Any]) -> str:
    """Return a result as JSON, with the version of its keys."""
    return to_json(versioned(data))


def to_json(data: Any) -> str:
    """Return data as JSON for the terminal."""
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False, default=iso)
    return escape_unprintable_json(text, sys.stdout)


def write_result(args: argparse.Namespace, result: Result) -> int:
    """Write what a verb calculated in each form the arguments ask for."""
    return emit(args, **result._asdict())


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
    if getattr(args, "csv", None):
        from planner.report.files.csv import BYTE_ORDER_MARK, to_csv  # only for a file

        written = to_csv(table())
        write_file(args.csv, written if byte_order_mark else written.removeprefix(BYTE_ORDER_MARK.encode()))
    sys.stdout.write(to_versioned_json(data()) + "\n" if args.json else text())
    if args.json and aside:
        sys.stderr.write(f"{aside}\n")
    return OK


_MOST_USD_PER_HOUR = 1_000


def whole(text: str) -> int:
    """Parse a positive whole number."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"want a whole number from 1 to 1,000,000, got {text!r}")
    return int(text)


def day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"want a day such as 2026-11-21, got {text!r}") from error


def amount(text: str) -> float:
    """Parse a number of tokens: 15e12, 300B or 15T."""
    tokens = parse_amount(text)
    if tokens is None:
        raise argparse.ArgumentTypeError(f"want a number of tokens such as 300B, 15T or 2e12, got {text!r}")
    return tokens


def length(text: str) -> int:
    """Parse the number of tokens of one text: 4096, 128k or 1,048,576. As everywhere, 1M is 1,000,000."""
    tokens = parse_amount(text)
    if tokens is None or not tokens.is_integer() or tokens < 1:
        raise argparse.ArgumentTypeError(f"want a whole number of tokens such as 4096, 128k or 1,048,576, got {text!r}")
    return int(tokens)


def add_model_arguments(verb: argparse.ArgumentParser, about: str) -> None:
    """Add the model: by name, or by a configuration of your own."""
    verb.add_argument("--model", metavar="NAME", help=about)
    verb.add_argument("--config", type=Path, metavar="FILE", help="a config.json of a model that is not on record")
    verb.add_argument("--memory-gb", type=number, metavar="GB", help="host memory per CPU in GB; 256")


def add_location_argument(verb: argparse.ArgumentParser) -> None:
    """Add the place where the machines must be."""
    verb.add_argument(
        "--stay", metavar="WHERE", help="where the machines must be: eu, or countries by two letters: DE,FR"
    )


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"want a number, got {text!r}") from error


def dollars(text: str) -> float:
    """Parse a price of one hour."""
    value = number(text)
    if not 0 < value <= _MOST_USD_PER_HOUR:
        raise argparse.ArgumentTypeError(f"want dollars above 0 and up to {_MOST_USD_PER_HOUR:,}, got {text!r}")
    return value


def share(text: str) -> float:
    """Parse a share, such as 0.6."""
    value = number(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"want a share above 0 and up to 1, such as 0.6, got {text!r}")
    return value


def add_runs_argument(verb: Any) -> None:
    """Add the tables of your own runs."""
    verb.add_argument(
        "--runs", type=Path, action="append", default=[], metavar="MINE.csv",
        help="your own measured runs (docs/published-runs.md), training or serving: used to correct speed",
    )  # fmt: skip


def add_catalog_arguments(verb: Any) -> None:
    """Add the arguments about the facts and the day of a scenario."""
    verb.add_argument("--quotes", type=Path, metavar="FILE", help="your own prices, CSV or YAML; they win")
    add_runs_argument(verb)
    verb.add_argument(
        "--day", type=day, default=None, metavar="YYYY-MM-DD", help="the day of the plan; the file's, else today"
    )


def add_output_arguments(verb: Any, *, csv: str) -> None:
    """Add the arguments about prices and about output."""
    verb.add_argument("--quotes", type=Path, metavar="FILE", help="your own prices, CSV or YAML; they win")
    verb.add_argument("--day", type=day, metavar="YYYY-MM-DD", help="the day of prices; today")
    add_form_arguments(verb, csv=csv)


def add_form_arguments(verb: Any, *, csv: str = "write the table") -> None:
    """Add the forms in which a result can be written."""
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help=csv)


def keep_flags(verb: argparse.ArgumentParser) -> None:
    """Keep the flag of each field, for error messages about its value."""
    verb.set_defaults(flags={it.dest: it.option_strings[0] for it in verb._actions if it.option_strings})


def decimal_year(text: str) -> float:
    """Parse a day as a year: 2026-11-21 is 2026.88, the middle of its month."""
    parsed = day(text)
    return parsed.year + (parsed.month - 0.5) / 12
