"""Training runs: from one row of a table to a model, a chip and a plan; cells that are not stated are filled in."""

import re
from dataclasses import dataclass, replace
from math import prod

from planner.evidence.plausible import MeasuredFigure, figure_of
from planner.evidence.table import YES, Row, SkippedRunError, check_readable, is_yes, number, stated_sizes, text, year
from planner.network.guess import (
    MIXED,
    NEARLY,
    TYPICAL_HEAD_DIM,
    TYPICAL_VOCABULARY,
    LayerStack,
    active_in_name,
    check_size,
    is_hybrid_name,
    size_in_name,
    stack_network,
    typical_model,
    typical_stack,
)
from planner.network.kinds import UnknownShape
from planner.network.network import ENDLESS, Network
from planner.network.record import build_network
from planner.scenario.base import ONE_MACHINE
from planner.speed.hardware import Hardware, MissingAcceleratorDataError, hardware, hardware_family
from planner.speed.match_model import match_accelerator, match_model
from planner.speed.training.constants import default_calibration, level_name, run_kind
from planner.speed.training.fitting import fits, peak_memory
from planner.speed.training.layout import search_layouts
from planner.speed.training.plan import TrainingPlan
from planner.speed.training.stated import SHARDED_WEIGHTS, Counts, StatedPlan, complete_plan, find_software_stack
from pricing import Catalogue, UnknownNameError
from pricing.caching import by_digest, cached

# A network without a gate is four times as wide as the rest; with one, it is mostly narrower.
GATED_BELOW = 3.9
ENCODER_DECODER = "unknown shape: an encoder-decoder of which the table does not say what each half reads"
VIDEO = "unknown shape: a video model, whose tokens the table does not count"
PROXY = "unknown shape: a cut-down stand-in for another model"
_NOT_COUNTED = {r"\bm?t5\b": ENCODER_DECODER, "video": VIDEO, r"\bwan2": VIDEO, "proxy": PROXY}
# The models that runs "like Llama" resemble, and since when.
LLAMA_3, LLAMA_3_SINCE = ("Llama-3.2-1B", "Llama-3.2-3B", "Llama-3.1-8B", "Llama-3.1-70B"), 2024.75
UNKNOWN_SIZE = "unknown shape: neither the row nor the catalogue says it, nor the size"


def shape_of(catalogue: Catalogue, name: str | None, row: Row) -> tuple[Network, bool]:
    """Return the shape, and whether it was guessed from the size. `name` is the catalogue's model, if there is one."""
    model = text(row, "model")
    for words, reason in _NOT_COUNTED.items():
        if re.search(words, model.lower()):
            raise UnknownShape(reason)
    active_b = number(row, "active_params_b") or active_in_name(model)
    if active_b is None and number(row, "hidden") and (number(row, "vocab") or number(row, "layers")):
        return _stated_shape(row, name, catalogue), False
    if name is not None:
        return build_network(catalogue.models[name]), False
    return _guess_shape(catalogue, row, model, active_b), True


def _guess_shape(catalogue: Catalogue, row: Row, model: str, active_b: float | None) -> Network:
    if is_hybrid_name(model):
        raise UnknownShape(MIXED)
    params_b = number(row, "params_b") or size_in_name(model)
    if params_b is None:
        raise UnknownShape(UNKNOWN_SIZE)
    check_size(params_b, active_b)
    if active_b is not None:
        return build_network(typical_model(model, params_b=params_b, active_params_b=active_b))
    params, vocab = params_b * 1e9, number(row, "vocab")
    return _shape_like_llama(catalogue, row, params) or typical_stack(params=params, vocab=vocab)


def _shape_like_llama(catalogue: Catalogue, row: Row, params: float) -> Network | None:
    """Return a Llama of stated size: the nearest Llama 3, adjusted to that size."""
    if "llama" not in text(row, "model").lower() or (year(text(row, "published")) or 0) < LLAMA_3_SINCE:
        return None
    shapes = [build_network(catalogue.models[key]) for key in LLAMA_3]
    nearest = min(shapes, key=lambda shape: abs(float(shape.params) / params - 1))
    more = params - float(nearest.params)
    if abs(more) > NEARLY * params or more < -float(nearest.attention_params):
        return None
    # The difference are heads of keys and values that the smaller ones share.
    return replace(nearest, params=params, attention_params=nearest.attention_params + more)


def _stated_shape(row: Row, name: str | None, catalogue: Catalogue) -> Network:
    record = build_network(catalogue.models[name]) if name is not None else None
    hidden, vocab = number(row, "hidden") or 0.0, number(row, "vocab") or TYPICAL_VOCABULARY
    same = record if record is not None and record.hidden == hidden else None
    heads = number(row, "heads") or (float(same.heads) if same else default_heads(hidden))
    ffn = number(row, "ffn_hidden") or (float(same.ffn) if same else 4 * hidden)
    if stated := text(row, "gated_mlp"):
        gated = stated.casefold() in YES
    else:
        gated = bool(same.mlp_matrices > 2) if same is not None else ffn / hidden < GATED_BELOW
    kv_heads = number(row, "kv_heads") or (float(same.kv_heads) if same and same.heads == heads else heads)
    layers = number(row, "layers") or (float(same.layers) if same else None)
    params = (number(row, "params_b") or 0.0) * 1e9
    tied = _has_tied_embeddings(row, name, catalogue, params, layers)
    if layers is None:
        layer = LayerStack(layers=1, hidden=hidden, heads=heads, ffn=ffn, vocab=0, kv_heads=kv_heads, gated=gated)
        layers = max(1.0, round((params - vocab * hidden) / float(stack_network(layer).linear_params)))
    window_share = 0.0  # of attention
    if record is not None:
        window_share = float(record.near.score_flops) / max(float(record.score_flops), 1.0)
    return stack_network(LayerStack(
        layers=layers, hidden=hidden, heads=heads, ffn=ffn, vocab=vocab, kv_heads=kv_heads, gated=gated, tied=tied,
        causal="bert" not in text(row, "model").lower(),
        head_dim=float(record.qk_dim) if record and record.heads == heads and record.hidden == hidden else None,
        window=float(record.near.tokens) if record else ENDLESS, window_share=window_share,
    ))  # fmt: skip


def default_heads(hidden: float) -> float:
    """Return the number of heads nearest to 128 wide ones that divides the width."""
    target = max(1.0, hidden / TYPICAL_HEAD_DIM)
    divisors = (float(n) for n in range(1, int(2 * target) + 2) if hidden % n == 0)
    return min(divisors, key=lambda n: abs(n - target), default=1.0)


def _has_tied_embeddings(row: Row, name: str | None, catalogue: Catalogue, params: float, layers: float | None) -> bool:
    """Return whether input and output share one table: as in the catalogue, else by the better match of the size."""
    if name is not None and catalogue.models[name].tied_embeddings is not None:
        return bool(catalogue.models[name].tied_embeddings)
    hidden, vocab = number(row, "hidden") or 0.0, number(row, "vocab") or 0.0
    if not params or layers is None:
        return False
    matrices = 3.0 if text(row, "gated_mlp") == "1" else 2.0
    body = layers * (4 * hidden**2 + matrices * hidden * (number(row, "ffn_hidden") or 4 * hidden))
    return abs(body + vocab * hidden - params) < abs(body + 2 * vocab * hidden - params)


# Before, layers were recomputed whole where memory was short; since, only norms and gates are, which is nearly free.
# On one machine people took smaller models instead.
WHOLE_LAYERS_UNTIL = 2024.4
TIER_C = "tier C: the source contradicts itself or says too little"
INTERLEAVED_SINCE = 2021.25
ACCELERATORS_OF_A_NODE = 8.0
SELECTIVE_PYTORCH = 0.5
NO_COUNT = "the number of accelerators is not stated"
_SHARDS = {
    "hsdp": 3.0, "zero3": 3.0, "stage3": 3.0, "fullshard": 3.0, "fsdp": 3.0, "zero2": 2.0, "zero1": 1.0,
    "distributedoptimizer": 1.0, "none": 0.0, "ddp": 0.0, "zero0": 0.0,
}  # fmt: skip
_BITS = {
    "fp4": 4.0, "fp8": 8.0, "float8": 8.0, "int8": 8.0, "16": 16.0, "half": 16.0, "amp": 16.0, "mixed": 16.0,
    "32": 32.0,
}  # fmt: skip
_WHOLE, _NO = ("full", "true", "yes", "on", "1", "block", "uniform"), ("none", "false", "no", "off", "0")
_ADAPTERS = {"qlora": 0.56, "lora": 2.0, "adapter": 2.0}
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
# Pipelines that micro-batches enter at both ends; DeepSeek's own stack has one.
_TWO_WAY = re.compile(r"dual-?pipe|hai-?llm")
# Elementwise work that a compiler, or a library of kernels, fused.
_FUSED = re.compile(r"liger|(?<!no )compile")
# Stacks of plain PyTorch: sharding, compilation and attention from the framework, not from a maker's kernel library.
_TORCH = re.compile(
    r"composer|fsdp|titan|torchtune|nanotron|picotron|internevo|colossal|(?<!megatron-)deepspeed|flash-attn|litgpt"
    r"|^pytorch \(",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TrainingRun:
    """A row ready to be predicted."""

    id: str
    source: str
    shape: Network
    chip: Hardware
    chip_key: str
    family: str
    plan: TrainingPlan
    layout_stated: bool
    shape_guessed: bool
    model: str | None  # the catalogue's, if it is one of its
    free_recompute: float
    free_shard: float
    counts: Counts = "device"
    unsaid: float = 0.0  # missing cells that published runs mostly state, and that matter
    observed: float | None = None  # tokens for each accelerator and second; None where nothing can be compared
    level: str = ""  # by what its level is known
    figure: MeasuredFigure | None = None  # its cell, against the limit of the chip

    @property
    def kind(self) -> str:
        """The group it is judged in."""
        return run_kind(moe=bool(self.shape.moe_layers), layout_stated=self.layout_stated)


def read_run(catalogue: Catalogue, row: Row) -> TrainingRun:
    """Return the run of a row, or raise `SkippedRunError` with the reason."""
    check_readable(row)
    if text(row, "quality_tier") == "C":
        raise SkippedRunError(TIER_C)
    try:
        key = match_accelerator(catalogue, text(row, "accelerator"))
        chip = _chip(catalogue, key, network_gb_s(row))
        model = match_model(catalogue, text(row, "model"), sizes=stated_sizes(row))
        shape, guessed = shape_of(catalogue, model, row)
    except UnknownNameError as error:
        raise SkippedRunError(f"unknown accelerator: {error}") from error
    except (MissingAcceleratorDataError, UnknownShape) as error:
        raise SkippedRunError(str(error)) from error
    stated = stated_plan(row)
    if stated.accelerators is None:
        raise SkippedRunError(NO_COUNT)
    of_its_size = model is not None and abs(catalogue.models[model].params_b * 1e9 / float(shape.params) - 1) <= NEARLY
    plan = chosen(shape, chip, complete_plan(shape, chip, stated), stated)
    called = f"{float(shape.layers):.0f} layers of {float(shape.hidden):.0f}"
    called = catalogue.models[model].label if model is not None and of_its_size else called
    run = TrainingRun(
        id=text(row, "id"), source=text(row, "source_key"), shape=shape, chip=chip, chip_key=key,
        family=hardware_family(catalogue.accelerators[key]), plan=plan,
        layout_stated=stated.tp is not None and stated.pp is not None, shape_guessed=guessed,
        model=model if of_its_size else None, free_recompute=float(stated.recompute is None),
        free_shard=float(stated.shard is None), counts=stated.stack.counts, unsaid=_missing_info(row, stated),
        observed=observed_tokens_per_s(row, shape), level=level_name(called, key, plan),
    )  # fmt: skip
    figure = figure_of(row, shape, chip, run.plan, key, run.observed) if run.observed else None
    return replace(run, figure=figure)


@cached(4_096, equal=by_digest)
def _chip(catalogue: Catalogue, key: str, nic_gb_s: float | None) -> Hardware:
    return hardware(key, catalogue.accelerators[key], nic_gb_s=nic_gb_s)


def stated_plan(row: Row) -> StatedPlan:
    task, stack = text(row, "task").casefold(), text(row, "framework").lower()
    recompute = text(row, "activation_recompute").casefold()
    weight_bytes = _first_match(_ADAPTERS, task)
    plain_pytorch = bool(_TORCH.search(text(row, "framework")))
    return StatedPlan(
        seq_len=number(row, "seq_len"), accelerators=number(row, "n_accelerators") or _ranks(row), tp=number(row, "tp"),
        pp=number(row, "pp"), vpp=number(row, "vpp"), cp=number(row, "cp"), ep=number(row, "ep"),
        dp=number(row, "dp"), micro_batch=number(row, "micro_batch"),
        global_batch=number(row, "global_batch_sequences"),
        recompute=_recompute(recompute, plain_pytorch=plain_pytorch), bits=_first_match(_BITS, text(row, "precision")),
        shard=_shard(row), adapter=weight_bytes is not None, weight_bytes=weight_bytes or 2.0,
        offload=float("optimizer-cpu" in text(row, "offload")), year=software_year(row),
        fused=is_yes(row, "fused_attention") if text(row, "fused_attention") else True if "flash" in stack else None,
        dropless=not is_yes(row, "drops_tokens"), eager=plain_pytorch,
        compiled=True if _FUSED.search(stack) else None,
        interleaves=_interleaves(row), selective=recompute == "selective" and not plain_pytorch,
        fused_loss="liger" in stack, hybrid="hsdp" in text(row, "sharding").casefold(),
        two_way=bool(_TWO_WAY.search(stack)),
        stack=find_software_stack(text(row, "framework"), text(row, "precision")),
    )  # fmt: skip


def _missing_info(row: Row, stated: StatedPlan) -> float:
    """Return how many cells that matter are missing: bits, the batch, recomputation, and the year."""
    recompute_missing = stated.recompute is None and not stated.adapter
    year_known = bool(text(row, "published") or software_year(row))
    return float(sum((stated.bits is None, stated.global_batch is None, recompute_missing, not year_known)))


def _ranks(row: Row) -> float | None:
    """Return the accelerators of a whole layout, where their number is not stated."""
    if number(row, "dp") is None or number(row, "tp") is None:
        return None
    return prod(number(row, name) or 1.0 for name in ("tp", "pp", "cp", "dp"))


def _recompute(cell: str, *, plain_pytorch: bool) -> float | None:
    """Return the share of a forward pass done again. Selective: none, or every second product in plain PyTorch."""
    if cell == "selective":
        return SELECTIVE_PYTORCH if plain_pytorch else 0.0
    return 1.0 if cell in _WHOLE else 0.0 if cell in _NO else None


def _first_match(values: dict[str, float], cell: str) -> float | None:
    return next((value for name, value in values.items() if name in cell.casefold()), None)


def network_gb_s(row: Row) -> float | None:
    """Return the network of an accelerator in GB/s, where the row states that of its node of eight."""
    gigabits = number(row, "node_network_gbps")
    return None if gigabits is None else gigabits / 8 / ACCELERATORS_OF_A_NODE


def _interleaves(row: Row) -> bool:
    """Return whether the engine interleaves pipeline stages, which DeepSpeed's and plain PyTorch's do not."""
    engine, when = text(row, "framework"), software_year(row) or 0.0
    return when >= INTERLEAVED_SINCE and "deepspeed" not in engine.lower() and not _TORCH.search(engine)


def _shard(row: Row) -> float | None:
    stated = _first_match(_SHARDS, re.sub(r"[-_ ]", "", text(row, "sharding")))
    return 3.0 if stated is None and "fsdp" in text(row, "framework").lower() else stated


def software_year(row: Row) -> float | None:
    """Return the year of the software: as in the framework's name, else that of the publication."""
    match = re.search(r"\b([A-Z][a-z]{2}) (20\d\d)\b", text(row, "framework"))
    if match is not None and match.group(1).lower() in _MONTHS:
        return int(match.group(2)) + (_MONTHS[match.group(1).lower()] - 0.5) / 12
    return year(text(row, "published"))


def chosen(shape: Network, chip: Hardware, plan: TrainingPlan, stated: StatedPlan) -> TrainingPlan:
    """Return the plan with the layout of a mixture and the recompute that are not stated.

    A pod's torus is no switch: what the search would take for free there, compilers do not, so it is for GPUs.
    """
    if chip.is_gpu and float(shape.moe_layers) > 0 and (stated.tp is None or stated.pp is None):
        # The fastest legal layout that fits and agrees with what is stated.
        recompute = None if stated.recompute is None else float(stated.recompute >= 1)
        wish = replace(stated, recompute=recompute)
        layouts = search_layouts(shape, chip, plan, default_calibration().constants, wish=wish).found
        plan = layouts[0].plan if layouts else plan
    old = plan.accelerators > ONE_MACHINE and plan.year < WHOLE_LAYERS_UNTIL
    # Plain stacks recompute whole layers, which adapters on sharded weights are trained with.
    tight = old or (stated.adapter and (stated.shard or 0.0) >= SHARDED_WEIGHTS)
    if stated.recompute is None and tight and not fits(peak_memory(shape, plan), chip):
        plan = replace(plan, recompute=1.0, selective=0.0)
    return plan


# Attention counted in full is 12 x layers x width of all heads x length for each token, causal half of it. With full
# recompute the linear layers do 8 instead of 6 operations for each parameter, attention a third more, the head no more.
_UNUSABLE = ("not stated", "none", "percent of peak")


def observed_tokens_per_s(row: Row, shape: Network) -> float | None:
    """Return tokens per accelerator and second; None if nothing can be compared."""
    printed = number(row, "tokens_per_s_per_accelerator")
    if printed is not None:
        return printed
    seq_len, counted = number(row, "seq_len"), text(row, "attention_flops_counted").lower()
    step_s, batch, count = (number(row, name) for name in ("step_time_s", "global_batch_sequences", "n_accelerators"))
    if seq_len and step_s and batch and count:
        return batch * seq_len / count / step_s
    if seq_len is None or ("full" not in counted and any(word in counted for word in _UNUSABLE)):
        return None
    hardware_tflops = number(row, "hw_tflops_per_accelerator")
    if hardware_tflops and "hardware" in counted:
        return hardware_tflops * 1e12 / _flops_per_token(shape, seq_len, again=1.0, causal=False)
    tflops, mfu, peak = (number(row, name) for name in ("model_tflops_per_accelerator", "mfu_pct", "peak_tflops_used"))
    tflops = tflops or (mfu / 100 * peak if mfu and peak else None)
    if tflops is None:
        return None
    causal = "causal" in counted or "recipe" in counted
    return tflops * 1e12 / _flops_per_token(shape, seq_len, again=0.0, causal=causal)


def _flops_per_token(shape: Network, seq_len: float, *, again: float, causal: bool) -> float:
    width = float(shape.heads * (shape.qk_dim + shape.v_dim) / 2 * shape.attention_layers)
    attention = 12 * width * seq_len * (0.5 if causal else 1.0)
    linear = float(shape.linear_params + shape.routed_active_params)
    return (6 + 2 * again) * linear + 6 * float(shape.vocab * shape.hidden) + attention * (1 + again / 3)
