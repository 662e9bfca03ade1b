"""A plan that cannot be as it was asked keeps its numbers: what is too much, and what a late plan would cost."""

from planner.report.speed.fit_words import serving_tiles, training_tiles
from planner.report.tile import Tile
from planner.scenario.durations import time_words
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from planner.speed.work_to_hours import Asked


def too_much(asked: Asked) -> tuple[Tile, ...]:
    """What models would hold of a memory that they do not fit into."""
    trained = [tile for one in asked.trainings if not one.fits for tile in training_tiles(one)]
    served = [tile for one in asked.servings if not one.fits for tile in serving_tiles(one, 0)]
    return (*trained, *served)


def without_deadline(asked: Asked | None) -> Scenario | None:
    """The scenario without its deadlines, where being late is all that is wrong with it."""
    if asked is None or not asked.late or sum(late.was_asked for late in asked.late) < len(asked.refused):
        return None
    return asked.written.model_copy(update={"work": tuple(map(_undated, asked.written.work))})


def _undated(work: Work) -> Work:
    if work.train is None:
        return work
    return work.model_copy(update={"train": work.train.model_copy(update={"deadline_days": None})})


def late_words(asked: Asked) -> str:
    """What to say above the numbers of a plan that is late."""
    after = time_words(max(late.days - late.deadline_days for late in asked.late))
    return f"These are the numbers of the plan as it is: it is done {after} after the deadline."
