"""The one place where this room reads files: its own data, which lies beside it."""

from pathlib import Path
from typing import Any

from pydantic import Field

from pricing import strict_yaml
from pricing.caching import cached
from pricing.figure import StrictModel, Text

DATA = Path(__file__).parent / "data"


class ReachedShare(StrictModel):
    """A share that is reached of a rate, and who reaches it."""

    low: float = Field(gt=0, description="share at the low end")
    typical: float = Field(gt=0, description="share that is usual")
    high: float = Field(gt=0, description="share at the high end")
    words: Text = Field(description="who or what reaches it, as a page says it")


@cached(8)
def read_data(name: str) -> Any:
    """Return what stands in planner/speed/data/`name`."""
    return strict_yaml.read((DATA / name).read_text(encoding="utf-8"), file=name)
