"""A tile: one of the few large figures under a finding."""

from typing import NamedTuple


class Tile(NamedTuple):
    """A figure as it is shown, with its range and a line that says what it is."""

    label: str
    value: str
    range: str
    detail: str
