"""Old figures beside an answer: over their own limit, the weightiest few, by what of the bills stands on them."""

from datetime import date, timedelta

import numpy as np
import pytest

from planner.money.ledger import Origin
from planner.money.old_figures import MOST, OldFigure, old_figures
from planner.money.verdict.answer import Answer, build_answer
from planner.report.answer.advice import overdue_figure_lines
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from pricing import Catalogue, Figure, load_catalogue
from pricing.stale import limit_days
from tests.facts import DAY

KEYS = [preset.key for preset in load_presets()]
H100 = "H100-SXM5-80GB"


def of(scenario: Scenario, day: date = DAY, catalogue: Catalogue | None = None) -> Answer:
    return build_answer(planned(catalogue or load_catalogue(), scenario, day))


def with_price_looked_at(day: date) -> Catalogue:
    """The catalogue with the purchase price of an H100 looked at on this day."""
    catalogue = load_catalogue()
    old = catalogue.accelerators[H100].price_usd
    fresh = Figure.model_construct(unit=old.unit, checked=day, values=old.values, note=None)
    chip = catalogue.accelerators[H100].model_copy(update={"price_usd": fresh})
    return catalogue.model_copy(update={"accelerators": catalogue.accelerators | {H100: chip}, "digest": f"{day}"})


def price_of(found: Answer) -> OldFigure | None:
    """The old purchase price in an answer, if it is old."""
    return next((figure for figure in old_figures(found, most=99) if figure.name == "usd_per_accelerator"), None)


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_they_are_few_over_their_limit_and_the_weightiest_first(key: str) -> None:
    scenario = next(one.scenario for one in load_presets() if one.key == key)
    every, few = old_figures(of(scenario), most=99), old_figures(of(scenario))
    assert len(few) <= MOST
    assert [one.share for one in few] == [one.share for one in every[:MOST]]
    assert [one.share for one in every] == sorted((one.share for one in every), reverse=True)
    for one in every:
        assert one.age_days > one.limit_days == limit_days(one.figure)
        assert 0 < one.share <= 1


def test_the_share_is_that_of_the_lines_the_figure_stands_in() -> None:
    answer = of(Scenario())
    figure = price_of(answer)
    paid = {line.name: max(float(np.nansum(line.usd)), 0.0) for line in figure.option.ledger.lines}
    on_it = [
        line.name
        for line in figure.option.ledger.lines
        if any(isinstance(used.origin, Origin) and used.origin.figure is figure.figure for used in line.used)
    ]
    assert on_it
    assert figure.share == pytest.approx(sum(paid[name] for name in on_it) / sum(paid.values()))


def test_a_figure_is_named_from_the_day_after_its_limit_on() -> None:
    limit = limit_days(load_catalogue().accelerators[H100].price_usd)  # type: ignore[arg-type]
    assert price_of(of(Scenario(), DAY, with_price_looked_at(DAY - timedelta(days=limit)))) is None
    late = price_of(of(Scenario(), DAY, with_price_looked_at(DAY - timedelta(days=limit + 1))))
    assert late.age_days == limit + 1


def test_your_own_price_is_no_old_figure() -> None:
    mine = Scenario.model_validate({"own": {"usd_per_accelerator": 25_000.0}})
    assert price_of(of(mine)) is None


def test_the_words_say_age_limit_share_and_source() -> None:
    one = old_figures(of(Scenario()))[0]
    said = overdue_figure_lines(of(Scenario()))[0]
    for part in (
        f"{one.age_days} days ago",
        f"limit is {one.limit_days}",
        f"{one.share * 100:.0f}%",
        one.origin.source,
    ):
        assert part in said
