"""What people, hosting and maintenance cost later is drawn, where the catalogue has a range for it."""

import pytest

from planner.money.owning.inputs import CHANGES
from planner.money.plan import plan
from planner.scenario.own import OwnInputs
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.futures import draw_futures
from pricing import Catalogue
from pricing.figure import Figure, FigureValue
from tests.facts import DAY
from tests.study.planned import catalogue

LATER = ("wage_change_per_year", "space_price_change_per_year", "maintenance_change_per_year")


def ranged() -> Catalogue:
    """The facts with a range for each of the three: falling by a tenth to rising by a fifth."""
    plain, facts = catalogue(), {}
    for name in LATER:
        fact = plain.facts[CHANGES[name]]
        source = fact.figure.newest.source
        value = FigureValue(low=-0.1, typical=0.03, high=0.2, kind="assumption", source=source)
        figure = Figure(unit="1", checked=DAY, values={DAY: value})
        facts[CHANGES[name]] = fact.model_copy(update={"figure": figure})
    return plain.model_copy(update={"facts": plain.facts | facts, "digest": "later"})


@pytest.mark.parametrize("yours", [None, 0.01])
def test_a_range_is_drawn_and_yours_is_as_you_say(yours: float | None) -> None:
    own = OwnInputs(**dict.fromkeys(LATER, yours))
    drawn = draw_futures(plan(ranged(), Scenario(own=own, ways=("own", "on_demand")), DAY), 64)
    assert drawn is not None
    found = {one.name: one.spread for one in drawn.inputs if one.name in LATER}
    assert set(found) == (set(LATER) if yours is None else set())
    assert all((one.low, one.typical, one.high) == (-0.1, 0.03, 0.2) for one in found.values())
