"""Whether a service needs a GPU: what processors, and what is there, carry of it."""

from datetime import date

import pytest

from planner.money.plan import plan
from planner.report.answer.feasibility import (
    cpu_rule_text,
    cpu_sentences,
    cpu_sufficient_for_peak,
    cpu_sufficient_sentences,
)
from planner.scenario.jobs import ServingJob
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask
from planner.scenario.work import Work
from planner.speed.serving import cpu_feasibility, serve
from tests.facts import CATALOGUE


def job(model: str, peak: float, **more: float | int) -> ServingJob:
    """A service on some GPU, which does not matter here."""
    return ServingJob(model=model, accelerator="H100-SXM5-80GB", peak_requests_per_s=peak, **more)  # type: ignore[arg-type]


def test_a_few_calls_of_a_small_model_need_no_gpu() -> None:
    found = cpu_feasibility(CATALOGUE, job("qwen3-0.6b", 0.5, input_tokens=300, output_tokens=100))
    assert not found.needs_gpu
    assert found.enough is not None
    assert CATALOGUE.accelerators[found.enough.accelerator].kind == "cpu"
    assert "No GPU is needed" in cpu_sufficient_for_peak(found)[0]


def test_many_calls_of_a_large_model_need_one() -> None:
    found = cpu_feasibility(CATALOGUE, job("llama-3.3-70b", 20.0))
    assert found.needs_gpu
    assert cpu_sufficient_for_peak(found) == ()
    assert cpu_sentences(found)[0].startswith("A GPU is needed")


def test_the_verdict_is_at_the_low_end_of_the_band() -> None:
    # Measured: 688 a second on one processor, 0.8 of it as a service; a server has two; another may do 15 % less: 936.
    sure, unsure, too_many = (cpu_feasibility(CATALOGUE, job("sentiment", peak)) for peak in (900.0, 1_000.0, 1_200.0))
    verdicts = [
        next(one.verdict for one in found.machines if one.accelerator == "CPU-Xeon-8480plus")
        for found in (sure, unsure, too_many)
    ]
    assert verdicts == ["enough", "perhaps", "too slow"]
    low = next(one.low for one in sure.machines if one.accelerator == "CPU-Xeon-8480plus")
    assert 2 * low == pytest.approx(936, rel=0.01)


def test_what_somebody_has_comes_first() -> None:
    found = cpu_feasibility(CATALOGUE, job("llama-3.1-8b", 1.0), have=("rtx 4090",))
    assert found.enough is not None
    assert found.enough.yours
    assert cpu_sentences(found)[0].startswith("What you have is enough: RTX 4090")


def test_one_card_is_one_card() -> None:
    found = cpu_feasibility(CATALOGUE, job("llama-3.1-70b", 0.05), have=("rtx 4090",))
    assert found.machines[0].verdict == "does not fit"


def test_its_rate_is_that_of_serve_on_the_same_machine() -> None:
    found = cpu_feasibility(CATALOGUE, job("llama-3.1-8b", 1.0), have=("rtx 4090",)).machines[0]
    asks = ServingJob(model="llama-3.1-8b", accelerator="RTX-4090-24GB", accelerators=1, mode="server")
    assert found.requests_per_s == pytest.approx(serve(CATALOGUE, asks).requests_per_s_within_promise)


def test_the_rule_of_thumb_is_derived() -> None:
    slow, fast = (cpu_feasibility(CATALOGUE, job("llama-3.1-8b", 1.0, tpot_ms=tpot)).rule for tpot in (100.0, 50.0))
    assert slow is not None
    assert fast is not None
    assert slow.params_b == pytest.approx(2 * fast.params_b)
    assert fast.low_b < 10 < fast.high_b  # "over ten billion needs a GPU" lies within it
    assert "billion active parameters" in cpu_rule_text(cpu_feasibility(CATALOGUE, job("llama-3.1-8b", 1.0)))
    assert cpu_rule_text(cpu_feasibility(CATALOGUE, job("sentiment", 1.0))) == ""


def test_the_answer_says_so_where_a_gpu_was_asked_for() -> None:
    few = ServingTask(model="qwen3-0.6b", requests_per_s=0.5, input_tokens=300, output_tokens=100)
    for task, accelerator, said in (
        (few, "H100-SXM5-80GB", True),
        (few, "CPU-Xeon-8480plus", False),
        (few.model_copy(update={"requests_per_s": 500.0}), "H100-SXM5-80GB", False),
    ):
        made = plan(CATALOGUE, Scenario(accelerator=accelerator, work=(Work(serve=task),)), date(2026, 11, 21))
        assert bool(cpu_sufficient_sentences(made)) is said
