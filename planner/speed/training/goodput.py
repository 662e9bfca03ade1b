"""From the speed of a step to the length of a run: failures, checkpoints, restarts, what a first run loses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from planner.scenario.base import HOURS_PER_DAY
from planner.scenario.jobs import Failures, Regime
from planner.scenario.vocabulary import Team
from planner.speed.arrays import Num
from planner.speed.hardware import ReachedShare, read_data
from pricing import Catalogue
from pricing.caching import cached
from pricing.figure import StrictModel, Text

ACCELERATORS_PER_NODE = 8.0
# Tokens for each parameter at which a fixed budget of operations gives the lowest loss.
BEST_TOKENS_PER_PARAM = 20.0
_NOTHING_SAID = Failures()
NODE_FAILURES = "owned-node-failures"


@dataclass(frozen=True)
class Reliability:
    """Stops of a job, the cost of restarts and checkpoints, and the wait for the slowest."""

    hours_between_stops: Num
    checkpoint_hours: Num
    restart_hours: Num
    straggler_share: float = 0.0

    @property
    def checkpoint_interval_hours(self) -> Num:
        """The interval that wastes least, to first order: Young 1974, Daly 2006."""
        return np.sqrt(2 * self.checkpoint_hours * self.hours_between_stops)

    @property
    def useful_share(self) -> Num:
        """Share of the time in which work is done that need not be done again. [1]"""
        return (1 - self.straggler_share) * useful_share(
            interval_hours=self.checkpoint_interval_hours, checkpoint_hours=self.checkpoint_hours,
            restart_hours=self.restart_hours, hours_between_stops=self.hours_between_stops,
        )  # fmt: skip


def useful_share(*, interval_hours: Num, checkpoint_hours: Num, restart_hours: Num, hours_between_stops: Num) -> Num:
    """Useful over whole time: half an interval and a restart are lost at each stop, an interval ends with a write.

    0 where the job stops at least as fast as it starts again.
    """
    lost = (interval_hours / 2 + restart_hours) / hours_between_stops
    return np.maximum(1 - lost, 0.0) / (1 + checkpoint_hours / interval_hours)


def reliability(
    catalogue: Catalogue,
    *,
    accelerators: Num,
    params: Num,
    team: Team,
    failures: Failures = _NOTHING_SAID,
    rate: Num | None = None,
) -> Reliability:
    """Return what the catalogue's studies say of a job of this size, and what you say; `rate` is one that is tried out.

    A team without operations staff stops more often.
    """
    size_gb = params * _fact(catalogue, "checkpoint-bytes-per-parameter") / 1e9
    written_gb_s = (
        _fact(catalogue, "bloom-checkpoint-size") / _fact(catalogue, "bloom-checkpoint-time") / BLOOM_ACCELERATORS
    )
    # Every node writes its share, so a larger cluster writes the same checkpoint sooner.
    checkpoint_s = size_gb / (accelerators * written_gb_s)
    regime: Regime = failures.regime or ("rough" if team == "ordinary" else "calm")
    return _reliability(catalogue, accelerators, failures, regime, checkpoint_s / 3600, rate)


def generic_reliability(
    catalogue: Catalogue, accelerators: Num, failures: Failures, rate: Num | None = None
) -> Reliability:
    """The same of a job of which nobody says what it computes.

    Each accelerator writes as much as in BLOOM's run; a larger job writes as much in all, each accelerator its share.
    """
    written_s = _fact(catalogue, "bloom-checkpoint-time") * np.minimum(BLOOM_ACCELERATORS / accelerators, 1.0)
    return _reliability(catalogue, accelerators, failures, failures.regime or "calm", written_s / 3600, rate)


def _reliability(
    catalogue: Catalogue, accelerators: Num, failures: Failures, regime: Regime, checkpoint_hours: Num, rate: Num | None
) -> Reliability:
    each = failure_rate(catalogue, failures, regime, accelerators) if rate is None else rate
    written, again = failures.checkpoint_minutes, failures.restart_minutes
    return Reliability(
        hours_between_stops=1 / (each * np.maximum(accelerators, 1.0)),
        checkpoint_hours=checkpoint_hours if written is None else written / 60,
        restart_hours=(_fact(catalogue, "owned-restart") if again is None else again) / 60,
        straggler_share=failures.straggler_share,
    )


BLOOM_ACCELERATORS = 384.0  # that wrote the checkpoint whose size and time are on record


def failure_rate(catalogue: Catalogue, failures: Failures, regime: Regime, accelerators: Num) -> Num:
    """Return how often a job stops for each of its accelerators: as you say, or as in one of the regimes. [1/hour]"""
    yours = failures.hours_between_failures
    return regime_rate(catalogue, regime, accelerators) if yours is None else 1 / yours


def regime_rate(catalogue: Catalogue, regime: Regime, accelerators: Num) -> Num:
    """Two published regimes: what stops a well-run cluster, and what stopped everybody's jobs, own errors included.

    The second does not grow with the job in proportion: it lies on a line, in logarithms, through what is published.
    """
    if regime == "calm":
        return _fact(catalogue, NODE_FAILURES) / 1000 / HOURS_PER_DAY / ACCELERATORS_PER_NODE
    days, *hours = (_fact(catalogue, f"rsc-mttf-{size}") for size in ("8", "1k", "16k"))
    sizes = np.log(_RSC_JOBS)
    each = np.log([days * HOURS_PER_DAY, *hours]) + sizes  # accelerator-hours between stops
    return np.asarray(1 / np.exp(np.interp(np.log(np.maximum(accelerators, 1.0)), sizes, each)))[()]


_RSC_JOBS = (8.0, 1_024.0, 16_384.0)  # accelerators, whose time to failure is on record


def _fact(catalogue: Catalogue, name: str) -> float:
    return catalogue.facts[name].figure.newest.typical


@dataclass(frozen=True)
class TeamEfficiency:
    """The share of a published speed that a team reaches: evaluation, data, tuning, mistakes."""

    low: float
    typical: float
    high: float
    words: str
    measured: bool = False

    def shrunk_by_own_runs(self, kept: float) -> TeamEfficiency:
        """Return what is left of it where runs of the team itself are believed so far: nothing once they wholly are."""
        if kept <= 0:
            return self
        low, typical, high = (end ** (1 - kept) for end in (self.low, self.typical, self.high))
        return TeamEfficiency(low, typical, high, "as fast as your own runs", measured=True)


class TeamEfficiencyData(StrictModel):
    """The efficiency of each kind of team."""

    about: Text = Field(description="what this file holds and where it came from")
    teams: dict[Team, ReachedShare] = Field(description="what teams reach of a speed that was published")


def team_share(team: Team) -> TeamEfficiency:
    """Published tables are best cases; this is the visible factor between them and a team's own run."""
    share = _teams()[team]
    return TeamEfficiency(share.low, share.typical, share.high, share.words)


@cached(1)
def _teams() -> dict[Team, ReachedShare]:
    return TeamEfficiencyData.model_validate(read_data("goodput.yaml")).teams


def team_hours_ratio(share: TeamEfficiency, team: Team) -> tuple[float, float, float]:
    """The hours of another team over those of one with this share: least, typical, most; by speed alone. [1]"""
    other = team_share(team)
    return share.typical / other.high, share.typical / other.typical, share.typical / other.low


def compute_optimal_tokens(params: Num) -> Num:
    """Tokens that fit a model of so many parameters best when operations are what is scarce. [token]"""
    return BEST_TOKENS_PER_PARAM * params


def effective_fresh_tokens(*, unique_tokens: Num, tokens: Num) -> Num:
    """Return what repeated data is worth in fresh tokens. [token]

    References
    ----------
    N. Muennighoff et al., Scaling data-constrained language models, 2023, equation 5.
    """
    repeats = np.maximum(tokens / unique_tokens - 1, 0.0)
    return np.minimum(tokens, unique_tokens) + unique_tokens * REPEATS_WORTH * (1 - np.exp(-repeats / REPEATS_WORTH))


REPEATS_WORTH = 15.39


# Within twice and half of what fits best nothing is said: the optimum is flat.
NEARLY_BEST = 2.0
# Passes over the same data up to which they are nearly as good as fresh, and from which on little is learnt.
GOOD_PASSES, FEW_LEFT = 4.0, 16.0
_UNITS = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


def data_facts(*, params: float, tokens: float, unique_tokens: float | None) -> tuple[str, ...]:
    """Return sentences on how much data this is for the model, where there is something to say."""
    each, best = tokens / params, BEST_TOKENS_PER_PARAM * params
    facts = []
    if not 1 / NEARLY_BEST <= tokens / best <= NEARLY_BEST:
        advice = (
            "Going on makes a better model of this size, which is cheaper to use than a larger one."
            if tokens > best
            else "A smaller model on more tokens would be better for the same bill."
        )
        facts.append(
            f"That is {_three_digits(each)} tokens for each parameter that works on a token; a given amount of "
            f"computing brings the lowest loss near {BEST_TOKENS_PER_PARAM:.0f}, which for this model is "
            f"{_many(best)} tokens. {advice}"
        )
    if unique_tokens is None or unique_tokens >= tokens:
        return tuple(facts)
    passes, worth = tokens / unique_tokens, float(effective_fresh_tokens(unique_tokens=unique_tokens, tokens=tokens))
    if passes <= GOOD_PASSES:
        advice = f"Up to {GOOD_PASSES:.0f} times, repeats are nearly as good as fresh data."
    elif passes <= FEW_LEFT:
        advice = f"Beyond {GOOD_PASSES:.0f} times, each repeat is worth less."
    else:
        advice = f"Beyond {FEW_LEFT:.0f} times, hardly anything more is learnt."
    facts.append(
        f"{_many(unique_tokens)} tokens are seen {_three_digits(passes)} times: {_many(tokens)} teach as much as "
        f"{_many(worth)} fresh ones ({worth / tokens:.0%}). {advice}"
    )
    return tuple(facts)


def _many(number: float) -> str:
    """1.5 trillion, 400 billion, 12,000."""
    for limit, name in _UNITS:
        if number >= limit:
            return f"{_three_digits(number / limit)} {name}"
    return f"{number:,.0f}"


def _three_digits(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
