"""The package data of planner.study, and the only code here that reads files."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from pricing import strict_yaml
from pricing.caching import cached
from pricing.figure import StrictModel, Text

DATA = Path(__file__).parent / "data"


class SourcedRecord(StrictModel):
    """A record with its source and reason."""

    kind: Literal["assumption", "derived", "reported", "measured"] = Field(description="what kind of statement it is")
    source: Text = Field(description="the id of a source, or a decision in docs/")
    reason: Text = Field(description="why it is worth using")


class SourcedFactor(SourcedRecord):
    """A factor with its range."""

    label: Text = Field(description="what people call it")
    low: float = Field(description="10th percentile of the futures")
    typical: float = Field(description="the middle")
    high: float = Field(description="90th percentile of the futures")


class ListingChanges(StrictModel):
    """Changes of listings of the same seller and machine in a year, over more than one year."""

    low: float = Field(description="change in a year, 10th percentile of the listings")
    typical: float = Field(description="the middle of their changes")
    high: float = Field(description="change in a year, 90th percentile of the listings")
    count: int = Field(description="how many listings")
    least_years: float = Field(description="how long the shortest of them was watched")


class RentAssumption(SourcedRecord):
    """The assumption about changes of rents."""

    listings: ListingChanges = Field(description="what listings of the same machine did")


class CurrencyAssumption(SourcedRecord):
    """The assumption about rates of currencies."""

    times: float = Field(gt=0, description="how far they may move in a year, over how far dated rates have moved")


class InputCorrelation(SourcedRecord):
    """Two inputs that move together."""

    first: Text = Field(description="one input")
    second: Text = Field(description="the other")
    coefficient: Annotated[float, Field(gt=-1.0, lt=1.0)] = Field(
        description="how closely they move together: 1 as one, 0 not at all"
    )


class RangeAssumption(StrictModel):
    """The assumption about ranges of figures."""

    reason: Text = Field(description="how low and high of a figure are taken")
    source: Text = Field(description="a decision in docs/")


class FuturesAssumptions(StrictModel):
    """The assumptions of the futures beside the catalogue's ranges."""

    ranges: RangeAssumption = Field(description="how the range of a figure is read")
    use: SourcedFactor = Field(description="a factor on every share of busy hours that is entered")
    rents: RentAssumption = Field(description="how rents may move")
    currency: CurrencyAssumption = Field(description="how the rate of a currency may move")
    together: InputCorrelation = Field(description="two inputs that move together")


def read_data(name: str) -> Any:
    """Return the content of planner/study/data/`name`."""
    return strict_yaml.read((DATA / name).read_text(encoding="utf-8"), file=name)


@cached(1)
def load_futures_assumptions() -> FuturesAssumptions:
    return FuturesAssumptions.model_validate(read_data("futures.yaml"))
