"""The question as a sentence: each phrase says what a few fields hold, and opens them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from planner.money.old_figures import numbers
from planner.money.owning.machine import usual_place
from planner.money.plan import Plan
from planner.money.ways import WAYS
from planner.report import words
from planner.scenario.amounts import format_amount, large
from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, SECONDS_PER_HOUR, WEEKS_PER_MONTH
from planner.scenario.durations import years_words
from planner.scenario.link import ALSO, extra_by_hour, extra_field, scenario_to_link
from planner.scenario.question import AMOUNTS, HOURS, KEYS, SERVE, TRAIN, TUNE, LinkKey, QuestionKind, detect_question
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.vocabulary import USUAL_HOURS_PER_JOB
from planner.scenario.work import Work
from planner.speed.serving import NonLlmServing, ServingResult, is_non_llm_work
from planner.speed.training import TrainingResult
from planner.speed.training.images import is_image_network
from pricing import Catalogue

Texts = Mapping[str, str]


@dataclass(frozen=True)
class Phrase:
    """A piece of the sentence: the word before it, what it says, and the fields that stand behind it."""

    key: str
    before: str
    says: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class _PhraseTemplate:
    before: str
    names: tuple[str, ...]
    says: Callable[[Catalogue, Texts], str]


def phrases(catalogue: Catalogue, question: QuestionKind, texts: Texts) -> tuple[Phrase, ...]:
    """The sentence of this question, from the texts that the address holds."""
    forms = (*_OF_QUESTION[question.name], *_ALWAYS)
    if question is HOURS:
        forms = (*forms, _PhraseTemplate("", AMOUNTS, _busy))
    forms = (*forms, *(form for form in _WHERE_FILLED if form.names[0] in texts))
    return tuple(
        Phrase(phrase.names[0], phrase.before, phrase.says(catalogue, texts), phrase.names) for phrase in forms
    )


def question_text(catalogue: Catalogue, question: QuestionKind, texts: Texts) -> str:
    """The whole sentence as a text: the name of a plan that has none, and what a screen reader says."""
    text = " ".join(f"{phrase.before} {phrase.says}".strip() for phrase in phrases(catalogue, question, texts))
    return f"{VERBS[question.name]} {text}"


def plan_sentence(catalogue: Catalogue, scenario: Scenario) -> str:
    """Return the sentence of a plan: Run 8 H100 SXM5 80 GB for 3 years in Germany in colocation busy 60%."""
    serve = scenario.work[0].serve
    texts = ({"rps": f"{serve.requests_per_s}"} if serve else {}) | scenario_to_link(scenario)
    more = (f", and {it.serve.model} at {it.serve.requests_per_s * 86_400:,.3g} requests a day" if it.serve else
        f", and {it.accelerators:,} more busy {it.effective_utilization:.0%}" for it in scenario.work[1:])  # fmt: skip
    return question_text(catalogue, detect_question(texts), texts) + "".join(more)


def _count(text: str, what: str) -> str:
    return words.count(_number(text), what)


def field_value_text(catalogue: Catalogue, name: str, text: str | None) -> str:
    """Return the value of a field in words; of an empty one, its default."""
    key = KEYS[name]
    if name == "gpu":
        return _run_gpu_check(catalogue, {} if text is None else {name: text})
    if name == "site":
        return _site(catalogue, {} if text is None else {name: text})
    if text is None:
        text = None if key.default is None else (
            f"{key.default:g}" if isinstance(key.default, float) else str(key.default))  # fmt: skip
    if text is None:
        return "not set"
    if key.shape.kind == "switch":
        return "yes" if text in ("1", "true", "True") else "no"
    if key.shape.kind in ("choice", "text"):
        return words.choice(name, text)
    return _number(text, percent=key.percent)


def _number(text: str, *, percent: bool = False) -> str:
    try:
        value = float(text)
    except ValueError:  # money of another currency: 1.85 EUR
        return text
    number = (
        format_amount(value)
        if value >= _LARGE
        else f"{words.round_significant(value, 6 if value >= 1_000 or len(text) < 8 else 3):,.10g}"
    )
    return f"{number}%" if percent else number


_LARGE = 1e6


def _gpus(catalogue: Catalogue, texts: Texts) -> str:
    return (
        "as many as it takes of"
        if texts.get("choose") in ("1", "true")
        else _number(texts.get("gpus", _default("gpus")))
    )


def _run_gpu_check(catalogue: Catalogue, texts: Texts) -> str:
    named = texts.get("gpu", _default("gpu"))
    return "any GPU" if named == ANY_ACCELERATOR else catalogue.accelerator_label(named)


def _years(catalogue: Catalogue, texts: Texts) -> str:
    return years_words(float(texts.get("years", _default("years"))))


def _site(catalogue: Catalogue, texts: Texts) -> str:
    named = texts.get("site", _default("site"))
    return catalogue.sites[named].label if named in catalogue.sites else named


def _place(catalogue: Catalogue, texts: Texts) -> str:
    if "place" in texts:
        return words.choice("place", texts["place"])
    chip, count = texts.get("gpu", _default("gpu")), texts.get("gpus", _default("gpus"))
    if "serve" in texts or texts.get("choose") in ("1", "true") or not count.isdecimal():
        return "where such machines usually stand"
    return words.choice(
        "place",
        usual_place(catalogue, chip, int(count), is_single=texts.get("job") == "1" or texts.get("team") == count),
    )


def _busy(catalogue: Catalogue, texts: Texts) -> str:
    if "hours" in texts:
        return f"{_count(texts['hours'], 'GPU-hour')} a month"
    if "team" in texts:
        return f"a team of {_number(texts['team'])}" if texts["team"] != "1" else "one person"
    if "weekly" in texts:
        hours = _count(texts.get("jobhours", f"{USUAL_HOURS_PER_JOB:g}"), "hour")
        return f"{_count(texts['weekly'], 'job')} a week of {hours}"
    if extra_by_hour(texts.get(ALSO)):
        return "busy as each hour says"
    if isinstance(run := extra_field(texts.get(ALSO), "work", "run"), dict) and "hours" in run:
        return f"for one run of {_count(str(run['hours']), 'GPU-hour')}"
    return f"busy {_number(texts.get('busy', '60'))}%"


def _model(key: str) -> Callable[[Catalogue, Texts], str]:
    def text_of(catalogue: Catalogue, texts: Texts) -> str:
        named = texts.get(key)
        if named is None:
            return "which model?"
        return catalogue.models[named].label if named in catalogue.models else named

    return text_of


def _tokens(catalogue: Catalogue, texts: Texts) -> str:
    usual = "its pictures" if is_image_network(texts.get("train", "")) else "the usual number of tokens"
    return _count(texts["tokens"], "token") if "tokens" in texts else usual


def _due(catalogue: Catalogue, texts: Texts) -> str:
    return "no deadline" if "due" not in texts else f"done within {_count(texts['due'], 'day')}"


def _method(catalogue: Catalogue, texts: Texts) -> str:
    return _METHODS.get(texts.get("method", "full"), texts.get("method", ""))


_METHODS = {"full": "training all weights", "lora": "LoRA", "qlora": "QLoRA"}


def _runs(catalogue: Catalogue, texts: Texts) -> str:
    return f"{_count(texts['runs'], 'run')} a month" if "runs" in texts else "one run"


def _rate(catalogue: Catalogue, texts: Texts) -> str:
    per_day = float(per_second := texts.get("rps", str(KEYS["rps"].usual))) * SECONDS_PER_HOUR * HOURS_PER_DAY
    if per_day < 10_000 and "peak" not in texts:
        return f"{_count(f'{per_day:.4g}', 'request')} a day"
    return f"{_count(per_second, 'request')} a second" + (
        f", {_number(texts['peak'])} at the peak" if "peak" in texts else ""
    )


def _token_lengths(catalogue: Catalogue, texts: Texts) -> str:
    read, wrote = texts.get("in"), texts.get("out")
    model = catalogue.models.get(served := texts.get("serve", ""))
    if read is None and wrote is None:
        is_other = is_non_llm_work(served) or (model and model.modality != "text")
        return "usual settings" if is_other else "texts of usual length"
    lengths = [f"{_count(text, 'token')} {what}" for text, what in ((read, "in"), (wrote, "out")) if text is not None]
    return ", ".join(lengths)


def _default(name: str) -> str:
    default = KEYS[name].default
    return f"{default:g}" if isinstance(default, float) else str(default)


VERBS = {TRAIN.name: "Train", TUNE.name: "Fine-tune", SERVE.name: "Serve", HOURS.name: "Run"}
_COUNT = _PhraseTemplate("on", ("gpus", "choose"), _gpus)
_CHIP = _PhraseTemplate("", ("gpu",), _run_gpu_check)
_OF_QUESTION: dict[str, tuple[_PhraseTemplate, ...]] = {
    HOURS.name: (_PhraseTemplate("", ("gpus",), _gpus), _CHIP),
    TRAIN.name: (
        _PhraseTemplate("", ("train",), _model("train")), _PhraseTemplate("on", ("tokens",), _tokens),
        _PhraseTemplate("", ("due",), _due), _COUNT, _CHIP,
    ),
    TUNE.name: (
        _PhraseTemplate("", ("train",), _model("train")), _PhraseTemplate("by", ("method",), _method),
        _PhraseTemplate("on", ("tokens",), _tokens), _PhraseTemplate("", ("runs",), _runs), _COUNT, _CHIP,
    ),
    SERVE.name: (
        _PhraseTemplate("", ("serve",), _model("serve")), _PhraseTemplate("at", ("rps", "peak"), _rate),
        _PhraseTemplate("with", ("in", "out"), _token_lengths), _PhraseTemplate("on", ("gpu",), _run_gpu_check),
    ),
}  # fmt: skip
_ALWAYS = (
    _PhraseTemplate("for", ("years",), _years),
    _PhraseTemplate("in", ("site",), _site),
    _PhraseTemplate("", ("place",), _place),
)


def _entered(name: str, form: str, unit: str = "") -> _PhraseTemplate:
    def text(_: Catalogue, texts: Mapping[str, str]) -> str:
        says_its_unit = texts[name][-1:].isalpha()  # 2 EUR
        number = _number(texts[name])
        return form.format(number if says_its_unit or not unit else f"{number} {unit}")

    return _PhraseTemplate("", (name,), text)


def _have(catalogue: Catalogue, texts: Texts) -> str:
    chip, year, usd = texts.get("havegpu"), texts.get("havesince"), texts.get("havesold")
    what = f" {catalogue.accelerator_label(chip)}" if chip else ""
    since = f" since {year}" if year else ""
    worth = f", worth {_number(usd)}{'' if usd[-1:].isalpha() else ' USD'}" if usd else ""
    return f"beside {_number(texts['have'])}{what} you have{since}{worth}"


# Said where it is filled in, and not beside it among the assumptions.
_WHERE_FILLED = (
    _PhraseTemplate("", ("stay",), lambda _, texts: words.STAYS.get(texts["stay"], texts["stay"])),
    _PhraseTemplate("", ("have", "havegpu", "havesince", "havesold"), _have),
    _entered("growth", "growing {}% a year"),
    _entered("bill", "in place of a bill of {} a month", "USD"),
    _entered("crew", "run by {} people"),
    _entered("budget", "with {} to spend", "USD"),
)
# The fields of a phrase, by the one that brings it into the sentence.
SAID_WHERE_FILLED = {form.names[0]: form.names for form in _WHERE_FILLED}


NO_MODEL = {
    TRAIN.name: "Name the model to be trained.",
    TUNE.name: "Name the model to be fine-tuned.",
    SERVE.name: "Name the model that answers.",
}


def echo(plan: Plan, written: Scenario, question: str) -> str:
    """One line under the fields. `written` is the scenario before anything was chosen for it."""
    money = (f"{amount.words} is {words.value(amount.usd)} USD." for amount in written.typed)
    return " ".join(text for text in (_of_work(plan, written, question), *money) if text)


def _of_work(plan: Plan, written: Scenario, question: str) -> str:
    work, resolved = written.work[0], plan.setting.resolved
    if question != HOURS.name and work.train is None and work.serve is None:
        return f"{NO_MODEL[question]} Until then plain GPU-hours count: {_hours(written)}"
    if resolved is None or resolved.problems:
        return ""  # the page says what is the matter
    label = plan.setting.catalogue.accelerator_label(plan.setting.scenario.accelerator)
    if work.train is not None and resolved.trainings:
        return _trained(resolved.trainings[0], work.train, label, is_any=written.accelerator == ANY_ACCELERATOR)
    if work.train is not None and resolved.runs:
        return f"= {resolved.runs[0].label.rstrip(',')}."
    served: tuple[ServingResult | NonLlmServing, ...] = (*resolved.servings, *resolved.others)
    if work.serve is not None and served:
        return _served(served[0], work.serve, label, is_any=written.accelerator == ANY_ACCELERATOR)
    return f"= {_hours(written)}" if len(written.work) == 1 and not work.jobs and work.run is None else ""


def _hours(written: Scenario) -> str:
    work = written.work[0]
    hours = work.accelerators * work.effective_utilization * HOURS_PER_MONTH
    many = words.count(f"{words.round_significant(hours):,.0f}", "GPU-hour")
    return f"{many} a month{_hours_breakdown(work)}."


def _hours_breakdown(work: Work) -> str:
    """The sum, where people or jobs say how much there is to do."""
    if work.people is not None:
        return f": {work.people:,} x {words.count(work.effective_hours_per_person, 'hour')} each"
    if work.jobs_per_week is not None:
        on = words.count(work.effective_accelerators_per_job, "GPU")
        jobs = f"{words.count(work.jobs_per_week, 'job')} a week x {WEEKS_PER_MONTH:.2f} weeks"
        return f": {jobs} x {words.count(work.effective_hours_per_job, 'hour')} x {on}"
    return ""


def _trained(result: TrainingResult, task: TrainingTask, label: str, *, is_any: bool) -> str:
    each = result.tokens / result.params
    tokens = f"= {large(result.tokens)} tokens" + (f", {each:,.3g} for each parameter." if each >= 1 else ".")
    if not (is_any or task.choose_count) or result.speed is None:
        return tokens
    due = "" if task.deadline_days is None else f" that is done in {words.count(task.deadline_days, 'day')}"
    return f"{tokens} Chosen: {result.accelerators:,} x {label}, the cheapest{due}."


def _served(result: ServingResult | NonLlmServing, task: ServingTask, label: str, *, is_any: bool) -> str:
    if result.accelerators_at_peak is None:
        return ""
    average = f", {result.accelerators_at_average or 0:,} on average" if task.peak_requests_per_s else ""
    chosen = "Chosen, the cheapest:" if is_any else "It takes"
    peak = " at the peak" if average else ""
    return f"{chosen} {result.accelerators_at_peak:,} x {label}{peak}{average}."


def hints(plan: Plan) -> dict[str, str]:
    """A hint for each key that may be left empty."""
    used, every = _figures_by_section(plan), {name: figure.value for name, figure in numbers(plan).items()}
    return {
        key.key: _hint(key, used.get(str(key.path[0]), every).get(str(key.path[-1])))
        for key in KEYS.values()
        if key.default is None
    }


def _figures_by_section(plan: Plan) -> dict[str, dict[str, object]]:
    """The figures that the ways take, by the part of the scenario that a way's own inputs stand in."""
    sections: dict[str, dict[str, object]] = {}
    for way in WAYS.values():
        figures = {name: figure.value for name, figure in numbers(plan, way.key).items()}
        sections[way.inputs] = figures | sections.get(way.inputs, {})
    return sections


def _hint(key: LinkKey, value: object) -> str:
    if key.usual is not None:
        return f"{key.usual * (100 if key.percent else 1):g}" if isinstance(key.usual, float) else str(key.usual)
    if not isinstance(value, float | int) or not math.isfinite(value):
        return "the catalogue's"
    return f"{words.round_significant(value * 100 if key.percent else value, 4):,.10g}"
