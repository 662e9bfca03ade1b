"""What a refresh says while it goes on, and what it found: values only."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pricing.feeds.verdict import Verdict

SourceState = Literal["waiting", "reading", "read", "shrunk", "failed", "skipped", "cancelled"]


@dataclass(frozen=True)
class Progress:
    """How far one source is."""

    source: str
    label: str
    state: SourceState
    rows: int = 0
    rows_per_s: float = 0.0
    seconds_left: float | None = None  # of the reply that is coming, where its size is known


@dataclass(frozen=True)
class SourceFound:
    """What became of one source."""

    source: str
    label: str
    state: SourceState
    seen: int = 0  # prices in it
    new: int = 0  # of them, not kept before
    verdicts: Mapping[Verdict, int] = field(default_factory=dict)  # of the new ones
    odd: int = 0  # rows that no price could be told from
    left: int = 0  # rows left to another source, which speaks first hand
    said: str = ""  # why it failed or was skipped
    seconds: float = 0.0


@dataclass(frozen=True)
class RefreshFound:
    """What became of a refresh."""

    run: str
    started: datetime
    dry: bool
    cancelled: bool
    sources: tuple[SourceFound, ...]


Tell = Callable[[Progress], None]
