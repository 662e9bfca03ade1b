"""The record that a person means by a name: its words in any order, and the usual record where a name fits several.

For plans, links and the command line. Price lists and tables of runs use `pricing.names`, which never picks.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pricing import names
from pricing.caching import arguments, cached
from pricing.catalogue import Catalogue
from pricing.errors import AmbiguousNameError, NameLookupError, UnknownNameError
from pricing.model import Model
from pricing.records import Accelerator, AmbiguousAccelerator

Words = frozenset[str]
_MOST_SHOWN = 4


class SeveralModels(UnknownNameError):
    """A name that fits several models, none of them the usual one; carries them."""


class Meant(NamedTuple):
    """The id of a record, and a sentence where the name fits other records too (empty where it does not)."""

    key: str
    note: str = ""


@dataclass(frozen=True)
class _Named:
    """A record as the words of its names."""

    key: str
    spellings: tuple[Words, ...]
    facts: Words = frozenset()  # true of it, so that a person may type it as well: memory, form
    forms: Words = frozenset()  # what a person may leave out


@dataclass(frozen=True)
class _Index:
    records: tuple[_Named, ...]
    whole: Mapping[Words, str]  # all words of a name that only one record has
    usual: Mapping[Words, tuple[str, str]]  # all words of a name of several records: the usual one, and why
    squeezed: Mapping[str, tuple[str, ...]]  # names without their spaces and hyphens: gemma31b is one of two


def accelerator(catalogue: Catalogue, name: str) -> Meant:
    """Return the accelerator that a person means; raise an error with the choices."""
    try:
        key = names.accelerator(catalogue, name)
        usual = _indexed(catalogue.accelerators, chip_words, _chip_named).usual.get(chip_words(name))
        is_alias = usual is not None and usual[0] == key and names.plain(name) not in (names.plain(key), "")
        return _usual(catalogue.accelerators, name, usual, (key,)) if usual and is_alias else Meant(key)
    except NameLookupError as error:
        index = _indexed(catalogue.accelerators, chip_words, _chip_named)
        typed = chip_words(name)
        fitting = _wide(catalogue.ambiguous, typed) or _whole(index, typed)
        fitting = fitting or tuple(record.key for record in index.records if _fits(record, typed))
        if typed in index.usual:
            return _usual(catalogue.accelerators, name, index.usual[typed], fitting)
        if len(fitting) == 1:
            return Meant(fitting[0])
        if isinstance(error, AmbiguousNameError) or not fitting:
            raise
        raise AmbiguousNameError(
            f"{name!r} can be {names.either(fitting[:_MOST_SHOWN])}. Say which.", fitting
        ) from None


def offered_accelerators(catalogue: Catalogue, name: str) -> tuple[str, ...]:
    """For filters: a name that fits several stands for all of them."""
    try:
        return names.offered_accelerators(catalogue, name)
    except UnknownNameError:
        return (accelerator(catalogue, name).key,)


def model(catalogue: Catalogue, name: str, variants: Iterable[str] = ()) -> Meant:
    """Return the model that a person means; raise `UnknownNameError` with the choices. Never a model of another size.

    `variants` are other spellings of the name, such as one without what only says how it was tuned.
    """
    index = _indexed(catalogue.models, model_words, _model_named)
    squeezed = index.squeezed.get(_squeezed(name), ())
    try:
        key = names.model(catalogue, name)
    except UnknownNameError as error:
        return _model(catalogue, index, name, map(model_words, (name, *variants)), error)
    if squeezed and key not in squeezed:
        raise _several(name, (key, *squeezed))
    return Meant(key)


def _model(catalogue: Catalogue, index: _Index, name: str, words: Iterable[Words], error: UnknownNameError) -> Meant:
    squeezed = index.squeezed.get(_squeezed(name), ())
    for typed in dict.fromkeys(words):
        fitting = _whole(index, typed) or tuple(
            record.key for record in index.records if _is_version_of(catalogue.models[record.key], record, typed)
        )
        fitting = tuple(dict.fromkeys((*fitting, *squeezed)))
        if typed in index.usual:
            return _usual(catalogue.models, name, index.usual[typed], fitting)
        if len(fitting) == 1:
            is_its_name = typed in index.whole or squeezed
            return Meant(fitting[0], "" if is_its_name else _taken(name, catalogue.models[fitting[0]].label))
        if fitting:
            raise _several(name, fitting) from None
    raise error


def _several(name: str, fitting: tuple[str, ...]) -> SeveralModels:
    text = f"No model is called {name!r}: it can be {names.either(fitting[:_MOST_SHOWN])}. Say which."
    return SeveralModels(text, fitting)


def _whole(index: _Index, typed: Words) -> tuple[str, ...]:
    key = index.whole.get(typed)
    return () if key is None else (key,)


def _usual(
    records: Mapping[str, Accelerator] | Mapping[str, Model], name: str, usual: tuple[str, str], fitting: Iterable[str]
) -> Meant:
    key, why = usual
    others = [other for other in fitting if other != key][:_MOST_SHOWN]
    instead = f" For another, write {names.either(others)}." if others else ""
    return Meant(key, f"{_taken(name, records[key].label)[:-1]}: {why}.{instead}")


def _taken(name: str, label: str) -> str:
    return f"{name!r} is taken for {label}."


# Accelerators

_CHIP_WORD = re.compile(
    r"\d+gb|sxm\d?|nvl(?:\d+|(?![a-z]))|pcie\d?|hbm\d[a-z]?|(?:lp|g)?ddr\d[a-z]?|[cr]dna\d|\d+|[a-z]+"
)
_MEMORY = re.compile(r"(?<![a-z0-9.])(\d+)[ -]?g(?:i?b)?(?![a-z0-9])")
_PCIE = re.compile(r"\bpci[- ]?(?:e|express)\b")
# Makers, brands, and words for any accelerator: they do not tell one from another.
_CHIP_NOISE = re.compile(
    r"\b(?:nvidia|geforce|amd|instinct|intel|radeon|tesla|apple|google|cloud|amazon|aws|huawei|habana|tensor core"
    r"|gpus?|cards?|graphics|accelerators?|chips?|vram|memory|hgx|dgx|generation|edition|the)\b"
)
_FORM = re.compile(r"(?:sxm|pcie|nvl|oam)\d*")


@cached(8_192)
def chip_words(name: str) -> Words:
    """Return a name of an accelerator as words: `A100-80GB` is a, 100 and 80gb, and so is `NVIDIA A100 80 G`."""
    text = _PCIE.sub("pcie", names.bare(name).casefold().replace("+", " plus ").replace("_", " "))
    return frozenset(_CHIP_WORD.findall(_CHIP_NOISE.sub(" ", _MEMORY.sub(r" \1gb ", text))))


def _chip_named(key: str, record: Accelerator) -> _Named:
    spellings = tuple(chip_words(name) for name in (key, record.label, *record.aliases))
    figures = (record.memory_gb, record.memory_real_gb)
    sizes = frozenset(f"{name.newest.typical:.0f}gb" for name in figures if name is not None)
    form = chip_words(f"{record.form_factor} {record.memory_type or ''} {record.architecture or ''}")
    every = frozenset().union(*spellings)
    forms = frozenset(word for word in (*every, *form) if _FORM.fullmatch(word))
    long = {word for word in form if len(word) >= len("ada") and not word.isdecimal()}  # not the X of GDDR6X
    facts = sizes | _sizes(spellings[0]) | forms | {word.rstrip("0123456789") for word in forms} | long
    return _Named(key, spellings, facts, forms | _sizes(every))


def _fits(record: _Named, typed: Words) -> bool:
    if not _sizes(typed) <= record.facts:
        return False
    beside = typed - record.facts
    whole = any(words - record.forms <= typed for words in record.spellings if words - record.forms)
    return whole and any(beside <= words for words in record.spellings)


def _sizes(typed: Words) -> Words:
    return frozenset(word for word in typed if word[0].isdecimal() and word.endswith("gb"))


def _wide(ambiguous: Mapping[str, AmbiguousAccelerator], typed: Words) -> tuple[str, ...]:
    for key, record in ambiguous.items():
        if any(typed == chip_words(spelling) for spelling in (key, *record.aliases)):
            return record.candidates
    return ()


# Models

_MODEL_WORD = re.compile(
    r"\d+x\d+(?:\.\d+)?[bm]"  # 8x7b
    r"|(?:(?<![a-z])[a-z])?\d+(?:\.\d+)?[bmte](?![a-z0-9])"  # 70b, a3b, 16e
    r"|(?<![a-z])[a-z]\d+(?:\.\d+)*"  # k2.5, v3
    r"|\d+(?:\.\d+)*|[a-z]+"
)
_POINT = re.compile(r"(?<=\d)[,p](?=\d)")
_MODEL_NOISE = frozenset({"model", "the", "v", "params", "parameters"})
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([mbt])|\d+x\d+(?:\.\d+)?b")
_BILLIONS = {"m": 1e-3, "b": 1.0, "t": 1e3}
_NEARLY = 0.03  # DeepSeek R1 has 671.03 billion, Kimi K2 of "1T" 1,026


@cached(8_192)
def model_words(name: str) -> Words:
    """Return a name of a model as words: `Llama-3.1-8B` is llama, 3.1 and 8b; V3 and 3 are one version."""
    words = _MODEL_WORD.findall(_POINT.sub(".", names.bare(name).casefold().replace("+", " plus ")))
    return frozenset(re.sub(r"^v(?=\d)|\.0$", "", word) for word in words) - _MODEL_NOISE


def _model_named(key: str, record: Model) -> _Named:
    return _Named(key, tuple(map(model_words, (key, record.label, *record.aliases))))


def _is_version_of(record: Model, named: _Named, typed: Words) -> bool:
    """Return whether a name leaves out only this model's version, or adds its size; all else must be there."""
    of_one_size = any(map(_SIZE.fullmatch, frozenset().union(*named.spellings)))
    added = frozenset() if of_one_size else frozenset(word for word in typed if _is_size_of(record, word))
    for words in named.spellings:
        left_out = words - typed
        if not typed - words - added and left_out < words and all(map(_VERSION.fullmatch, left_out)):
            return any(word.isalpha() for word in typed)
    return False


_VERSION = re.compile(r"\d+(?:\.\d+)*|a\d+(?:\.\d+)?b|\d+e|[a-z]\d+(?:\.\d+)*")


def _is_size_of(record: Model, word: str) -> bool:
    size = _SIZE.fullmatch(word)
    return bool(size and size[1] and abs(float(size[1]) * _BILLIONS[size[2]] / record.params_b - 1) <= _NEARLY)


# Both


@cached(8, same=arguments)
def _indexed(
    records: Mapping[str, Accelerator] | Mapping[str, Model],
    words: Callable[[str], Words],
    named: Callable[[str, Accelerator], _Named] | Callable[[str, Model], _Named],
) -> _Index:
    every = tuple(named(key, record) for key, record in records.items())  # type: ignore[arg-type]
    owners: dict[Words, set[str]] = {}
    for named_record in every:
        for spelling in named_record.spellings:
            owners.setdefault(spelling, set()).add(named_record.key)
    whole = {spelling: next(iter(keys)) for spelling, keys in owners.items() if spelling and len(keys) == 1}
    usual = {
        words(name): (key, record.usual.why)
        for key, record in records.items()
        if record.usual is not None
        for name in record.usual.names
    }
    squeezed: dict[str, tuple[str, ...]] = {}
    for key, record in records.items():
        for short in {_squeezed(named_record) for named_record in (key, record.label, *record.aliases)}:
            squeezed[short] = (*squeezed.get(short, ()), key)
    return _Index(every, whole, usual, squeezed)


def _squeezed(name: str) -> str:
    return re.sub(r"[^a-z0-9.+/]", "", _POINT.sub(".", names.bare(name).casefold()))
