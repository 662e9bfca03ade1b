"""Whether it fits and how it is spread, as tiles and in words: what a speed rests on."""

from planner.network.record import build_network, user_model_record
from planner.report import words
from planner.report.words import Tile
from planner.scenario.base import GIGA
from planner.scenario.measured import OwnModel
from planner.speed.bands import Band
from planner.speed.serving import ServingResult
from planner.speed.training import TrainingResult
from planner.speed.training.result import TrainingLayout, TrainingSpeed

_SHARES = ("", ", which share optimizer states (ZeRO 1)", ", which share optimizer states and gradients (ZeRO 2)",
           ", which share optimizer states, gradients and weights (ZeRO 3)")  # fmt: skip
_FULLEST = "What the fullest accelerator holds at once, and the memory that programs really get of it."
# What the parts of the memory are called, on the page, in the shell and in the documents.
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
# What each part of the memory is, for whoever has not trained or served a model yet.
TRAINED_PARTS_IN_WORDS = (
    ("weights", "the model itself"),
    ("gradients", "in which direction each weight is to move; none of weights that stay as they are"),
    ("optimizer states", "what the optimizer remembers of each weight, with a precise copy of it"),
    ("activations", "what layers computed on the way forward and need again on the way back"),
    ("logits", "the scores of all words of the vocabulary, at the end of the model"),
    ("working space", "room for what is being computed and sent"),
    ("libraries", "the driver, the kernels and what GPUs talk through"),
    ("fragmentation", "gaps that are too small to be used"),
)
SERVED_PARTS_IN_WORDS = (
    ("weights", "the model itself"),
    ("adapters", "fine-tuned additions to it"),
    ("working space", "what one step computes, and libraries"),
    ("cache of requests", "keys and values of all tokens that are being answered: more room, more requests at once"),
)


def memory_tile(needs_gb: float, has_gb: float) -> Tile:
    """What one accelerator holds of what it has; also where that is too much."""
    has = f"{words.round_significant(has_gb):g} GB"
    fits = f"of {has}: fits" if needs_gb <= has_gb else f"too much for {has}"
    return Tile("Memory of each", f"{words.round_significant(needs_gb):,g} GB", fits, _FULLEST)


def training_tiles(found: TrainingResult) -> tuple[Tile, ...]:
    """The memory and, where it fits, the layout."""
    if not found.can_be_spread:
        return ()
    if found.speed is None:
        return (memory_tile(found.least_memory_gb, found.memory_gb),)
    layout = found.speed.layout
    ways = {"TP": layout.tp, "PP": layout.pp, **({"CP": layout.cp} if layout.cp > 1 else {}), "DP": layout.dp}
    gpus = f"= {words.count(found.accelerators, 'GPU')}"
    spread = Tile(" × ".join(ways), "×".join(map(str, ways.values())), gpus, layout_words(found.speed))
    return memory_tile(float(found.speed.memory.total_gb), found.memory_gb), spread


def layout_words(speed: TrainingSpeed) -> str:
    """How the model is spread, in a sentence."""
    layout = speed.layout
    spread = [one for one in (_tensors(layout), _stages(layout), _inputs(layout), _copies(layout)) if one]
    return f"How it is spread: {words.listed(spread)}." if spread else "It runs on one GPU, so nothing is spread."


def _tensors(layout: TrainingLayout) -> str:
    experts = f", the experts over {layout.ep} (EP)" if layout.ep > 1 else ""
    return f"each layer over {layout.tp} GPUs (TP){experts}" if layout.tp > 1 or experts else ""


def _stages(layout: TrainingLayout) -> str:
    return f"the layers over {layout.pp} stages behind each other (PP)" if layout.pp > 1 else ""


def _inputs(layout: TrainingLayout) -> str:
    return f"each sequence over {layout.cp} GPUs (CP)" if layout.cp > 1 else ""


def _copies(layout: TrainingLayout) -> str:
    return f"the data over {layout.dp} copies of the model (DP){_SHARES[layout.zero]}" if layout.dp > 1 else ""


def serving_tiles(found: ServingResult, accelerators: int) -> tuple[Tile, ...]:
    """The memory of each accelerator and, where it fits, over how many one copy and all copies are spread."""
    held, each = found.memory, found.accelerators_per_replica
    full = held.weights_gb + held.adapters_gb + held.working_gb + (held.cache_gb if found.fits else 0.0)
    memory = memory_tile(full / each, held.device_gb / each)
    if not found.fits:
        return (memory,)
    copies = accelerators // each
    how = f"{words.count(copies, 'copy', 'copies')} of the model, each over {words.count(each, 'GPU')} (TP {each})."
    return memory, Tile("Copies × GPUs", f"{copies:,}×{each}", f"= {words.count(copies * each, 'GPU')}", how)


def memory_parts_text(parts: tuple[tuple[str, str], ...], shown: tuple[str, ...]) -> str:
    """What the parts of the bars that are shown are, in one line."""
    return "; ".join(f"{name}: {what}" for name, what in parts if name in shown) + "."


_TRAITS = {
    "chip": "the generation of the accelerator",
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


def evidence_text(band: Band) -> str:
    """Whether the like was ever seen, and how sure that makes a prediction."""
    if band.alike:
        are = "is" if band.alike == 1 else "are"
        return f"{words.count(band.alike, 'published run')} like it {are} known."
    if band.unlike:
        return f"No published run like it is known: the nearest differ in {differences(band)}, so the range is wider."
    return "No run of its kind was fitted: the range is an assumption."


def first_token_confidence_text(band: Band) -> str:
    """How sure the time to the first token is: it hangs on settings that nobody prints."""
    return (
        f"Four of five first tokens that were published took {band.low:.2g} to {band.high:.2g} times as long as is "
        f"predicted without their source ({words.count(band.rows, 'run')}): it hangs on settings of the engine."
    )


def differences(band: Band) -> str:
    """In what the nearest runs differ."""
    return words.listed(_TRAITS.get(name, name) for name in band.unlike)


def held_words(band: Band) -> str:
    """What the range is made of."""
    if not band.rows:
        return ""
    return f"The range holds four of five of {words.count(band.rows, 'run')} whose source was left out of the fit."


_DOES = {
    "text": "writes", "text_encoder": "reads and writes nothing", "text_encoder_decoder": "reads with one half, writes "
    "with the other",
}  # fmt: skip


def architecture_text(own: OwnModel) -> str:
    """One sentence with its size, its layers and what it keeps of a token."""
    net = build_network(user_model_record(own))
    size = f"{own.name}: {_billions(own.params_b)}"
    if net.is_moe:
        size += f", {_billions(float(net.active_params) / GIGA)} of them at work on a token"
    layers = f"{float(net.layers):,.0f} layers of {float(net.hidden):,.0f}"
    if net.is_hybrid:
        layers += f", {float(net.attention_layers):,.0f} of which attend"
    kept = float(net.far.kept + net.chosen.kept)
    heads = f"{own.heads:,} heads" if own.kv_heads in (None, own.heads) else f"{own.heads:,} heads on {own.kv_heads:,}"
    cache = f"{kept:,.0f} values kept of each token"
    if net.near.kept:
        cache += f", and {float(net.near.kept):,.0f} of the last {float(net.near.tokens):,.0f}"
    stored = str(own.weights or "16 bits")
    if own.rest_weights:
        stored = f"{own.weights}, all but the experts in {own.rest_weights}"
    return f"{size}; {layers}, {heads}; {cache}; weights in {stored}; it {_DOES[own.modality]}."


def _billions(count: float) -> str:
    return f"{count:,.3g} billion parameters" if count < 1_000 else f"{count / 1_000:,.3g} trillion parameters"
