"""`train` and `serve`: does it fit, how fast, how long, at what cost; work without tokens, and networks of pictures."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import Field

from planner.api.offers import Stay
from planner.api.records import Result, stamp
from planner.evidence.checked import CorrectedJob
from planner.money.by_token import token_break_even
from planner.money.renting.cheapest_offer import JobHourQuote, hired
from planner.report.answer.feasibility import cpu_sentences
from planner.report.answer.sensitivity import describe_token_price
from planner.report.forms import to_plain_data
from planner.report.speed.runs import own_runs_data, own_runs_text
from planner.report.speed.serving_words import (
    other_work_rows,
    other_work_text,
    priced,
    serving_data,
    serving_row,
    serving_text,
)
from planner.report.speed.training_words import (
    images_data,
    images_rows,
    images_text,
    training_data,
    training_rows,
    training_text,
)
from planner.report.table import Table
from planner.scenario.base import HOURS_PER_YEAR
from planner.scenario.jobs import ImageJob, ServingJob, TrainingJob
from planner.scenario.task import ServingTask
from planner.scenario.vocabulary import USUAL_BUSY_SHARE
from planner.speed.serving import ServingConstants, ServingResult, cpu_feasibility, non_llm_serving
from planner.speed.serving import serve as served
from planner.speed.training import TrainingCalibration, TrainingResult
from planner.speed.training import train as trained
from planner.speed.training.images import image_training
from pricing import Catalogue
from pricing import names as naming
from pricing.figure import Day
from pricing.orderable import ResidencyRequirement, staying

J = TypeVar("J", TrainingJob, ServingJob)
_PriceDay = Annotated[Day | None, Field(description="the day of prices; today")]


class TrainRequest(TrainingJob):
    """A training run: fit, layout, tokens/s, time, GPU-hours, cost."""

    model: Annotated[str, Field(min_length=1, max_length=160, examples=["llama-3-8b"])]
    images: Annotated[float, Field(ge=1, le=1e14, description="of a run of resnet-50, ssd300 …")] | None = None
    epochs: Annotated[float, Field(gt=0, le=100_000, description="through the usual data set")] | None = None
    stay: Stay | None = None
    day: _PriceDay = None


class ServeRequest(ServingJob):
    """A model that answers: fit, tokens/s, latency, GPUs needed, USD per million tokens; or other work: flux …"""

    model: Annotated[str, Field(min_length=1, max_length=160, examples=["llama-3.1-8b"])]
    busy_share: float = Field(default=USUAL_BUSY_SHARE, gt=0, le=1, description="of the hours")
    stay: Stay | None = None
    day: _PriceDay = None


class ServingTerms(NamedTuple):
    """What is not of the job: how busy it is, where its machines must be, and hardware that is there."""

    busy_share: float = USUAL_BUSY_SHARE
    stay: str | None = None
    have: tuple[str, ...] = ()


USUAL_TERMS = ServingTerms()


def _corrected(job: J | CorrectedJob[J]) -> tuple[CorrectedJob[J], bool]:
    """Return the job with its correction, and whether there are runs of one's own."""
    return (job, True) if isinstance(job, CorrectedJob) else (CorrectedJob(job), False)


def train_result(
    catalogue: Catalogue,
    question: TrainingJob | CorrectedJob[TrainingJob],
    day: date,
    *,
    stay: str | None = None,
    calibration: TrainingCalibration | None = None,
) -> Result:
    """Return one training run on one kind of accelerator; of a job with your own runs, what they corrected."""
    own, with_runs = _corrected(question)
    result = trained(catalogue, own.job, calibration=calibration)
    cost = _training_offer(catalogue, result, day, staying(catalogue, stay))
    runs = {"own_runs": own_runs_data(own)} if with_runs else {}
    return Result(
        lambda: Table.from_raw_rows(training_rows(result, cost)),
        lambda: {**stamp(catalogue, day), **runs, **training_data(result, cost)},
        lambda: training_text(result, cost) + own_runs_text(catalogue, own, result.accelerator),
    )


def _training_offer(
    catalogue: Catalogue, result: TrainingResult, day: date, stay: ResidencyRequirement
) -> JobHourQuote | None:
    if result.speed is None:
        return None
    count = result.accelerators
    hours = result.speed.accelerator_hours.typical / count
    return hired(catalogue, result.accelerator, accelerators=count, hours=hours, together=count, day=day, stay=stay)


def images_result(catalogue: Catalogue, job: ImageJob, day: date) -> Result:
    """Return the training of a network that learns from pictures."""
    result = image_training(catalogue, job)
    count = result.accelerators
    cost = hired(catalogue, result.accelerator, accelerators=count, hours=result.hours.typical, together=count, day=day)
    label = catalogue.accelerator_label(result.accelerator)
    return Result(
        lambda: Table.from_raw_rows(images_rows(result, cost)),
        lambda: {**stamp(catalogue, day), **images_data(result, label, cost)},
        lambda: images_text(result, label, cost),
    )


def serve_result(
    catalogue: Catalogue,
    question: ServingJob | CorrectedJob[ServingJob],
    day: date,
    *,
    terms: ServingTerms = USUAL_TERMS,
    constants: ServingConstants | None = None,
) -> Result:
    """Return one model on one kind of accelerator; of a job with your own runs, what they corrected."""
    own, with_runs = _corrected(question)
    job = own.job
    result = served(catalogue, job, constants)
    runs = {"own_runs": own_runs_data(own)} if with_runs else {}
    cost = _serving_offer(catalogue, job, result, day, staying(catalogue, terms.stay))
    cpu = cpu_feasibility(catalogue, job, terms.have, constants)
    answer = (job, result, cost, terms.busy_share)

    def data() -> dict[str, Any]:
        return {**stamp(catalogue, day), **runs, **serving_data(*answer), "without_gpu": to_plain_data(asdict(cpu))}

    return Result(
        lambda: Table.from_raw_rows([serving_row(*answer)]),
        data,
        lambda: (
            serving_text(*answer, cpu_sentences(cpu), _by_token(catalogue, job, result, cost))
            + own_runs_text(catalogue, own, result.accelerator)
        ),
    )


def _by_token(
    catalogue: Catalogue, job: ServingJob, result: ServingResult, cost: JobHourQuote | None
) -> tuple[str, ...]:
    """Return the cost by the token, where the model is price and a price of the accelerator is known."""
    if cost is None or job.mig_profile is not None:
        return ()
    task = ServingTask(model=result.model, input_tokens=job.input_tokens, output_tokens=job.output_tokens)
    price = token_break_even(catalogue, result, task, usd_per_accelerator_hour=cost.usd_per_accelerator_hour)
    return () if price is None else (describe_token_price(price),)


def _serving_offer(
    catalogue: Catalogue, job: ServingJob, result: ServingResult, day: date, stay: ResidencyRequirement
) -> JobHourQuote | None:
    """Return the offer for all replicas; a slice is rented as the whole accelerator it is cut from."""
    together = result.accelerators_per_replica
    needed = result.accelerators_at_average or together * max(result.replicas, 1)
    key = naming.accelerator(catalogue, job.accelerator)
    return hired(catalogue, key, accelerators=needed, hours=HOURS_PER_YEAR, together=together, day=day, stay=stay)


def other_work_result(
    catalogue: Catalogue, jobs: Sequence[ServingJob], day: date, terms: ServingTerms = USUAL_TERMS
) -> Result:
    """Return work without tokens (pictures, films, speech, classifiers) on each accelerator, side by side."""
    works = [priced(catalogue, non_llm_serving(catalogue, job), day) for job in jobs]
    rows = other_work_rows(works, terms.busy_share)
    cpu = cpu_sentences(cpu_feasibility(catalogue, jobs[0], terms.have))
    return Result(
        lambda: Table.from_raw_rows(rows),
        lambda: {**stamp(catalogue, day), "work": rows, "without_gpu": list(cpu)},
        lambda: "\n\n".join((other_work_text(works, terms.busy_share), *cpu)) + "\n",
    )
