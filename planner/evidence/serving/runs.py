"""Published and own runs: one row of a table in, one case to predict out, or the reason why there is none.

What a row does not say is filled in by stated rules: the engine's defaults of that day, the prompts of a named data
set, the fewest accelerators that hold the weights. Nothing here looks at a result.
"""

import math
import re
from dataclasses import dataclass, replace

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
    parse_published_day,
    shape_in_table,
)
from pricing.catalogue import Catalogue

_SINGLE = ("singlestream", "single", "batch1", "bs1", "singleuser", "oneuser")
_LENGTHS, _BATCH = 4.0, 3.0  # as many things left open as one of the lengths, and the batch, weigh
_MOST_FILLED = 0.9  # of the memory there is, with weights
_WRITES = (
    "llm",
    "vlm",
    "text-generation",
    "text generation",
    "generation",
    "chat",
    "completion",
    "decode",
    "llm-decode",
)
_CACHE_BYTES = {"fp8": 1.0, "int8": 1.0, "fp16": 2.0, "bf16": 2.0, "fp32": 4.0}
_USUAL_DRAFT = 3.0  # tokens guessed ahead, where a benchmark's limit asks for it
_LAYER_SPLIT = ("llama.cpp", "exllama", "ollama")
_LAYERS_SPLIT_SINCE = 2024
_HOST_IS_THE_LIMIT = re.compile(r"\b(Pi|CM5|Radxa|HiFive|DC-ROMA|Minisforum)\b")


@dataclass(frozen=True)
class ServingRun:
    """One row, understood."""

    case: ServingCase
    setup: ServingSetup
    model: str
    limit_tpot_s: float = math.inf  # what a service promises at most, where that is what bounds it
    limit_ttft_s: float = math.inf
    arrivals_per_s: float = math.inf  # an open loop: nobody sends more than this
    prompt_replicas: float = 0.0  # accelerators of its own for prompts, in replicas
    guessed: bool = False  # its shape, from its size
    unsaid: float = 0.0  # things left open that published runs mostly say, and that matter
    beams: int = 1  # answers followed at once for each that is counted

    @property
    def kind(self) -> str:
        """What it is judged with: one user's engine, a hybrid, many experts, or plain."""
        if self.setup.engine == "local" or self.case.traffic.batch == 1.0:
            return "single"
        if self.setup.shape.is_hybrid:
            return "hybrid"
        return "experts" if self.setup.shape.experts > 1 else "dense"


def read_run(catalogue: Catalogue, row: Row) -> ServingRun:
    """The case of one row, or `SkippedRunError`."""
    _refuse(row)
    try:
        found, chip = (
            shape_in_table(catalogue, row["model"], stated_sizes(row)),
            find_chip(catalogue, row["accelerator"]),
        )
    except (UnknownShape, MissingAcceleratorDataError) as why:
        raise SkippedRunError(str(why)) from why
    accelerators = number(row, "n_accelerators")
    if accelerators is None:
        raise SkippedRunError("the number of accelerators is not stated")
    family = find_engine(row.get("engine", ""))
    period = find_period(family, parse_published_day(row.get("published", "")))
    if _is_mlperf(row):
        period = period.model_copy(update={"scheduler": "native", "slow_fp8_experts": False})
    precision = _precision(row, found, chip, family, accelerators)
    kv_bytes = _CACHE_BYTES.get(row.get("kv_precision", "").strip().casefold()) or default_kv_bytes(period, precision)
    if _is_mlperf(row) and precision in ("fp8", "fp4", "mxfp4"):
        kv_bytes = 1.0  # submitters tune it
    setup = ServingSetup(
        found.shape, chip, family, period, precision, kv_bytes, _is_gguf(row), _is_compiled(row), found.checkpoint
    )
    layout = _layout(setup, row, accelerators)
    static = batching(row) == "static"
    tuned = _is_mlperf(row) or is_yes(row, "tuned_limits")
    traffic, beams = _traffic(row, found, layout, setup)
    case = make_case(
        setup, layout, engine_limits(period, static=static, tuned=tuned), traffic, static=static and family == "other"
    )
    case = replace(case, limits=replace(case.limits, polled_steps=_polled_steps(row, setup, traffic)))
    return _add_service_limits(
        ServingRun(case=case, setup=setup, model=found.name, guessed=found.guessed, unsaid=_missing_info(row, found)),
        row,
        beams,
    )


def _polled_steps(row: Row, setup: ServingSetup, traffic: ServingTraffic) -> float:
    """Steps from one look for new requests to the next, where the source's own scripts say so; nought elsewhere."""
    for one in serving_data().polls:
        same = setup.engine == one.engine and setup.chip.architecture in one.architectures
        if same and row.get("source_title", "").startswith(one.source):
            return one.every(float(traffic.batch))
    return 0.0


def batching(row: Row) -> str:
    """Return how the batch came about: `static`, `average` (what was measured), `continuous`; empty if not stated."""
    return text(row, "batching").casefold()


def is_single(row: Row) -> bool:
    """Whether one request at a time is measured."""
    return re.sub(r"[-_ ]", "", row.get("mode", "").casefold()) in _SINGLE


def _refuse(row: Row) -> None:
    check_readable(row)
    if row.get("quality") == "C":
        raise SkippedRunError("tier C: ambiguous, inferred or suspect in its source")
    if (row.get("task") or "llm").casefold() not in _WRITES:
        raise SkippedRunError(f"not a run that writes tokens: {row.get('task')}")
    if is_yes(row, "accelerator_inferred"):
        raise SkippedRunError("its source infers which accelerator ran from the name of a queue")
    counted = text(row, "counted").casefold()
    if counted == "prompts":
        raise SkippedRunError("counts prompts only")
    if counted == "pool":
        raise SkippedRunError("one pool of a service that is split in two; the other is not counted")
    if (number(row, "data_parallel") or 1.0) > 1:
        raise SkippedRunError(
            "several replicas behind one counter: rate and latency contradict each other in the source"
        )


def _missing_info(row: Row, found: ResolvedModel) -> float:
    """How many of the things that matter a row leaves open; lengths count most, one request's hardly."""
    lengths = sum(number(row, name) is None for name in ("input_tokens", "output_tokens"))
    known_set = _dataset(row, found.name) is not None
    batch = row.get("mode", "").casefold() != "offline" and number(row, "concurrency_or_batch") is None
    several = not is_single(row)
    other = (not row.get("weight_precision"), not row.get("engine"), not row.get("published"))
    return several * (_LENGTHS * lengths * (not known_set) + _BATCH * batch) + sum(other)


def _precision(row: Row, found: ResolvedModel, chip: ServingAccelerator, family: str, accelerators: float) -> str:
    """The precision of the weights: as the row says, else as they are published, else the widest that fits.

    What ran did fit: where what a row says would not, it is what the rest beside the published experts is in.
    """
    published = found.checkpoint.weights
    if said := row.get("weight_precision", ""):
        called = parse_precision(said)
        if called == "fp4" and published == "mxfp4":
            return "mxfp4"
        ran = found.shape.counted_params * WEIGHT_BYTES[called] <= accelerators * (chip.memory_bytes or math.inf)
        return called if ran or published is None else published
    native = published or ("int4" if family == "local" else "bf16")
    holds = _MOST_FILLED * accelerators * (chip.memory_bytes or math.inf)
    eight = "fp8" if chip.flops_8bit > chip.flops_16bit else "int8"
    return next((one for one in (native, eight) if found.shape.counted_params * WEIGHT_BYTES[one] < holds), "int4")


def _is_mlperf(row: Row) -> bool:
    return "mlperf" in row.get("source_title", "").casefold()


def _is_gguf(row: Row) -> bool:
    return "llama.cpp" in row.get("engine", "").casefold()


def _is_compiled(row: Row) -> bool:
    return any(name in row.get("engine", "").casefold() for name in ("mlc", "exllama"))


def _layout(setup: ServingSetup, row: Row, accelerators: float) -> ServingLayout:
    """Who works together, from what is stated: tensor, expert and pipeline parallelism; the rest are replicas."""
    engine = row.get("engine", "").casefold()
    if any(name in engine for name in _LAYER_SPLIT):  # accelerators take turns: capacity, not speed
        return ServingLayout(group=1.0, stages=accelerators, replicas=1.0, attention_ranks=1.0)
    stages, group = number(row, "pp") or 1.0, _group(setup, row, accelerators)
    if group * stages > accelerators:
        stages = max(1.0, accelerators // group)
    alone = is_yes(row, "attention_dp")
    alone |= bool(setup.shape.latent) and _is_mlperf(row)
    alone |= (
        setup.period.spread_experts
        and bool(setup.shape.experts > 1)
        and row.get("mode") == "offline"
        and not _is_mlperf(row)
    )
    replicas = max(1.0, accelerators / (group * stages))
    prefill, decode = _pools(row)
    if prefill and decode:
        replicas *= decode / (prefill + decode)
    return ServingLayout(
        group=group, stages=stages, replicas=max(replicas, 1.0), attention_ranks=group if alone else 1.0
    )


def _group(setup: ServingSetup, row: Row, accelerators: float) -> float:
    tensor, experts = number(row, "tp"), number(row, "ep")
    if setup.chip.kind in ("asic", "tpu"):
        return accelerators  # their tables count cores, or give the whole machine to one model
    if tensor is None and (experts or 1.0) <= 1.0:
        return smallest_group(setup, accelerators)
    return min(max(tensor or 1.0, experts or 1.0), accelerators)


def _dataset(row: Row, model: str) -> PromptDataset | None:
    title = row.get("source_title", "")
    sets = serving_data().datasets
    if _is_mlperf(row):
        return sets.get(f"mlperf {model}")
    return next((data for name, data in sets.items() if name in title), None)


def _traffic(row: Row, found: ResolvedModel, layout: ServingLayout, setup: ServingSetup) -> tuple[ServingTraffic, int]:
    single = is_single(row)
    data = _dataset(row, found.name)
    plain = serving_data().datasets["unstated single" if single else "unstated"]
    asked = number(row, "input_tokens") or float((data or plain).input_tokens)
    answer = number(row, "output_tokens") or float((data and data.output_tokens) or plain.output_tokens or 1)
    batch = number(row, "concurrency_or_batch") or (1.0 if single else math.nan)
    traffic = ServingTraffic(
        input_tokens=asked,
        output_tokens=answer,
        batch=batch / layout.replicas,
        requests_in_run=_requests_in_run(row, setup, asked, answer) / layout.replicas,
        worked_share=1.0,
        held_by_memory=0.0 if batching(row) in ("static", "average") else 1.0,
        draft_tokens=_draft_tokens(row, data),
        accepted_share=USUAL_ACCEPTED_SHARE,
    )
    return traffic, 1 if data is None else data.beams


def _draft_tokens(row: Row, data: PromptDataset | None) -> float:
    """How many tokens are guessed ahead of each step: as a run says, or as its benchmark allows where it has to."""
    if text(row, "draft_tokens"):
        return number(row, "draft_tokens") or 0.0
    limit = number(row, "tpot_limit_ms")
    tight = data is not None and limit is not None and limit <= data.drafts_up_to_tpot_ms
    return _USUAL_DRAFT if tight else 0.0


def _requests_in_run(row: Row, setup: ServingSetup, asked: float, answer: float) -> float:
    """How long a published offline run was, where its documentation says; endless otherwise."""
    if row.get("mode") != "offline" or number(row, "concurrency_or_batch") is not None or _is_mlperf(row):
        return math.inf
    lengths = serving_data().requests_in_run.get(setup.engine, {})
    return float(lengths.get(f"{asked:.0f}/{answer:.0f}", math.inf))


def _add_service_limits(run: ServingRun, row: Row, beams: int) -> ServingRun:
    """What bounds it besides speed: promises, arrivals, prompts worked on elsewhere."""
    prefill, decode = _pools(row)
    traffic = replace(run.case.traffic, output_tokens=run.case.traffic.output_tokens * beams)
    return replace(
        run,
        case=replace(run.case, traffic=traffic),
        limit_ttft_s=(number(row, "ttft_limit_ms") or math.inf) / 1e3,
        limit_tpot_s=(number(row, "tpot_limit_ms") or math.inf) / 1e3,
        arrivals_per_s=number(row, "arrivals_per_s") or math.inf,
        prompt_replicas=float(run.case.layout.replicas) * prefill / decode if prefill and decode else 0.0,
        beams=beams,  # each costs as much as an answer; only one of them is counted
    )


def host_limits(row: Row) -> bool:
    """Whether a machine of the size of a toy feeds the accelerator."""
    return _HOST_IS_THE_LIMIT.search(row.get("accelerator", "")) is not None


def uses_row_split(run: ServingRun, row: Row) -> bool:
    """Whether it is llama.cpp of before 2024 on several accelerators: neither taking turns nor side by side."""
    several = float(run.case.layout.stages) > 1
    return several and _is_gguf(row) and parse_published_day(row.get("published", "")).year < _LAYERS_SPLIT_SINCE


def _pools(row: Row) -> tuple[float, float]:
    """Return how many instances only prefill and how many only decode; zeros where every one does both."""
    return number(row, "prefill_instances") or 0.0, number(row, "decode_instances") or 0.0
