"""The scenario of what a line states, with a sentence for each value that nobody stated and the answer rests on."""

import math
from collections.abc import Mapping
from datetime import date
from typing import Any

from planner.scenario.amounts import format_amount
from planner.scenario.base import (
    DAYS_PER_YEAR,
    HOURS_PER_DAY,
    HOURS_PER_MONTH,
    HOURS_PER_YEAR,
    MONTHS_PER_YEAR,
    SECONDS_PER_HOUR,
)
from planner.scenario.file import build_scenario
from planner.scenario.known_names import resolve_names
from planner.scenario.path import set_value
from planner.scenario.scenario import ANY_ACCELERATOR, USUAL_ACCELERATOR, Scenario
from planner.scenario.task import ServingTask
from planner.scenario.typed_money import to_dollars
from planner.scenario.vocabulary import USUAL_HOURS_PER_PERSON
from planner.speed.training.images import is_image_network, usual_passes
from planner.speed.work_to_hours import convert_to_hours
from planner.study.one_line.line_derived import add_date, add_derived, add_second_work, own_model, place_of, unused
from planner.study.one_line.line_records import LEAST_RPS, LineReading
from planner.study.one_line.line_rules import PATTERNS
from planner.study.one_line.line_sellers import (
    LINE,
    PART_OF_MONTH,
    add_bill,
    add_peak,
    add_seller,
    add_users,
    is_by_token,
    settle_bill,
    stays_at_home,
    with_price_of_tokens,
)
from planner.study.one_line.line_words import WORDS
from planner.study.plan_any import with_budget
from pricing import Catalogue
from pricing.exchange import DOLLAR, rates
from pricing.market.sellers import TERM_MONTHS

_SHORTEST_YEARS, _SHARE_OF_TIME = 0.25, 0.8  # an assumption: what of a plan's time a run of an open length may fill
_SHORTEST_HOURS = _SHORTEST_YEARS * HOURS_PER_YEAR * (1 - 1e-6)
# An assumption; GPUs: fewer are cards; growth a year; billion parameters that a card of 24 GB holds in 4 bits.
_TOKENS_PER_EXAMPLE, _LEAST_OF_SERVER, _SUDDEN, _MOST_AT_HOME = 2_000, 8, 2.0, 40


def plan_of(catalogue: Catalogue, values: Mapping[str, Any]) -> tuple[Scenario, tuple[str, ...], Mapping[str, str]]:
    """Return the scenario of a line's quantities, with notes of what was taken, and what it does not use and why."""
    notes: list[str] = []
    values = {**({"is_hobby": True, "gpus": 1, "busy": 1 / HOURS_PER_DAY, "place": "home",
        "desk_chip": WORDS["desk_chip"]["at_home" if (model := catalogue.models.get(
            values.get("model", ""))) and model.params_b > _MOST_AT_HOME else "hobby"]} if "hobby" in values and not (
            {*WORDS["no_hobby"]} & values.keys()) else {}), **values}  # fmt: skip
    add_date(values, notes)
    shapes = own_model(catalogue, values, notes)
    add_derived(catalogue, values, notes)
    with_price_of_tokens(catalogue, values, notes)
    settle_bill(values)
    task = _task(values, notes)
    data: dict[str, Any] = {"work": ({},), "models": shapes}
    add_bill(catalogue, data, values, notes)
    _add_gpus(catalogue, data, values, task, notes)
    if "is_of_work" in values or not is_by_token(values):
        _add_task(catalogue, data, values, task, notes)
    is_of_gpus = (task == "hours" or (task == "bill" and "gpus" in values)) and "serve" not in data["work"][0]
    if is_of_gpus and not (task == "hours" and add_second_work(data, values, notes)):
        _add_amount(data, values, notes)
    _add_terms(data, values, notes)
    data["work"] = (*data["work"], *({"label": "clips", "serve": {"model": WORDS["usual_models"]["of_clips"],
        "requests_per_s": max(each, LEAST_RPS)}} for each in [values.get("clips_rate")] if each))  # fmt: skip
    if (shown := values.get("shown", values.get("currency", DOLLAR))) != DOLLAR:
        data["currency"] = {"code": shown}
    converted = to_dollars(data, rates(catalogue))
    scenario = resolve_names(build_scenario(converted.data, LINE, {}).with_typed(converted.typed), catalogue)[0]
    scenario = _at_desk(catalogue, scenario, values, notes)
    return scenario, tuple(dict.fromkeys(notes)), unused(data["work"][0], values)


def _at_desk(catalogue: Catalogue, scenario: Scenario, values: Mapping[str, Any], notes: list[str]) -> Scenario:
    """Return a service at a desk on the fewest machines: of the first size that does, as published or in 4 bits."""
    serve, sizes = scenario.work[0].serve, WORDS["lists"].get(values.get("sizes"), (scenario.accelerator,))
    if serve is None or not (scenario.kept is not None or PATTERNS["at_desk"].match(scenario.accelerator)):
        return scenario
    is_open = serve.weight_precision is None and bool({"have", "gpus", "sizes"} & values.keys() or "rps" not in values)
    plans = [
        scenario.model_copy(update={"accelerator": chip, "work": (scenario.work[0].model_copy(update={
            "serve": serve.model_copy(update={"weight_precision": precision})}), *scenario.work[1:])})
        for chip in sizes for precision in ((None, "int4") if is_open else (serve.weight_precision,))
    ]  # fmt: skip
    needed = [math.inf if each.refused else each.scenario.work[0].accelerators
        for each in (convert_to_hours(catalogue, it) for it in plans)]  # fmt: skip
    best = needed.index(min(needed)) if min(needed) < math.inf else len(needed) - 1 - is_open
    if is_open and best % 2:
        few, many = (f"{each:,.0f}".replace("inf", "none") for each in (needed[best], needed[best - 1]))
        notes.append(WORDS["said"]["four_bits"].format(few, catalogue.accelerator_label(plans[best].accelerator), many))
    return plans[best]


def with_open_parts(catalogue: Catalogue, reading: LineReading, day: date) -> tuple[Scenario, tuple[str, ...]]:
    """Return the plan of a line with the GPUs that its budget pays for, or the tokens that fill its time."""
    assert reading.scenario is not None
    if reading.count_is_open and reading.budget_usd:
        chips = (reading.scenario.accelerator, *(WORDS["smaller_chips"] if reading.chip_is_open else ()))
        tried = [reading.scenario.model_copy(update={"accelerator": chip}) for chip in chips]
        return with_budget(catalogue, tried, reading.budget_usd, day)
    return _filled(catalogue, reading.scenario) if reading.tokens_are_open else (reading.scenario, ())


def _filled(catalogue: Catalogue, scenario: Scenario) -> tuple[Scenario, tuple[str, ...]]:
    work, trainings = scenario.work[0], convert_to_hours(catalogue, scenario).trainings
    if work.train is None or not trainings or trainings[0].speed is None:
        return scenario, ()
    days = min(scenario.years * DAYS_PER_YEAR, work.train.deadline_days or math.inf) * _SHARE_OF_TIME
    tokens = float(f"{trainings[0].tokens * days / trainings[0].speed.days.typical:.2g}")
    note = f"Tokens are not stated: {format_amount(tokens)} are taken, which fill {_SHARE_OF_TIME:.0%} of the time."
    filled = work.model_copy(update={"train": work.train.model_copy(update={"tokens": tokens})})
    return scenario.model_copy(update={"work": (filled,)}), (note,)


_STATES = {task: set(WORDS[f"states_{task}"].split()) for task in ("train", "serve")}


def _usual_task(values: Mapping[str, Any], notes: list[str]) -> str:
    is_trained = values.get("modality", "text") == "text" and (values.get("gpus", 0) > 8 or "due" in values)
    taken = "trained: more GPUs than one machine has" if is_trained else "served: no training is named"
    notes.append(f"The model is taken to be {taken}.")
    return "train" if is_trained else "serve"


def _goes_by_hours(values: Mapping[str, Any], task: str) -> bool:
    """Return whether GPUs and their hours are planned: stated ones, or what the budget of many people pays for."""
    of_team = task == "tune" or {"of_grant", "model"} & values.keys() == {"of_grant"} or (
        task == "train" and values.get("model", small := WORDS["usual_models"]["train"]) == small)  # fmt: skip
    if "budget" in values and ((task == "tune" and values.get("length", 0) >= HOURS_PER_YEAR) or (
            "team" in values and of_team)):  # fmt: skip
        return not {*WORDS["of_one_run"]} & values.keys()
    is_rhythm = task in ("tune", "train") and "busy" in values and values.get("gpus", 0) > 1 and not (
        {*WORDS["amounts"], "due"} & values.keys())  # fmt: skip
    is_studio = task in ("", "serve") and "of_artists" in values and ({"image", "video"} & values.keys() or not (
        {"model", "serve"} & values.keys())) and not {*WORDS["of_no_studio"]} & values.keys()  # fmt: skip
    return is_rhythm or bool(is_studio) or "is_hobby" in values or (not task and ("gpu_hours" in values or (
        "gpus" in values and min(values.get("length", 1e9) / _SHORTEST_HOURS, values.get("busy", 1)) < 1)) if (
        "model" in values) else "no_speed" in values)  # fmt: skip


def _task(values: dict[str, Any], notes: list[str]) -> str:
    tuned = "tune" in values or values.get("method") in ("lora", "qlora")
    if tuned and {"serve", "rps", "peak"} & values.keys() and ("tokens" not in values or "team" in values):
        if "tokens" in values:
            notes.append("A line has one work: what is served is taken; ask again for the tuning alone.")
        values["own_weights"], tuned = True, False  # what is served was tuned before
    named = "tune" if tuned else next((verb for verb in ("train", "serve") if verb in values), "")
    stated = next((task for task, needs in _STATES.items() if needs & values.keys()), "")
    is_replaced = "seller" in values and bool({"team", "online"} & values.keys())  # a 5090 in place of ChatGPT
    is_served = "are_served" in values and not {"gpus", "chip", "gpu_hours"} & values.keys()
    stated = "" if {"gpus", "chip"} <= values.keys() and "model" not in values else stated  # genomes a week
    named = "" if "gpu_hours" in values and not stated else named  # H100-hours for an LLM
    task = named or stated or ("serve" if is_replaced or is_served else "")
    if "bill" in values and not tuned and ("offered" in values or task != "serve" or "model" not in values):
        is_by_hours = "gpu_hours" in values and not stated  # 400 hours of an A10G a week
        return "hours" if is_by_hours else "bill" if values.get("modality", "text") == "text" else task or "serve"
    if _goes_by_hours(values, task):
        return "hours"
    if "model" in values and not task:
        task = _usual_task(values, notes)
    if task and "model" not in values:
        if not stated and not (task == "serve" and "team" in values):
            return "hours"
        kind = next((it for it in WORDS["kinds_without_model"] if it in values), "serve")
        values["model"] = WORDS["usual_models"][kind]
        notes.append(WORDS["said"].get(f"no_{kind}", WORDS["said"]["no_model"]).format(values["model"]))
    return task or "hours"


def _add_gpus(catalogue: Catalogue, data: dict[str, Any], values: dict[str, Any], task: str, notes: list[str]) -> None:
    _add_chip(catalogue, data, values, task, notes)
    if "gpus" in values:
        set_value(data, ("work", 0, "accelerators"), values["gpus"])
    data |= place_of(catalogue, values, notes)
    for name in (each for each in WORDS["some_ways"] if values.get(each) is True):
        data["ways"] = (*WORDS[name], *(["lease"] if "leased" in values and name == "rent_only" else []))
    if "own_only" in values or stays_at_home(values, task):
        data["ways"], values["place"] = tuple(WORDS["own_ways"]), values.get("place", "own_room")
        notes.append("What is rented or hosted is left out: the work must stay in the house.")
    data |= {"ways": (*data["ways"], "keep")} if {"ways", "kept"} <= data.keys() else {}
    values |= {"place": "office"} if "at_desk" in values and "place" not in values else {}
    for name in ("place", "channel"):
        if name in values:
            set_value(data, ("own", name), values[name])
    values |= {"provider": values["sold_by"]} if "sold_by" in values and "provider" not in values else {}
    data["not_from"] = tuple(sorted({*values.get("refused", ()), *(
        WORDS["hyperscalers"] if "no_hyperscaler" in values else ())}))  # fmt: skip
    # Beside a bill or a reserved price the quote of a seller stands beside the market.
    if {"provider"} == {"provider", "bill", "reserved"} & values.keys() and data.get("accelerator") != ANY_ACCELERATOR:
        add_seller(catalogue, data, values, notes)


def _add_chip(catalogue: Catalogue, data: dict[str, Any], values: dict[str, Any], task: str, notes: list[str]) -> None:
    if "cpu" in values and not {"chip", "chip_have"} & values.keys():
        values["chip"] = WORDS["chips"]["cpu"]
        notes.append(f"Of processors {catalogue.accelerator_label(values['chip'])} is taken.")
    chip = values.get("chip") or values.get("chip_have")
    if chip is not None:
        data["accelerator"] = chip
    elif task in ("train", "tune", "serve", "bill") and not {"gpus", "of_credits", "desk_chip"} & values.keys():
        data["accelerator"] = ANY_ACCELERATOR
    elif task != "bill" and ("anyone" not in values or not {"gpu_hours", "length", "due"} & values.keys()):
        few = ("buys" in values or values.get("place") in WORDS["desks"]) and (
            values.get("gpus", _LEAST_OF_SERVER) < _LEAST_OF_SERVER)  # fmt: skip
        data["accelerator"] = next((WORDS["usual_models"][it] for it in WORDS["of_rooms"] if it in values),
            values.get("desk_chip") or (WORDS["usual_models"]["few"] if few else USUAL_ACCELERATOR))  # fmt: skip
        notes += [f"No GPU is named: {catalogue.accelerator_label(data['accelerator'])} is taken."] if (
            "gpus" in values or not {"budget", "monthly_budget"} & values.keys()) else []  # fmt: skip
    if "have" in values:
        data["kept"] = {"accelerators": values["have"], "accelerator": values["chip_have"]}
        data["kept"] |= {"bought_year": values["since"]} if "since" in values else {}
        data["kept"] |= {"relative_speed": values["gpus"] / values["have"]} if "work_of_kept" in values else {}
        is_switched = "busy_by_the_hour" in values and values["busy"] < 1 and values.get("place", "home") == "home"
        if is_switched and PATTERNS["at_desk"].match(values["chip_have"]):  # eight hours a day
            data["kept"]["idle_power_w_each"], values["place"] = 0.0, "home"
            notes.append(WORDS["said"]["switched_off"])
        values.setdefault("gpus", values["have"])
        if "havesold" not in values:
            age = "of that age do" if "since" in values else "of a usual age do, as no year and no sum is stated"
            notes.append(f"The GPUs that you have are taken to fetch what used ones {age}.")


def _add_task(catalogue: Catalogue, data: dict[str, Any], values: dict[str, Any], task: str, notes: list[str]) -> None:
    if task in ("train", "tune"):
        data["work"][0]["train"] = _training(values, task, notes)
    elif task == "serve":
        add_users(catalogue, values, notes)
        add_peak(values, notes)
        data["work"][0]["serve"] = _serving(data, values, notes)


def _training(values: dict[str, Any], task: str, notes: list[str]) -> dict[str, Any]:
    stated = {field: values[name] for name, field in WORDS["of_training"].items() if name in values}
    each = {name: stated[name] * values.get("epochs", 1) for name in ("tokens", "images") if name in stated}
    train: dict[str, Any] = {"model": values["model"], **stated, **each}
    if "token_rate" in values and "tokens" not in values:
        train |= {"tokens": values["token_rate"] * SECONDS_PER_HOUR * HOURS_PER_MONTH, "runs_per_month": 1.0}
    if is_image_network(values["model"]):
        train.pop("tokens", None)
        usual = usual_passes(values["model"], values.get("images", math.inf), is_tuned=task == "tune")
        if "epochs" not in values and "images" in values and usual > 1:
            notes.append(WORDS["said"]["few_images"].format(values["images"], usual))
            train["images"] = values["images"] * usual
    else:
        _add_usual_training(train, values, task, notes)
    is_for_it = (task == "tune" or {"tokens", "gpus"} & values.keys()) and not {"every", "runs"} & values.keys()
    short = values.get("length", math.inf) if is_for_it else math.inf
    due, precision = values.get("due", short if short < HOURS_PER_YEAR else None), values.get("precision")
    train |= {"precision": precision} if precision in ("fp32", "fp16", "bf16", "fp8", "fp4") else {}
    train |= {"deadline_days": due / HOURS_PER_DAY} if due else {}
    train |= {"seq_len": int(values["seq"])} if "seq" in values else {}
    return train | ({} if "gpus" in values else {"choose_count": True})


def _add_usual_training(train: dict[str, Any], values: Mapping[str, Any], task: str, notes: list[str]) -> None:
    if task == "tune" and "method" not in values:
        train["method"] = "lora"
        notes.append("How it is tuned is not stated: LoRA is taken; write full fine-tune for all weights.")
    examples = None if "tokens" in train else values.get("examples") or values.get("texts")
    is_open = "tokens" not in train and not {"gpus", "length"} <= values.keys()
    if examples is not None:
        train["tokens"] = examples * values.get("epochs", 1) * _TOKENS_PER_EXAMPLE
        notes.append(f"{_TOKENS_PER_EXAMPLE:,} tokens are taken for each example.")
    elif is_open and task == "tune":
        train["tokens"] = 1e8
        notes.append("Tokens are not stated: 100 million, as 50,000 examples of 2,000 have, are taken.")
    elif is_open:
        notes.append("Tokens are not stated: twenty for each parameter are taken.")


def _serving(data: Mapping[str, Any], values: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    stated = {field: values[name] for name, field in WORDS["of_serving"].items() if name in values}
    serve: dict[str, Any] = {"model": values["model"]}
    serve |= {field: int(value) if field.endswith("put_tokens") else value for field, value in stated.items()}
    serve |= {"requests_per_s": max(values["rps"], LEAST_RPS)} if values.get("rps", 0) > 0 else {}
    usual = ServingTask(model=values["model"])
    if "token_rates" in values and "rps" not in values:
        read, written = values["token_rates"]
        serve["requests_per_s"] = max(written / usual.output_tokens, LEAST_RPS)
        serve["input_tokens"] = max(round(read / serve["requests_per_s"]), 1)
        notes.append(f"Each request is taken to write {usual.output_tokens} tokens.")
    elif "token_rate" in values and "rps" not in values:
        each = serve.get("input_tokens", usual.input_tokens) + serve.get("output_tokens", usual.output_tokens)
        serve["requests_per_s"] = max(values["token_rate"] / each, LEAST_RPS)
        notes.append(f"Tokens are taken for read and written ones, {each:,} a request.")
    elif "rps" not in values:
        at_desk = {"place", "local"} & values.keys() or values.get("gpus") == 1
        at_desk = at_desk or "channel" in values or PATTERNS["at_desk"].match(str(data.get("accelerator", "")))
        kind = "one" if at_desk and values.get("modality") != "video" else values.get("modality")
        serve["requests_per_s"] = float(WORDS["usual_loads"].get(kind, usual.requests_per_s))
        notes.append(WORDS["said"].get(f"load_{kind}", WORDS["said"]["load"]).format(serve["requests_per_s"]))
    return serve


def _add_amount(data: dict[str, Any], values: dict[str, Any], notes: list[str]) -> None:
    work, length = data["work"][0], values.get("length") or values.get("due")
    is_block = (length or math.inf) < _SHORTEST_HOURS and (
        "each_hours" not in values and ("gpus" in values or not {"budget", "of_class"} & values.keys())
    )
    if "team" in values and not is_block and "gpu_hours" not in values and not {"gpus", "busy"} <= values.keys():
        _add_people(work, values, notes)
    elif "gpu_hours" in values:
        _add_gpu_hours(data, values, notes)
    elif is_block:
        hours = length * values.get("busy", 1.0) * values.setdefault("gpus", 1)
        work["accelerators"] = values["gpus"]
        _add_block(data, hours, notes)
    elif "busy" in values:
        work["busy_share"] = max(values["busy"], 0.01)  # the least that a plan may have
    elif (  # wanted for a term, or rented now
        {"gpus", "chip"} & values.keys()
        and ("length" in values or {"bill", "provider"} <= values.keys())
        and not PATTERNS["at_desk"].match(data.get("accelerator", ""))
    ):
        work["busy_share"] = 1.0
        notes.append("No share of the time is stated: all of it is taken. Write 60% busy for less.")
    elif {"gpus", "chip"} & values.keys() and "run" not in work and "length" not in values:
        notes.append(WORDS["said"]["no_term"])
    work |= {"accelerators": 1, **work, **({"accelerators_per_job": 1} if "separate" in values else {})}
    if "anyone" in values and "run" in work and "chip" not in values:
        data["accelerator"] = ANY_ACCELERATOR
        notes.append("The hours are taken for those of one H100; on another GPU they take as long as its speed says.")


def _add_people(work: dict[str, Any], values: Mapping[str, Any], notes: list[str]) -> None:
    people, hours = max(int(values["team"]), 1), values.get("each_hours", 0) * HOURS_PER_MONTH or USUAL_HOURS_PER_PERSON
    is_one_each = work.get("accelerators", 1) == 1 and "each_hours" in values and hours * people > HOURS_PER_MONTH
    work |= {"people": int(values["team"]), "accelerators": people if is_one_each else work.get("accelerators", people)}
    most = work["accelerators"] * HOURS_PER_MONTH / people
    work |= {"hours_per_person": min(hours, most)} if hours > most or "each_hours" in values else {}
    if hours > most or not {"budget", "monthly_budget"} & values.keys():
        notes.append(f"Each person is taken to keep one GPU busy for {min(hours, most):,.4g} hours a month.")


def _add_gpu_hours(data: dict[str, Any], values: dict[str, Any], notes: list[str]) -> None:
    (hours, every), work = values["gpu_hours"], data["work"][0]
    if every is not None:
        many = max(work.get("accelerators", least := math.ceil(hours / every) or 1), least * ("frame_month" in values))
        work |= {"accelerator_hours_per_month": hours * HOURS_PER_MONTH / every, "accelerators": many}
        return
    _add_block(data, hours, notes, values.get("due", HOURS_PER_MONTH))
    longest = min(hours / work["accelerators"], Scenario().years * HOURS_PER_YEAR)  # no longer than it lasts
    values |= {} if {"due", "length"} & values.keys() else {"length": longest}


def _add_block(data: dict[str, Any], hours: float, notes: list[str], time: float = HOURS_PER_MONTH) -> None:
    run, many = {"measured_on": data.get("accelerator", USUAL_ACCELERATOR), "hours": hours}, hours / max(time, 1.0)
    data["work"][0].update({"accelerators": max(math.ceil(many), 1), **data["work"][0], "run": run})
    notes.append("The hours are taken for one run, at once.")


def _first_year(values: Mapping[str, Any], notes: list[str]) -> float | None:
    """Return one year where work without a stated time grows so fast that it can't for longer."""
    is_sudden = (growth := max(values.get("growth", 0.0), values.get("billgrowth", 0.0))) > _SUDDEN and not (
        {"grows_to", "length", "due"} & values.keys())  # fmt: skip
    notes += [WORDS["said"]["sudden"].format(growth)] if is_sudden else []
    return HOURS_PER_YEAR if is_sudden else None


def _add_terms(data: dict[str, Any], values: dict[str, Any], notes: list[str]) -> None:
    work = data["work"][0]
    length = values.get("length", None if "train" in work else values.get("due", _first_year(values, notes)))
    if length is not None:
        data["years"] = max(length / HOURS_PER_YEAR, _SHORTEST_YEARS if length > 0 else 0.0)
        if "run" not in work and length < _SHORTEST_HOURS:
            notes.append("A plan has at least three months.")
            last = max(math.ceil(length / HOURS_PER_MONTH - PART_OF_MONTH), 1)
            is_rhythm = "runs_per_month" in work.get("train", {"runs_per_month"})  # one run ends by itself
            values |= ({"last_month": last} if is_rhythm else {}) | values
    work |= {field: values[name] for name, field in WORDS["of_work"].items() if name in values}
    if "leased" in values and not {"lease", "is_renewal"} & values.keys():  # every answer has a lease
        values |= {"lease_rate": values["loan"]} if "loan" in values else {}
        notes.append(f"The lease is at {'that' if 'loan' in values else 'the usual'} rate: its offer is not stated.")
    data |= {"lease": {field: values[name] for name, field in WORDS["of_lease"].items() if name in values}}
    if "reserved" in values or {"reservation", "length"} <= values.keys():
        fits = [months for months in TERM_MONTHS.values() if months <= data["years"] * MONTHS_PER_YEAR]
        set_value(data, ("reserve", "term"), {it: name for name, it in TERM_MONTHS.items()}[max(fits, default=1.0)])
    if "monthly_budget" in values:
        monthly = values["monthly_budget"] * data.get("years", Scenario().years) * MONTHS_PER_YEAR
        values["budget"] = monthly + values.get("budget_usd", 0.0)
        notes += ["The budget is what is stated at once, and by the month."] if "budget_usd" in values else []
    for name in sorted(WORDS["prices"].keys() & values.keys()):
        if name != "havesold" or "kept" in data:
            set_value(data, tuple(WORDS["prices"][name].split(".")), values[name])
