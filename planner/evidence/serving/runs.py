"""Serving runs: from one row of a table to one case to predict, or the reason why there is none.

Cells that are not stated are filled in by rules: the engine's defaults of that day, the prompts of a named data set,
the fewest accelerators that hold the weights. No result is read.
"""

import math
import re
from dataclasses import dataclass, replace
from datetime import date

from planner.evidence.table import Row, SkippedRunError, check_readable, is_yes, number, stated_sizes, text
from planner.network.kinds import UnknownShape
from planner.scenario.vocabulary import USUAL_ACCEPTED_SHARE
from planner.speed.hardware import MissingAcceleratorDataError
from planner.speed.serving.case_of import ServingSetup, default_kv_bytes, engine_limits, make_case, smallest_group
from planner.speed.serving.cases import ServingCase, ServingLayout, ServingTraffic
from planner.speed.serving.chips import WEIGHT_BYTES, PromptDataset, ServingAccelerator, parse_precision, serving_data
from planner.speed.serving.lookup import (
    ResolvedModel,
    find_chip,
    find_engine,
    find_period,
    find_release,
    parse_published_day,
    shape_in_table,
)
from pricing.catalogue import Catalogue

_SINGLE = ("singlestream", "single", "batch1", "bs1", "singleuser", "oneuser")
_LENGTHS, _BATCH = 4.0, 3.0  # weight of a missing length, and of a missing batch
_MOST_FILLED = 0.9  # of the memory, with weights
_TEXT = ("text-generation", "text generation", "generation", "chat", "completion")
_WRITES = ("llm", "vlm", *_TEXT, "decode", "llm-decode")
_CACHE_BYTES = {"fp8": 1.0, "int8": 1.0, "fp16": 2.0, "bf16": 2.0, "fp32": 4.0}
_USUAL_DRAFT = 3.0  # draft tokens, where a benchmark's limit asks for them
_LAYER_SPLIT = ("llama.cpp", "exllama", "ollama")
_LAYERS_SPLIT_SINCE = 2024
_HOST_IS_THE_LIMIT = re.compile(r"\b(Pi|CM5|Radxa|HiFive|DC-ROMA|Minisforum)\b")


@dataclass(frozen=True)
class ServingRun:
    """One row, understood."""

    case: ServingCase
    setup: ServingSetup
    model: str
    limit_tpot_s: float = math.inf  # the latency targets of a service, where they bound it
    limit_ttft_s: float = math.inf
    arrivals_per_s: float = math.inf  # an open loop: no more requests than this
    guessed: bool = False  # its shape, from its size
    unsaid: float = 0.0  # missing cells that published runs mostly state, and that matter
    beams: int = 1  # answers generated for each that is counted

    @property
    def kind(self) -> str:
        """The group it is judged in: one user's engine, a hybrid, many experts, or plain."""
        if self.setup.engine == "local" or self.case.traffic.batch == 1.0:
            return "single"
        if self.setup.shape.is_hybrid:
            return "hybrid"
        return "experts" if self.setup.shape.experts > 1 else "dense"


def read_run(catalogue: Catalogue, row: Row) -> ServingRun:
    """Return the case of one row, or raise `SkippedRunError`."""
    _refuse(row)
    try:
        model, chip = (
            shape_in_table(catalogue, row["model"], stated_sizes(row)),
            find_chip(catalogue, row["accelerator"]),
        )
    except (UnknownShape, MissingAcceleratorDataError) as error:
        raise SkippedRunError(str(error)) from error
    accelerators, mlperf, engine = number(row, "n_accelerators"), _is_mlperf(row), row.get("engine", "")
    if accelerators is None:
        raise SkippedRunError("the number of accelerators is not stated")
    # A version that names an engine first is the word of who ran it: lists of software often end with others.
    first = find_engine(row.get("engine_version", "").split(",")[0])
    day = software_day(family := find_engine(engine) if first == "other" else first, row)
    period = find_period(family, day)
    if mlperf:
        period = period.model_copy(update={"scheduler": "native"})
    precision = _precision(row, model, chip, family, accelerators)
    kv_bytes = _CACHE_BYTES.get(row.get("kv_precision", "").strip().casefold()) or default_kv_bytes(
        period, precision, chip
    )
    kv_bytes = 1.0 if mlperf and precision in ("fp8", "fp4", "mxfp4") else kv_bytes  # MLPerf submitters tune it
    setup = ServingSetup(
        model.shape, chip, family, period, precision, kv_bytes, _is_gguf(row),
        any(name in engine.casefold() for name in ("mlc", "exllama")), model.checkpoint, day,
    )  # fmt: skip
    layout, static = _layout(setup, row, accelerators), batching(row) == "static"
    traffic, beams = _traffic(row, model, layout, setup)
    tuned = mlperf or is_yes(row, "tuned_limits")
    bounds = engine_limits(period, static=static, tuned=tuned, one_wave=_is_one_wave(row))
    case = make_case(setup, layout, bounds, traffic, static=static and family == "other")
    # Each beam costs as much as an answer; only one of them is counted.
    counted = replace(case.traffic, output_tokens=case.traffic.output_tokens * beams)
    case = replace(case, limits=replace(case.limits, polled_steps=number(row, "polled_steps") or 0.0), traffic=counted)
    return ServingRun(
        case=case, setup=setup, model=model.name, guessed=model.guessed, unsaid=_missing_info(row, model),
        limit_ttft_s=(number(row, "ttft_limit_ms") or math.inf) / 1e3,
        limit_tpot_s=(number(row, "tpot_limit_ms") or math.inf) / 1e3,
        arrivals_per_s=number(row, "arrivals_per_s") or math.inf,
        beams=beams,
    )  # fmt: skip


def software_day(family: str, row: Row) -> date:
    """Return the day of the software: that of the publication, else that of the release."""
    released = find_release(family, row.get("engine_version", ""))
    return released if released and not text(row, "published") else parse_published_day(row.get("published", ""))


def batching(row: Row) -> str:
    """Return how the batch came about: `static`, `average` (what was measured), `continuous`; empty if not stated."""
    return text(row, "batching").casefold()


def is_single(row: Row) -> bool:
    """Return whether one request at a time is measured."""
    return re.sub(r"[-_ ]", "", row.get("mode", "").casefold()) in _SINGLE


def _refuse(row: Row) -> None:
    check_readable(row)
    counted = text(row, "counted").casefold()
    reasons = (
        (row.get("quality") == "C", "tier C: ambiguous, inferred or suspect in its source"),
        ((row.get("task") or "llm").casefold() not in _WRITES, f"not a run that writes tokens: {row.get('task')}"),
        (is_yes(row, "accelerator_inferred"), "its source infers the accelerator from the name of a queue"),
        (counted == "prompts", "counts prompts only"),
        (counted == "pool", "one pool of a service that is split in two; the other is not counted"),
        (
            (number(row, "data_parallel") or 1.0) > 1,
            "several replicas behind one counter: rate and latency contradict each other in the source",
        ),
    )
    for refused, reason in reasons:
        if refused:
            raise SkippedRunError(reason)


def _missing_info(row: Row, model: ResolvedModel) -> float:
    """Return the weight of missing cells; lengths count most, those of a single request hardly."""
    lengths = sum(number(row, name) is None for name in ("input_tokens", "output_tokens"))
    known_set = _dataset(row, model.name) is not None
    batch = row.get("mode", "").casefold() != "offline" and number(row, "concurrency_or_batch") is None
    several = not is_single(row)
    other = (not row.get("weight_precision"), not row.get("engine"), not row.get("published"))
    return several * (_LENGTHS * lengths * (not known_set) + _BATCH * batch) + sum(other)


def _precision(row: Row, model: ResolvedModel, chip: ServingAccelerator, family: str, accelerators: float) -> str:
    """Return the precision of the weights: as stated, else as published, else the widest that fits.

    The run did fit: where the stated one would not, it is that of the layers beside the published experts.
    """
    published, params = model.checkpoint.weights, model.shape.counted_params
    memory = accelerators * (chip.memory_bytes or math.inf)
    if stated := row.get("weight_precision", ""):
        precision = parse_precision(stated)
        if precision == "fp4" and published == "mxfp4":
            return "mxfp4"
        return precision if published is None or params * WEIGHT_BYTES[precision] <= memory else published
    native = published or ("int4" if family == "local" else "bf16")
    eight = "fp8" if chip.flops_8bit > chip.flops_16bit else "int8"
    fitting = (each for each in (native, eight) if params * WEIGHT_BYTES[each] < _MOST_FILLED * memory)
    return next(fitting, "int4")


def _is_mlperf(row: Row) -> bool:
    return "mlperf" in row.get("source_title", "").casefold()


def _is_gguf(row: Row) -> bool:
    return "llama.cpp" in row.get("engine", "").casefold()


def _layout(setup: ServingSetup, row: Row, accelerators: float) -> ServingLayout:
    """Return the stated tensor, expert and pipeline parallelism; the rest are replicas."""
    engine = row.get("engine", "").casefold()
    if any(name in engine for name in _LAYER_SPLIT):  # accelerators take turns: capacity, not speed
        return ServingLayout(group=1.0, stages=accelerators, replicas=1.0, attention_ranks=1.0)
    stages, group = number(row, "pp") or 1.0, _group(setup, row, accelerators)
    if group * stages > accelerators:
        stages = max(1.0, accelerators // group)
    mlperf, shape = _is_mlperf(row), setup.shape
    spread = setup.period.spread_experts and bool(shape.experts > 1) and row.get("mode") == "offline" and not mlperf
    experts = number(row, "ep") or 1.0
    alone = is_yes(row, "attention_dp") or (number(row, "tp") is None and experts > 1)
    alone = alone or (bool(shape.latent) and mlperf) or spread
    replicas = max(1.0, accelerators / (group * stages))
    prefill, decode = _pools(row)
    if prefill and decode:
        replicas *= decode / (prefill + decode)
    ranks = group if alone else 1.0
    whole = ranks if float(shape.experts) > 1 else 1.0
    whole = max(whole, min(experts, group))
    pools = prefill / decode if prefill and decode else 0.0
    return ServingLayout(group, stages, max(replicas, 1.0), ranks, whole, pools)


def _group(setup: ServingSetup, row: Row, accelerators: float) -> float:
    tensor, experts = number(row, "tp"), number(row, "ep")
    if setup.chip.kind in ("asic", "tpu"):
        return accelerators  # their tables count cores, or give the whole machine to one model
    if tensor is None and (experts or 1.0) <= 1.0:
        return smallest_group(setup, accelerators)
    return min(max(tensor or 1.0, experts or 1.0), accelerators)


def _dataset(row: Row, model: str) -> PromptDataset | None:
    title, sets = row.get("source_title", ""), serving_data().datasets
    if _is_mlperf(row):
        return sets.get(f"mlperf {model}")
    return next((data for name, data in sets.items() if name in title), None)


def _traffic(row: Row, model: ResolvedModel, layout: ServingLayout, setup: ServingSetup) -> tuple[ServingTraffic, int]:
    single = is_single(row)
    data = _dataset(row, model.name)
    default = serving_data().datasets["unstated single" if single else "unstated"]
    prompt = number(row, "input_tokens") or float((data or default).input_tokens)
    answer = number(row, "output_tokens") or float((data and data.output_tokens) or default.output_tokens or 1)
    batch = number(row, "concurrency_or_batch") or (1.0 if single else math.nan)
    traffic = ServingTraffic(
        input_tokens=prompt,
        output_tokens=answer,
        batch=batch / layout.replicas,
        requests_in_run=_requests_in_run(row, setup, prompt, answer) / layout.replicas,
        worked_share=1.0,
        held_by_memory=0.0 if batching(row) in ("static", "average") else 1.0,
        draft_tokens=_draft_tokens(row, data),
        accepted_share=USUAL_ACCEPTED_SHARE, all_at_once=float(_is_one_wave(row)),
        arrival_cv=0.0 if text(row, "load_start").casefold() == "steady" else 1.0,
    )  # fmt: skip
    return traffic, 1 if data is None else data.beams


def _draft_tokens(row: Row, data: PromptDataset | None) -> float:
    """Return the draft tokens of each step: as stated, or as its benchmark allows where it has to."""
    if text(row, "draft_tokens"):
        return number(row, "draft_tokens") or 0.0
    limit = number(row, "tpot_limit_ms")
    tight = data is not None and limit is not None and limit <= data.drafts_up_to_tpot_ms
    return _USUAL_DRAFT if tight else 0.0


def _is_one_wave(row: Row) -> bool:
    """Return whether all requests of a run are there at once, and none follows: as stated, or offline in a number."""
    start, stated = text(row, "load_start").casefold(), number(row, "concurrency_or_batch") is not None
    offline = row.get("mode") == "offline" and not batching(row) and not _is_mlperf(row)
    return stated and (start == "all_at_once" or (offline and not start))


def _requests_in_run(row: Row, setup: ServingSetup, prompt: float, answer: float) -> float:
    """Return the length of a published offline run, where its documentation states it; endless otherwise."""
    if _is_one_wave(row):
        return number(row, "concurrency_or_batch") or math.inf
    if row.get("mode") != "offline" or number(row, "concurrency_or_batch") is not None or _is_mlperf(row):
        return math.inf
    lengths = serving_data().requests_in_run.get(setup.engine, {})
    return float(lengths.get(f"{prompt:.0f}/{answer:.0f}", math.inf))


def host_limits(row: Row) -> bool:
    """Return whether a hobby board feeds the accelerator."""
    return _HOST_IS_THE_LIMIT.search(row.get("accelerator", "")) is not None


def uses_row_split(run: ServingRun, row: Row) -> bool:
    """Return whether it is llama.cpp of before 2024 on several accelerators: neither taking turns nor side by side."""
    several = float(run.case.layout.stages) > 1
    return several and _is_gguf(row) and parse_published_day(row.get("published", "")).year < _LAYERS_SPLIT_SINCE


def _pools(row: Row) -> tuple[float, float]:
    """Return how many instances only prefill and how many only decode; zeros where every one does both."""
    return number(row, "prefill_instances") or 0.0, number(row, "decode_instances") or 0.0
