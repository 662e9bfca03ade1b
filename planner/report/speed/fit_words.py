"""Memory and layout as tiles and in words, and the evidence behind a speed."""

from planner.network.record import build_network, user_model_record
from planner.report import words
from planner.report.words import Tile
from planner.scenario.base import GIGA
from planner.scenario.measured import OwnModel
from planner.speed.bands import OTHER_ACCELERATOR, Band
from planner.speed.serving import ServingResult
from planner.speed.training import TrainingResult
from planner.speed.training.result import TrainingSpeed

_ZERO = ("", ", which share optimizer states (ZeRO 1)", ", which share optimizer states and gradients (ZeRO 2)",
         ", which share optimizer states, gradients and weights (ZeRO 3)")  # fmt: skip
# Names of the parts of the memory on the page, in the shell and in the documents.
MEMORY_PARTS = {
    "weights_gb": "weights",
    "gradients_gb": "gradients",
    "states_gb": "optimizer states",
    "activations_gb": "activations",
    "logits_gb": "logits",
    "working_gb": "working space",
    "context_gb": "libraries",
    "fragmentation_gb": "fragmentation",
}
SERVED_PARTS = {
    "weights_gb": "weights",
    "adapters_gb": "adapters",
    "working_gb": "working space",
    "cache_gb": "cache of requests",
}
# Explanations of the parts for people who have not trained or served a model yet.
TRAINED_PARTS_IN_WORDS = (
    ("weights", "the model itself"),
    ("gradients", "the direction in which each weight is to move; none for frozen weights"),
    ("optimizer states", "the optimizer's memory of each weight, with a precise copy of it"),
    ("activations", "results of the forward pass that the backward pass needs again"),
    ("logits", "the scores of all words of the vocabulary, at the end of the model"),
    ("working space", "buffers for computing and sending"),
    ("libraries", "the driver, the kernels and the communication of GPUs"),
    ("fragmentation", "gaps that are too small to be used"),
)
SERVED_PARTS_IN_WORDS = (
    ("weights", "the model itself"),
    ("adapters", "fine-tuned additions to it"),
    ("working space", "buffers of one step, and libraries"),
    ("cache of requests", "keys and values of all tokens in work: more cache, more requests at once"),
)
_WIDE = 1.6  # times from the low to the high end
# What to measure, and the error that one run leaves, with its setup's source left out of the fit (decision 0061).
_TRAINED_ONCE = (
    "Time 20 steps after the first ten, and write model, accelerator, n_accelerators and tokens_per_s_per_accelerator",
    "6%",
)
_SERVED_ONCE = (
    "Keep as many requests at work as planned for five minutes, and write model, accelerator, n_accelerators, engine, "
    "concurrency_or_batch, input_tokens, output_tokens and output_tokens_per_s_total",
    "7%",
)
_TRAITS = {
    "chip": "the generation of the accelerator",
    OTHER_ACCELERATOR: "the accelerator",
    "software": "the software",
    "engine": "the engine",
    "mixture": "the kind of model, dense or a mixture of experts",
    "size": "the number of accelerators",
    "attention": "the kind of attention",
    "bits": "the precision",
    "pipeline": "pipeline stages",
    "context": "the length of sequences",
    "weights": "which weights are trained",
    "width": "the width of the model",
    "load": "one request at a time or many",
    "ranks": "how attention is spread",
    "figure": "what was measured",
}
_TASKS = {
    "text": "writes",
    "text_encoder": "reads and writes nothing",
    "text_encoder_decoder": "reads with one half, writes with the other",
}


def _memory_tile(needs_gb: float, has_gb: float) -> Tile:
    has = f"{words.round_significant(has_gb):g} GB"
    fits = f"of {has}: fits" if needs_gb <= has_gb else f"too much for {has}"
    detail = "The peak memory of the fullest accelerator, and the memory that programs can use of it."
    return Tile("Memory of each", f"{words.round_significant(needs_gb):,g} GB", fits, detail)


def training_tiles(result: TrainingResult) -> tuple[Tile, ...]:
    """Return the memory and, where it fits, the layout."""
    if not result.can_be_spread:
        return ()
    if result.speed is None:
        return (_memory_tile(result.least_memory_gb, result.memory_gb),)
    plan = result.speed.layout.plan
    ranks = {"TP": plan.tp, "PP": plan.pp, **({"CP": plan.cp} if plan.cp > 1 else {}), "DP": plan.dp}
    gpus = f"= {words.count(result.accelerators, 'GPU')}"
    spread = Tile(
        " × ".join(ranks), "×".join(f"{number:.0f}" for number in ranks.values()), gpus, layout_words(result.speed)
    )
    return _memory_tile(float(result.speed.memory.total_gb), result.memory_gb), spread


def layout_words(speed: TrainingSpeed) -> str:
    """Return in a sentence how the model is spread."""
    plan = speed.layout.plan
    experts = f", the experts over {plan.ep:.0f} (EP)" if plan.ep > 1 else ""
    parts = {
        f"each layer over {plan.tp:.0f} GPUs (TP){experts}": plan.tp > 1 or bool(experts),
        f"the layers over {plan.pp:.0f} stages behind each other (PP)": plan.pp > 1,
        f"each sequence over {plan.cp:.0f} GPUs (CP)": plan.cp > 1,
        f"the data over {plan.dp:.0f} copies of the model (DP){_ZERO[int(plan.shard)]}": plan.dp > 1,
    }
    spread = words.listed(text for text, applies in parts.items() if applies)
    return f"How it is spread: {spread}." if spread else "It runs on one GPU, so nothing is spread."


def serving_tiles(result: ServingResult, accelerators: int) -> tuple[Tile, ...]:
    """Return the memory of each accelerator and, where it fits, the copies of the model and their GPUs."""
    memory, each = result.memory, result.accelerators_per_replica
    full = memory.weights_gb + memory.adapters_gb + memory.working_gb + (memory.cache_gb if result.fits else 0.0)
    tile = _memory_tile(full / each, memory.device_gb / each)
    if not result.fits:
        return (tile,)
    copies = accelerators // each
    how = f"{words.count(copies, 'copy', 'copies')} of the model, each over {words.count(each, 'GPU')} (TP {each})."
    return tile, Tile("Copies × GPUs", f"{copies:,}×{each}", f"= {words.count(copies * each, 'GPU')}", how)


def memory_parts_text(parts: tuple[tuple[str, str], ...], shown: tuple[str, ...]) -> str:
    """Return the explanations of the shown parts in one line."""
    return "; ".join(f"{name}: {text}" for name, text in parts if name in shown) + "."


def evidence_text(band: Band) -> str:
    """Return whether similar runs are known, and what that means for a prediction."""
    if band.alike:
        are = "is" if band.alike == 1 else "are"
        elsewhere = ", on other accelerators: the range is wider" if OTHER_ACCELERATOR in band.unlike else ""
        return f"{words.count(band.alike, 'published run')} like it {are} known{elsewhere}."
    if band.unlike:
        return f"No published run like it is known: the nearest differ in {differences(band)}, so the range is wider."
    return "No run of its kind was fitted: the range is an assumption."


def first_token_confidence_text(band: Band) -> str:
    """Return the error of the time to the first token, which depends on unpublished settings."""
    return (
        f"Four of five published times to the first token were {band.low:.2g} to {band.high:.2g} times the prediction: "
        f"{words.count(band.rows, 'run')}, each without its source. The time depends on settings of the engine."
    )


def measuring_text(band: Band, *, training: bool) -> str:
    """Return how one run of one's own narrows a wide range; empty where it is narrow."""
    if band.high / band.low < _WIDE:
        return ""
    measure, left = _TRAINED_ONCE if training else _SERVED_ONCE
    return (
        f"The range is wide: measure one step. {measure} into a row of a table of runs, and upload it under "
        "How far to trust it, or give it as --runs: then predictions of that work are about 5% off where batch, length "
        f"and accelerators are up to twice or half as many, and about {left} on the whole."
    )


def differences(band: Band) -> str:
    """Return in what the nearest runs differ."""
    return words.listed(_TRAITS.get(name, name) for name in band.unlike)


def range_basis_text(band: Band) -> str:
    """Return what the range is made of."""
    if not band.rows:
        return ""
    return f"The range holds four of five of {words.count(band.rows, 'run')} whose source was left out of the fit."


def architecture_text(model: OwnModel) -> str:
    """Return one sentence with the size of a model, its layers and its cache per token."""
    net, size = build_network(user_model_record(model)), f"{model.name}: {_billions(model.params_b)}"
    if net.moe_layers:
        size += f", {_billions(float(net.active_params) / GIGA)} of them at work on a token"
    layers = f"{float(net.layers):,.0f} layers of {float(net.hidden):,.0f}"
    if net.is_hybrid:
        layers += f", {float(net.attention_layers):,.0f} of which attend"
    shared = "" if model.kv_heads in (None, model.heads) else f" on {model.kv_heads:,}"
    cache = f"{float(net.far.kept + net.chosen.kept):,.0f} values kept of each token"
    if net.near.kept:
        cache += f", and {float(net.near.kept):,.0f} of the last {float(net.near.tokens):,.0f}"
    stored = str(model.weights or "16 bits")
    if model.rest_weights:
        stored = f"{model.weights}, all but the experts in {model.rest_weights}"
    return (
        f"{size}; {layers}, {model.heads:,} heads{shared}; {cache}; weights in {stored}; it {_TASKS[model.modality]}."
    )


def _billions(count: float) -> str:
    return f"{count:,.3g} billion parameters" if count < 1_000 else f"{count / 1_000:,.3g} trillion parameters"
