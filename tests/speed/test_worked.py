"""Each model of a scenario beside the job that was asked and what was answered."""

from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.work import Work
from planner.speed.scenario_jobs import ScenarioServing, ScenarioTraining, solved_jobs
from planner.speed.training import train
from planner.speed.work_to_hours import convert_to_hours
from pricing import load_catalogue


def test_every_model_stands_beside_its_job() -> None:
    catalogue = load_catalogue()
    scenario = Scenario(
        work=(
            Work(busy_share=0.5),
            Work(train=TrainingTask(model="llama-3-8b", tokens=1e11), accelerators=16),
            Work(serve=ServingTask(model="llama-3.1-8b", requests_per_s=5)),
            Work(train=TrainingTask(model="no such model"), accelerators=8),
            Work(train=TrainingTask(model="qwen3-8b", tokens=1e10), accelerators=32),
        )
    )
    found = convert_to_hours(catalogue, scenario)
    done = solved_jobs(catalogue, found)
    assert [one.place for one in done] == [1, 2, 4]
    assert [one.model for one in done] == ["Llama-3-8B", "Llama-3.1-8B", "Qwen3-8B"]
    assert isinstance(done[1], ScenarioServing)
    assert done[1].found is found.servings[0]
    for one in (done[0], done[2]):
        assert isinstance(one, ScenarioTraining)
        assert one.job.accelerators == one.found.accelerators
        assert train(catalogue, one.job).tokens == one.found.tokens
    assert found.problems


def test_plain_hours_have_no_model() -> None:
    catalogue = load_catalogue()
    assert solved_jobs(catalogue, convert_to_hours(catalogue, Scenario())) == ()
