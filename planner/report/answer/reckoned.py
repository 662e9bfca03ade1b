"""A plan, its answer, and all that is told of it: what one person asks for, and another who asks the same is given."""

from dataclasses import dataclass
from datetime import date

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report.answer.advice import advice_lines, deferral_line, fleet_size_table
from planner.report.answer.phrases import hints
from planner.report.answer.price_words import overdue_figure_lines
from planner.report.answer.sentences import AnswerSummary, told
from planner.report.table import Table
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.sure_verdict import Judged, decided
from pricing import Catalogue
from pricing.caching import cached_property


@dataclass(frozen=True)
class Reckoned:
    """A plan and its answer; the same for everybody who asks the same. What no page has asked for is not reckoned."""

    asked: Scenario
    plan: Plan

    @cached_property
    def sure(self) -> Judged:
        """The answer, and the futures that it was decided in."""
        return decided(self.plan)

    @property
    def answer(self) -> Answer:
        """The answer."""
        return self.sure.answer

    @property
    def futures(self) -> Futures | None:
        """How sure the answer is; none where there is nothing to reckon."""
        return self.sure.futures

    @cached_property
    def told(self) -> AnswerSummary:
        """The answer in words."""
        return told(self.plan, self.answer, self.futures)

    @cached_property
    def hints(self) -> dict[str, str]:
        """What fields that are left empty stand for."""
        return hints(self.plan)

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """What stands out in the plan."""
        spread = deferral_line(self.plan)
        return (*advice_lines(self.plan, self.answer), *([spread] if spread else []))

    @cached_property
    def old_figures(self) -> tuple[str, ...]:
        """What it rests on that nobody has looked at for too long."""
        return overdue_figure_lines(self.answer)

    @cached_property
    def sizes(self) -> Table | None:
        """What another number of machines would mean."""
        return fleet_size_table(self.plan)


def reckoned(catalogue: Catalogue, asked: Scenario, day: date, *, with_details: bool) -> Reckoned:
    """The plan with its answer; in full, with all that the page of the answer tells of it."""
    found = Reckoned(asked, planned(catalogue, asked, day))
    _ = found.sure, found.hints
    if with_details:
        _ = found.told, found.advice, found.old_figures, found.sizes
    return found
