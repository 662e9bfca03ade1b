"""Presets: they load, name what the catalogue knows, and give the numbers they state."""

from pathlib import Path

import pytest
import yaml

from planner.money.plan import plan
from planner.scenario.known_names import resolve_names
from planner.scenario.latency import latency_classes
from planner.scenario.link import scenario_from_link, scenario_to_link
from planner.scenario.presets import FOLDER, Preset, find_preset, load_presets
from planner.scenario.question import HOURS, QUESTIONS, detect_question
from planner.speed.work_to_hours import ScenarioInHours, convert_to_hours
from pricing import load_catalogue
from tests.facts import DAY
from tests.rows import each_row

ROOT = Path(__file__).parents[2]
EACH = each_row("one", load_presets())


@EACH
def test_a_preset_holds_only_what_the_catalogue_knows_and_fits_into_a_link(one: Preset) -> None:
    assert resolve_names(one.scenario, load_catalogue()) == (one.scenario, [])
    assert scenario_from_link(scenario_to_link(one.scenario), load_catalogue(), ()) == (one.scenario, [])
    assert one.says
    assert one.scenario.name == one.title


def known_addresses() -> str:
    """Everything that our data name as a source."""
    files = [
        *(ROOT / "pricing" / "data" / "sources").glob("*.yaml"),
        *(ROOT / "planner" / "speed" / "data").glob("*.csv"),
    ]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def numbers_in(value: object, path: str = "") -> set[str]:
    """The paths of the numbers that a file holds; of a list of numbers its own."""
    if isinstance(value, dict):
        return {one for key, inner in value.items() for one in numbers_in(inner, f"{path}.{key}".lstrip("."))}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return {one for place, inner in enumerate(value) for one in numbers_in(inner, f"{path}.{place}")}
    first = value[0] if isinstance(value, list) and value else value
    return {path} if isinstance(first, int | float) and not isinstance(first, bool) else set()


@EACH
def test_each_figure_has_a_source_that_can_be_opened_or_is_our_illustration(one: Preset) -> None:
    written = yaml.safe_load((FOLDER / f"{one.key}.yaml").read_text(encoding="utf-8"))["scenario"]
    sourced = [path for source in one.sources for path in source.figures]
    assert sorted([*sourced, *one.illustration]) == sorted(numbers_in(written))
    assert numbers_in(written)
    for source in one.sources:
        assert source.url.startswith("https://")
        assert source.url in known_addresses()
    said = one.about[-len(one.sources) - 1 :]
    assert said[0].startswith("Our illustration: every figure of this example")
    for source, sentence in zip(one.sources, said[1:], strict=True):
        assert source.url in sentence
        assert source.read.isoformat() in sentence


def test_they_are_found_by_key_and_by_title() -> None:
    assert [preset.key for preset in load_presets()] == [
        "startup", "enterprise", "research-lab", "pre-train-7b", "fine-tune-70b", "chat-service", "sentiment-api",
    ]  # fmt: skip
    assert find_preset("Enterprise, 10,000 gpu-hours a month") is find_preset("ENTERPRISE")
    assert find_preset("chat") is None


def test_each_question_starts_from_a_preset_that_asks_it() -> None:
    for question in QUESTIONS.values():
        example = find_preset(question.example or "")
        assert question is HOURS or detect_question(scenario_to_link(example.scenario)) is question  # type: ignore[union-attr]
    assert len({preset.short for preset in load_presets()}) == len(load_presets())


def speeds_of(key: str, **changed: object) -> tuple[Preset, ScenarioInHours]:
    """A preset, and what its model needs; perhaps on another accelerator."""
    preset = find_preset(key)
    hours = convert_to_hours(load_catalogue(), preset.scenario.model_copy(update=changed))
    assert hours.problems == ()
    return preset, hours


def test_pre_training_is_done_well_before_its_deadline() -> None:
    one, found = speeds_of("pre-train-7b")
    training, task = found.trainings[0], one.scenario.work[0].train
    assert task.deadline_days is not None
    assert 140 < training.tokens / training.params < 160  # it says: about 150 for each parameter
    assert training.speed.days.high < task.deadline_days
    # 6 x parameters x tokens at 30 to 50 % of what 64 H100 can do: what teams report of such runs
    days = 6 * training.params * training.tokens / (64 * 989e12 * 86_400)
    assert days / 0.5 < training.speed.days.typical < days / 0.3


def test_fine_tuning_takes_hours_not_days_and_keeps_eight_gpus_busy_for_few() -> None:
    _, found = speeds_of("fine-tune-70b")
    training = found.trainings[0]
    assert 1 < training.speed.days.typical * 24 < 8
    assert found.scenario.work[0].effective_utilization < 0.1


def test_the_chat_service_keeps_its_promise_with_a_machine_of_eight() -> None:
    one, found = speeds_of("chat-service")
    serving, task = found.servings[0], one.scenario.work[0].serve
    assert latency_classes()["chat"].ttft_ms == task.ttft_ms
    assert serving.tpot.p99_ms <= task.tpot_ms  # type: ignore[operator]
    assert (serving.accelerators_at_average, serving.accelerators_at_peak) == (4, 8)
    assert found.scenario.hosted is not None  # it says that somebody sells it by the token
    assert found.scenario.hosted.price is not None


@pytest.mark.parametrize(
    ("chip", "enough"), [("RTX-4090-24GB", 1), ("H100-SXM5-80GB", 1), ("CPU-Xeon-8480plus", 1), ("CPU-EPYC-9654", 7)]
)
def test_the_sentiment_api_takes_what_it_says(chip: str, enough: int) -> None:
    _, found = speeds_of("sentiment-api", accelerator=chip)
    assert found.others[0].accelerators_at_peak == enough


def test_startup_is_paid_back_after_159_trainings() -> None:
    """6,500 USD, of which 4,000 for cards, over 1 USD an hour for the pair less 0.18 for 1.2 kW: 7,927 hours."""
    preset = find_preset("startup")
    work, own, rent = preset.scenario.work[0], preset.scenario.own, preset.scenario.rent
    assert own.capex_usd is not None
    assert rent.usd_per_accelerator_hour is not None
    assert own.running_usd_per_month == pytest.approx(1.2 * 0.15 * 200)
    hours = own.capex_usd / (rent.usd_per_accelerator_hour * work.accelerators - 1.2 * 0.15)
    assert hours / 50 == pytest.approx(158.5, abs=0.1)
    made = plan(load_catalogue(), preset.scenario, DAY)
    own_option, rented = made.option("own"), made.option("on_demand")
    assert own_option.ledger.total_usd == 6_500.0 + 36 * 36.0
    assert rented.ledger.total_usd == 36 * 200.0  # four trainings a month of 50 hours of the pair


def test_enterprise_gives_the_stated_cash_flow() -> None:
    preset = find_preset("enterprise")
    made = plan(load_catalogue(), preset.scenario, DAY)
    own, rented = made.option("own"), made.option("on_demand")
    assert own.ledger.monthly_usd[0] == 800_000.0
    assert set(own.ledger.monthly_usd[1:]) == {5_000.0}
    assert rented.ledger.monthly_usd[1:] == pytest.approx(20_000.0)
    assert made.setting.demand.all.busy_share == pytest.approx(0.1712, abs=1e-4)  # what it says: 17 % busy
