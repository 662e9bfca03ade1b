"""Feasibility in words: CPUs in place of GPUs, models that do not fit, plans that are late."""

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
    """Return the CPUs that carry the peak, or that none does; then the rule."""
    return tuple(filter(None, (_verdict(feasibility), cpu_rule_text(feasibility))))


def cpu_sufficient_for_peak(feasibility: CpuFeasibility) -> tuple[str, ...]:
    """Return one sentence where CPUs carry the peak; empty otherwise."""
    return () if feasibility.enough is None or feasibility.peak_requests_per_s is None else (_verdict(feasibility),)


def cpu_sufficient_sentences(plan: Plan) -> tuple[str, ...]:
    """Return a sentence for each service on GPUs whose peak CPUs would carry; of CPUs that seem faster, none."""
    work, setting = plan.setting.resolved, plan.setting
    if work is None or setting.catalogue.accelerators[setting.scenario.accelerator].kind == "cpu":
        return ()
    checks = (cpu_feasibility(setting.catalogue, serving_job(setting.scenario, each.serve))
        for each in work.written.work if each.serve is not None)  # fmt: skip
    rates = [*(each.requests_per_s for each in work.others), *(each.requests_per_s for each in work.servings)]
    return tuple(sentence for check in checks for sentence in cpu_sufficient_for_peak(check) if not check.enough or (
        check.enough.requests_per_s * check.enough.machines < min(rates, default=0.0)))  # fmt: skip


def cpu_rule_text(feasibility: CpuFeasibility) -> str:
    """Return the model size from which one person needs a GPU, derived from a CPU's memory bandwidth."""
    rule = feasibility.rule
    if rule is None:
        return ""
    low, size, high = (f"{words.round_significant(float(b), 2):g}" for b in (rule.low_b, rule.params_b, rule.high_b))
    return (
        f"For one person at {feasibility.tokens_per_s:g} tokens a second, one {feasibility.rule_on.partition(',')[0]} "
        f"manages up to {size} billion active parameters in 4 bits ({low} to {high}); a larger model needs a GPU, or "
        "patience."
    )


def _verdict(feasibility: CpuFeasibility) -> str:
    rate, best, cpus = feasibility.peak_requests_per_s, feasibility.enough, feasibility.machines
    if rate is None:
        return ""
    if best is not None:
        opening = "What you have is enough" if best.yours else "No GPU is needed"
    elif (best := next((cpu for cpu in cpus if cpu.verdict == "perhaps"), None)) is not None:
        opening = "Perhaps no GPU is needed, try it"
    else:
        opening, best = "A GPU is needed", max(cpus, key=lambda cpu: cpu.requests_per_s * cpu.machines, default=None)
        if best is None or best.requests_per_s <= 0:
            return "A GPU is needed: no processor of the catalogue answers in time."
    return f"{opening}: {_capacity_text(best)}, and the peak is {format_request_rate(rate)}."


def _capacity_text(cpu: CpuAlternative) -> str:
    machine = cpu.label if cpu.machines == 1 else f"a server with {cpu.machines} x {cpu.label.partition(',')[0]}"
    rates = (value * cpu.machines for value in (cpu.requests_per_s, cpu.low, cpu.high))
    return f"{machine} takes {format_request_rate(*rates)} in time"


def too_much(work: ScenarioInHours) -> tuple[Tile, ...]:
    """Return the memory tiles of the models that do not fit."""
    trained = [tile for result in work.trainings if not result.fits for tile in training_tiles(result)]
    served = [tile for result in work.servings if not result.fits for tile in serving_tiles(result, 0)]
    return (*trained, *served)


def without_deadline(work: ScenarioInHours | None) -> Scenario | None:
    """Return the scenario without deadlines, where lateness is its only problem."""
    if work is None or not work.late or sum(late.was_asked for late in work.late) < len(work.refused):
        return None
    return work.written.model_copy(update={"work": tuple(map(_without_deadline, work.written.work))})


def _without_deadline(work: Work) -> Work:
    if work.train is None:
        return work
    return work.model_copy(update={"train": work.train.model_copy(update={"deadline_days": None})})


def late_plan_text(work: ScenarioInHours) -> str:
    """Return the note above the numbers of a late plan."""
    after = format_duration(max(late.days - late.deadline_days for late in work.late))
    return f"These numbers ignore the deadline: the work ends {after} after it."


def infeasible_title(work: ScenarioInHours) -> str:
    """Return the title of an infeasible plan: the model that does not fit, or the delay."""
    if len(work.problems) == 1:
        for late in work.late:
            if late.was_asked:
                return f"Too late: {format_duration(late.days - late.deadline_days)} after the deadline."
            return f"Over a year: {format_duration(late.days)}."
        for result in work.trainings:
            if not result.fits:
                cannot = "does not fit on" if result.can_be_spread else "cannot be spread over"
                return f"{result.model} {cannot} {result.accelerators:,} x {result.accelerator}."
    return "Not with these inputs."


def why_not(work: ScenarioInHours) -> str:
    """Return the first reason on one line, without a remedy."""
    return words.sentence(work.refused[0].why)
