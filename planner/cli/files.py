"""Files that verbs write: first beside the one that is there, then in its place. A full disk or a kill leaves the old.

What is no file (a pipe, a device, the output itself) is written to as it is.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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
    elif is_plain(path):
        _replace(Path(os.path.realpath(path)), data)
    else:
        path.write_bytes(data)


def is_plain(path: Path) -> bool:
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
