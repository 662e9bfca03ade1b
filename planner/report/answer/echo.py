"""What the question bar says back: large numbers in words, and what follows from them or was chosen."""

from planner.money.plan import Plan
from planner.report import words
from planner.scenario.base import HOURS_PER_MONTH, WEEKS_PER_MONTH
from planner.scenario.question import HOURS, SERVE, TRAIN, TUNE
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.task import Serve, Train
from planner.scenario.work import Work
from planner.speed.serving import OtherWork, Serving
from planner.speed.training import Training

NO_MODEL = {
    TRAIN.name: "Name the model to be trained.",
    TUNE.name: "Name the model to be fine-tuned.",
    SERVE.name: "Name the model that answers.",
}


def echo(plan: Plan, written: Scenario, question: str) -> str:
    """One line under the fields. `written` is the scenario before anything was chosen for it."""
    money = (f"{one.words} is {words.value(one.usd)} USD." for one in written.typed)
    return " ".join(text for text in (_of_work(plan, written, question), *money) if text)


def _of_work(plan: Plan, written: Scenario, question: str) -> str:
    work, asked = written.work[0], plan.setting.asked
    if question != HOURS.name and work.train is None and work.serve is None:
        return f"{NO_MODEL[question]} Until then plain GPU-hours are reckoned: {_hours(written)}"
    if asked is None or asked.problems:
        return ""  # the page says what is the matter
    label = plan.setting.catalogue.accelerator_label(plan.setting.scenario.accelerator)
    if work.train is not None and asked.trainings:
        return _trained(asked.trainings[0], work.train, label, is_any=written.accelerator == ANY_ACCELERATOR)
    if work.train is not None and asked.runs:
        return f"= {asked.runs[0].label.rstrip(',')}."
    served: tuple[Serving | OtherWork, ...] = (*asked.servings, *asked.others)
    if work.serve is not None and served:
        return _served(served[0], work.serve, label, is_any=written.accelerator == ANY_ACCELERATOR)
    return f"= {_hours(written)}" if len(written.work) == 1 and not work.jobs and work.run is None else ""


def _hours(written: Scenario) -> str:
    work = written.work[0]
    hours = work.accelerators * work.usual_busy_share * HOURS_PER_MONTH
    many = words.count(f"{words.significant(hours):,.0f}", "GPU-hour")
    return f"{many} a month{_made_of(work)}."


def _made_of(work: Work) -> str:
    """The sum, where people or jobs say how much there is to do."""
    if work.people is not None:
        return f": {work.people:,} x {words.count(work.usual_hours_per_person, 'hour')} each"
    if work.jobs_per_week is not None:
        on = words.count(work.usual_accelerators_per_job, "GPU")
        jobs = f"{words.count(work.jobs_per_week, 'job')} a week x {WEEKS_PER_MONTH:.2f} weeks"
        return f": {jobs} x {words.count(work.usual_hours_per_job, 'hour')} x {on}"
    return ""


def _trained(found: Training, task: Train, label: str, *, is_any: bool) -> str:
    each = found.tokens / found.params
    tokens = f"= {words.large(found.tokens)} tokens" + (f", {each:,.3g} for each parameter." if each >= 1 else ".")
    if not (is_any or task.choose_count) or found.speed is None:
        return tokens
    due = "" if task.deadline_days is None else f" that is done in {words.count(task.deadline_days, 'day')}"
    return f"{tokens} Chosen: {found.accelerators:,} x {label}, the cheapest{due}."


def _served(found: Serving | OtherWork, task: Serve, label: str, *, is_any: bool) -> str:
    if found.accelerators_at_peak is None:
        return ""
    average = f", {found.accelerators_at_average or 0:,} on average" if task.peak_requests_per_s else ""
    chosen = "Chosen, the cheapest:" if is_any else "It takes"
    peak = " at the peak" if average else ""
    return f"{chosen} {found.accelerators_at_peak:,} x {label}{peak}{average}."
