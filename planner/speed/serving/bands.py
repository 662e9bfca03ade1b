"""How sure a prediction is: what published runs were over predictions that had not seen their source."""

from __future__ import annotations

from planner.speed.bands import Band
from planner.speed.serving.case_of import Setup
from planner.speed.serving.engine_data import known

_FEW = 2.0  # experts for each token: Mixtral and Llama 4 have one or two large ones
_WIDE = Band(low=0.3, high=1.6, rows=0)  # nobody measured anything like it


def band_name(setup: Setup, *, single: bool) -> str:
    """Which band holds: by what drives the error, which is the kind of model, machine and engine."""
    shape, chip = setup.shape, setup.chip
    many = shape.experts > 1
    names = {
        "processor": chip.kind == "cpu",
        "encoder": not shape.causal,
        "single": setup.engine == "local",
        "hybrid": shape.is_hybrid,
        "other chips": chip.kind not in ("gpu", "edge"),
        "one request, experts": single and many,
        "one request, dense": single,
        "dense": not many,
        "many small experts": shape.experts_per_token > _FEW,
    }
    return next((name for name, holds in names.items() if holds), "few large experts")


def band_of(setup: Setup, *, single: bool, guessed: bool = False) -> Band:
    """The band around a prediction, as factors on it; wide where the shape was guessed from the size."""
    named = _named(band_name(setup, single=single))
    return named.or_wider(_named("guessed shape")) if guessed else named


def _named(name: str) -> Band:
    said = known()
    return said.bands.get(name) or said.assumed_bands.get(name, _WIDE)
