"""From a configuration of the usual kind (`config.json` beside published weights) to a shape. Read, never run.

Makers call the same number by different names; what a file leaves out is what its kind of model has. What cannot be
read is refused with the key, what was wanted and what was found.
"""

import json
from collections.abc import Mapping
from typing import Any

import pydantic

from planner.network.config_layers import (
    BITS,
    BOTH_WAYS,
    FORMATS,
    LEARNED,
    NESTED,
    TIED,
    UNGATED,
    ConfigKeys,
    attention_fields,
    expert_fields,
    layer_fields,
)
from planner.network.kinds import UnknownShape
from planner.network.record import build_network, parameter_count_b, user_model_record
from planner.scenario.measured import OwnModel
from pricing import PricingError
from pricing.strict_yaml import first_error_message

MOST_CHARACTERS, MOST_DEEP = 1_000_000, 24
_LONGEST_NAME = 80


def own_model(text: str, *, name: str = "", file: str = "config.json") -> OwnModel:
    """The model that a configuration describes, or `PricingError`. Without a `name`, as it calls itself."""
    whole = _parse_object(text, file)
    inner = _text_part(_text_part(whole))
    outer = {key: value for key, value in whole.items() if not isinstance(value, dict) or key == _QUANTISED}
    keys = ConfigKeys({**outer, **inner}, file)
    fields = {**_plain(keys), **layer_fields(keys), **attention_fields(keys), **expert_fields(keys), **_format(keys)}
    fields = {field: value for field, value in fields.items() if value is not None}
    called = (name or _model_name(whole) or file.removesuffix(".json"))[:_LONGEST_NAME]
    return _counted({**fields, "name": called}, file)


_QUANTISED = "quantization_config"


def _text_part(whole: dict[str, Any]) -> dict[str, Any]:
    return next((whole[key] for key in NESTED if isinstance(whole.get(key), dict)), whole)


def _parse_object(text: str, file: str) -> dict[str, Any]:
    if len(text) > MOST_CHARACTERS:
        raise PricingError(f"{file}: want at most {MOST_CHARACTERS:,} characters, as any config.json has, got more.")
    try:
        data = json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        raise PricingError(f"{file}: not JSON that can be read: {error}.") from error
    if not isinstance(data, dict):
        raise PricingError(f"{file}: want an object of keys and values, as config.json is, got {type(data).__name__}.")
    if _depth(data) > MOST_DEEP:
        raise PricingError(f"{file}: want at most {MOST_DEEP} levels of brackets.")
    return data


def _reject_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _depth(value: Any) -> int:
    """Levels of brackets, no deeper than need be known."""
    level, deep = [value], 0
    while level and deep <= MOST_DEEP:
        inside = [
            list(value.values()) if isinstance(value, dict) else value
            for value in level
            if isinstance(value, dict | list)
        ]
        level, deep = [value for part in inside for value in part], deep + 1
    return deep


def _model_name(whole: Mapping[str, Any]) -> str:
    """Return what the file calls the model: without its maker, and without a path."""
    name = whole.get("_name_or_path") or whole.get("model_type") or ""
    return str(name).rstrip("/").rpartition("/")[2] if isinstance(name, str) else ""


def _plain(keys: ConfigKeys) -> dict[str, Any]:
    """Widths, words and what its kind has."""
    kind, hidden = keys.kind, keys.whole("hidden")
    both = keys.flag("is_encoder_decoder")
    gated = keys.flag("is_gated_act") if keys.has("is_gated_act") else kind not in UNGATED
    act = keys.word("feed_forward_proj")
    if act:  # T5 says it in the word for its activation
        gated = act.partition("-")[0] == "gated"
    modality = "text_encoder_decoder" if both else "text_encoder" if kind in BOTH_WAYS else "text"
    heads = keys.whole("heads")
    width = keys.maybe("head_dim") or (None if hidden % heads else hidden // heads)
    return {
        "modality": modality, "hidden": hidden, "heads": heads, "vocab": keys.whole("vocab"), "gated": gated,
        "head_dim": width, "ffn_hidden": keys.maybe("ffn_hidden") or 4 * hidden, "context": keys.maybe("context"),
        "positions": "learned" if kind in LEARNED and keys.maybe("context") else None,
        "tied_embeddings": keys.flag("tie_word_embeddings") if keys.has("tie_word_embeddings") else kind in TIED,
        "prediction_layers": keys.maybe("prediction_layers"),
    }  # fmt: skip


def _format(keys: ConfigKeys) -> dict[str, Any]:
    quantization = keys.values.get(_QUANTISED)
    if not isinstance(quantization, dict):
        return {}
    groups = quantization.get("config_groups")
    first = next(iter(groups.values()), None) if isinstance(groups, dict) else None
    weights = first.get("weights") if isinstance(first, dict) else None
    inner = weights if isinstance(weights, dict) else {}
    named = (quantization.get("quant_method"), quantization.get("quant_algo"), quantization.get("fmt"))
    bits, group = (
        inner.get("num_bits", quantization.get("bits")),
        inner.get("group_size", quantization.get("group_size")),
    )
    floats = inner.get("type") == "float" and {8: "fp8", 4: "fp4"}.get(bits if isinstance(bits, int) else 0)
    by_bits = BITS.get(bits) if isinstance(bits, int) else None
    weight = floats or next((FORMATS[name] for name in named if isinstance(name, str) and name in FORMATS), by_bits)
    left = quantization.get("ignore") or quantization.get("modules_to_not_convert") or ()
    wide = isinstance(left, list) and any(
        "attn" in str(name).split(".")[-1] or "self_attn" in str(name) for name in left
    )
    scaled = isinstance(group, int) and weight == "int4" and group >= 1
    return {
        "weights": weight,
        "rest_weights": "bf16" if weight and wide and keys.maybe("experts") else None,
        "scale_group": group if scaled else None,
    }


def _counted(fields: dict[str, Any], file: str) -> OwnModel:
    try:
        draft = OwnModel.model_validate({**fields, "params_b": 1.0})
        record = user_model_record(draft)
        build_network(record)  # refuses what it cannot count
        return draft.model_copy(update={"params_b": round(parameter_count_b(record), 6)})
    except pydantic.ValidationError as error:
        place, wish, _ = first_error_message(error)
        raise PricingError(f"{file}: {'.'.join(map(str, place)) or 'the shape'}: {wish}.") from error
    except UnknownShape as error:
        raise PricingError(f"{file}: {error}.") from error
