"""Uncertainty of predictions: errors of published runs that the fit had not seen, wider where a run is new.

A run is described by its traits: the generation of its chip, its software, what kind of model, how large a job and so
on. How wide the band is goes by the traits themselves, and by how many of them have to change until a run that was
fitted has them all; what was fitted, and how wide that left the errors of runs left out, is data that `calibrate`
writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp

from pydantic import Field

from planner.network.network import ENDLESS, Network
from pricing.caching import cached
from pricing.figure import StrictModel

WIDER = 0.2  # how much each thing that a table leaves open widens a band, found by leaving it open where it is stated
STEPS = 3  # traits in which the nearest runs differ; from there on a run is as new as any
# Runs, each source's as their root, beside which nothing being known weighs as much: nine of one source, or three of
# three. An assumption; it keeps one run more or less from moving a band by much.
ENOUGH = 3.0
DENSE, MIXTURE, MANY = "dense", "mixture", "many"
_FEW = 2.0  # experts for each token: Mixtral and Llama 4 have one or two large ones

BandTraits = Mapping[str, str]
OTHER_ACCELERATOR = "accelerator"  # in what runs differ where none of that accelerator was fitted


class Band(StrictModel):
    """Factors on a prediction: `low` is the 10th percentile of runs, `high` the 90th."""

    low: float = Field(gt=0, description="10th percentile of the runs")
    high: float = Field(gt=0, description="90th percentile of the runs")
    rows: int = Field(ge=0, description="runs that it was taken from")
    alike: int = Field(default=0, ge=0, description="fitted runs with all of the traits that are looked at")
    unlike: tuple[str, ...] = Field(
        default=(), description="in what the nearest fitted runs differ, where none is alike"
    )

    def or_wider(self, other: Band) -> Band:
        """The outer ends of both."""
        return self.with_ends(min(self.low, other.low), max(self.high, other.high))

    def widened(self, unsaid: float) -> Band:
        """The band where so much had to be guessed that published runs mostly say."""
        return self.scaled_by_power(1 + WIDER * unsaid)

    def scaled_by_power(self, power: float) -> Band:
        """So many times as wide, as logarithms go."""
        return self.with_ends(self.low**power, self.high**power)

    def with_ends(self, low: float, high: float) -> Band:
        """The same with other ends."""
        return self.model_copy(update={"low": low, "high": high})


class Level(StrictModel):
    """How fast runs of one setup were, over what the constants alone predict; drawn to 1 where few tell it."""

    ratio: float = Field(gt=0, description="published over predicted")
    setups: int = Field(ge=0, description="sources that published such runs, each release by itself")
    runs: int = Field(ge=0, description="how many there are")


UNLEVELED = Level(ratio=1.0, setups=0, runs=0)


def is_measured(software: str, accelerator: str, levels: Mapping[str, Level]) -> bool:
    """Return whether levels hold runs of that accelerator, those for one user apart; true where there are no levels."""
    names = (name.split(" | ")[:2] for name in levels)
    return not levels or any(chip == accelerator and (one == "local") == (software == "local") for one, chip in names)


class Seen(StrictModel):
    """Runs that were fitted and have the same traits."""

    like: tuple[str, ...] = Field(description="their traits, in the order of `traits`")
    runs: int = Field(ge=1, description="how many there are")
    roots: float = Field(gt=0, description="the same with each source's runs counted as their root")


class ErrorEnds(StrictModel):
    """Errors of predictions to either side, as logarithms, of a run with all that is usual."""

    below: float = Field(ge=0, description="10th percentile of the runs left out")
    above: float = Field(ge=0, description="90th percentile of the runs left out")
    rows: int = Field(ge=0, description="runs left out")


class ErrorSpread(StrictModel):
    """Errors of predictions, by what is predicted."""

    traits: tuple[str, ...] = Field(description="what is looked at")
    ends: dict[str, ErrorEnds] = Field(description="of dense models, and of mixtures, whose errors have longer tails")
    step: float = Field(gt=0, description="times as wide for each trait in which the nearest fitted runs differ")
    wider: dict[str, dict[str, float]] = Field(description="times as wide with a trait")
    classes: dict[str, float] = Field(default={}, description="times as wide, by model, chip and whether measured")
    seen: tuple[Seen, ...] = Field(description="what was fitted")

    __hash__ = object.__hash__  # it is read once and kept: the same one is the same

    def band(self, traits: BandTraits, *, measured: bool = False, known_chip: bool = True) -> Band:
        """Return the band of a run with these traits; narrower where the level of its setup was measured.

        Of an accelerator that no fitted run is of, at least as wide as accelerators differ.
        """
        band = _band(self, tuple(traits[name] for name in self.traits), measured)
        if known_chip:
            return band
        group = band_group(traits.get("mixture", DENSE))
        unlike = band.unlike if "chip" in band.unlike else (*band.unlike, OTHER_ACCELERATOR)
        return band.or_wider(BETWEEN_ACCELERATORS[group]).model_copy(update={"unlike": unlike})


# Where nothing has been left out yet, in a file of constants that `calibrate` has not written again: an assumption.
UNTOLD = ErrorSpread(traits=(), ends={DENSE: ErrorEnds(below=0.4, above=0.4, rows=0)}, step=1.0, wider={}, seen=())


# Between accelerators: where four of five lie whose runs were all left out of the fit (bench/unseen.py).
BETWEEN_ACCELERATORS = {DENSE: Band(low=0.8, high=1.22, rows=0), MIXTURE: Band(low=0.68, high=1.4, rows=0)}


@cached(4_096)
def _band(spread: ErrorSpread, like: tuple[str, ...], measured: bool) -> Band:
    named = dict(zip(spread.traits, like, strict=True))
    apart = [sum(mine != other for mine, other in zip(like, seen.like, strict=True)) for seen in spread.seen]
    distances = list(zip(apart, spread.seen, strict=True))
    within = [sum(seen.roots for far, seen in distances if far <= most) for most in range(STEPS)]
    times = 1.0 if measured else spread.step ** novelty(within)
    name = band_class(named)
    times *= spread.classes.get(measured_group(name) if measured else name, 1.0)
    for name, value in zip(spread.traits, like, strict=True):
        times *= spread.wider.get(name, {}).get(value, 1.0)
    alike = sum(seen.runs for far, seen in distances if far == 0)
    group = band_group(named.get("mixture", DENSE))
    ends = spread.ends.get(measured_group(group), spread.ends[group]) if measured else spread.ends[group]
    return Band(
        low=exp(-ends.below * times), high=exp(ends.above * times), rows=ends.rows, alike=alike,
        unlike=() if alike or not distances else _differing_traits(spread.traits, like, distances),
    )  # fmt: skip


def band_group(mixture: str) -> str:
    """Return whose ends hold for a run of that trait."""
    return DENSE if mixture == DENSE else MIXTURE


def measured_group(group: str) -> str:
    """Return whose ends, or scale, hold for a run of that group where the level of its setup was measured."""
    return f"{group}, measured"


def band_class(traits: BandTraits) -> str:
    """Return the class in which four of five runs have to lie in their bands: kind of model and of chip."""
    return f"{band_group(traits.get('mixture', DENSE))}, {traits.get('chip', '')}"


def _differing_traits(
    names: Sequence[str], like: Sequence[str], distances: Sequence[tuple[int, Seen]]
) -> tuple[str, ...]:
    """In what the nearest differ; of those equally near, the ones with most runs."""
    _, nearest = min(distances, key=lambda pair: (pair[0], -pair[1].roots))
    return tuple(name for name, mine, other in zip(names, like, nearest.like, strict=True) if mine != other)


def novelty(within: Sequence[float]) -> float:
    """Return the novelty of a run, 0 to `STEPS`, by the roots of runs that differ from it in no trait, in one, ….

    With nothing alike and much that differs in one trait it is 1; in between it goes by how much there is.
    """
    new, left = 0.0, 1.0
    for roots in within:
        left *= ENOUGH / (roots + ENOUGH)
        new += left
    return new


def mixture_kind(shape: Network) -> str:
    """Dense, or a mixture in which a few large experts, or many small ones, work on each token. Of one network."""
    if shape.experts <= 1:
        return DENSE
    return "few" if shape.experts_per_token <= _FEW else MANY


def attention_kind(shape: Network) -> str:
    kinds = {
        "hybrid": shape.is_hybrid,
        "sparse": bool(shape.chosen.kept > 0),
        "latent": bool(shape.latent),
        "windowed": bool(shape.near.kept > 0 and shape.near.tokens < ENDLESS),
        "encoder": not shape.causal,
    }
    return next((name for name, holds in kinds.items() if holds), "full")
