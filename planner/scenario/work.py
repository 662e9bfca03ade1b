"""The work, as it arrives: how much at once, how busy, when more and when less, and what may wait."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from planner.scenario.base import (
    HOURS_PER_MONTH,
    HOURS_PER_YEAR,
    MONTHS_PER_YEAR,
    ONE_MACHINE,
    WEEKS_PER_MONTH,
    WORK,
    Count,
    Label,
    ScenarioModel,
    Share,
    Terabytes,
    ask,
    unit,
)
from planner.scenario.task import FixedRun, ServingTask, TrainingTask
from planner.scenario.vocabulary import (
    USUAL_BUSY_SHARE,
    USUAL_EGRESS_TB_PER_MONTH,
    USUAL_HOURS_PER_JOB,
    USUAL_HOURS_PER_PERSON,
    USUAL_STORAGE_TB,
)

DataKept = Literal["plan", "runs"]
LEAST_BUSY_SHARE = 0.01
MOST_SEASONS = MONTHS_PER_YEAR
HOURS_OF_DAY = 24


class ScheduledJob(ScenarioModel):
    """A piece of work that comes at a time of its own, on top of the rest: a burst, or a job with a deadline."""

    label: Label = "job"
    accelerators: Count
    hours: Annotated[
        float, Field(ge=0.01, le=HOURS_PER_YEAR, description="how long it takes on that many"), unit("hours")
    ]
    first_month: Annotated[int, Field(ge=1, le=120), unit("number of the month")] = 1
    every_months: Annotated[
        int | None, Field(ge=1, le=120, description="comes again; once where empty"), unit("months")
    ] = None
    within_days: Annotated[float | None, Field(ge=0.01, le=3_650.0,
        description="deadline: fewer accelerators at once are enough if there is time; empty: the number you enter"),
        unit("days")] = None  # fmt: skip

    @model_validator(mode="after")
    def _check_deadline(self) -> ScheduledJob:
        if self.within_days is not None and self.within_days * 24 < self.hours:
            raise ValueError(
                f"takes {self.hours:g} hours on {self.accelerators} accelerators but is due within "
                f"{self.within_days * 24:g}: give it more accelerators or more days"
            )
        return self


# What says how much work there is in place of a share of the hours, and what belongs to it.
INSTEAD_OF_A_SHARE = (
    "accelerator_hours_per_month", "people", "hours_per_person", "jobs_per_week", "hours_per_job",
)  # fmt: skip


class Work(ScenarioModel):
    """One kind of work. `accelerators` is how many it wants at once, `busy_share` how much of the time it does.

    Eighty at once for 125 hours a month and fourteen all month are the same accelerator-hours and opposite decisions;
    `may_wait` says that only the hours matter, and that fewer machines may do them one after the other.
    """

    label: Label = "work"
    accelerators: Annotated[Count, ask("gpus", "How many at once?", "Count GPUs, not servers.")] = 8
    busy_share: Annotated[float | None, Field(ge=LEAST_BUSY_SHARE, le=1.0), unit("share: 0.1 is 10 %"), ask("busy",
        "Utilization, % of hours", "Share of all hours in which they do useful work.", percent=True,
        usual=USUAL_BUSY_SHARE)] = None  # fmt: skip
    accelerator_hours_per_month: Annotated[float | None, Field(ge=0.01, le=730_000_000.0),
        unit("accelerator-hours a month"), ask("hours", "GPU-hours a month",
        "Instead of utilization; one follows from the other.", usual="from utilization")] = None  # fmt: skip
    people: Annotated[int | None, Field(ge=1, le=1_000_000), unit("people"), ask("team", "People who use them",
        "Instead of utilization: each of them keeps GPUs busy for so many hours a month.",
        usual="from utilization")] = None  # fmt: skip
    hours_per_person: Annotated[float | None, Field(ge=0.01, le=73_000.0), unit("accelerator-hours a month"),
        ask("each", "GPU-hours a month per person",
        "160, our guess, is one GPU through the working hours of a month. One person's large run takes thousands.",
        usual=USUAL_HOURS_PER_PERSON)] = None  # fmt: skip
    jobs_per_week: Annotated[float | None, Field(ge=0.01, le=1e6), unit("count a week"), ask("weekly",
        "Jobs a week", "Instead of utilization.", usual="from utilization")] = None  # fmt: skip
    hours_per_job: Annotated[float | None, Field(ge=0.01, le=HOURS_PER_YEAR), unit("hours"), ask("jobhours",
        "Hours per job", "On the GPUs per job: all of them unless you enter fewer.",
        usual=USUAL_HOURS_PER_JOB)] = None  # fmt: skip
    accelerators_per_job: Annotated[Count | None, ask("job", "GPUs per job",
        "Limits how busy a fleet can be before jobs queue for long.", group=WORK,
        usual="all of them")] = None  # fmt: skip
    train: TrainingTask | None = None
    serve: ServingTask | None = None
    run: FixedRun | None = None
    may_wait: Annotated[bool, ask("waits", "May the work wait?",
        "Then only total hours matter, and fewer GPUs can do them one after another.",
        group=WORK)] = False  # fmt: skip
    may_stop: Annotated[
        bool, ask("stops", "May the work be interrupted?", "Then spot machines can do it.", group=WORK)
    ] = False
    growth_per_year: Annotated[float, Field(ge=-0.9, le=9.0), unit("a year: 0.1 is 10 %"), ask("growth",
        "Growth of the work, % a year", group=WORK, percent=True)] = 0.0  # fmt: skip
    first_month: Annotated[int, Field(ge=1, le=120, description="the work begins in this month of the plan; growth and "
        "`jobs` count from it"), unit("number of the month")] = 1  # fmt: skip
    last_month: Annotated[int | None, Field(ge=1, le=120, description="and ends with this one; empty: the plan's "
        "last"), unit("number of the month")] = None  # fmt: skip
    season: Annotated[
        tuple[Annotated[float, Field(ge=0.0, le=12.0)], ...], unit("times the usual hours, January first")
    ] = ()
    by_hour: Annotated[tuple[Share, ...],
        Field(description="from midnight, how much of `accelerators` each hour wants, 1 in the busiest"),
        unit("of the accelerators, hour by hour from midnight")] = ()  # fmt: skip
    jobs: Annotated[tuple[ScheduledJob, ...], Field(max_length=24)] = ()
    storage_tb: Annotated[Terabytes | None, unit("TB"), ask("disk", "Data kept on disk, TB",
        "Billed by the month, even while machines are off.", group=WORK,
        usual="what the model, its checkpoints and its data need; else 10, 1.25 for each of fewer than eight GPUs, or "
        "four times the memory of consumer cards")] = None  # fmt: skip
    data_kept: Annotated[DataKept | None, Field(description="how long the disks are rented: over the whole `plan`, or "
        "while its `runs` last; empty: the plan, and the run where one run is all there is and no disk is entered"),
        ask("kept", "Data kept for", "Over the whole plan, or only while runs last.", group=WORK, rare=True,
        usual="the plan; one run alone: as long as it lasts")] = None  # fmt: skip
    egress_tb_per_month: Annotated[Terabytes | None, unit("TB a month"), ask("egress", "Traffic out, TB a month",
        "Data that leaves the provider. Many charge nothing.", group=WORK,
        usual="the model after training, the answers of a service; else 1 for eight GPUs")] = None  # fmt: skip

    @model_validator(mode="after")
    def _agree(self) -> Work:
        self._check_single_amount()
        hours, most = self.stated_hours_per_month, self.accelerators * HOURS_PER_MONTH
        if hours is not None and hours > most:
            raise ValueError(
                f"{hours:,.0f} accelerator-hours a month do not fit on {self.accelerators} "
                f"accelerators, which have {most:,.0f}: raise accelerators or lower the hours"
            )
        if len(self.season) not in (0, MOST_SEASONS):
            raise ValueError(f"want 12 factors of season, January first, or none, got {len(self.season)}")
        if self.accelerators_per_job is not None and self.accelerators_per_job > self.accelerators:
            raise ValueError("accelerators_per_job is more than are wanted at once")
        if self.last_month is not None and self.last_month < self.first_month:
            raise ValueError(f"ends with month {self.last_month}, before it begins in month {self.first_month}")
        return self

    def _check_single_amount(self) -> None:
        if self.busy_share is not None and self.accelerator_hours_per_month is not None:
            raise ValueError("want busy_share or accelerator_hours_per_month, not both: one follows from the other")
        amounts = ("busy_share", "accelerator_hours_per_month", "people", "jobs_per_week")
        given = [name for name in ("train", "serve", "run", *amounts) if getattr(self, name) is not None]
        if {"train", "serve", "run"} & set(given) and len(given) > 1:
            raise ValueError("want one of train, serve, run, busy_share and accelerator_hours_per_month")
        if len(given) > 1:
            raise ValueError(f"want one of {' and '.join(given)}: each says how much work there is")
        for name, of in (("hours_per_person", "people"), ("hours_per_job", "jobs_per_week")):
            if getattr(self, name) is not None and getattr(self, of) is None:
                raise ValueError(f"{name} wants {of} beside it")

    @model_validator(mode="after")
    def _check_by_hour(self) -> Work:
        if len(self.by_hour) not in (0, HOURS_OF_DAY):
            raise ValueError(f"want 24 shares by_hour, midnight first, or none, got {len(self.by_hour)}")
        if self.by_hour and max(self.by_hour) < 1:
            raise ValueError(
                f"by_hour wants 1 in its busiest hour, got {max(self.by_hour):g}: accelerators is the most"
            )
        if self.by_hour and (self.may_wait or self.train or self.run):
            raise ValueError("by_hour is for work that comes by the clock: leave out may_wait, train and run")
        return self

    @property
    def has_task(self) -> bool:
        """Return whether its hours come from a task that is named, so that they differ by accelerator and future."""
        return bool(self.train or self.serve or self.run)

    @property
    def stated_hours_per_month(self) -> float | None:
        """The accelerator-hours of a month, where they are said as such, by people or by jobs."""
        if self.people is not None:
            return self.people * self.effective_hours_per_person
        if self.jobs_per_week is not None:
            return (
                self.jobs_per_week
                * WEEKS_PER_MONTH
                * self.effective_hours_per_job
                * self.effective_accelerators_per_job
            )
        return self.accelerator_hours_per_month

    @property
    def effective_hours_per_person(self) -> float:
        """Accelerator-hours a month of one person."""
        return USUAL_HOURS_PER_PERSON if self.hours_per_person is None else self.hours_per_person

    @property
    def effective_hours_per_job(self) -> float:
        """Return how long one of the jobs of a week takes."""
        return USUAL_HOURS_PER_JOB if self.hours_per_job is None else self.hours_per_job

    @property
    def effective_accelerators_per_job(self) -> int:
        """Return how many accelerators one job takes: all of them, where nobody says."""
        return self.accelerators if self.accelerators_per_job is None else self.accelerators_per_job

    @property
    def effective_utilization(self) -> float:
        """The share of hours in which it runs, before growth and season."""
        hours = self.stated_hours_per_month
        if hours is not None:
            return hours / (self.accelerators * HOURS_PER_MONTH)
        if self.busy_share is None and self.by_hour:
            return max(sum(self.by_hour) / HOURS_OF_DAY, LEAST_BUSY_SHARE)
        return USUAL_BUSY_SHARE if self.busy_share is None else self.busy_share

    @property
    def effective_storage_tb(self) -> float:
        """Return what it keeps on disk: as much as it says, else what goes with a machine, or with its part of one."""
        return USUAL_STORAGE_TB * self._machine_share if self.storage_tb is None else self.storage_tb

    @property
    def effective_egress_tb_per_month(self) -> float:
        """Return what it sends out in a month: as much as it says, else as its disk."""
        stated = self.egress_tb_per_month
        return USUAL_EGRESS_TB_PER_MONTH * self._machine_share if stated is None else stated

    @property
    def _machine_share(self) -> float:
        return min(self.accelerators / ONE_MACHINE, 1.0)
