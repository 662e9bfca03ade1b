"""The folder of a person's live prices, as the environment says. It imports next to nothing."""

import os
from collections.abc import Mapping
from pathlib import Path

from pricing.caching import cached
from pricing.errors import PricingError

FOLDER, DATABASE = "RENT_OR_BUY_DATA", "RENT_OR_BUY_DATABASE"
FILE = "live.sqlite"


class StoreError(PricingError):
    """Live prices cannot be kept or read, in a sentence."""


def live_data_dir(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the person's own data folder. None: nowhere, as for a user without a home."""
    if environ.get(FOLDER):
        return Path(environ[FOLDER])
    return _usual(environ.get("XDG_DATA_HOME"), tuple(os.environ.get(name) for name in _HOMES))


def copies_dir(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder of what is kept of large files, beside the store."""
    folder = live_data_dir(environ)
    return None if folder is None else folder / "copies"


_HOMES = ("HOME", "USERPROFILE")


@cached(8)
def _usual(base: str | None, _homes: tuple[str | None, ...]) -> Path | None:
    """Return the default folder, cached: a page asks for it dozens of times."""
    try:
        return Path(base or Path.home() / ".local" / "share") / "rent-or-buy"
    except RuntimeError:
        return None
