"""Checked copies in the user's cache folder: whole or not at all, sealed, and only the last few of a kind."""

import hashlib
import os
import tempfile
from pathlib import Path

KEEP_COPIES = 3


def cache_folder() -> Path | None:
    """Where checked copies are kept: the user's own cache, never a place others can write to. None: nowhere."""
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # a user without a home, as in some containers
        return None
    return Path(base) / "rent-or-buy"


def read_copy(copy: Path) -> bytes | None:
    """What was kept there; None where nothing is, or it is damaged."""
    try:
        seal, _, body = copy.read_bytes().partition(b"\n")
    except OSError:
        return None
    return body if hashlib.sha256(body).hexdigest().encode() == seal else None


def write_copy(copy: Path, body: bytes) -> None:
    """Keep a copy, whole or not at all. A folder that cannot be written to costs only the time to make it again.

    Of copies that are called alike up to the last hyphen the newest stay.
    """
    try:
        copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(dir=copy.parent) as room:
            new = Path(room) / copy.name
            new.touch(mode=0o600)
            new.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
            os.replace(new, copy)
        alike = copy.parent.glob(f"{copy.name.rpartition('-')[0]}-*{copy.suffix}")
        for old in sorted(alike, key=_modified, reverse=True)[KEEP_COPIES:]:
            old.unlink(missing_ok=True)
    except OSError:
        return


def _modified(path: Path) -> float:
    return path.stat().st_mtime
