"""The models of a scenario, each with its job for the speed model and the result of that job."""

from contextlib import suppress
from dataclasses import dataclass

from planner.network.record import with_user_models
from planner.scenario.jobs import ServingJob, TrainingJob
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.speed.match_model import find_model_record, substitution_note
from planner.speed.serving import ServingResult
from planner.speed.training import TrainingResult
from planner.speed.work_to_hours import ScenarioInHours, serving_job, training_job
from pricing import Catalogue, PricingError


@dataclass(frozen=True, eq=False)
class ScenarioTraining:
    """A model to be trained. `place` is where it stands in the work; `model` is the catalogue's id."""

    place: int
    model: str
    task: TrainingTask
    job: TrainingJob
    result: TrainingResult


@dataclass(frozen=True, eq=False)
class ScenarioServing:
    place: int
    model: str
    task: ServingTask
    job: ServingJob
    result: ServingResult


def solved_jobs(catalogue: Catalogue, solved: ScenarioInHours) -> tuple[ScenarioTraining | ScenarioServing, ...]:
    """Every model with a result, in the order of the scenario. `solved.problems` has the reasons of the others."""
    catalogue = with_user_models(catalogue, solved.written.models)
    done: list[ScenarioTraining | ScenarioServing] = []
    trainings, servings = list(solved.trainings), list(solved.servings)
    for place, work in enumerate(solved.written.work):
        task = work.train or work.serve
        model = None if task is None else _named(catalogue, task.model)
        if task is None or model is None:
            continue
        label = catalogue.models[model].label
        if isinstance(task, TrainingTask):
            trained = next((result for result in trainings if result.model == label), None)
            if trained is not None:
                trainings.remove(trained)
                # What was left open has been chosen: the job is the one that was answered.
                chosen = {"accelerator": trained.accelerator, "accelerators": trained.accelerators}
                job = training_job(solved.written, work, task).model_copy(update=chosen)
                done.append(ScenarioTraining(place, model, task, job, trained))
            continue
        served = next((result for result in servings if result.model == label), None)
        if served is not None:
            servings.remove(served)
            update = {"accelerator": served.accelerator}
            done.append(
                ScenarioServing(place, model, task, serving_job(solved.written, task).model_copy(update=update), served)
            )
    return tuple(done)


def _named(catalogue: Catalogue, called: str) -> str | None:
    try:
        return find_model_record(catalogue, called)
    except PricingError:
        return None


def model_notes(catalogue: Catalogue, scenario: Scenario) -> tuple[str, ...]:
    """A sentence for each model of a plan whose name another record stands for; none for names that nobody knows."""
    own = {model.name for model in scenario.models}
    tasks = (task for work in scenario.work for task in (work.train, work.serve) if task is not None)
    notes: dict[str, None] = {}
    for name in dict.fromkeys(task.model for task in tasks if task.model not in own):
        with suppress(PricingError):
            note = substitution_note(catalogue, name)
            notes |= {note: None} if note else {}
    return tuple(notes)
