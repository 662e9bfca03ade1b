"""Notes are for people: whatever they say, every predicted figure stays what it is."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from planner.network.kinds import UnknownShape
from planner.network.record import build_network
from planner.scenario.jobs import ServingJob, TrainingJob
from planner.speed.serving import serve
from planner.speed.training import train
from pricing import Catalogue, PricingError
from pricing.model import Model
from tests.facts import CATALOGUE
from tests.network.models import reworded

H100 = "H100-SXM5-80GB"


def x(model: Model) -> dict[str, Any]:
    """Every word of prose that a record has, replaced by one that means nothing."""
    return {name: "x" for name in ("note", "not_recounted", "locator") if getattr(model, name) is not None}


def misleading(_: Model) -> dict[str, Any]:
    """The words that facts were once read from, on every model alike."""
    words = "three of four layers see a sliding window, chunks of 64; 3 MoE and 2 GQA blocks; shared expert of width 7"
    return {"note": f"{words}; at most 2 groups of experts; five local layers for each global one"}


REWORDED = {"x": reworded(CATALOGUE, x), "misleading": reworded(CATALOGUE, misleading)}


def trained(catalogue: Catalogue, model: str) -> str:
    job = TrainingJob(model=model, accelerator=H100, accelerators=64, seq_len=32_768)
    return said(lambda: train(catalogue, job))


def served(catalogue: Catalogue, model: str) -> str:
    job = ServingJob(model=model, accelerator=H100, input_tokens=16_000, requests_per_s=2.0)
    return said(lambda: serve(catalogue, job))


def said(answer: Callable[[], object]) -> str:
    """Every figure of an answer, to the last digit; or why there is none."""
    try:
        return repr(answer())
    except PricingError as refusal:
        return f"{type(refusal).__name__}: {refusal}"


@pytest.mark.slow
@pytest.mark.parametrize("how", sorted(REWORDED))
@pytest.mark.parametrize("asked", [trained, served], ids=["trained", "served"])
def test_no_figure_of_any_model_is_read_from_prose(how: str, asked: Callable[[Catalogue, str], str]) -> None:
    known = answers(asked)
    assert [name for name, told in known.items() if asked(REWORDED[how], name) != told] == []
    assert sum("tokens_per_s" in told for told in known.values()) >= 150


@cache
def answers(asked: Callable[[Catalogue, str], str]) -> dict[str, str]:
    """What is said of every model as the notes stand."""
    return {name: asked(CATALOGUE, name) for name in CATALOGUE.models}


def test_no_count_of_any_model_is_read_from_prose() -> None:
    for name, model in CATALOGUE.models.items():
        for other in REWORDED.values():
            assert counted(other.models[name]) == counted(model), name


def counted(model: Model) -> str:
    try:
        return repr(build_network(model))
    except UnknownShape as refusal:
        return str(refusal)
