"""From where on a price is not believed at once: the numbers of the gate, as the file beside this module holds them."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from pricing import strict_yaml
from pricing.caching import cached
from pricing.figure import StrictModel, Text

FILE = Path(__file__).parent / "gate.yaml"

_Positive = Annotated[float, Field(gt=0)]
_Days = Annotated[int, Field(gt=0)]


class ValidationConstants(StrictModel):
    """All of them."""

    about: Text = Field(description="what the file holds, and where it came from")
    source: Text = Field(description="the decision that says why")
    jump_spreads: _Positive = Field(description="half widths of a repricing of its class that a jump may have; log")
    jump_grows_days: _Days = Field(description="after so many days without a reading it may be twice as large")
    rate_spread: _Positive = Field(description="the half width of an exchange rate; log")
    range_factor: _Positive = Field(description="times the middle of the accelerator, or a part of it")
    near: _Positive = Field(description="what lies so close to a factor is that factor; log")
    alike: _Positive = Field(description="a price no further from another of its seller is no mistake; log")
    cents: _Positive = Field(description="in a dollar")
    bids_may_be: _Positive = Field(description="so many times below the middle, for what is no whole price")
    largest_count: _Days = Field(description="accelerators in one rented machine")
    largest_usd_per_mtoken: _Positive = Field(description="nobody asks more for a million tokens")
    shrunk_share: _Positive = Field(description="a source with less of its last prices has lost some")
    least_rows_to_shrink: _Days = Field(description="prices that a source must have had for that")
    old_days: _Days = Field(description="a reading of an older day is history")


@cached(1)
def gate_constants() -> ValidationConstants:
    """Return the numbers, read once."""
    return ValidationConstants.model_validate(strict_yaml.read(FILE.read_text(encoding="utf-8"), file=FILE.name))
