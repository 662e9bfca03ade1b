"""What follows from several quantities of a line: totals of what is stated of each, the time until a date, growth."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR, MONTHS_PER_YEAR, SECONDS_PER_HOUR
from planner.scenario.measured import OwnModel
from planner.scenario.scenario import UNION, USUAL_ACCELERATOR, USUAL_SITE, Scenario
from planner.scenario.task import ServingTask
from planner.scenario.work import LEAST_BUSY_SHARE
from planner.speed.training.images import is_image_network
from planner.study.one_line.line_chips import add_facts, add_fed, rendered_in_time
from planner.study.one_line.line_records import LEAST_RPS, REQUESTS_OF_ONE, machine_size
from planner.study.one_line.line_rules import DAYS, HOURS_OF_PATTERN, HOURS_OF_UNIT, MOST_GROWTH, day_of, parse_number
from planner.study.one_line.line_words import WORDS
from pricing import Catalogue
from pricing.exchange import DOLLAR

TOKENS_PER_SEQUENCE = 4_096  # as a plan has where nobody states it
_FASTEST_OF_ONE, _MOST_OF_ONE = 300, 32_768  # tokens a second, of all users beyond it; tokens of a single answer
_MOST_OF_A_RUN, _MOST_A_MONTH = HOURS_PER_YEAR / 4, 20 * HOURS_PER_MONTH  # hours: of 20 runs at once in all
_FRAMES_PER_S, _TILES_OF_SLIDE, _WINDOWS_OF_STUDY, _SLICES_OF_STUDY, _TOKENS_OF_PAGE = 15.0, 5_000, 100, 200, 500
_SHARE_OF_PEAKS, _LEAST_STEADY = 0.1, 0.5  # assumptions: of the time; less than that is the share of the peaks
_USUAL, _LEAST_OF_MACHINE = ServingTask(model="usual"), 100_000  # dollars: of one GPU a larger price is of a machine

# A quantity that is not stated, the ones that it follows from, and how.
_DERIVED: tuple[tuple[str, set[str], Callable[[dict[str, Any]], Any]], ...] = (
    *(("team", {"sites", it}, lambda of: of.pop("sites")) for it in ("each_rps", "each_hours", "lora_each")),
    ("rps", {"each_rps", "frame_hours"}, lambda of: of.pop("each_rps") * of.pop("team", 1)),
    ("rest", {"rest_is_free", "have", "rps"}, lambda of: max(int(of.pop("have") * (1 - of.pop("busy"))), 1)),
    ("have", {"rest"}, lambda of: of["rest"]), ("frame_hours", {"usual_frame"}, lambda of: of["usual_frame"]),
    ("frames", {"film", "frame_hours"}, lambda of: of["film"] * SECONDS_PER_HOUR * of.pop("fps")),
    *(("frames", {it, "frame_hours"}, lambda of, it=it: of.pop(it)) for it in ("images", "items", "texts", "examples")),
    ("separate", {"frame_hours"}, lambda of: True), ("rps", {"item_rate", "frame_hours"}, lambda of: of["item_rate"]),
    ("rps", {"bare_rate", "frame_hours"}, lambda of: of.pop("bare_rate")),
    ("frame_month", {"rps", "frame_hours"}, lambda of: (
        of.pop("rps") * SECONDS_PER_HOUR * HOURS_PER_MONTH * of["frame_hours"], HOURS_PER_MONTH)),
    *(("frame_month", {"frames", "frame_hours", it}, lambda of, it=it: (
        of["frames"] * of["frame_hours"] * of.pop(it), HOURS_PER_MONTH)) for it in ("runs", "every")),
    ("frame_month", {"runs", "frame_hours"}, lambda of: (of.pop("runs") * of["frame_hours"], HOURS_PER_MONTH)),
    ("gpu_hours", {"frame_month"}, lambda of: of["frame_month"]), ("separate", {"frame_month"}, lambda of: True),
    ("gpu_hours", {"frames", "frame_hours"}, lambda of: (of["frames"] * of["frame_hours"], of.get("stray"))),
    *(("time_left", {"frames", "gpu_hours", n}, lambda of, n=n: of[n] * of.get("busy", 1)) for n in ("due", "length")),
    ("grows_to", {"starts_at", "gpus"}, lambda of: of.pop("gpus")), ("gpus", {"starts_at"}, lambda of: of["starts_at"]),
    ("gpus", {"swing"}, lambda of: int(of["swing"][0])), ("peak_gpus", {"swing"}, lambda of: int(of["swing"][1])),
    ("of_frames", {"time_left"}, rendered_in_time), ("peak", {"rps", "peak_gpus"}, lambda of: of.pop("peak_gpus")),
    ("peak", {"online", "peak_gpus"}, lambda of: of.pop("peak_gpus") * REQUESTS_OF_ONE),
    ("since", {"age", "have", "day"}, lambda of: of["day"].year - int(of["age"])),
    ("audio_each", {"each_hours", "speech"}, lambda of: of.pop("each_hours") / SECONDS_PER_HOUR),
    ("busy", {"season"}, lambda of: of["season"]), ("pictures", {"rps", "turn"}, lambda of: of.pop("rps") * of["turn"]),
    ("busy", {"pattern", "gpus"}, lambda of: HOURS_OF_PATTERN[of["pattern"]] / HOURS_OF_UNIT["w"]),
    ("beside_kept", {"added", "have"}, lambda of: int(of.setdefault("gpus", of["added"])) and of.pop("have")),
    ("gpus", {"paid_rent", "have"}, lambda of: of.pop("have")),  # our 8 H200 at 3.20 an hour are rented
    ("gpus", {"have", "speed_of_kept"}, lambda of: max(math.ceil(
        of["have"] * of.get("multiple", 1.0) * of["speed_of_kept"]), 1)),
    ("gpus", {"have", "multiple"}, lambda of: math.ceil(of["have"] * of["multiple"])),
    ("in", {"pages_each"}, lambda of: int(of["pages_each"] * _TOKENS_OF_PAGE)),
    ("in", {"of_short"}, lambda of: 50), ("in", {"of_books"}, lambda of: 400), ("in", {"translates"}, lambda of: 500),
    ("audio_each", {"each_rps", "call_time"}, lambda of: of.pop("each_rps") * of["call_time"]),
    ("audio", {"rps", "call_time"}, lambda of: of.pop("rps") * of["call_time"]),
    ("team", {"team_each"}, lambda of: of["team_each"] * of.get("sites", 1)), ("is_said", {"is_hobby"}, lambda of: 1),
    ("token_rate", {"each_tokens"}, lambda of: of["each_tokens"] * of.get("team", 1)),
    ("online", {"team", "online_share"}, lambda of: of["team"] * of["online_share"]),
    ("havesold", {"havesold_each", "have"}, lambda of: of["havesold_each"] * of["have"]),
    ("quote", {"all_price", "is_board"}, lambda of: of.pop("all_price")),  # boards come in machines
    ("price", {"all_price", "have"}, lambda of: None),  # it was paid for what is there
    ("price", {"all_price"}, lambda of: f"{of['all_price'] / of.get('gpus', 1):.2f}"),
    ("of_machine", {"quote", "chip"}, lambda of: of.get("gpus", 1) == 1 and of["quote"] > _LEAST_OF_MACHINE and (
        of.update(gpus=machine_size(of["chip"])))),
    ("per_server", {"quote", "gpus"}, lambda of: math.ceil(
        of["gpus"] / math.ceil(of["gpus"] / machine_size(of.get("chip", ""))))),
    ("server", {"quote", "per_server"}, lambda of: f"{of['quote'] / math.ceil(of['gpus'] / of['per_server']):.2f}"),
    ("of_some", {"some_kept", "have"}, lambda of: of["have"]), ("evenly_to", {"grows_to"}, lambda of: of["grows_to"]),
    ("is_by_month", {"bill", "bill_span"}, lambda of: of.update(bill=" ".join([str(round(parse_number(
        of["bill"].split()[0]) * HOURS_PER_MONTH / of["bill_span"], 2)), *of["bill"].split()[1:]]))),
    ("is_gone", {"gone"}, lambda of: True), ("is_spent_by", {"spend_by"}, lambda of: True),
    *(("busy", {"used_of", n}, lambda of, n=n: min(max(of["used_of"] / of[n], 0.01), 1.0)) for n in ("have", "gpus")),
    ("rps", {"two_kinds"}, lambda of: of["two_kinds"][0]), ("clips_rate", {"two_kinds"}, lambda of: of["two_kinds"][1]),
    ("length", {"ends_in"}, lambda of: of["ends_in"]), ("of_artists", {"of_class", "team"}, lambda of: True),
    ("is_over_later", {"ends_in"}, lambda of: of["length"] > of["ends_in"] or of.pop("ends_in")),
    *((name, {asked}, value) for asked in ("power_only", "running_only") for name, value in (
        ("chip_have", lambda of: of.get("chip", USUAL_ACCELERATOR)), ("have", lambda of: of.setdefault("gpus", 1)),
        ("havesold", lambda of: 0.0), ("kept_end", lambda of: 0.0))),
    ("of_each", {"lora_each", "team"}, lambda of: of.update({it: of.get(it, 1e8 if it == "tokens" else 1) * of.pop(
        "team") for it in (next((it for it in ("every", "examples", "texts") if it in of), "tokens"),)})),
    ("kept_running", {"power_only"}, lambda of: 0.0), ("crew", {"power_only"}, lambda of: 0.0),
    *(("let_share", {it}, lambda of: 1.0) for it in ("let_half", "let_part")), ("busy", {"let_half"}, lambda of: 0.5),
    *(("busy", {n}, lambda of, n=n: 1 - min(of[n][0] / max(of[n][1], 1.0), 0.99)) for n in ("let_part", "idle_part")),
    ("upkeep", {"upkeep_month", "quote"}, lambda of: min(round(12 * of["upkeep_month"] / of["quote"], 4), 1.0)),
    ("rent", {"node_rent", "gpus"}, lambda of: round(
        of["node_rent"] / min(machine_size(of.get("chip", "")), of["gpus"]), 3)),
    ("rent", {"machine_rent", "gpus"}, lambda of: round(of["machine_rent"] / of["gpus"], 3)),
    ("rent", {"month_rent", "gpus"}, lambda of: round(of.pop("month_rent") / of["gpus"] / HOURS_PER_MONTH, 3)),
    ("no_lease", {"day"}, lambda of: bool(of.get("price", of.get("server"))) and not {*WORDS["not_alone"]} & of.keys()),
    ("offered", {"rent", "paid_rent", "gpus"}, lambda of: of.pop("paid_rent")),
    ("offered", {"cheaper", "paid_rent", "gpus"}, lambda of: of.pop("paid_rent")),
    ("bill", {"offered"}, lambda of: " ".join([str(round(float(of["offered"].split()[0]) * of["gpus"] * (
        HOURS_PER_MONTH * of.setdefault("busy", 1.0)), 2)), *of["offered"].split()[1:]])),
    ("rent", {"paid_rent"}, lambda of: of.setdefault("busy", 1.0) and of.pop("paid_rent")),
    ("budget_usd", {"capex", "monthly_budget"}, lambda of: of.pop("capex")),
    ("deposit", {"capex", "gpus"}, lambda of: 1.0), ("deposit", {"capex", "model"}, lambda of: 1.0),
    ("deposit", {"server_asked"}, lambda of: 1.0), ("cash", {"deposit", "capex"}, lambda of: of.pop("capex")),
    ("all_at_once", {"capex"}, lambda of: of["capex"]), ("place", {"at_home"}, lambda of: "home"),
    ("desk_chip", {"at_home", "budget", "model"}, lambda of: WORDS["desk_chip"]["at_home"]),
    ("own_only", {"desk_chip", "local"}, lambda of: True), ("reserved", {"rent", "is_term"}, lambda of: of.pop("rent")),
    ("off_list", {"rebate", "provider"}, lambda of: ({"provider": of["provider"], "discount_share": of["rebate"]},)),
    ("credit_budget", {"spent_credits", "provider"}, lambda of: of["spent_credits"]),
    ("of_credits", {"credit_budget"}, lambda of: True), ("budget", {"all_at_once"}, lambda of: of.pop("capex")),
    ("bill", {"item_price", "rps"}, lambda of: f"{of['item_price'] * of['rps'] * 2.628e6:.2f}"),
    ("audio", {"audio_each"}, lambda of: of["audio_each"] * of.get("team", 1)),
    ("minute_price", {"sound_price"}, lambda of: of["sound_price"] / 60),
    ("bill", {"minute_price", "audio"}, lambda of: f"{of['minute_price'] * 60 * of['audio'] * 2.628e6:.2f}"),
    ("bill", {"paid_each", "team"}, lambda of: f"{of['paid_each'] * of['team']:.2f}"),
    ("bill", {"contract"}, lambda of: f"{of['contract'] / (of.get('length', HOURS_PER_YEAR) / HOURS_PER_MONTH):.2f}"),
    ("gpu_hours", {"node_hours"}, lambda of: (
        of["node_hours"][0] * of.get("gpus", machine_size(of.get("chip", ""))), of["node_hours"][1])),
    ("gpu_hours", {"batch"}, lambda of: (of["batch"] * of.get("gpus", 1), None)),
    ("rps", {"texts", "stray"}, lambda of: max(of["texts"] / of["stray"] / SECONDS_PER_HOUR, LEAST_RPS)),
    ("tokens", {"steps", "batch_tokens"}, lambda of: of["steps"] * of["batch_tokens"]),
    ("images", {"steps", "batch_size", "rate", "model"}, lambda of: of["steps"] * of["batch_size"]),
    ("images", {"texts", "train", "rate", "model"}, lambda of: of.pop("texts")),
    ("tokens", {"steps", "batch_size"}, lambda of: of["steps"] * of["batch_size"] * of.get("seq", TOKENS_PER_SEQUENCE)),
    ("tokens", {"operations", "params"}, lambda of: float(f"{of['operations'] / 6 / of['params']:.3g}")),
    ("gpu_hours", {"operations", "rate"}, lambda of: (of["operations"] / of["rate"] / SECONDS_PER_HOUR, None)),
    ("rps", {"text_encoder", "tps"}, lambda of: max(of.pop("tps") / of.get("in", _USUAL.input_tokens), LEAST_RPS)),
    ("rps", {"text_encoder", "token_rate"}, lambda of: max(
        of["token_rate"] / of.get("in", _USUAL.input_tokens), LEAST_RPS)),
    ("rps", {"written_rate"}, lambda of: max(of["written_rate"] / of.get("out", _USUAL.output_tokens), LEAST_RPS)),
    *(("runs", {"bare_rate", it}, lambda of: of.pop("bare_rate") * SECONDS_PER_HOUR * HOURS_PER_MONTH)
        for it in ("tune", "train")),
    ("apart", {"bare_rate", "model"}, lambda of: max(of["bare_rate"], LEAST_RPS)),
    ("rps", {"load"}, lambda of: of["load"][1]), ("peak", {"load"}, lambda of: of["load"][0]),
    ("rps", {"rise"}, lambda of: of["rise"][0]), ("team", {"crowd"}, lambda of: of["crowd"][0]),
    ("rise", {"crowd"}, lambda of: of["crowd"]), ("length", {"rise"}, lambda of: of["rise"][2]),
    ("growth", {"rise"}, lambda of: max(min(of["rise"][1] ** (HOURS_PER_YEAR / of["rise"][2]) - 1, MOST_GROWTH), -0.9)),
    ("rps", {"apart"}, lambda of: of["apart"]), ("streams", {"cameras", "of_vision"}, lambda of: of["cameras"]),
    ("fps", {"streams"}, lambda of: _FRAMES_PER_S), ("rps", {"average", "peak"}, lambda of: of["average"]),
    ("rps", {"fps", "of_vision"}, lambda of: of["fps"] * of.get("streams", 1)),
    ("rps_by_the_hour", {"cameras", "busy"}, lambda of: True), ("out", {"translates"}, lambda of: of["in"]),
    ("pictures", {"rps", "of_volumes"}, lambda of: of.pop("rps") * (
        _WINDOWS_OF_STUDY if "3D" in of.get("model", "3D") else _SLICES_OF_STUDY)),
    ("pictures", {"rps", "of_slides"}, lambda of: of.pop("rps") * _TILES_OF_SLIDE),
    ("each_hours", {"team", "busy", "of_artists"}, lambda of: of["busy"] if "rps" in of else of.pop("busy")),
    ("rps", {"pictures"}, lambda of: of["pictures"]), ("place", {"space_month"}, lambda of: "colocation"),
    ("has_parts", {"parts_asked"}, lambda of: True), ("of_clips", {"speech", "rps"}, lambda of: True),
    ("busy", {"every", "due", "token_rate"}, lambda of: min(of.pop("due") * of["every"] / HOURS_PER_MONTH, 1.0)),
    ("busy_by_the_hour", {"every", "busy", "token_rate"}, lambda of: True),
    ("rps", {"token_rate", "busy_by_the_hour"}, lambda of: of["token_rate"] * (
        of["busy"] if "token_rate_by_the_hour" in of else 1) / (
        of.get("in", _USUAL.input_tokens) + of.get("out", _USUAL.output_tokens))),
    ("space", {"space_month", "all_kw"}, lambda of: round(of["space_month"] / of["all_kw"], 2)),
    ("own", {"owned", "gpus"}, lambda of: max(round(of["gpus"] * of["owned"]), 1)),
    ("growth", {"multiple_in"}, lambda of: of["multiple_in"][0] ** (HOURS_PER_YEAR / max(
        of["multiple_in"][1], of.get("length", Scenario().years * HOURS_PER_YEAR))) - 1),
    ("ends_growth", {"grows_to", "gpus", "growth"}, lambda of: math.ceil(
        MONTHS_PER_YEAR * math.log(of["grows_to"] / of["gpus"]) / math.log1p(of["growth"]))),
    ("growth", {"growth_each"}, lambda of: min(of["growth_each"], MOST_GROWTH)), ("has_clips", {"of_clips"}, bool),
    ("kept_in", {"no_exit"}, lambda of: of.setdefault("stay" if "site" in of else "own_only", True)),
    ("growth", {"evenly_to", "gpus"}, lambda of: min((of["grows_to"] / of["gpus"]) ** (
        HOURS_PER_YEAR / of.get("length", of.get("due", Scenario().years * HOURS_PER_YEAR))) - 1, MOST_GROWTH)),
    ("lasts", {"written_off"}, lambda of: of["written_off"] * HOURS_PER_YEAR),
    ("length", {"lasts"}, lambda of: of.get("due", of["lasts"])), ("begins_now", {"waits"}, lambda of: True),
    ("tax_years", {"written_off", "tax"}, lambda of: (1 / max(round(of["written_off"]), 1),) * max(
        round(of["written_off"]), 1)),
    ("peak", {"times_more", "rps"}, lambda of: of["rps"] * max(of["times_more"], 1.0)),
    ("busy", {"idle_share"}, lambda of: of["idle_share"]), ("length", {"short_use"}, lambda of: of["short_use"]),
    ("audio", {"all_audio"}, lambda of: of["all_audio"] / SECONDS_PER_HOUR / of.get(
        "due", of.get("stray", of.get("length", HOURS_PER_MONTH)))),
    ("audio", {"inflight", "speech"}, lambda of: of.pop("inflight") / SECONDS_PER_HOUR),
    ("audio", {"many_hours", "speech"}, lambda of: of["many_hours"] / SECONDS_PER_HOUR),
    ("gpu_hours", {"many_hours"}, lambda of: (of["many_hours"] * HOURS_PER_MONTH, HOURS_PER_MONTH)),
)  # fmt: skip


def own_model(catalogue: Catalogue, values: dict[str, Any], notes: list[str]) -> tuple[dict[str, Any], ...]:
    """Return the shape of a model of one's own whose size is stated: that of the nearest on record, made as large."""
    if "own_size" not in values or "model" in values:
        return ()
    size, active = values["own_size"] / 1e9, values.get("active_size", values["own_size"]) / 1e9
    known = {
        key: it for key, it in catalogue.models.items()
        if it.modality == "text" and it.attention == "GQA" and it.layers
        and not (it.linear or it.window or it.state_space) and ((it.experts is not None) == (active < size))
    }  # fmt: skip
    key = min(known, key=lambda key: abs(math.log(known[key].params_b / size)) + abs(
        math.log((known[key].active_params_b or known[key].params_b) / active)))  # fmt: skip
    of, name = known[key], f"Own-{size:g}B" + (f"-A{active:g}B" if active < size else "")
    deeper = active / (of.active_params_b or of.params_b)
    shape = of.model_dump(include=set(OwnModel.model_fields), exclude_none=True) | {
        "name": name, "params_b": size, "layers": max(round((of.layers or 1) * deeper), 1)}  # fmt: skip
    if of.experts:
        shape |= {"active_params_b": active, "moe_layers": shape["layers"], "dense_layers": 0, "experts": max(
            round(of.experts * size / of.params_b / deeper), of.experts_per_token or 1)}  # fmt: skip
    values |= {"model": name, "own_weights": True}
    notes.append(f"The shape of your model is that of {of.label}, made as large.")
    return (shape,)


def add_derived(catalogue: Catalogue, values: dict[str, Any], notes: list[str]) -> None:
    """Add what follows from other quantities: totals of what is stated of each, a bill of a contract."""
    add_facts(catalogue, values)
    has_own_count, is_of_each = ({*WORDS[it]} & values.keys() for it in ("without_people", "of_each_person"))
    if "is_firm" in values and has_own_count - ({"gpus"} if "model" in values else set()) and not is_of_each:
        notes.append(f"{values.pop('team'):,.0f} people are the size of the firm, not those who use the GPUs.")
    is_paid_for = "have" in values and values.pop("all_price", None)
    notes += ["What was paid for the GPUs that you have is gone, and counts nothing."] if is_paid_for else []
    _add_runs(values, notes)
    values |= {"busy": values["busy"] * values.pop("season")} if {"busy", "season"} <= values.keys() else {}
    if times := values.get("replicas") or (values.get("sites", values.get("team")) if "of_each" in values else None):
        each = machine_size(values.get("chip", "")) if "server" in values else 1
        values["gpus"] = int(values.get("gpus", each) * times)
        notes.append(f"{times:g} times so many GPUs are {values['gpus']:,}.")
    if {"speech", "team", "busy"} <= values.keys() and not {"audio", "audio_each", "rps"} & values.keys():
        values["audio_each"] = values["busy"] / SECONDS_PER_HOUR  # call agents, eight hours a day
        notes.append(WORDS["said"]["speak"])
    add_fed(values, notes)
    _add_speed(values, notes)
    _add_month(values, notes)
    if "gpus" in values and (part := values.get("bought") or values.get("rented")):  # buy 32 and rent 16
        values |= {"own": part if "bought" in values else values["gpus"], "gpus": values["gpus"] + part}
        notes.append(f"{values['own']:,} of {values['gpus']:,} GPUs are bought; the rest are rented.")
    _add_stated(values, notes)


def _add_runs(values: dict[str, Any], notes: list[str]) -> None:
    """Take so many runs of so many hours each for GPU-hours a month; of GPUs that are not counted, for a deadline."""
    if "gpu_hours" in values and values["gpu_hours"][1] is None:
        every = HOURS_PER_MONTH / values["every"] if "every" in values and "model" not in values else None
        over = "is_over" in values and values.get("length")
        values["gpu_hours"] = values["gpu_hours"][0], values.get("stray") or every or over or None
    if "of_people" in values and {"train", "tune", "method"} & values.keys() and "serve" not in values:
        values["runs"] = values.pop("rps") * SECONDS_PER_HOUR * HOURS_PER_MONTH  # adapters for 40 customers a week
        notes.append(f"A run is taken for each of them: {values['runs']:,.4g} a month.")
    rate = values.pop("rps", values.pop("bare_rate", 0)) if "run_hours" in values and "model" not in values else 0
    runs = values.get("every") or values.get("runs") or rate * SECONDS_PER_HOUR * HOURS_PER_MONTH
    many = values.get("gpus") or values.get("have") or int("chip" in values)
    if runs and values.get("length", math.inf) < min(HOURS_PER_MONTH / runs, _MOST_OF_A_RUN):
        values.setdefault("due" if "model" in values else "run_hours", values.pop("length"))  # nightly for 6 hours
    if hours := values.pop("run_hours", None):
        if not (runs and many) or hours * runs > _MOST_A_MONTH or {*WORDS["amounts"]} & values.keys():  # of an amount
            values.setdefault("due" if runs and "length" not in values else "length", hours)
            return
        values.pop("every", values.pop("runs", None))
        total = hours * many * runs
        values |= {"gpu_hours": (total, HOURS_PER_MONTH), "gpus": max(many, math.ceil(total / HOURS_PER_MONTH))}
        notes.append(f"{runs:,.3g} runs a month of {hours:,.3g} hours on {many:,} GPUs are {total:,.0f} GPU-hours.")


def _add_month(values: dict[str, Any], notes: list[str]) -> None:
    values |= {"serve": True, "tokens": values.pop("tokens_of_texts")} if "tokens_of_texts" in values else {}
    is_of_pictures = is_image_network(values.get("model", "")) and values.get("modality") not in ("image", "video")
    is_trained = {*WORDS["trains"]} & values.keys() or (
        is_of_pictures and not {"serve", "runs", "every"} & values.keys())  # fmt: skip
    is_worked_on = "images" in values and not (is_trained or "frame_hours" in values)
    values |= {"texts": values.pop("images")} if is_worked_on else {}
    timed = {"due", "length", "stray", "date", "train", "tune", "no_speed", "frame_hours"}
    is_served = {"billfor", "serve", "rps"} & values.keys() and not is_trained
    if "tokens" in values and not is_trained and values["tokens"] <= _MOST_OF_ONE:  # of each answer, or of each text
        values.setdefault("out" if is_served and "text_encoder" not in values else "in", values.pop("tokens"))
    elif "tokens" in values and is_served and "rps" not in values:  # of gpt-4o, or my own GPU
        each = HOURS_PER_MONTH / values["every"] if "every" in values else values.get("length", HOURS_PER_MONTH)
        values["token_rate"] = values.pop("tokens") / each / SECONDS_PER_HOUR
        notes += [] if {"length", "every"} & values.keys() else [WORDS["said"]["tokens_a_month"]]
    values |= dict(zip(("texts", "in"), values.get("texts_of", ()), strict=False))
    is_rhythm = "texts" in values and bool({"every", "runs"} & values.keys()) and not is_trained
    values |= {"stray": HOURS_PER_MONTH / values.pop("every", values.pop("runs", None))} if is_rhythm else {}
    is_searched = {"texts", "team"} <= values.keys() and not {"one_time", *timed} & values.keys()  # by 200 lawyers
    values |= {"corpus": values.pop("texts")} if is_searched else {}
    if {"texts", "all_audio"} & values.keys() and not timed & values.keys():
        is_once = bool({"one_time", "all_audio", "text_encoder", "of_books", "translates"} & values.keys())
        values["stray"] = HOURS_PER_MONTH
        values |= {"length": HOURS_PER_MONTH, **({} if "no_spot" in values else {"spot": True})} if is_once else {}
        notes.append(WORDS["said"]["once" if "one_time" in values else "sound_once" if is_once else "each_month"])


def _add_stated(values: dict[str, Any], notes: list[str]) -> None:
    for name, stated, value in _DERIVED:
        if stated <= values.keys() and name not in values:
            values[name] = value(values)
            notes += [WORDS["said"][it].format(values[name]) for it in sorted(stated & WORDS["said"].keys())]
    if {"reserved", "is_renewal"} & values.keys():
        notes += [] if "busy" in values else [WORDS["said"]["paid_idle"]]
        values |= {"busy": 1.0, "length": HOURS_PER_YEAR} | values
    notes += [f"The contract is taken for a bill of {values['bill']} USD a month."] if "contract" in values else []


def _add_speed(values: dict[str, Any], notes: list[str]) -> None:
    """Take tokens a second for what each user sees where users are stated or it stands at a desk, else for all."""
    if {"all_in", "all_out"} & values.keys():
        totals = (values.pop(f"all_{it}", values.pop(it, 0)) for it in ("in", "out"))
        values["token_rates"] = tuple(total / HOURS_PER_MONTH / SECONDS_PER_HOUR for total in totals)
        notes.append("So many tokens are taken for each month.")
    is_rate = "text_encoder" not in values and values.get("tps", 0) > 0
    if is_rate and values["tps"] <= _FASTEST_OF_ONE and {*WORDS["seen_by_one"]} & values.keys():
        values.setdefault("tpot", 1_000 / values.pop("tps"))
        notes.append("The tokens a second are taken for what each user sees; for all write written tokens a second.")
    elif is_rate:
        values.setdefault("written_rate", values.pop("tps"))


def add_date(values: dict[str, Any], notes: list[str]) -> None:
    """Take a date for the time until then, from now or from another; what begins later has the prices of today."""
    is_renewal = "is_renewal" in values and bool({"start", "date"} & values.keys())
    if is_renewal:  # what a contract ends with is no end of the plan
        values.setdefault("start", values.pop("date", None))
        values |= {"is_term": True, "length": values.get("length", values.get("written_off", 1) * HOURS_PER_YEAR)}
    if "weekday" in values and {*WORDS["batches"]} & values.keys():
        values["due"] = HOURS_PER_DAY * ((DAYS.index(values["weekday"]) // 3 - values["day"].weekday() - 1) % 7 + 1)
    quantity = "due" if {*WORDS["batches"]} & values.keys() and not {"every", "runs"} & values.keys() else "length"
    values |= {"start": values.get("start", values.pop("date"))} if (  # needed by then
        "date" in values and quantity == "length" and values["date"]["way"] == "by") else {}  # fmt: skip
    if whole := values.pop("whole", None):
        hours = float(next(hours for part, hours in WORDS["lasting"].items() if whole[part]))
        is_time = hours and not {*WORDS["has_length"]} & values.keys()
        notes += [WORDS["said"]["whole"].format(hours / HOURS_PER_DAY, day_of(whole, values["day"]))] * bool(is_time)
        values |= {quantity: hours} if is_time else {"start": values.get("start", whole)}
    start = day_of(values.pop("start"), values["day"]) if "start" in values else None
    end = day_of(values["date"], start or values["day"]) if "date" in values else None
    notes += [WORDS["said"]["renewed" if is_renewal else "begins"].format(start)] if start else []
    days = (end - (start or values["day"])).days if end is not None else 0
    if days > 0 and values.setdefault(quantity, days * HOURS_PER_DAY) <= days * HOURS_PER_DAY:
        notes.append(f"The date is taken for {end}: {days:,} days from {start or 'now'}.")
        del values["date"]


def add_second_work(data: dict[str, Any], values: dict[str, Any], notes: list[str]) -> bool:
    """Add the GPUs of the peaks, or of some years, as work of their own; return whether there are any."""
    work, usual = {"busy_share": values["busy"]} if "busy" in values else {}, Scenario().years * HOURS_PER_YEAR
    if values.get("peak_gpus", 0) > values.get("gpus", math.inf):
        _add_peaks(data, values, notes)
    elif {"step", "gpus"} <= values.keys():
        base, (later, year) = values["gpus"], values["step"]
        last = int((year - 1) * MONTHS_PER_YEAR)  # month before it
        part = {**work, **({"first_month": last + 1} if later > base else {"last_month": last}), "label": "in part"}
        steady = {**work, "label": "all along", "accelerators": int(min(base, later))}
        data["work"] = (steady, {**part, "accelerators": int(abs(later - base))})
        values["steps"] = True
    elif (last := values.get("ends_growth", math.inf)) < values.get("length", usual) / HOURS_PER_MONTH:
        data["work"] = ({**work, "label": "growing", "accelerators": int(values["gpus"]), "last_month": last},
            {**work, "label": "grown", "accelerators": int(values["grows_to"]), "first_month": last + 1})  # fmt: skip
        values["steps"] = True
    return bool({"peaks", "steps"} & values.keys())


def _add_peaks(data: dict[str, Any], values: dict[str, Any], notes: list[str]) -> None:
    """Add the GPUs of the peaks as work of their own, for the share of the time that a line states or half the load."""
    base, more, busy = values["gpus"], values["peak_gpus"] - values["gpus"], values.get("busy", 1.0)
    weeks = values.pop("length") / HOURS_PER_YEAR if values.get("length", math.inf) < HOURS_PER_YEAR else None
    stated = values.get("season") or weeks or (busy if busy < _LEAST_STEADY else None)
    share = stated or (min(base / more, 1.0) if "even_peak" in values else _SHARE_OF_PEAKS)
    steady = {"label": "steady", "accelerators": base, "busy_share": busy if busy >= _LEAST_STEADY else 1.0}
    data["work"] = (steady, {"label": "peaks", "accelerators": more, "busy_share": max(share, LEAST_BUSY_SHARE)})
    values["peaks"] = True
    assumed = "" if stated or "even_peak" in values else ", an assumption"
    notes.append(WORDS["said"]["of_peaks"].format(more, share, assumed, base, steady["busy_share"]))


def place_of(catalogue: Catalogue, values: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    """Return where a plan is and where what it rents stands: near a place it names; a guessed one binds nothing."""
    place, said = values.get("currency", DOLLAR)[:2], [name for name in WORDS["stays"] if name in values]
    stay = WORDS["stays"][said[0]] if said else "near"
    if "site" not in values and place in catalogue.sites.keys() - {USUAL_SITE}:  # CHF of CH, EUR of the EU
        values["site"], where = place, catalogue.sites[place].label
        notes.append(f"No place is stated: {where} is taken, as the money is {values['currency']}. Write another.")
        stay = "anywhere" if stay == "near" or not (stay or "own_only" in values) else stay
    if "site" not in values and not stay.startswith("eu"):
        return {}
    site = values.get("site", UNION)
    if stay == "near":
        label = f"{'the ' * (site == UNION)}{catalogue.sites[site].label}"
        notes.append(f"What is rented stands near {label}, unless it costs over half more there: "
            f"write only in {label} to bind it there, or anywhere.")  # fmt: skip
    return {"site": site, "stay": "eu" if (stay, site) == ("country", UNION) else stay or None}


def unused(work: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, str]:
    """Return what was understood and is not used, with the reason of each."""
    users = work.keys() | ({*WORDS["uses"]} & values.keys())
    users |= {"image_network"} if is_image_network((work.get("train") or {}).get("model", "")) else set()
    users |= {"no_gpu"} if str(values.get("chip", "CPU")).startswith("CPU") else set()
    return {name: why for name, fields, why in WORDS["unused"] if name in values and not users & set(fields.split())}
