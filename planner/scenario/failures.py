"""The cost of failures in time: how often a job stops, how long a restart and a repair take."""

from typing import Annotated, Literal

from pydantic import Field

from planner.scenario.base import WORK, ScenarioModel, ask, unit

Regime = Literal["calm", "rough"]
Stated = Literal["all", "useful"]


class Failures(ScenarioModel):
    """Hours lost to failures: work done again, restarts, checkpoints written, machines that others wait for.

    `calm` is a well-run cluster: Llama 3, one unexpected stop in some 50,700 accelerator-hours. `rough` counts every
    cause, own errors included: Meta's research clusters, one in some 9,200 (a job on 8) or 8,100 (on 1,024). Where
    nothing is said it is the calm one.
    Checkpoints are written as often as wastes least (Young, Daly).
    """

    regime: Annotated[Regime | None, ask("regime", "How often jobs fail", "As at Llama 3 (calm), or as on shared "
        "research clusters, own errors included (rough).", group=WORK, rare=True, usual="calm")] = None  # fmt: skip
    hours_between_failures: Annotated[
        float | None, Field(ge=10.0, le=1e8, description="of one accelerator; wins over `regime`"), unit("hours")
    ] = None
    checkpoint_minutes: Annotated[float | None, Field(ge=0.001, le=1_440.0), unit("minutes to write one")] = None
    restart_minutes: Annotated[float | None, Field(ge=0.0, le=1_440.0), unit("minutes to be at work again")] = None
    straggler_share: Annotated[
        float, Field(ge=0.0, le=0.9, description="of the time, in which a job waits for its slowest machines"),
        unit("share: 0.1 is 10 %"),
    ] = 0.0  # fmt: skip
    repair_hours: Annotated[
        float | None,
        Field(ge=0.0, le=8_760.0, description="until a machine of your own is back; what is rented is replaced"),
        unit("hours"),
    ] = None
    stated_hours: Annotated[
        Stated, Field(description="what hours and busy shares that you state count: all, lost ones included, or the "
                                  "useful ones, and what is lost comes on top")
    ] = "all"  # fmt: skip
