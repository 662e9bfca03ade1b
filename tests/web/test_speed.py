"""The Speed page through the question bar, without a browser: asserted against the engine."""

from collections.abc import Callable
from datetime import date

import pytest
from streamlit.testing.v1 import AppTest

from planner.evidence.nearest import published
from planner.report import words
from planner.scenario.link import scenario_from_link
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.work import Work
from planner.speed.scenario_jobs import solved_jobs
from planner.speed.serving import non_llm_serving
from planner.speed.work_to_hours import convert_to_hours, serving_job
from planner.study.market.survey import MarketCandidate, doubling_candidates, market
from planner.study.plan_any import chosen
from planner.web import ask, show_speed, state, state_results
from planner.web.pages.speed import YOUR_RUNS
from planner.web.state_results import RunComparison
from pricing import Catalogue, load_catalogue
from tests.evidence.golden import serving_rows, training_rows
from tests.facts import DAY
from tests.web.test_pages import SLOW, one_page

pytestmark = pytest.mark.slow

H100, H200 = "H100-SXM5-80GB", "H200-SXM-141GB"
TRAIN = {"train": "Llama-3-8B", "tokens": "1000000000000", "gpus": "64"}
SERVE = {"serve": "Llama-3.1-8B", "rps": "20", "peak": "40"}
TOO_LARGE = {"train": "Llama-3-70B", "gpus": "8"}


@pytest.fixture(autouse=True)
def small_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test visits on the same day, with two accelerators to choose from and a few published runs."""

    def few(catalogue: Catalogue, scenario: Scenario, day: date) -> tuple[MarketCandidate, ...]:
        return doubling_candidates(catalogue, scenario, day, accelerators=(H100, H200))

    monkeypatch.setattr(state, "today", lambda: DAY)
    monkeypatch.setattr(state_results, "doubling_candidates", few)
    rows = {"training": training_rows(), "serving": serving_rows()}

    def compared(facts: Catalogue, kind: str) -> RunComparison:
        """Not kept for others who ask in this process, as the page's own result is."""
        return RunComparison(*published(facts, kind.lower(), rows[kind.lower()]))

    monkeypatch.setattr(state_results, "published_runs", compared)


def visit(held: dict[str, str], view: str = "") -> AppTest:
    """A visitor on the Speed page, by a link."""
    app = AppTest.from_function(one_page, args=("Speed",), default_timeout=SLOW)
    for key, text in (held | ({"speed": view} if view else {})).items():
        app.query_params[key] = text
    return app.run()


def all_text(app: AppTest) -> str:
    return " ".join(one.value.replace("\\", "") for one in app.markdown)


def test_training_says_how_long_and_sets_time_against_cost() -> None:
    app = visit(TRAIN)
    assert not app.exception
    scenario, _ = scenario_from_link(TRAIN, load_catalogue())
    (work,) = solved_jobs(load_catalogue(), convert_to_hours(load_catalogue(), scenario))
    title = app.title[0].value.replace("\\", "")
    assert title.startswith("Llama 3 8B trains in ")
    assert title.endswith("on 64 x H100 SXM5 80 GB")
    assert [one.label.replace("\\", "") for one in app.metric] == [
        "Days to train", "Cost of the run", "Tokens/s each", "Memory of each",
    ]  # fmt: skip
    hours = work.result.speed.accelerator_hours.typical  # type: ignore[union-attr]
    assert f"take {words.round_significant(hours):,.0f} GPU-hours" in all_text(app)
    assert "Recommended: " in all_text(app)


VIEWS = [
    ("Memory", "The fullest accelerator holds"), ("Where the speed goes", "tokens/s that the peak would give"),
    ("Layouts", "layouts were weighed"), ("How far to trust it", "The nearest published run is"),
]  # fmt: skip


@pytest.mark.parametrize(("view", "finding"), VIEWS)
def test_every_view_of_training_opens_from_a_link(view: str, finding: str) -> None:
    app = visit(TRAIN, view)
    assert not app.exception
    assert finding in all_text(app)


@pytest.mark.parametrize(("view", "finding"), [
    ("", "Your plan"), ("Memory", "requests at once"),
    ("Where the speed goes", "A full batch spends most of its time"), ("Layouts", "layout"),
    ("How far to trust it", "Most of these runs were fitted"),
])  # fmt: skip
def test_every_view_of_a_service_opens_from_a_link(view: str, finding: str) -> None:
    app = visit(SERVE, view)
    assert not app.exception
    assert "Llama 3.1 8B writes" in app.title[0].value.replace("\\", "")
    assert finding in (str(app.table[0].value.index.name) if view == "Layouts" else all_text(app))


@pytest.mark.parametrize("view", ["Memory", "Where the speed goes", "Layouts"])
def test_what_does_not_fit_is_an_answer_in_every_view(view: str) -> None:
    app = visit(TOO_LARGE, view)
    assert not app.exception
    assert "does not fit on 8 x H100" in app.title[0].value.replace("\\", "")
    assert [one.label for one in app.metric] == ["Memory of each"]


def test_another_accelerator_s_memory_can_be_looked_at() -> None:
    app = visit(TRAIN, "Memory")
    before = all_text(app)
    app.selectbox(key=f"memory-of-{H100}").set_value(H200).run()
    assert not app.exception
    assert "of 83.8 GB" in before
    assert "of 83.8 GB" not in all_text(app)


def test_without_a_model_an_example_is_worked_out_and_taken_only_when_asked() -> None:
    app = visit({})
    assert not app.exception
    title = app.title[0].value.replace("\\", "")
    assert title.startswith("For example: Llama 3.1 8B is fine-tuned (LoRA) in ")
    assert title.endswith("on 8 x H100 SXM5 80 GB")
    assert "not part of your plan until you take it" in all_text(app)
    assert "train" not in app.query_params
    app.button(key="take-example").click().run()
    assert not app.exception
    assert app.title[0].value.replace("\\", "") == title.removeprefix("For example: ")
    assert "Llama-3.1-8B" in app.query_params["train"]


def test_another_example_is_one_press_away() -> None:
    app = visit({})
    app.button(key="example-pre-train-7b").click().run()
    assert not app.exception
    assert "train" in app.query_params
    assert " trains in " in app.title[0].value


@pytest.mark.parametrize("view", ["", "Memory", "Where the speed goes", "Layouts", "How far to trust it", YOUR_RUNS])
def test_every_view_of_the_example_opens(view: str) -> None:
    app = visit({"gpus": "80"}, view)
    assert not app.exception
    assert "on 8 x H100" in app.title[0].value


def test_the_parts_of_the_memory_are_told_in_words() -> None:
    assert "activations: results of the forward pass" in all_text(visit(TRAIN, "Memory"))


def test_what_is_left_to_be_chosen_is_chosen() -> None:
    app = visit({**TRAIN, "gpu": "any", "choose": "1", "due": "30"}, "Layouts")
    assert not app.exception
    scenario, _ = scenario_from_link({**TRAIN, "gpu": "any", "choose": "1", "due": "30"}, load_catalogue())
    picked = chosen(load_catalogue(), scenario, DAY)
    label = load_catalogue().accelerator_label(picked.accelerator)
    assert app.title[0].value.replace("\\", "").endswith(f"on {picked.work[0].accelerators:,} x {label}")


def test_a_name_that_nobody_knows_is_said() -> None:
    app = visit({"also": '{"work":[{"train":{"model":"no-such-model"}}]}'})
    assert not app.exception
    assert "no-such-model" in app.warning[0].value
    assert app.title[0].value.startswith("For example")
    app = visit({"also": '{"work":[{},{"train":{"model":"no-such-model"}}]}'})
    assert not app.exception
    assert app.title[0].value == "Not enough to say how fast"


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Callable[[Scenario, object], Scenario]:
    """What the question bar is told to ask after a click on a try."""
    told: list[Scenario] = []
    monkeypatch.setattr(ask, "use", told.append)

    def click(scenario: Scenario, one: object) -> Scenario:
        monkeypatch.setattr(state, "scenario", lambda: scenario)
        show_speed._use([None, one], 0)  # type: ignore[list-item]
        return told[-1]

    return click


def test_a_click_makes_the_plan_what_was_clicked(taken: Callable[[Scenario, object], Scenario]) -> None:
    scenario = Scenario(work=(Work(train=TrainingTask(model="Llama-3-8B", tokens=1e12, choose_count=True)),))
    found = market(load_catalogue(), scenario, DAY, accelerators=(H200,), counts=(128,))
    after = taken(scenario, found.candidates[0])
    assert (after.accelerator, after.work[0].accelerators) == (H200, 128)
    assert not after.work[0].train.choose_count
    served = Scenario(work=(Work(serve=ServingTask(model="Llama-3.1-8B")),))
    assert taken(served, found.candidates[0]).work == served.work


def test_other_work_is_set_side_by_side_over_every_accelerator() -> None:
    app = visit({"serve": "bert-base-uncased", "rps": "1000", "gpu": "RTX-4090-24GB", "in": "128", "out": "1"})
    assert not app.exception
    assert "needs 1 x RTX 4090" in app.title[0].value
    table = app.dataframe[0].value
    usd = table["USD an hour then"].dropna()
    assert usd.is_monotonic_increasing
    assert {"RTX 4090 24 GB", "H100 SXM5 80 GB", "Xeon Platinum 8480+, per socket"} <= set(table["Accelerator"])
    h100 = table.set_index("Accelerator").loc["H100 SXM5 80 GB"]
    job = serving_job(
        Scenario(accelerator=H100), ServingTask(model="bert-base-uncased", requests_per_s=1_000.0, input_tokens=128)
    )
    per_hour = 3_600 * non_llm_serving(load_catalogue(), job).requests_per_s
    assert h100["Requests/h of one"] == pytest.approx(per_hour, rel=0.005)
    assert table["Rate"].str.startswith(("measured", "carried over from")).all()
    assert not table["Rate"].str.contains("from its operations").any()


@pytest.mark.parametrize(("gpus", "near"), [("97", 96), ("8", 16)])
def test_a_number_that_divides_or_fits_is_one_click_away(gpus: str, near: int) -> None:
    app = visit({"train": "Llama-3.1-70B", "tokens": "1000000000", "gpus": gpus})
    [button] = [one for one in app.button if one.key == f"number-{near}"]
    button.click().run()
    assert f"on {near} x H100" in app.title[0].value.replace("\\", "")
    assert app.number_input(key="gpus").value == near
