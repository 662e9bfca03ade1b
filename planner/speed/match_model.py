"""From what tables of runs call accelerators and models to the catalogue's names: looser than a person may be.

A table cannot answer a question. An ambiguous name is therefore the first one that its other words allow.
"""

import re
from collections.abc import Iterator
from typing import Any

from planner.network.guess import NEARLY, UNSAID, ModelSizes, size_in_name
from planner.speed.hardware import HostedOnlyModelError, read_data
from pricing import AmbiguousNameError, Catalogue, UnknownNameError, meant, names
from pricing.caching import by_digest, cached
from pricing.meant import Meant, SeveralModels
from pricing.model import Model

_COUNT = re.compile(r"^\s*\d+\s*[x×]\s*|\s*[x×]\s*\d+\s*$", re.IGNORECASE)
_PARENTHESES = re.compile(r"\s*\(([^)]*)\)")
_TPU = re.compile(r"\b(?:tpu[-_ ]?)?v(\d)[-_ ]?(litepod|e|p|x)?(?:[-_ ]\d+)?\b", re.IGNORECASE)
_TPU_NAMES = {"trillium": "TPU-v6e", "ironwood": "TPU-v7"}
_MEMORY = re.compile(r"\d+ ?g(i?b)?$")
# What says how a chip is packed, joined or cooled, and not which it is.
_PACKING = re.compile(
    r"(sxm\d?|oam|pcie\d?|hbm\d?e?|gpus?|chips?|cards?|nodes?|tensor|cores?|nvlink|nvswitch|nvl\d*|dgx|hgx|mgx|pods?|slice"
    r"|cloud|vm|\d+ ?w|accelerators?|superchip|grace|hopper|blackwell|ampere|ada|lovelace|volta|turing|cdna\d?|habana"
    r"|google|aws|apple|unspecified|server|workstation|edition|generation|g\d\w*\.\w+|p\d\w*\.\w+|ultraserver)$"
)
# A card of less power than the one of the same name: the words may not be dropped.
_LESS_POWER = re.compile(r"max[-_ ]?q(?![a-z0-9])|laptop|mobile|notebook", re.IGNORECASE)
_MAKER = re.compile(r"^[\w.-]+/|^(meta|nvidia|amd|google|qwen|mistralai)[-_ ](?=\w)", re.IGNORECASE)
_TUNED = re.compile(
    r"instruct|it|hf|chat|base|thinking|reasoning|preview|fp8|fp4|nvfp4|mxfp4|bf16|fp16|int[48]|awq|gptq|gguf|dynamic|kv"
    r"|w\d+a\d+|g128|act|class|lora|qlora|sft|pretrain\w*|v0\.[1-9]|\d{4}",
    re.IGNORECASE,
)
# What makers add to a family's name for a model of another size: as last words, they are not to be dropped.
_OTHER_SIZE = re.compile(
    r"air|flash|lite|light|mini|nano|micro|tiny|small|medium|large|x+l|max|pro|plus|turbo|ultra|super|edge|next",
    re.IGNORECASE,
)
# What a release is called beside its name: how it was tuned to talk, and the format of its weights.
_SAME_RELEASE = re.compile(
    r"instruct|it|hf|chat|base|fp8|fp4|nvfp4|mxfp4|bf16|fp16|int[48]|awq|gptq|gguf|kv|w\d+a\d+|g128", re.IGNORECASE
)
QUANTISED = re.compile(r"\s+(GPTQ|EXL2|AWQ|GGUF)\b.*$", re.IGNORECASE)
_EXPERTS_TIMES = re.compile(r"\d+x(\d+)B", re.IGNORECASE)
_NEAR_SIZE = 0.2
_MOST_SOLD = 3


@cached(4_096, equal=by_digest)
def match_accelerator(catalogue: Catalogue, name: str) -> str:
    """The accelerator a table means, or `UnknownNameError`."""
    first: UnknownNameError | None = None
    less_power = _LESS_POWER.search(name) is not None
    for spelling in _chip_spellings(name):
        if less_power and not _LESS_POWER.search(spelling):
            continue
        try:
            return names.accelerator(catalogue, spelling)
        except AmbiguousNameError as several:
            return _best_match(several.candidates, name)
        except UnknownNameError as error:
            first = first or error
    raise first or UnknownNameError(f"No accelerator is called {name!r}.", ())


def _best_match(candidates: tuple[str, ...], called: str) -> str:
    """The first of the candidates that has the memory and the form that are said."""
    words = called.casefold()
    memory = re.findall(r"(\d+) ?g", words)

    def unlike(key: str) -> int:
        name = key.casefold()
        forms = sum((form in words) != (form in name) for form in ("pcie", "nvl") if form in words or form in name)
        return 2 * sum(f"-{size}gb" not in name for size in memory) + forms

    return min(candidates, key=unlike)


def _chip_spellings(name: str) -> Iterator[str]:
    yield name
    inside = _PARENTHESES.findall(name)
    for part in (_PARENTHESES.sub("", name), *inside):
        plain = _COUNT.sub("", part).strip()
        yield plain
        for trade, key in _TPU_NAMES.items():
            if trade in plain.casefold():
                yield key
        tpu = _TPU.search(plain)
        if tpu and ("tpu" in name.casefold() or _TPU.fullmatch(plain)):
            kind = {"litepod": "e", "x": ""}.get((tpu[2] or "").casefold(), (tpu[2] or "").casefold())
            yield f"TPU-v{tpu[1]}{kind}"
        words = [word for word in re.split(r"[-_/, ]+", plain) if word]
        few = [word for word in words if not _PACKING.match(word.casefold())]
        yield " ".join(few)
        yield " ".join(word for word in few if not _MEMORY.match(word.casefold()))


def model_spellings(name: str, *, loosely: bool = True, sized: bool = False) -> Iterator[str]:
    """The name as it is, then without makers, brackets and what tuning adds; loosely, then without its last words.

    A last word that says another size is dropped only where the model is known by its own size (`sized`).
    """
    plain = _PARENTHESES.sub("", name.replace("_", " ")).strip()
    short = _MAKER.sub("", plain)
    words = [word for word in re.split(r"[- ]+", short) if not _TUNED.fullmatch(word)]
    whole = [word for word in re.split(r"[- ]+", plain) if not _TUNED.fullmatch(word)]
    spellings = (name, plain, plain.replace(" ", "-"), short, short.replace(" ", "-"), "-".join(words), "-".join(whole))
    yield from dict.fromkeys(spellings)
    for count in range(len(words) - 1, 0, -1) if loosely else ():
        if not sized and _OTHER_SIZE.fullmatch(words[count]):
            return
        if re.search(r"\d|bert", " ".join(words[:count]), re.IGNORECASE):
            yield "-".join(words[:count])


@cached(4_096, equal=by_digest)
def match_model(catalogue: Catalogue, name: str, *, loosely: bool = True, sizes: ModelSizes = UNSAID) -> str | None:
    """The catalogue's model that a table means, if there is one; never one of another size than the name states.

    Nor one of other `sizes` than the table states beside the name: those win over a name.
    """
    size = size_in_name(name)
    for spelling in model_spellings(name, loosely=loosely, sized=sizes.params_b is not None):
        try:
            key = _record_or_alias(catalogue, spelling)
        except UnknownNameError:
            continue
        if not _matches_sizes(catalogue.models[key], sizes):
            continue
        if size is None or names.plain(spelling) == names.plain(name) or _matches_size(catalogue.models[key], size):
            return key
    return None


def _record_or_alias(catalogue: Catalogue, spelling: str) -> str:
    """The record of that name, else the one whose shape it has."""
    like = shape_alias(spelling)
    try:
        return names.model(catalogue, spelling)
    except UnknownNameError:
        if like is None:
            raise
    return names.model(catalogue, like["like"])


@cached(4_096, equal=by_digest)
def model_meant(catalogue: Catalogue, called: str) -> Meant:
    """The record for a model that a person names, tuned and quantised variants included; else `UnknownNameError`."""
    bare = QUANTISED.sub("", called)
    try:
        return meant.model(catalogue, called)
    except SeveralModels:
        raise
    except UnknownNameError:
        key = match_model(catalogue, bare, loosely=False)
    if key is not None:
        return Meant(key)
    try:
        return meant.model(catalogue, called, model_spellings(bare, loosely=False))
    except UnknownNameError as error:
        plain = names.plain(called)
        shorter = any(names.plain(name).startswith(plain) for name in error.candidates)
        raise (None if shorter else _hosted_only_message(catalogue, called)) or error from None


def find_model_record(catalogue: Catalogue, called: str) -> str:
    return model_meant(catalogue, called).key


def _hosted_only_message(catalogue: Catalogue, called: str) -> HostedOnlyModelError | None:
    """Return what to say of a model that is sold by the token and whose shape nobody has published."""
    plain = names.plain(called)
    sold = [
        name
        for name, record in catalogue.hosted.items()
        if record.model not in catalogue.models and plain and names.plain(name.partition("/")[2]).startswith(plain)
    ]
    if not sold:
        return None
    shown = ", ".join(sold[:_MOST_SOLD])
    why = "its shape is not on record, so its speed cannot be calculated"
    return HostedOnlyModelError(
        f"{called!r} is sold by the token ({shown}); {why}: name another model, or give its config.json", ()
    )


@cached(4_096, equal=by_digest)
def substitution_note(catalogue: Catalogue, called: str) -> str | None:
    """A sentence where a record stands for a name that is not its own; None where it is its own."""
    key, note = model_meant(catalogue, called)
    if note or match_model(catalogue, QUANTISED.sub("", called), loosely=False) is None:
        return note or None
    plain = _PARENTHESES.sub("", QUANTISED.sub("", called).replace("_", " ")).strip()
    for spelling in (called, plain, _MAKER.sub("", plain)):
        words = [word for word in re.split(r"[- ]+", spelling) if not _SAME_RELEASE.fullmatch(word)]
        if _matches_name(catalogue, spelling, key) or _matches_name(catalogue, "-".join(words), key):
            return None
    return f"there is no record of {called} itself: counted as {catalogue.models[key].label}"


def _matches_name(catalogue: Catalogue, spelling: str, key: str) -> bool:
    try:
        return names.model(catalogue, spelling) == key
    except UnknownNameError:
        return False


def shape_alias(name: str) -> dict[str, Any] | None:
    """The listed model whose configuration a model beside the catalogue has."""
    plain = names.plain(name)
    listed: dict[str, dict[str, Any]] = read_data("serving_engines.yaml")["same_shape"]
    return next((same for key, same in listed.items() if names.plain(key) == plain), None)


def _matches_size(model: Model, size_b: float) -> bool:
    """Return whether a name that states this size may mean that model: all of it, or what works on a token."""
    sizes = [model.params_b, *([model.active_params_b] if model.active_params_b else [])]
    experts = _EXPERTS_TIMES.search(model.label)
    sizes += [float(experts[1])] if experts else []
    return any(abs(size / size_b - 1) < _NEAR_SIZE for size in sizes)


def _matches_sizes(model: Model, sizes: ModelSizes) -> bool:
    """Return whether a model may have the sizes that a table states. Pictures and speech have none.

    What is at work on a token is counted with one table of words, with both, or with none.
    """
    if model.modality not in ("text", "text_encoder"):
        return True
    if sizes.params_b is not None and abs(model.params_b / sizes.params_b - 1) > NEARLY:
        return False
    at_work, tables = model.active_params_b or model.params_b, 1e-9 * (model.vocab or 0) * (model.hidden or 0)
    active_b = sizes.active_params_b
    return active_b is None or (at_work - tables) * (1 - NEARLY) <= active_b <= (at_work + tables) * (1 + NEARLY)
