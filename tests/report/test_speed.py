"""The Speed page in words, tables and charts: sentences as somebody reads them, charts that plotly accepts."""

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import plotly.graph_objects as go
import pytest

from planner.evidence.nearest import PublishedRun, RunTraits, nearest, traits_of
from planner.evidence.nearest import RunSettings as WorkTraits
from planner.money.renting.cheapest_offer import JobHourQuote
from planner.report import words
from planner.report.answer.sentences import _serving_text
from planner.report.speed import speed_charts
from planner.report.speed import speed_tables as tables
from planner.report.speed.finding import (
    example_summary,
    measuring_how,
    no_model_summary,
    refused_summary,
    speed_summary,
    usd_per_million,
)
from planner.report.speed.fit_words import (
    MEMORY_PARTS,
    SERVED_PARTS,
    SERVED_PARTS_IN_WORDS,
    TRAINED_PARTS_IN_WORDS,
    differences,
    evidence_text,
    layout_words,
    memory_parts_text,
    training_tiles,
)  # fmt: skip
from planner.report.speed.serving_words import memory_table as serving_memory
from planner.report.speed.training_words import memory_table as training_memory
from planner.scenario.amounts import large
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.work import Work
from planner.speed.bands import Band
from planner.speed.scenario_jobs import ScenarioServing, ScenarioTraining, solved_jobs
from planner.speed.serving.serve import serving_variants
from planner.speed.training.result import Interval, waterfall_steps
from planner.speed.training.savings import memory_savings
from planner.speed.work_to_hours import convert_to_hours
from pricing import load_catalogue
from pricing.belief import PriceEstimate
from tests.facts import SERVING_TRAITS, TRAINING_TRAITS

H100, H200 = "H100-SXM5-80GB", "H200-SXM-141GB"
OFFER = JobHourQuote(
    offer="a", provider="Somebody", region="US", usd_per_accelerator_hour=2.0, list_usd_per_accelerator_hour=2.0,
    accelerators_per_machine=8, checked=date(2026, 11, 1),
    price=PriceEstimate(1.9, 20.0, 1.8, 2.0, 2.3, 0.02, 0.1, 0.9, 2.1, 7, yours=False),
)  # fmt: skip


def training(accelerators: int = 64, on: str = "H100-SXM5-80GB", **task: object) -> ScenarioTraining:
    train = TrainingTask.model_validate({"model": "Llama-3-8B", "tokens": 1e12} | task)
    scenario = Scenario(work=(Work(train=train, accelerators=accelerators),), accelerator=on)
    (one,) = solved_jobs(load_catalogue(), convert_to_hours(load_catalogue(), scenario))
    assert isinstance(one, ScenarioTraining)
    return one


def serving(**task: object) -> ScenarioServing:
    serve = ServingTask.model_validate(
        {"model": "Llama-3.1-8B", "requests_per_s": 20, "peak_requests_per_s": 40} | task
    )
    (one,) = solved_jobs(load_catalogue(), convert_to_hours(load_catalogue(), Scenario(work=(Work(serve=serve),))))
    assert isinstance(one, ScenarioServing)
    return one


def at(work: ScenarioTraining, low: float, typical: float, high: float) -> ScenarioTraining:
    """The same work, said to take so many days: sentences are tested, not the model behind them."""
    assert work.result.speed is not None
    hours = Interval(*(days * 24 * work.result.accelerators for days in (low, typical, high)))
    speed = replace(
        work.result.speed, days=Interval(low, typical, high), accelerator_hours=hours, mfu=0.412,
        tokens_per_s_per_accelerator=Interval(7_657.0, 9_477.0, 9_960.0),
        band=Band(low=0.8, high=1.05, rows=57, alike=12),
    )  # fmt: skip
    return replace(work, result=replace(work.result, speed=speed))


def test_the_title_is_the_time_with_its_band() -> None:
    work = at(training(), 18.83, 21.28, 29.62)
    assert work.result.speed is not None
    summary = speed_summary(load_catalogue(), work, OFFER)
    assert summary.title == "Llama 3 8B trains in 21.3 days (18.8 to 29.6) on 64 x H100 SXM5 80 GB"
    assert summary.sentences == ("1 trillion tokens take 32,700 GPU-hours.",)
    assert summary.details == (
        layout_words(work.result.speed),
        "That is 133 tokens for each parameter that works on a token; a given amount of computing brings the lowest "
        "loss near 20, which for this model is 150 billion tokens. Going on makes a better model of this size, which "
        "is cheaper to use than a larger one.",
        "12 published runs like it are known.",
        "The range covers our error on 57 published runs whose source was not fitted. It also covers what a team "
        "reaches of a published speed: 80% to 97%.",
        "Published speeds are best cases: tuned like those it takes 19.2 days, an ordinary team's first run 27.4 days "
        "(23.9 to 31.9).",
    )
    memory, *spread = training_tiles(work.result)
    assert [tile[:3] for tile in (*summary.figures, *summary.more_figures)] == [
        ("Days to train", "21.3", "18.8 to 29.6"), ("Cost of the run", "$65.4k", "$57.8k to $91k"),
        ("Tokens/s each", "9,480", "7,660 to 9,960"), memory[:3], ("GPU-hours", "32,700", "28,900 to 45,500"),
        *(tile[:3] for tile in spread),
    ]  # fmt: skip


@pytest.mark.parametrize(("due", "sentence"), [
    (40, "That is within the 40 days there are, even at the slow end."),
    (25, "That is within the 25 days there are, but the slow end is not."),
    (10, "That is later than the 10 days there are."),
])  # fmt: skip
def test_a_deadline_is_kept_perhaps_kept_or_missed(due: float, sentence: str) -> None:
    work = at(training(deadline_days=due), 18.83, 21.28, 29.62)
    assert sentence in speed_summary(load_catalogue(), work, OFFER).sentences


def test_a_run_that_comes_every_month_is_one_of_them() -> None:
    work = at(training(8, method="lora", tokens=1e7, runs_per_month=4), 0.1, 0.125, 0.2)
    summary = speed_summary(load_catalogue(), work, None)
    assert summary.title == "One run of Llama 3 8B is fine-tuned (LoRA) in 3 hours (2.4 to 4.8) on 8 x H100 SXM5 80 GB"
    assert summary.figures[0][:3] == ("Hours to train", "3", "2.4 to 4.8")
    assert summary.figures[1].value == "not priced"


def test_what_does_not_fit_says_what_it_needs_and_what_would_help() -> None:
    work = training(8, model="Llama-3-70B")
    least, has = work.result.least_memory_gb, work.result.memory_gb
    summary = speed_summary(load_catalogue(), work, None)
    assert summary.title == (
        f"Llama 3 70B does not fit on 8 x H100 SXM5 80 GB: needs {least:,.0f} GB on each, has {has:.3g}"
    )
    assert "; or 16 accelerators." in summary.sentences[1]
    (memory,) = summary.figures  # its numbers stay, with what is wrong with them
    assert memory[:3] == ("Memory of each", f"{least:,.0f} GB", f"too much for {has:.3g} GB")


def test_the_layout_is_told_in_numbers_and_in_words() -> None:
    found = training().result
    assert found.speed is not None
    plan = replace(found.speed.layout.plan, tp=8.0, pp=4.0, cp=1.0, ep=1.0, dp=2.0, shard=1.0)
    speed = replace(found.speed, layout=replace(found.speed.layout, plan=plan))
    assert layout_words(speed) == (
        "How it is spread: each layer over 8 GPUs (TP), the layers over 4 stages behind each other (PP) and the data "
        "over 2 copies of the model (DP), which share optimizer states (ZeRO 1)."
    )
    memory, spread = training_tiles(replace(found, speed=speed))
    assert spread[:3] == ("TP × PP × DP", "8×4×2", "= 64 GPUs")
    assert memory.range == f"of {found.memory_gb:.3g} GB: fits"
    alone = replace(speed.layout, plan=replace(plan, tp=1.0, pp=1.0, dp=1.0))
    assert layout_words(replace(speed, layout=alone)) == "It runs on one GPU, so nothing is spread."


def test_every_part_of_the_memory_is_explained() -> None:
    assert [name for name, _ in TRAINED_PARTS_IN_WORDS] == list(MEMORY_PARTS.values())
    assert [name for name, _ in SERVED_PARTS_IN_WORDS] == list(SERVED_PARTS.values())
    assert memory_parts_text(SERVED_PARTS_IN_WORDS, ("weights",)) == "weights: the model itself."


def test_an_example_says_that_it_is_one() -> None:
    summary = example_summary(speed_summary(load_catalogue(), training(), None))
    assert summary.title.startswith("For example: Llama 3 8B trains in ")
    assert "not part of your plan until you take it" in summary.sentences[0]


def test_a_run_that_never_ends_says_so() -> None:
    summary = speed_summary(load_catalogue(), at(training(), math.inf, math.inf, math.inf), None)
    assert summary.title == "Llama 3 8B never finishes on 64 x H100 SXM5 80 GB"


def test_a_service_says_its_rate_its_latency_and_its_price() -> None:
    work = serving()
    found, said = work.result, speed_summary(load_catalogue(), work, OFFER)
    assert found.accelerators_at_peak == 3
    usd = 3 * 2.0 / (20 * 300 * 3_600) * 1e6
    assert usd_per_million(work, OFFER) == pytest.approx(usd)
    assert said.title.startswith("Llama 3.1 8B writes ")
    assert said.title.endswith(
        f" tokens/s on 3 x H100 SXM5 80 GB, first token within {found.ttft.p99_ms:.3g} ms, $0.28 a million tokens"
    )
    assert "20 requests a second on average and 40 at the peak" in said.sentences[0]
    usual = found.accelerators_at_average
    assert usual == 2
    assert f"2 on average, a million tokens cost {words.usd(usd * 2 / 3)}: so" in " ".join(said.details)
    assert [one.label for one in (*said.figures, *said.more_figures)] == [
        "Tokens/s written", "First token", "Each further token", "Per M tokens", "Memory of each", "Copies × GPUs",
    ]  # fmt: skip
    assert said.more_figures[-1][1:3] == ("3×1", "= 3 GPUs")


def test_above_its_capacity_a_service_has_no_wait_and_a_wide_range_says_what_to_measure() -> None:
    work = serving()
    most = work.result.requests_per_s / work.result.replicas * work.result.replicas_at_peak
    (limit,) = (detail for detail in speed_summary(load_catalogue(), work, None).details if "without end" in detail)
    assert float(limit.split()[1]) == pytest.approx(most, rel=0.01)
    narrow, wide = training(), training(8, "Apple-M3-Ultra-512GB")
    assert measuring_how(narrow) == ""
    assert "Time 20 steps" in measuring_how(wide)
    assert "one measured step of yours narrows it" in " ".join(speed_summary(load_catalogue(), wide, None).sentences)
    assert "measured step" not in " ".join(speed_summary(load_catalogue(), narrow, None).sentences)


def test_a_service_that_does_not_fit_says_why() -> None:
    summary = speed_summary(load_catalogue(), serving(model="Llama-3.1-405B"), None)
    assert summary.title.startswith(
        "Llama 3.1 405B does not fit on 8 x H100 SXM5 80 GB: weights and working space need"
    )
    assert "store weights as fp8" in summary.sentences[0]


def test_without_a_model_and_with_a_refusal_the_page_says_what_to_do() -> None:
    assert no_model_summary().title == "Name a model to see how fast it runs"
    assert refused_summary(("no such model: want one of these",)).sentences == ("No such model: want one of these.",)


def test_large_numbers_of_tokens_in_words() -> None:
    assert [large(count) for count in (1e12, 1.5e10, 2e6, 900)] == [
        "1 trillion", "15 billion", "2 million", "900",
    ]  # fmt: skip


def published(error: float, *, chip: str = H100, model: str = "Llama-3-8B", rate: float = 100.0) -> PublishedRun:
    like: RunTraits = traits_of(load_catalogue(), model, chip, WorkTraits("bf16", "pretrain", 64.0, 4_096.0))
    return PublishedRun(f"{chip}{rate}", "A table", "https://example.org", "2025", like, rate, rate * math.exp(error),
                     error)  # fmt: skip


def test_half_of_the_runs_are_within_so_much() -> None:
    runs = [published(error) for error in (0.0, 0.05, -0.08, 0.3, -0.5)]
    assert tables.accuracy_summary(runs, 0.20) == "Half of 5 published runs are within 8%; 60 of 100 within 20%"


@pytest.mark.slow
def test_the_nearest_runs_say_how_far_off_we_are() -> None:
    near = nearest(published(0.0).traits, [published(-0.1), published(0.2, chip=H200, rate=50.0)])
    assert tables.nearest_runs_summary(near) == (
        "The nearest published run is Llama 3 8B on 64 accelerators (A table): we say 10% below it. Half of the 2 "
        "nearest are within 15%."
    )
    table = tables.nearest_runs_table(near, {H100: "H100", H200: "H200"}).to_pandas()
    assert list(table["On"]) == ["64 x H100", "64 x H200"]
    assert list(table["Differs"]) == ["–", "another accelerator of the generation"]
    assert tables.nearest_runs_summary(()) == "No published run is like this one."


def test_bands_are_the_errors_of_runs_left_out_kinds_first() -> None:
    bands = {"chip/X": Band(low=0.9, high=1.1, rows=900), "moe": Band(low=0.74, high=1.25, rows=114)}
    table = tables.bands_table(bands, {"X": "Chip X"}).to_pandas()
    assert list(table["left out of the fit"]) == ["mixture of experts", "Chip X"]
    assert table["to"].tolist() == pytest.approx([0.25, 0.10])


@pytest.mark.parametrize(
    ("band", "words"),
    [
        (Band(low=0.8, high=1.2, rows=9, alike=1), "1 published run like it is known."),
        (
            Band(low=0.8, high=1.2, rows=9, unlike=("chip", "engine")),
            "No published run like it is known: the nearest differ in the generation of the accelerator and the "
            "engine, so the range is wider.",
        ),
        (Band(low=0.8, high=1.2, rows=0), "No run of its kind was fitted: the range is an assumption."),
    ],
)
def test_a_range_says_whether_the_like_was_seen(band: Band, words: str) -> None:
    assert evidence_text(band) == words


def test_every_trait_that_runs_may_differ_in_has_words() -> None:
    band = Band(low=0.8, high=1.2, rows=9, unlike=(*TRAINING_TRAITS, *SERVING_TRAITS))
    assert not set(band.unlike) & set(differences(band).replace(",", " ").split("  "))


def charts(dark: bool) -> Iterator[go.Figure]:
    catalogue = load_catalogue()
    fits, tight = training(), training(8, model="Llama-3-70B")
    assert fits.result.speed is not None
    for work in (fits, tight):
        found = memory_savings(catalogue, work.job)
        bars = tables.memory_bars(found)
        yield speed_charts.memory_stacks(bars, MEMORY_PARTS.values(), [one.memory_gb for one in found], dark)
    service = serving_variants(catalogue, serving().job)
    yield speed_charts.memory_stacks(
        tables.serving_memory_bars(service), SERVED_PARTS.values(), tables.serving_memory_limits(service), dark
    )
    yield speed_charts.waterfall(waterfall_steps(fits.result.speed), dark)
    yield speed_charts.time_shares(serving().result.time_shares, dark)
    runs = [published(0.1), published(-0.1, model="DeepSeek-V3", rate=2_000.0)]
    yield speed_charts.agreement(runs, {runs[0].id}, 0.2, dark)


@pytest.mark.parametrize("dark", [False, True])
def test_plotly_accepts_every_chart(dark: bool) -> None:
    for unchecked in charts(dark):
        assert go.Figure(unchecked.to_dict()).layout.height >= 200


def test_the_parts_of_a_bar_add_up_and_its_note_says_whether_it_fits() -> None:
    found = memory_savings(load_catalogue(), training().job)
    bars = tables.memory_bars(found)
    for bar, one in zip(bars, found, strict=True):
        assert bar.total == pytest.approx(float(one.memory.total_gb))
        assert ("does not fit" in bar.note) is not one.fits
    table = tables.memory_table(bars, MEMORY_PARTS, [one.memory_gb for one in found]).to_pandas()
    parts = table[list(MEMORY_PARTS.values())].sum(axis=1)
    assert parts.tolist() == pytest.approx(table["all"].tolist())


def test_a_bar_above_the_plans_says_what_it_holds_more_of() -> None:
    asked = training(512, model="Llama-3.1-70B").job
    found = memory_savings(load_catalogue(), asked)
    for bar, one in zip(tables.memory_bars(found), found, strict=True):
        above = float(one.memory.total_gb) / float(found[0].memory.total_gb) - 1
        assert ("more than as it is: " in bar.note) is (above > 0.005), bar.label
    notes = {bar.label: bar.note for bar in tables.memory_bars(found)}
    # The plan shards 70.55 billion parameters over 512 (ZeRO 3): 2 bytes of weights and 4 of gradients are whole here.
    assert "more than as it is: weights 70.3 GB and gradients 141 GB" in notes["ZeRO 1: states sharded"]
    assert "more than" not in notes["Optimizer on the host"]
    assert "more than" not in notes["QLoRA: on 4-bit weights"]


def test_findings_name_the_largest_parts() -> None:
    found = memory_savings(load_catalogue(), training().job)
    text = tables.memory_finding(found, found[0].memory_gb)
    assert text.startswith("The fullest accelerator holds ")
    assert "activations" in text
    tight = memory_savings(load_catalogue(), training(8, model="Llama-3-70B").job)
    assert "Each of these changes makes it fit: optimizer in 8 bits;" in tables.memory_finding(tight, 83.8)
    service = serving_variants(load_catalogue(), serving(model="Llama-3.1-405B").job)
    assert tables.serving_memory_summary(service).endswith(
        "makes it fit: weights in 8 bits; weights in 4 bits; twice as many share it."
    )


def test_where_the_speed_goes_in_words_and_numbers() -> None:
    speed = training().result.speed
    assert speed is not None
    steps = waterfall_steps(speed)
    assert tables.efficiency_loss_summary(steps).startswith("Of 20,500 tokens/s that the peak would give, ")
    table = tables.efficiency_loss_table(steps).to_pandas()
    assert table["tokens/s left"].iloc[-1] == pytest.approx(steps[-1].after)
    runners = tables.runners_up(speed).to_pandas()
    assert runners["layout"].iloc[0] == "chosen"
    assert runners["slower"].iloc[0] == 0
    assert runners["slower"].is_monotonic_increasing


def test_the_shell_and_the_page_name_the_parts_of_memory_alike() -> None:
    speed = training().result.speed
    assert speed is not None
    assert list(training_memory(speed).cells["part"]) == [*MEMORY_PARTS.values(), "all"]
    assert set(serving_memory(serving().result).cells["part"]) == {*SERVED_PARTS.values(), "unused", "all"}
    assert set(MEMORY_PARTS.items()) & set(SERVED_PARTS.items()) == {
        ("weights_gb", "weights"),
        ("working_gb", "working space"),
    }


@pytest.mark.parametrize("number", [1, 2, 16])
def test_one_gpu_generates_and_several_generate_as_a_group(number: int) -> None:
    text = _serving_text(replace(serving().result, accelerators_per_replica=number, replicas=1), "H100")
    assert ("each generates" in text) == (number == 1)
    assert (f"each group of {number} generates" in text) == (number > 1)
