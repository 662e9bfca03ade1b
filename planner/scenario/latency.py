"""Days and latency classes to start from, by name. A scenario holds their numbers, never the name."""

from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field

from planner.scenario.base import Label, ScenarioModel, Share
from pricing import strict_yaml
from pricing.caching import cached

_FOLDER = Path(__file__).parent
_Milliseconds = Annotated[float, Field(ge=0.1, le=1e6)]
_Tokens = Annotated[int, Field(ge=1, le=10_000_000)]
_Sentence = Annotated[str, Field(min_length=1, max_length=400)]
N = TypeVar("N", bound=ScenarioModel)


class LatencyClass(ScenarioModel):
    """One class: its promise, how long its requests usually are, why, and who says so."""

    name: Label
    ttft_ms: _Milliseconds | None = Field(description="promise for the first word, at the 99th percentile; null: none")
    tpot_ms: _Milliseconds | None = Field(description="the same for each further word")
    input_tokens: _Tokens = Field(description="how long a request usually is")
    output_tokens: _Tokens = Field(description="how long an answer usually is")
    says: _Sentence = Field(description="what that means, in a sentence")
    source: Label = Field(description="who says so")
    url: str | None = Field(description="where that can be read; null: nowhere")


class DayPattern(ScenarioModel):
    """One shape of a day: the part of the most that each hour wants, what it means, and who says so."""

    name: Label
    by_hour: Annotated[tuple[Share, ...], Field(min_length=24, max_length=24)] = Field(
        description="the part of the most that each hour wants, from midnight"
    )
    says: _Sentence = Field(description="what that means, in a sentence")
    source: Label = Field(description="who says so, or that it is an assumption of ours")


LatencyClasses, DayPatterns = dict[str, LatencyClass], dict[str, DayPattern]  # what the files hold


@cached(1)
def latency_classes() -> dict[str, LatencyClass]:
    """Return the latency classes by name, in the order in which they are shown."""
    return _read("latency.yaml", LatencyClass)


@cached(1)
def day_patterns() -> dict[str, DayPattern]:
    """Return the shapes of a day by name, in the order in which they are shown."""
    return _read("days.yaml", DayPattern)


def _read(file: str, kind: type[N]) -> dict[str, N]:
    data = strict_yaml.read((_FOLDER / file).read_text(encoding="utf-8"), file=file)
    return {name: kind.model_validate({"name": name, **fields}) for name, fields in data.items()}


def match_latency_class(ttft_ms: float | None, tpot_ms: float | None) -> LatencyClass | None:
    """Return the class with this promise; None for a promise of one's own."""
    return next(
        (each for each in latency_classes().values() if (each.ttft_ms, each.tpot_ms) == (ttft_ms, tpot_ms)), None
    )


def match_day_pattern(by_hour: tuple[float, ...]) -> DayPattern | None:
    """Return the day with these hours; None for one of one's own."""
    return next((day for day in day_patterns().values() if day.by_hour == by_hour), None)
