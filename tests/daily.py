"""What takes long is tried in parts, another each day; `EVERY_PART=1` tries all of it."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

_Item = TypeVar("_Item")


def of_today(items: Sequence[_Item], parts: int) -> tuple[_Item, ...]:
    """Return one of so many parts of a list: each comes up once in that many days."""
    if os.environ.get("EVERY_PART"):
        return tuple(items)
    return tuple(items[datetime.now(UTC).toordinal() % parts :: parts])
