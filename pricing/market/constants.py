"""The measured constants of the market: discounts by term and size, depth, the band of an order, hardware prices."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from pricing import strict_yaml
from pricing.caching import cached
from pricing.figure import StrictModel, Text
from pricing.finance import HardwareClass

FILE = Path(__file__).parent / "constants.yaml"

TermKind = Literal["hyperscaler", "neocloud"]
SellerKind = Literal["host", "pod", "machine", "cluster", "hyperscaler"]
ChipAge = Literal["new", "current", "old"]
Standing = Literal["likely", "perhaps", "unavailable"]

_Positive = Annotated[float, Field(gt=0)]
_Share = Annotated[float, Field(ge=0, le=1)]


class TermConstants(StrictModel):
    """Discounts by the length of a commitment."""

    knots_months: tuple[_Positive, ...] = Field(description="terms at which the share is given; straight in their logs")
    share: dict[TermKind, tuple[float, ...]] = Field(description="of the one-year discount, at each knot")
    one_year: dict[TermKind, _Positive] = Field(description="-ln(price of a year / price on demand), middle seller")
    between_sellers: dict[TermKind, _Positive] = Field(description="standard deviation of its logarithm over sellers")
    residual: dict[TermKind, _Positive] = Field(description="log standard deviation left at a seller without terms")
    own_residual: dict[TermKind, dict[Literal["between", "beyond"], _Positive]] = Field(
        description="the same at a seller with other terms of its own: of one between them, or beyond"
    )
    own_depth_doubt: _Positive = Field(description="log; how far a seller's own list is believed to tell its depth")
    generation: dict[TermKind, dict[str, float]] = Field(description="log factor on the depth, by generation of chip")


class LowHigh(StrictModel):
    """A low, typical and high value."""

    low: float = Field(description="at the cheap end")
    typical: float = Field(description="in the middle")
    high: float = Field(description="at the expensive end")


class SizeConstants(StrictModel):
    """Discounts by the number of accelerators."""

    per_doubling: LowHigh = Field(description="log price for each doubling")
    start: _Positive = Field(alias="from", description="accelerators from which it counts")
    end: _Positive = Field(alias="to", description="accelerators up to which it counts")
    on_demand_share: _Share = Field(description="of the discount that an order for a day gets")
    whole_from_months: _Positive = Field(description="term from which the whole discount is given")


class FabricConstants(StrictModel):
    """What a network between machines adds to the price of a seller that lists none."""

    premium: LowHigh = Field(description="log price")
    start: _Positive = Field(alias="from", description="accelerators above which a job needs it")
    spread: _Positive = Field(description="log standard deviation of the premium")
    unknown_weight: _Share = Field(description="weight of a seller whose network is not known")


class SellerDepth(StrictModel):
    """How many accelerators one order gets from a seller of a kind."""

    median: _Positive = Field(description="accelerators, on demand today")
    spread: _Positive = Field(description="log standard deviation")
    bound_times: _Positive = Field(description="times as many for who commits to a year")
    spot_share: _Share = Field(description="of them as spot machines")
    wait_months: _Positive = Field(description="to the start of what fits easily")


class DepthConstants(StrictModel):
    """How many can be had."""

    sellers: dict[SellerKind, SellerDepth] = Field(description="by kind of seller")
    by_age: dict[ChipAge, _Positive] = Field(description="times the median, by age of the chip")
    counted_spread: _Positive = Field(description="log standard deviation of a live count")
    published_spread: _Positive = Field(description="of the spread, where the most is published")
    spot_spread: _Positive = Field(description="added to the spread for spot machines")
    common: _Share = Field(description="share of the variance that all sellers have in common")
    scarcity: LowHigh = Field(description="log premium of an order for nearly all there is")


class SpotRatio(StrictModel):
    """The price of spot machines over the price on demand."""

    ratio: _Share = Field(description="middle")
    spread: _Positive = Field(description="log standard deviation")


class LevelConstants(StrictModel):
    """What a GPU usually costs on demand, by its dense 16-bit rate."""

    per_log_tflops: _Positive = Field(description="log price for each unit of the log of the rate")
    graphics: float = Field(description="log price that cards for private people and workstations add")
    sellers: _Positive = Field(description="how many sellers it stands for")


class BandConstants(StrictModel):
    """How the prices of sellers become the band of an order."""

    quotes: _Positive = Field(description="quotes that a buyer compares")
    blur: _Positive = Field(description="log standard deviation that each seller's price is blurred by")
    unpublished_spot: _Share = Field(description="chance that a seller without a price of spot machines has some")
    unnamed_sellers: _Positive = Field(description="weight, in sellers, of those that publish no price")
    unnamed_spread: dict[Literal["cards", "several"], _Positive] = Field(
        description="log standard deviation between them: of orders of less than a machine, and of others"
    )
    most_away: _Positive = Field(description="log; further from the middle of all no quote counts for")
    hyperscaler_weight: _Share = Field(description="of a hyperscaler's list price beside another's")
    most_weight: _Share = Field(description="of one seller in the band; what is beyond it goes to the unnamed")
    age_days: _Positive = Field(description="time constant with which a price loses weight")
    likely: _Share = Field(description="chance from which a seller may be named as the cheapest")
    most_above_typical: _Positive = Field(description="times the typical price that the named one may cost")
    few_spread: dict[int, float] = Field(description="log standard deviation that so many sellers leave beside theirs")
    few_hyperscalers: _Share = Field(description="of that spread, where hyperscalers alone sell")
    few_sellers: _Positive = Field(description="effective sellers below which no plain verdict is stated")
    standing: dict[Literal["likely", "perhaps"], _Share] = Field(description="chance from which an order stands so")


class HardwareConstants(StrictModel):
    """How prices of machines of a class move."""

    drift: float = Field(description="log change a year of a new one of the same product")
    spread: _Positive = Field(description="its standard deviation after a year")
    gap: float = Field(description="log price of a used one over a new one, soon after its first day")
    slope: float = Field(description="log change of that for each year of its age")
    step: float = Field(description="log change over the year after a successor ships")
    late: float = Field(description="further log change a year once the product is old")


class UsedConstants(StrictModel):
    """How used machines follow new ones and rents."""

    spread: _Positive = Field(description="log standard deviation of used over new")
    most_of_new: _Share = Field(description="of the price of a new one on the same day")
    settling_years: _Positive = Field(description="over which a new machine becomes a used one")
    late_from_years: _Positive = Field(description="age of a product from which its price falls faster")
    bought_age: _Share = Field(description="age of a used one over that of its product, where nobody states it")
    sold_beside_years: float = Field(ge=0, description="that a chip is still bought beside the one after it")


class MarketConstants(StrictModel):
    """All of them, as the file beside this module holds them."""

    about: Text = Field(description="what these are")
    source: Text = Field(description="where they are explained")
    terms: TermConstants = Field(description="discounts by term")
    size: SizeConstants = Field(description="discounts by number")
    fabric: FabricConstants = Field(description="networks between machines")
    depth: DepthConstants = Field(description="how many can be had")
    level: LevelConstants = Field(description="what chips of a computing rate usually cost")
    spot: dict[Literal["hyperscaler", "host", "others"], SpotRatio] = Field(description="spot over on demand")
    band: BandConstants = Field(description="from sellers to a band")
    hardware: dict[HardwareClass, HardwareConstants] = Field(description="by class of machine")
    used: UsedConstants = Field(description="used machines")


@cached(1)
def constants() -> MarketConstants:
    """Return the constants, read once."""
    return MarketConstants.model_validate(strict_yaml.read(FILE.read_text(encoding="utf-8"), file=FILE.name))
