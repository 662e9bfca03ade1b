"""The measured constants of belief: how often prices of a kind change, how far, and how long an offer stays."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from pricing import strict_yaml
from pricing.figure import Strict, Text

FILE = Path(__file__).parent / "constants.yaml"

# What prices of a kind have in common: a hyperscaler's list hardly moves, a marketplace moves every month.
PriceClass = Literal["list", "term", "posted", "market", "spot"]

_Positive = Annotated[float, Field(gt=0)]
_Share = Annotated[float, Field(ge=0, le=1)]


class ClassConstants(Strict):
    """How prices of one class behave before anything is known of a provider."""

    repricings_per_month: _Positive
    spread: _Positive
    there: _Share
    stays_days: _Positive


class VoteConstants(Strict):
    """How sellers together say what the market's low price is, and how far an old price may lie below it."""

    lower_share: _Share
    weight_days: _Positive
    least_weight: _Positive
    doubt: _Positive
    most_below: _Positive
    gone_spread: _Positive
    thin_spread: _Positive
    most_spread: _Positive
    spot_over_on_demand: _Share
    spot_vote_days: _Positive


class IndexConstants(Strict):
    """How the market's moves are read off products that were looked at more than once."""

    knot_days: int
    span_days: int
    least_pairs: int
    ridge: _Positive
    robust_from: _Positive
    rounds: int
    gap_weight: tuple[float, float]


class BeliefConstants(Strict):
    """All of them, as the file beside this module holds them."""

    about: Text
    source: Text
    classes: dict[PriceClass, ClassConstants]
    learning_months: _Positive
    same_price: _Positive
    known_days: int
    read_spread: _Positive
    most_market_move: _Positive
    once: _Share
    settling_days: _Positive
    fading_from_days: _Positive
    forgotten_days: _Positive
    votes: VoteConstants
    index: IndexConstants


@lru_cache(maxsize=1)
def constants() -> BeliefConstants:
    """The constants, read once."""
    return BeliefConstants.model_validate(strict_yaml.read(FILE.read_text(encoding="utf-8"), file=FILE.name))
