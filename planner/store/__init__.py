"""Kept plans: saved by name, every save a version, with the figures of its day. SQLAlchemy is loaded only for them."""

import os
from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path

from pricing.feeds.folder import DATABASE, live_data_dir

FILE = "plans.sqlite"
HERE = "somebody on this machine"


class Right(IntEnum):
    """What a person may do with a plan; each right includes those before it."""

    VIEW = 0
    EDIT = 1
    OWN = 2


def plans_file(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the file of kept plans; None without a home folder."""
    folder = live_data_dir(environ)
    return None if folder is None else folder / FILE


def may_hold_plans(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether a look into the database could find a plan."""
    path = plans_file(environ)
    return bool(environ.get(DATABASE)) or (path is not None and path.exists())
