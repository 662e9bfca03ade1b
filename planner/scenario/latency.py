"""Latency classes: what a service promises, by a name. A scenario holds the promise itself, never the name."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from planner.scenario.base import Label, ScenarioModel
from pricing import strict_yaml
from pricing.caching import cached

FILE = Path(__file__).parent / "latency.yaml"
_Milliseconds = Annotated[float, Field(ge=0.1, le=1e6)]
_Tokens = Annotated[int, Field(ge=1, le=10_000_000)]


class LatencyClass(ScenarioModel):
    """One class: its promise, how long its requests usually are, why, and who says so."""

    name: Label
    ttft_ms: _Milliseconds | None = Field(description="promise for the first word, at the 99th percentile; null: none")
    tpot_ms: _Milliseconds | None = Field(description="the same for each further word")
    input_tokens: _Tokens = Field(description="how long a request usually is")
    output_tokens: _Tokens = Field(description="how long an answer usually is")
    says: Annotated[str, Field(min_length=1, max_length=400)] = Field(description="what that means, in a sentence")
    source: Label = Field(description="who says so")
    url: str | None = Field(description="where that can be read; null: nowhere")


@cached(1)
def latencies() -> dict[str, LatencyClass]:
    """The classes by name, in the order in which they are shown."""
    data = strict_yaml.read(FILE.read_text(encoding="utf-8"), file=FILE.name)
    return {name: LatencyClass.model_validate({"name": name, **fields}) for name, fields in data.items()}


def promised(ttft_ms: float | None, tpot_ms: float | None) -> LatencyClass | None:
    """The class that makes this promise; None where it is one of its own."""
    return next((one for one in latencies().values() if (one.ttft_ms, one.tpot_ms) == (ttft_ms, tpot_ms)), None)
