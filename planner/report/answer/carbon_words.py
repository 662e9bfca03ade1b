"""Emissions in words: two options side by side, a limit that cannot be checked, the columns of the table."""

from planner.money.carbon import KG_PER_T, EmissionRange
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words

DIFFER = 1.5  # times: what is known of making alone is no nearer
NOT_COUNTED = "network, disks, buildings and transport are not counted"
CONVENTION = (
    "Making of what is bought counts whole, nothing is taken off at resale; of what is rented, the share of its life "
    f"that its hours take. Grid figures are of generation in the country; {NOT_COUNTED}."
)
_IN_TONNES_FROM_KG = 10_000.0


def carbon_sentences(answer: Answer) -> tuple[str, ...]:
    """Return the emissions of the two compared options, where they differ; and a limit that cannot be checked."""
    return (*_beside(answer), *_unverified_limit(answer))


def _beside(answer: Answer) -> tuple[str, ...]:
    if answer.pair is None:
        return ()
    first, second = sorted(answer.pair, key=lambda one: _typical(answer, one))
    less, more = answer.emissions(first).total_kg, answer.emissions(second).total_kg
    if less is None or more is None or less.typical <= 0 or more.typical <= DIFFER * less.typical:
        return ()
    doing, other = (_option_and_grid(answer, way) for way in (first, second))
    return (
        f"{words.upper_first(doing)} would emit {_share(less.typical / more.typical)} of what {other} does: about "
        f"{tonnes(less)} of CO2 equivalent against {tonnes(more)}, operation and making; {NOT_COUNTED}.",
    )


def _unverified_limit(answer: Answer) -> tuple[str, ...]:
    """A limit is set, and nobody knows whether the way that is advised keeps to it."""
    most = answer.plan.setting.terms.most_t_co2e
    if most is None or answer.best is None or answer.emissions(answer.best).operation_kg is not None:
        return ()
    doing = WAYS[answer.best.option.way].gerund
    return (
        f"Whether {doing} keeps to {most:g} t of CO2 equivalent is not known: "
        f"{answer.emissions(answer.best).notes[0]}.",
    )


def _typical(answer: Answer, way: EvaluatedOption) -> float:
    total = answer.emissions(way).total_kg
    return float("inf") if total is None else total.typical


def _option_and_grid(answer: Answer, way: EvaluatedOption) -> str:
    """Return the activity and its grid: renting (Norway)."""
    where = answer.emissions(way).where
    place = f" ({where})" if where in _places(answer) else ""
    return f"{WAYS[way.option.way].gerund}{place}"


def _places(answer: Answer) -> frozenset[str]:
    return frozenset(site.label for site in answer.plan.setting.catalogue.sites.values() if site.kind != "world")


def _share(share: float) -> str:
    """About a third; of small shares the percentage."""
    for part, name in ((1 / 2, "half"), (1 / 3, "a third"), (1 / 4, "a quarter"), (1 / 5, "a fifth")):
        if abs(share / part - 1) < 0.12:
            return f"about {name}"
    return f"about {words.percent(share)}"


def tonnes(kg: EmissionRange) -> str:
    """A quantity with its range: 12 t (9 to 20)."""
    low, typical, high = (f"{words.round_significant(end / KG_PER_T, 2):,.10g}" for end in kg)
    return f"{typical} t ({low} to {high})"


def carbon_unit(answer: Answer) -> tuple[str, float]:
    """Return the unit of emissions in tables, and its kilograms: tonnes where any option emits ten of them."""
    each = (answer.emissions(way) for way in answer.ranked)
    kg = (emission.typical for emitted in each for emission in (emitted.operation_kg, emitted.making_kg) if emission)
    return ("t", KG_PER_T) if max(kg, default=0.0) >= _IN_TONNES_FROM_KG else ("kg", 1.0)


def carbon_notes(answer: Answer) -> tuple[str, ...]:
    """Return each substitute and each unknown once."""
    notes = (note for way in answer.ranked for note in answer.emissions(way).notes)
    return tuple(f"Carbon: {note}." for note in dict.fromkeys(notes))
