"""Where a person's live prices are, as the environment says. Nothing is loaded to say it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pricing.errors import PricingError

FOLDER, DATABASE = "RENT_OR_BUY_DATA", "RENT_OR_BUY_DATABASE"
FILE = "live.sqlite"


class StoreError(PricingError):
    """Live prices cannot be kept or read, in a sentence."""


def data_folder(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The person's own data folder. None: nowhere, as for a user without a home."""
    if environ.get(FOLDER):
        return Path(environ[FOLDER])
    try:
        base = environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    except RuntimeError:
        return None
    return Path(base) / "rent-or-buy"
