"""Reads the data files of this package: engines by date, models that share a shape, prompts of data sets, constants."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from planner.speed.bands import UNTOLD, Band, Spread
from planner.speed.data_files import read_data
from planner.speed.serving.constants import NAMES, ServingConstants
from pricing.caching import cached
from pricing.days import Day
from pricing.figure import Strict, Text

ENGINES, CONSTANTS = "serving_engines.yaml", "serving_constants.yaml"
Precision = Literal["bf16", "fp8", "fp4", "mxfp4"]
_Share = Annotated[float, Field(gt=0, le=1)]


class Period(Strict):
    """How an engine works from a day on."""

    scheduler: Literal["native", "hidden", "inline"]
    step_tokens: int = Field(ge=1)
    most_requests: int = Field(ge=1)
    memory_share: _Share
    cache_share: _Share
    reserve_share: _Share
    working_gb: float = Field(
        default=1.5, ge=0, description="on each accelerator: activations, captured graphs, the runtime"
    )
    spread_experts: bool
    old_grouped: bool
    step_ms: float = Field(default=0.0, ge=0, description="host work between two steps, whatever is in them")
    eager: bool = Field(default=False, description="every kernel is launched by itself")
    slow_fp8_experts: bool = Field(default=False, description="kernels of 8-bit experts that nobody tuned for the chip")
    young_experts: tuple[Precision, ...] = Field(
        default=(), description="formats of experts without tuned kernels on chips that compute in 4 bits"
    )
    small_cache: bool = Field(description="keeps an 8-bit cache beside 8- and 4-bit weights unless told otherwise")


class Engine(Strict):
    """A family of engines, under all its names."""

    names: tuple[str, ...]
    periods: dict[date, Period] = Field(min_length=1)

    def on(self, day: date) -> Period:
        """What holds on that day; the first period for anything older."""
        known = [start for start in self.periods if start <= day] or [min(self.periods)]
        return self.periods[max(known)]


class SameShape(Strict):
    """A model whose configuration is that of another."""

    like: str
    no_window: bool = False


class Dataset(Strict):
    """What a named data set asks and gets on average."""

    input_tokens: int = Field(ge=1)
    output_tokens: int | None = Field(default=None, ge=1)
    beams: int = Field(default=1, ge=1)
    drafts_up_to_tpot_ms: float = Field(default=0.0, ge=0, description="promises so tight that drafts are allowed")


class Fitted(Strict):
    """One constant: its value, the range it took when each source was left out, and what it is."""

    value: float = Field(gt=0)
    low: float = Field(gt=0)
    high: float = Field(gt=0)
    means: Text


class Power(Strict):
    """Share of the thermal design power that an accelerator draws, from a small batch to a large one."""

    small_batch: float = Field(ge=1)
    large_batch: float = Field(ge=1)
    small_share: _Share
    large_share: _Share
    source: Text


class Measured(Strict):
    """One measured rate of work that is not a language model's."""

    accelerator: str
    requests_per_s: float = Field(gt=0, description="for each accelerator")
    precision: str
    source: Text


class LeftOut(Strict):
    """Published runs that teach nothing about speed, and why."""

    runs: tuple[str, ...] = Field(min_length=1)
    why: Text


class Polls(Strict):
    """A source whose engine looks for new requests only every so many steps."""

    source: Text
    engine: str
    architectures: tuple[str, ...]
    steps: dict[int, int] = Field(min_length=1, description="by the number at once from which it holds")
    from_: Text = Field(alias="from")

    def every(self, at_once: float) -> float:
        """Steps from one look to the next."""
        return float(
            max(((least, steps) for least, steps in self.steps.items() if least <= at_once), default=(0, 0))[1]
        )


class Work(Strict):
    """A kind of work whose speed was measured and is carried over by peak rates where it was not."""

    label: Text
    bound: Literal["compute", "bandwidth"]
    also: tuple[str, ...] = Field(default=(), description="other names of it, models of the catalogue among them")
    alone_share: _Share | None = Field(default=None, description="of that pace, one request at a time; not measured")
    measured: tuple[Measured, ...] = Field(min_length=1)


class WorkShares(Strict):
    """What a system takes under a promise of latency, of what it takes offline."""

    server: _Share
    server_on_processors: _Share
    source: Text


class Fit(Strict):
    """How the constants came to be."""

    on: Day
    command: Text
    rows: int
    sources: int


class Known(Strict):
    """Everything the data file says."""

    about: Text
    engines: dict[str, Engine]
    same_shape: dict[str, SameShape]
    datasets: dict[str, Dataset]
    requests_in_run: dict[str, dict[str, int]]
    left_out: tuple[LeftOut, ...]
    unfitted_first_tokens: tuple[LeftOut, ...] = Field(description="runs, or whole sources by their titles")
    polls: tuple[Polls, ...]
    power: Power
    fit: Fit
    constants: dict[str, Fitted]
    bands: dict[str, Band]
    spread: Spread = UNTOLD
    assumed_bands: dict[str, Band] = Field(description="where nothing was fitted: from errors on published runs")
    work: dict[str, Work]
    work_shares: WorkShares

    def values(self) -> ServingConstants:
        """The constants as one record of numbers."""
        return ServingConstants(**{name: self.constants[name].value for name in NAMES})


@cached(1)
def known() -> Known:
    """The data files, read once and checked."""
    return Known.model_validate({**read_data(CONSTANTS), **read_data(ENGINES)})


def left_out() -> frozenset[str]:
    """The ids of published runs that no fit goes by: no column tells their conditions."""
    return frozenset(run for one in known().left_out for run in one.runs)


@cached(1)
def unfitted_first_tokens() -> frozenset[str]:
    """Runs, and sources, whose times to the first token teach nothing."""
    return frozenset(run for one in known().unfitted_first_tokens for run in one.runs)
