"""The measured constants of belief: how often prices of a kind change, how far, and how long an offer stays."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from pricing import strict_yaml
from pricing.caching import cached
from pricing.figure import StrictModel, Text

FILE = Path(__file__).parent / "constants.yaml"

# What prices of a kind have in common: a hyperscaler's list hardly moves, a marketplace moves every month.
PriceClass = Literal["list", "term", "posted", "market", "spot", "hosted"]

_Positive = Annotated[float, Field(gt=0)]
_Share = Annotated[float, Field(ge=0, le=1)]


class PriceClassConstants(StrictModel):
    """Behaviour of prices of one class before anything is known of a provider."""

    repricings_per_month: _Positive = Field(description="how often a price of this class is changed")
    spread: _Positive = Field(description="log half width of the 80 % range once a repricing is certain")
    there: _Share = Field(description="chance that an offer can be had on the day it was read")
    stays_days: _Positive = Field(description="time constant with which offers go")


class MarketLowConstants(StrictModel):
    """The market's low price from the votes of sellers, and how far an old price may lie below it."""

    lower_share: _Share = Field(description="of the votes by weight: the mean of these, the cheapest, is the low")
    weight_days: _Positive = Field(description="time constant with which a vote loses weight")
    least_weight: _Positive = Field(description="what is left of the weight of a forgotten price")
    doubt: _Positive = Field(description="log; by how much dearer an offer votes that is certainly gone")
    most_below: _Positive = Field(description="log; how far an old price can lie below the low and be believed")
    gone_spread: _Positive = Field(description="log standard deviation of what is paid where the named offer is gone")
    thin_spread: _Positive = Field(description="the same of a market whose votes weigh as one read today")
    most_spread: _Positive = Field(description="log standard deviation that no price exceeds")
    spot_over_on_demand: _Share = Field(description="usual price of spot machines, as a share of that on demand")
    spot_vote_days: _Positive = Field(description="the vote of that usual price weighs as much as one of this age")


class MarketIndexConstants(StrictModel):
    """The market's moves from products that were read more than once."""

    knot_days: int = Field(description="days between two knots of the index")
    span_days: int = Field(description="how far back it reaches")
    least_pairs: int = Field(description="with fewer repeat readings the index is flat")
    ridge: _Positive = Field(description="how strongly the path is drawn towards flat")
    robust_from: _Positive = Field(description="log; larger changes count less")
    rounds: int = Field(description="how often the robust weights are made anew")
    gap_weight: _Positive = Field(description="variance of a change at once")
    gap_weight_per_day: _Positive = Field(description="variance that each day between two readings adds")


class EstimateConstants(StrictModel):
    """All of them, as the file beside this module holds them."""

    about: Text = Field(description="what the file holds, and where it came from")
    source: Text = Field(description="the decision that says how they were measured")
    classes: dict[PriceClass, PriceClassConstants] = Field(description="by class of price")
    learning_months: _Positive = Field(description="so many months of its class's rate stand beside a seller's own")
    same_price: _Positive = Field(description="a log change no larger than this is no repricing")
    known_days: int = Field(description="older readings say nothing about how often prices move today")
    read_spread: _Positive = Field(description="log half width of a price read today")
    most_market_move: _Positive = Field(description="log; no price is carried further than this by the market")
    once: _Share = Field(description="by how much an offer read on one day only is doubted, at most")
    settling_days: _Positive = Field(description="over which a fresh price turns into an old one")
    fading_from_days: _Positive = Field(description="from here on an old vote loses what weight it has left")
    forgotten_days: _Positive = Field(description="from here on it has none")
    votes: MarketLowConstants = Field(description="how sellers together say what the market's low price is")
    index: MarketIndexConstants = Field(description="how the market's moves are read off")


@cached(1)
def constants() -> EstimateConstants:
    return EstimateConstants.model_validate(strict_yaml.read(FILE.read_text(encoding="utf-8"), file=FILE.name))
