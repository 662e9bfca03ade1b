"""From the peak of a chip down to what a team gets out of it, stair by stair: tokens a second on each accelerator."""

from __future__ import annotations

from dataclasses import dataclass

from planner.speed.training.result import Speed

LEAST_SHARE = 5e-4  # of a step: what is less is not a stair of its own
PEAK, STOPS, TEAM, REST = "peak", "stops", "team", "rest"


@dataclass(frozen=True)
class Stair:
    """One loss: the rate before and after it."""

    name: str
    words: str
    before: float
    after: float

    @property
    def lost(self) -> float:
        """Tokens a second that are gone. [token/s]"""
        return self.before - self.after


def stairs(speed: Speed) -> tuple[Stair, ...]:
    """The peak first, then each loss. The last rate is what the length of the run is reckoned with."""
    step_s = sum(part.seconds for part in speed.waterfall)
    tokens = speed.tokens_per_s_per_accelerator.typical * step_s
    first, *losses = speed.waterfall
    spent, found = first.seconds, [Stair(PEAK, first.words, 0.0, tokens / first.seconds)]
    small = sum(part.seconds for part in losses if part.share < LEAST_SHARE)
    for part in losses:
        if part.share >= LEAST_SHARE:
            found.append(Stair(part.name, part.words, tokens / spent, tokens / (spent + part.seconds)))
            spent += part.seconds
    if small > 0:
        found.append(Stair(REST, "all smaller parts", tokens / spent, tokens / (spent + small)))
    running, useful, team = tokens / step_s, speed.useful_share, speed.team.typical
    found.append(Stair(STOPS, "stops, restarts and checkpoints", running, running * useful))
    found.append(Stair(TEAM, "what a team reaches of a published speed", running * useful, running * useful * team))
    return tuple(found)
