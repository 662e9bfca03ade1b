"""What failures, restarts, checkpoints and slow machines take of a plan's hours, and what these hours cost.

An hour that is lost costs what an hour of the way costs on average: it is a part of its cost, not an addition to it.
"""

from dataclasses import dataclass

from planner.money.demand.lost import Lost
from planner.money.setting import PlanContext
from pricing.caching import cached

_NO_HOURS = 1e-9


@dataclass(frozen=True)
class LostHours:
    """Over all work, at typical figures."""

    hours: float  # accelerator-hours that are lost
    share: float  # of all busy hours
    is_counted: bool  # predicted, or put on top; else a part of hours that somebody states
    most: Lost  # of the work that loses most


@cached(16)
def lost_hours(setting: PlanContext) -> LostHours | None:
    """The hours lost; None where nothing is lost that is known of."""
    found = []
    for work, lost in setting.lost.items():
        alone = setting.demand_of(setting.scenario.model_copy(update={"work": (work,)}))
        found.append((alone.all.busy_accelerator_hours * lost.usual_share, lost))
    every = setting.demand.all.busy_accelerator_hours
    gone = sum(hours for hours, _ in found)
    if every <= _NO_HOURS or gone <= _NO_HOURS:
        return None
    counted = sum(hours for hours, lost in found if lost.is_counted)
    return LostHours(gone, gone / every, counted > gone / 2, max(found, key=lambda one: one[0])[1])
