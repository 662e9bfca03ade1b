"""Whether a service needs a GPU at all, in words, and the rule that follows from what a processor can read."""

from planner.money.plan import Plan
from planner.report import words
from planner.report.speed.other_work import rate_words
from planner.speed.serving import SmallWork, WithoutGpu, small_work
from planner.speed.work_to_hours import serving_job


def small_sentences(found: SmallWork) -> tuple[str, ...]:
    """What carries the peak without a GPU, or that nothing does; then the rule."""
    verdict = _verdict(found)
    return tuple(one for one in (verdict, rule_words(found)) if one)


def no_gpu_needed(found: SmallWork) -> tuple[str, ...]:
    """One sentence where the peak is carried without a GPU; nothing otherwise."""
    return () if found.needs_gpu or found.peak_requests_per_s is None else (_verdict(found),)


def plan_needs_no_gpu(plan: Plan) -> tuple[str, ...]:
    """For each service of a plan on GPUs: a sentence where processors would carry its peak; nothing otherwise."""
    asked, setting = plan.setting.asked, plan.setting
    if asked is None or setting.catalogue.accelerators[setting.scenario.accelerator].kind == "cpu":
        return ()
    tasks = [work.serve for work in asked.written.work if work.serve is not None]
    jobs = (serving_job(setting.scenario, task) for task in tasks)
    return tuple(sentence for job in jobs for sentence in no_gpu_needed(small_work(setting.catalogue, job)))


def rule_words(found: SmallWork) -> str:
    """From how many parameters on one person needs a GPU, derived from what a processor's memory reads."""
    rule = found.rule
    if rule is None:
        return ""
    low, size, high = (f"{words.significant(float(one), 2):g}" for one in (rule.low_b, rule.params_b, rule.high_b))
    processor = found.rule_on.partition(",")[0]
    return (
        f"For one person at {found.tokens_per_s:g} tokens a second, one {processor} manages up to "
        f"{size} billion active parameters in 4 bits ({low} to {high}); a larger model needs a GPU, or patience."
    )


def _verdict(found: SmallWork) -> str:
    peak, best = found.peak_requests_per_s, found.enough
    if peak is None:
        return ""
    if best is not None:
        opening = "What you have is enough" if best.yours else "No GPU is needed"
        return f"{opening}: {_carries(best)}, and the peak is {rate_words(peak)}."
    perhaps = next((one for one in found.machines if one.verdict == "perhaps"), None)
    if perhaps is not None:
        return f"Perhaps no GPU is needed, try it: {_carries(perhaps)}, and the peak is {rate_words(peak)}."
    fastest = max(found.machines, key=lambda one: one.requests_per_s * one.machines, default=None)
    if fastest is None or fastest.requests_per_s <= 0:
        return "A GPU is needed: no processor of the catalogue answers in time."
    return f"A GPU is needed: {_carries(fastest)}, and the peak is {rate_words(peak)}."


def _carries(one: WithoutGpu) -> str:
    machine = one.label if one.machines == 1 else f"a server with {one.machines} x {one.label.partition(',')[0]}"
    rates = (value * one.machines for value in (one.requests_per_s, one.low, one.high))
    return f"{machine} takes {rate_words(*rates)} in time"
