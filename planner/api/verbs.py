"""The verbs that programs may call, each once: what it takes, what it gives. Python, HTTP and agents read them here."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar
from urllib.parse import parse_qsl, urlsplit

import pydantic
import pydantic_core
from pydantic import Field

from planner.api.offers import MarketRequest, PriceRequest, market_of, prices, typical_uses
from planner.api.plans import (
    ask,
    comparison,
    evaluate,
    line_result,
    plan_result,
    plan_tables,
    with_actuals,
    with_studies,
)
from planner.api.records import LoadedScenario, MalformedError, RequestError, Result
from planner.api.speed import (
    ServeRequest,
    ServingTerms,
    TrainRequest,
    images_result,
    other_work_result,
    serve_result,
    train_result,
)
from planner.report.accounting.bill_file import read_bill
from planner.scenario.amounts import parse_amount
from planner.scenario.base import ScenarioModel
from planner.scenario.file import SavedScenario, read_scenario
from planner.scenario.jobs import ImageJob, ServingJob, TrainingJob
from planner.scenario.known_names import ScenarioError
from planner.scenario.link import ALSO, PAGE_KEYS
from planner.scenario.link_text import entered_amounts, parse_value, unusable_reason
from planner.scenario.path import set_value
from planner.scenario.presets import find_preset, load_presets
from planner.scenario.question import KEYS
from planner.scenario.scenario import Scenario
from planner.scenario.shown_money import show_money_of
from planner.speed.serving import is_non_llm_work
from planner.speed.training.images import is_image_network
from planner.study.one_line.line_records import question_sentence
from planner.study.one_line.read_line import LONGEST
from pricing import Catalogue, meant, strict_yaml
from pricing.exchange import rates
from pricing.figure import Day
from pricing.formulas import printable
from pricing.near import near
from pricing.stale import as_of
from pricing.strict_yaml import first_error_message

# A link or its keys, the text of a plan file, the name of a preset, plain data as a file has it, a file, a scenario.
Question = str | bytes | Path | Mapping[str, Any] | Scenario
MOST_PLANS, MOST_KEYS = 8, 500
FIRST_DAY, LAST_DAY = date(2022, 1, 1), date(2099, 12, 31)  # the first prices are of 2022
AS_OF = "asof"  # the key of a link that names its day
_PlanDay = Annotated[Day | None, Field(description="the day of prices; the plan's, else today")]


class PlanRequest(ScenarioModel):
    """Rent, buy, or both: ledgers, answer, break-evens of a scenario."""

    table: Literal["payments", "results", "assumptions", "profit", "accounting"] = Field(
        default="payments", description="what CSV holds"
    )
    day: _PlanDay = None


MOST_BILL = 5_000_000  # characters


class ActualsRequest(ScenarioModel):
    """A bill in FOCUS beside a plan: variances, and the rest of the plan with work and prices as billed."""

    charges: str = Field(min_length=1, max_length=MOST_BILL, description="a bill in FOCUS, as CSV")
    gpus_per_machine: int | None = Field(default=None, ge=1, le=1_024, description="of a machine billed by the hour")
    day: _PlanDay = None


class CompareRequest(ScenarioModel):
    """Several scenarios side by side."""

    day: _PlanDay = None


class AskRequest(ScenarioModel):
    """A question in one line: what was understood of it, and the answer."""

    line: str = Field(min_length=1, max_length=LONGEST, description="a question", examples=["64 h100 for 3 months"])
    day: Day | None = Field(default=None, description="the day of the plan; today")


R = TypeVar("R", bound=ScenarioModel)
Plans = tuple[LoadedScenario, ...]


class Verb(NamedTuple):
    """What programs may call: its request, how many plans it takes, and what calculates it."""

    name: str
    request: type[ScenarioModel]
    fewest: int  # plans
    most: int
    run: Callable[[Catalogue, Plans, Any, date], Result]
    seconds: float = 0.0  # that it takes beside its plans, about

    @property
    def what(self) -> str:
        """Return what it gives, in words."""
        return str(self.request.__doc__)


def _plan(_: Catalogue, plans: Plans, request: PlanRequest, __: date) -> Result:
    report = with_studies(evaluate(plans[0]))
    return plan_result(report)._replace(table=plan_tables(report)[request.table])


def _actuals(_: Catalogue, plans: Plans, request: ActualsRequest, __: date) -> Result:
    report = with_studies(evaluate(plans[0]))
    bill = read_bill(request.charges.encode(), "bill", rates(report.plan.setting.catalogue))
    return with_actuals(report, plan_result(report), bill._replace(each=request.gpus_per_machine))


def _compare(_: Catalogue, plans: Plans, __: CompareRequest, ___: date) -> Result:
    return comparison([evaluate(plan) for plan in plans])


def _ask(facts: Catalogue, _: Plans, request: AskRequest, day: date) -> Result:
    answer = ask(as_of(facts, day), request.line, day)
    if answer.loaded is None:
        questions = answer.reading.questions
        choices = {label: line for question in questions for label, line in question.choices.items()}
        sentence = " ".join(f"Which is meant by {question_sentence(each)}?" for each in questions)
        raise RequestError(sentence or f"No plan can be made of {printable(request.line)}.", choices)
    return line_result(answer)


def _cheapest(facts: Catalogue, plans: Plans, request: MarketRequest, day: date) -> Result:
    only = tuple(meant.accelerator(facts, name.strip())[0] for name in (request.only or "").split(",") if name.strip())
    counts = tuple(int(count) for count in (request.counts or "").split(",") if count)
    if plans:
        return market_of(plans[0], budget_usd=request.budget_usd, accelerators=only, counts=counts)
    if only or counts or request.budget_usd:
        raise MalformedError("budget_usd, only and counts need a job: want a plan that names a model.")
    return typical_uses(facts, day)


def _train(facts: Catalogue, _: Plans, request: TrainRequest, day: date) -> Result:
    chip = meant.accelerator(facts, request.accelerator)[0]
    if is_image_network(request.model):
        return images_result(facts, _job(ImageJob, request, chip, {}), day)
    if request.images is not None or request.epochs is not None:
        raise RequestError(f"images and epochs are for networks that learn from pictures, not {request.model}.")
    slices = {} if request.mig_profile is None else {"accelerators": 1}
    return train_result(facts, _job(TrainingJob, request, chip, slices), day, stay=request.stay)


def _serve(facts: Catalogue, _: Plans, request: ServeRequest, day: date) -> Result:
    ids = [meant.accelerator(facts, name.strip())[0] for name in request.accelerator.split(",")]
    jobs = [_job(ServingJob, request, key, {}) for key in ids]
    terms = ServingTerms(request.busy_share, request.stay)
    if is_non_llm_work(request.model):
        return other_work_result(facts, jobs, day, terms)
    if len(jobs) > 1:
        raise RequestError(f"accelerator: want one for {request.model}; several are for work without tokens.")
    return serve_result(facts, jobs[0], day, terms=terms)


def _job(kind: type[R], request: ScenarioModel, accelerator: str, usual: Mapping[str, Any]) -> R:
    given = {name: getattr(request, name) for name in request.model_fields_set & kind.model_fields.keys()}
    return checked(kind, {**usual, **given, "accelerator": accelerator})


VERBS = {
    verb.name: verb
    for verb in (
        Verb("plan", PlanRequest, 1, 1, _plan),
        Verb("ask", AskRequest, 0, 0, _ask),
        Verb("actuals", ActualsRequest, 1, 1, _actuals, 1.0),
        Verb("compare", CompareRequest, 2, MOST_PLANS, _compare),
        Verb("cheapest", MarketRequest, 0, 1, _cheapest, 1.0),
        Verb("prices", PriceRequest, 0, 0, lambda facts, _, wish, day: prices(facts, wish, day)),
        Verb("train", TrainRequest, 0, 0, _train),
        Verb("serve", ServeRequest, 0, 0, _serve),
    )
}


class TooSlowError(Exception):
    """An answer that takes longer than it may."""


def answer(
    verb: Verb,
    facts: Catalogue,
    today: date,
    questions: Sequence[Question],
    values: Mapping[str, Any],
    *,
    within_s: float = math.inf,
) -> Result:
    """Return what a verb gives for some plans and the fields of its request.

    Raises the sentence of a refusal, and `TooSlowError` where it is estimated to take longer than so many seconds.
    """
    request = checked(verb.request, values)
    if not verb.fewest <= len(questions) <= verb.most:
        wanted = f"{verb.fewest} to {verb.most}" if verb.fewest < verb.most else f"{verb.fewest}"
        raise MalformedError(f"{verb.name}: want {wanted} plans, got {len(questions)}.")
    day: date | None = getattr(request, "day", None)
    plans = tuple(load(question, facts, day, today) for question in questions)
    if sum((plan.scenario.estimate.seconds for plan in plans), verb.seconds) > within_s:
        raise TooSlowError
    show_money_of(None)
    return verb.run(facts, plans, request, _usable(day or today))


def checked(kind: type[R], values: Mapping[str, Any]) -> R:
    """Return a request of its values, as text or as data; raise `MalformedError` for the first that is wrong."""
    try:
        if values and all(isinstance(value, str) for value in values.values()):
            return kind.model_validate_strings({name: _plain(kind, name, text) for name, text in values.items()})
        return kind.model_validate_json(pydantic_core.to_json(dict(values), inf_nan_mode="constants"))
    except pydantic.ValidationError as error:
        place, wish, first = first_error_message(error)
        name, is_ours = ".".join(map(str, place)), first["type"] == "value_error"  # of no schema
        raise (RequestError if is_ours else MalformedError)(f"{name}: {wish}" if name else wish) from error


def _plain(kind: type[ScenarioModel], name: str, text: str) -> str:
    """Return a number as digits where people write 15T or 128k."""
    field = kind.model_fields.get(name)
    amount = parse_amount(text) if field is not None and "float" in str(field.annotation) else None
    return text if amount is None else repr(amount)


def load(question: Question, facts: Catalogue, day: date | None, today: date) -> LoadedScenario:
    """Return a question with the facts of its day: the one that is named, else its own, else today."""
    saved, name, about = _read(question, facts)
    on = _usable(day or saved.day or today)
    return LoadedScenario(name, saved.scenario, as_of(facts, on), on, about)


def _usable(day: date) -> date:
    if not FIRST_DAY <= day <= LAST_DAY:
        raise RequestError(f"day: want one from {FIRST_DAY} to {LAST_DAY}, got {day}.")
    return day


_LINK = re.compile(r"(\S*\?)?(\w+=.*)?")  # an address with keys, keys alone, or nothing


def _read(question: Question, facts: Catalogue) -> tuple[SavedScenario, str, tuple[str, ...]]:
    if isinstance(question, Scenario):
        return SavedScenario(question), "scenario", ()
    data, name = _bytes(question), question.name if isinstance(question, Path) else "plan"
    text = data.decode("utf-8-sig", errors="replace")
    if _LINK.fullmatch(text):
        return read_link(text, facts), "link", ()
    if preset := find_preset(text) if text.isprintable() and ":" not in text else None:
        return SavedScenario(preset.scenario), text, preset.about
    if ":" not in text and not text.lstrip().startswith("{"):
        keys = ", ".join(preset.key for preset in load_presets())
        raise RequestError(f"No preset is called {printable(text)}; the presets are {keys}.")
    try:
        return read_scenario(data, name, facts), name, ()
    except ScenarioError as error:
        raise RequestError(f"{name}: {error}") from error


def _bytes(question: Question) -> bytes:
    if isinstance(question, Mapping):
        return json.dumps(question, default=str).encode()
    if isinstance(question, Path):
        return question.read_bytes()
    if not isinstance(question, str | bytes):
        raise MalformedError(f"{question!r} is no plan: want a link, the name of a preset or the keys of a file.")
    return question.encode(errors="replace") if isinstance(question, str) else question


def read_link(text: str, facts: Catalogue) -> SavedScenario:
    """Return the scenario of an address, or of its keys alone, of which every part must be usable."""
    link = dict(parse_qsl(urlsplit(text).query or text.lstrip("?"), keep_blank_values=True, max_num_fields=MOST_KEYS))
    data, exchange = strict_yaml.read(link.get(ALSO) or "{}", file=ALSO), rates(facts)
    if not isinstance(data, dict):
        raise RequestError(f"{ALSO}: want keys of a file with their values, such as {{own: {{place: home}}}}.")
    for name, value in link.items():
        key = KEYS.get(name)
        if key is None and name not in PAGE_KEYS | {ALSO}:
            meant = "".join(f"; did you mean {each}?" for each in near(name, (*KEYS, ALSO))[:1])
            raise MalformedError(f"{printable(name)}: no such key{meant}")
        if key is not None and value:
            parsed = parse_value(key, value, exchange)
            if parsed is None:
                raise (RequestError if key.shape.kind == "text" else MalformedError)(
                    f"{name} = {printable(value)}{unusable_reason(key, value, exchange)}")  # fmt: skip
            set_value(data, key.path, value if entered_amounts(key, value, exchange) else parsed)
    day = {"day": link[AS_OF]} if AS_OF in link else {}
    try:
        return read_scenario(json.dumps({**data, **day}, default=str).encode(), "link", facts)
    except ScenarioError as error:
        raise RequestError(error.wish) from error
