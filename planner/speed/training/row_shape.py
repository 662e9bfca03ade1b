"""The model a table's row is about: from the row itself, the catalogue, or what such a size usually looks like."""

from __future__ import annotations

import re
from dataclasses import replace

from planner.speed.cells import Row, number, text, year
from planner.speed.refused import UnknownShape
from planner.speed.shape import TYPICAL_HEAD_DIM, Dense, Shape, dense_shape, model_shape, typical_shape
from pricing import Catalogue, UnknownName, names

ENCODER_DECODER = "unknown shape: an encoder-decoder of which the table does not say what each half reads"
UNKNOWN_EXPERTS = "unknown shape: a mixture whose experts neither the row nor the catalogue describes"
VIDEO = "unknown shape: a video model, whose tokens the table does not count"
PROXY = "unknown shape: a cut-down stand-in for another model"
# What runs "like Llama" are like, since it has been there; and how near in size one must be to be taken for it.
LLAMA_3, LLAMA_3_SINCE, NEARLY = ("Llama-3.2-1B", "Llama-3.2-3B", "Llama-3.1-8B", "Llama-3.1-70B"), 2024.75, 0.15
UNKNOWN_SIZE = "unknown shape: neither the row nor the catalogue says it, nor the size"


def shape_of(catalogue: Catalogue, name: str | None, row: Row) -> tuple[Shape, bool]:
    """The shape, and whether it was guessed from the size. `name` is the catalogue's model, if there is one."""
    if re.search(r"\bm?t5\b", text(row, "model").lower()):
        raise UnknownShape(ENCODER_DECODER)
    if "video" in text(row, "model").lower():
        raise UnknownShape(VIDEO)
    if "proxy" in text(row, "model").lower():
        raise UnknownShape(PROXY)
    mixture = number(row, "active_params_b") is not None
    if not mixture and number(row, "hidden") and number(row, "vocab"):
        return _stated_shape(row, name, catalogue), False
    if name is not None:
        return model_shape(catalogue.models[name]), False
    if mixture:
        raise UnknownShape(UNKNOWN_EXPERTS)
    params_b = number(row, "params_b") or _size_in_name(text(row, "model"))
    if params_b is None:
        raise UnknownShape(UNKNOWN_SIZE)
    params, vocab = params_b * 1e9, number(row, "vocab")
    return _like_llama(catalogue, row, params) or typical_shape(params=params, vocab=vocab), True


def _like_llama(catalogue: Catalogue, row: Row, params: float) -> Shape | None:
    """Something like a Llama of which only the size is said: the nearest Llama 3, filled up to that size."""
    if "llama" not in text(row, "model").lower() or (year(text(row, "published")) or 0) < LLAMA_3_SINCE:
        return None
    known = [model_shape(catalogue.models[key]) for key in LLAMA_3]
    nearest = min(known, key=lambda shape: abs(float(shape.params) / params - 1))
    more = params - float(nearest.params)
    if abs(more) > NEARLY * params or more < -float(nearest.attention_params):
        return None
    # What is missing are heads of keys and values that the smaller ones share.
    return replace(nearest, params=params, attention_params=nearest.attention_params + more)


def _stated_shape(row: Row, name: str | None, catalogue: Catalogue) -> Shape:
    hidden, vocab = number(row, "hidden") or 0.0, number(row, "vocab") or 0.0
    heads = number(row, "heads") or usual_heads(hidden)
    gated = text(row, "gated_mlp") == "1"
    ffn = number(row, "ffn_hidden") or 4 * hidden
    kv_heads = number(row, "kv_heads") or heads
    layers = number(row, "layers")
    params = (number(row, "params_b") or 0.0) * 1e9
    tied = _tied(row, name, catalogue, params, layers)
    if layers is None:
        one = dense_shape(Dense(layers=1, hidden=hidden, heads=heads, ffn=ffn, vocab=0, kv_heads=kv_heads, gated=gated))
        layers = max(1.0, round((params - vocab * hidden) / float(one.linear_params)))
    known = model_shape(catalogue.models[name]) if name is not None else None
    return dense_shape(Dense(
        layers=layers, hidden=hidden, heads=heads, ffn=ffn, vocab=vocab, kv_heads=kv_heads, gated=gated, tied=tied,
        causal="bert" not in text(row, "model").lower(),
        head_dim=float(known.qk_dim) if known and known.heads == heads and known.hidden == hidden else None,
        window=float(known.window) if known else 0.0, window_share=float(known.window_share) if known else 0.0,
    ))  # fmt: skip


def usual_heads(hidden: float) -> float:
    """The number of heads nearest to 128 wide ones into which the width divides."""
    wanted = max(1.0, hidden / TYPICAL_HEAD_DIM)
    return min(
        (float(n) for n in range(1, int(2 * wanted) + 2) if hidden % n == 0), key=lambda n: abs(n - wanted), default=1.0
    )


def _tied(row: Row, name: str | None, catalogue: Catalogue, params: float, layers: float | None) -> bool:
    """Whether input and output share one table: as the catalogue says, else as the stated size is better met."""
    if name is not None and catalogue.models[name].tied_embeddings is not None:
        return bool(catalogue.models[name].tied_embeddings)
    hidden, vocab = number(row, "hidden") or 0.0, number(row, "vocab") or 0.0
    if not params or layers is None:
        return False
    matrices = 3.0 if text(row, "gated_mlp") == "1" else 2.0
    body = layers * (4 * hidden**2 + matrices * hidden * (number(row, "ffn_hidden") or 4 * hidden))
    return abs(body + vocab * hidden - params) < abs(body + 2 * vocab * hidden - params)


def model_name(catalogue: Catalogue, said: str) -> str | None:
    """The catalogue's model of that name, trying it without what tables add to names: sizes, tasks, releases."""
    plain = re.sub(r"\s*\(.*?\)", "", said.replace("_", " ")).strip()
    words = plain.split()
    tries = [plain, plain.replace(" ", "-")]
    for count in range(len(words) - 1, 0, -1):
        tries += [" ".join(words[:count]), "-".join(words[:count])]
    for attempt in tries:
        if not re.search(r"\d|bert", attempt, re.IGNORECASE):
            continue
        try:
            return names.model(catalogue, attempt)
        except UnknownName:
            continue
    return None


def _size_in_name(name: str) -> float | None:
    found = re.search(r"(\d+(?:\.\d+)?)\s*([bBmMT])\b", name)
    if found is None:
        return None
    return float(found.group(1)) * {"b": 1.0, "m": 1e-3, "t": 1e3}[found.group(2).lower()]
