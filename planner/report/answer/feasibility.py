"""Whether a service needs a GPU at all, in words, and the rule that follows from what a processor can read."""

from planner.money.plan import Plan
from planner.report import words
from planner.report.speed.fit_words import serving_tiles, training_tiles
from planner.report.speed.serving_words import format_request_rate
from planner.report.words import Tile
from planner.scenario.durations import format_duration
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from planner.speed.serving import CpuAlternative, CpuFeasibility, cpu_feasibility
from planner.speed.work_to_hours import ScenarioInHours, serving_job


def cpu_sentences(feasibility: CpuFeasibility) -> tuple[str, ...]:
    """What carries the peak without a GPU, or that nothing does; then the rule."""
    verdict = _verdict(feasibility)
    return tuple(text for text in (verdict, cpu_rule_text(feasibility)) if text)


def cpu_sufficient_for_peak(feasibility: CpuFeasibility) -> tuple[str, ...]:
    """One sentence where the peak is carried without a GPU; nothing otherwise."""
    return () if feasibility.needs_gpu or feasibility.peak_requests_per_s is None else (_verdict(feasibility),)


def cpu_sufficient_sentences(plan: Plan) -> tuple[str, ...]:
    """For each service of a plan on GPUs: a sentence where processors would carry its peak; nothing otherwise."""
    asked, setting = plan.setting.resolved, plan.setting
    if asked is None or setting.catalogue.accelerators[setting.scenario.accelerator].kind == "cpu":
        return ()
    tasks = [work.serve for work in asked.written.work if work.serve is not None]
    jobs = (serving_job(setting.scenario, task) for task in tasks)
    return tuple(
        sentence for job in jobs for sentence in cpu_sufficient_for_peak(cpu_feasibility(setting.catalogue, job))
    )


def cpu_rule_text(feasibility: CpuFeasibility) -> str:
    """From how many parameters on one person needs a GPU, derived from what a processor's memory reads."""
    rule = feasibility.rule
    if rule is None:
        return ""
    low, size, high = (
        f"{words.round_significant(float(params_b), 2):g}" for params_b in (rule.low_b, rule.params_b, rule.high_b)
    )
    processor = feasibility.rule_on.partition(",")[0]
    return (
        f"For one person at {feasibility.tokens_per_s:g} tokens a second, one {processor} manages up to "
        f"{size} billion active parameters in 4 bits ({low} to {high}); a larger model needs a GPU, or patience."
    )


def _verdict(feasibility: CpuFeasibility) -> str:
    peak, best = feasibility.peak_requests_per_s, feasibility.enough
    if peak is None:
        return ""
    if best is not None:
        opening = "What you have is enough" if best.yours else "No GPU is needed"
        return f"{opening}: {_capacity_text(best)}, and the peak is {format_request_rate(peak)}."
    perhaps = next((cpu for cpu in feasibility.machines if cpu.verdict == "perhaps"), None)
    if perhaps is not None:
        return (
            f"Perhaps no GPU is needed, try it: {_capacity_text(perhaps)}, and the peak is {format_request_rate(peak)}."
        )
    fastest = max(feasibility.machines, key=lambda one: one.requests_per_s * one.machines, default=None)
    if fastest is None or fastest.requests_per_s <= 0:
        return "A GPU is needed: no processor of the catalogue answers in time."
    return f"A GPU is needed: {_capacity_text(fastest)}, and the peak is {format_request_rate(peak)}."


def _capacity_text(cpu: CpuAlternative) -> str:
    machine = cpu.label if cpu.machines == 1 else f"a server with {cpu.machines} x {cpu.label.partition(',')[0]}"
    rates = (value * cpu.machines for value in (cpu.requests_per_s, cpu.low, cpu.high))
    return f"{machine} takes {format_request_rate(*rates)} in time"


def too_much(resolved: ScenarioInHours) -> tuple[Tile, ...]:
    """What models would hold of a memory that they do not fit into."""
    trained = [tile for result in resolved.trainings if not result.fits for tile in training_tiles(result)]
    served = [tile for result in resolved.servings if not result.fits for tile in serving_tiles(result, 0)]
    return (*trained, *served)


def without_deadline(resolved: ScenarioInHours | None) -> Scenario | None:
    """The scenario without its deadlines, where being late is all that is wrong with it."""
    if resolved is None or not resolved.late or sum(late.was_asked for late in resolved.late) < len(resolved.refused):
        return None
    return resolved.written.model_copy(update={"work": tuple(map(_without_deadline, resolved.written.work))})


def _without_deadline(work: Work) -> Work:
    if work.train is None:
        return work
    return work.model_copy(update={"train": work.train.model_copy(update={"deadline_days": None})})


def late_plan_text(resolved: ScenarioInHours) -> str:
    """What to say above the numbers of a plan that is late."""
    after = format_duration(max(late.days - late.deadline_days for late in resolved.late))
    return f"These are the numbers of the plan as it is: it is done {after} after the deadline."


def infeasible_title(resolved: ScenarioInHours) -> str:
    """The title where something cannot be done as it was asked: what does not fit, or is late and by how much."""
    if len(resolved.problems) == 1:
        for late in resolved.late:
            if late.was_asked:
                return f"Too late: {format_duration(late.days - late.deadline_days)} after the deadline."
            return f"Over a year: {format_duration(late.days)}."
        for tight in resolved.trainings:
            if not tight.fits:
                cannot = "does not fit on" if tight.can_be_spread else "cannot be spread over"
                return f"{tight.model} {cannot} {tight.accelerators:,} x {tight.accelerator}."
    return "Not as asked."


def why_not(resolved: ScenarioInHours) -> str:
    """The first reason, without what would help: where there is one line for it."""
    return words.sentence(resolved.refused[0].why)
