"""What `cheapest` is asked: a scenario of a file, or one made of arguments. Nothing that searches is loaded here."""

from __future__ import annotations

import argparse
from datetime import date
from typing import Any

from planner.cli.common import BadInput, with_own_prices
from planner.cli.jobs import accelerator_id
from planner.cli.scenarios import Opened, scenario_called, with_runs
from planner.cli.speed import job_of
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.task import Serve, Train
from planner.scenario.work import Work
from pricing import Catalogue
from pricing.feeds.live import current
from pricing.orderable import staying

_OF_NO_JOB = frozenset({"verb", "day", "quotes", "json", "csv"})  # what may be said without one
_FLAGS = {"peak_requests_per_s": "--peak", "weight_precision": "--precision"}


def asked(wanted: argparse.Namespace) -> Opened | None:
    """The scenario of a file with what the arguments say over it, or one made of the arguments; None: of no job."""
    if wanted.scenario is None and wanted.model is None:
        _of_no_job(wanted)
        return None
    opened = _opened(wanted)
    if wanted.budget_usd is not None and not wanted.budget_usd > 0:
        raise BadInput(f"--budget-usd: want more than 0, got {wanted.budget_usd:g}.")
    wanted.accelerator = [accelerator_id(opened.facts, name) for name in wanted.accelerator]
    return opened


def _of_no_job(wanted: argparse.Namespace) -> None:
    said = [flag for flag, value in vars(wanted).items() if value and flag not in _OF_NO_JOB]
    if said:
        raise BadInput(
            f"--{said[0].replace('_', '-')} needs a job: want --model NAME, or a SCENARIO that names a model."
        )


def _opened(wanted: argparse.Namespace) -> Opened:
    if (wanted.scenario is None) == (wanted.model is None):
        raise BadInput("want --model NAME, or a SCENARIO that names a model, and not both.")
    if wanted.scenario is None:
        day = wanted.day or date.today()
        made = {"accelerator": ANY_ACCELERATOR, "work": (_work(wanted),), "years": wanted.years}
        facts = with_own_prices(current(), wanted.quotes, day)
        made |= _stay(facts, wanted)
        return Opened(wanted.model, with_runs(job_of(Scenario, made, _FLAGS), facts, wanted.runs, day), facts, day, ())
    opened = scenario_called(wanted.scenario, wanted)
    scenario = opened.scenario if wanted.years is None else opened.scenario.model_copy(update={"years": wanted.years})
    works = tuple(_with_limits(work, wanted) for work in scenario.work)
    changed = {"work": works, **_stay(opened.facts, wanted)}
    return Opened(opened.name, scenario.model_copy(update=changed), opened.facts, opened.day, opened.about)


def _stay(facts: Catalogue, wanted: argparse.Namespace) -> dict[str, Any]:
    """Where the work must stay, and with it where one's own would run."""
    allowed = staying(facts, wanted.stay).countries
    if not allowed:
        return {}
    site = next((code for code in (wanted.stay.upper(), *sorted(allowed)) if code in facts.sites), None)
    return {"stay_in": tuple(sorted(allowed))} | ({} if site is None else {"site": site})


def _with_limits(work: Work, wanted: argparse.Namespace) -> Work:
    changed: dict[str, Any] = {"may_stop": work.may_stop or wanted.spot}
    if work.train is not None and wanted.deadline_days is not None:
        said = work.train.model_dump() | {"deadline_days": wanted.deadline_days}
        changed["train"] = job_of(Train, said, _FLAGS)
    return work.model_copy(update=changed)


def _work(wanted: argparse.Namespace) -> Work:
    if wanted.requests_per_s is not None:
        if wanted.deadline_days is not None or wanted.tokens is not None:
            raise BadInput("--requests-per-s is of a service, --tokens and --deadline-days are of a training run.")
        said = {name: getattr(wanted, name) for name in ("model", "requests_per_s", "input_tokens", "output_tokens")}
        said |= {"ttft_ms": wanted.ttft_ms, "tpot_ms": wanted.tpot_ms, "weight_precision": wanted.precision}
        served = job_of(Serve, said | {"peak_requests_per_s": wanted.peak}, _FLAGS)
        return Work(serve=served, may_stop=wanted.spot)
    names = ("model", "tokens", "method", "precision", "seq_len", "runs_per_month", "deadline_days")
    trained = job_of(Train, {name: getattr(wanted, name) for name in names} | {"choose_count": True}, _FLAGS)
    return Work(accelerators=1, train=trained, may_stop=wanted.spot)
