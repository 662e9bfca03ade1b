"""Names in a line: chips, machines, models, places and sellers, the longest first, as the catalogue calls them."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from planner.scenario.known_names import accelerator_meant
from planner.speed.hardware import read_data
from planner.speed.match_model import model_meant, substitution_note
from planner.speed.serving.chips import serving_data
from planner.speed.serving.non_llm import match_non_llm_work
from planner.speed.training.images import match_image_network
from planner.study.one_line import line_sellers
from planner.study.one_line.line_records import GPU_WORDS
from planner.study.one_line.line_rules import PATTERNS, VERBS
from planner.study.one_line.line_words import FILLERS, FOREIGN, QUIET, WORDS
from pricing import Catalogue, PricingError, UnknownNameError, names
from pricing.caching import cached
from pricing.errors import AmbiguousNameError, NameLookupError
from pricing.meant import Meant, SeveralModels
from pricing.near import near

_MOST_WORDS, _SHORT, _LEAST_LETTERS, _LONG, _MOST_CHOICES = 6, 3, 5, 9, 4
_SIZE_WITHIN, _SIZE_NAMED, _SIZE_NEAR = 0.05, 0.1, 0.22
_LEAST_BARE_SIZE, _USUALLY_SPARSE = 0.1, 100.0  # billion parameters, from which most models of today have experts
_OFTEN, _REAL = WORDS["often_misspelt"].split(), frozenset(re.findall("[a-zß-ÿ]{4,}", str(WORDS).lower()))
_PARTS_OF_NAMES = frozenset(WORDS["parts_of_names"].split())
_BILLIONS = {"b": 1.0, "bn": 1.0, "billion": 1.0, "m": 1e-3, "t": 1e3, "trillion": 1e3}


class LineName(NamedTuple):
    """A name of a line with its place: its kind (chip, machine, model, place, seller, price), its id and a note."""

    kind: str
    start: int
    end: int
    meant: Meant
    choices: tuple[str, ...] = ()  # what else it can mean; where there is no id, one must be chosen


class LineToken(NamedTuple):
    """A word of a line with its place."""

    text: str
    start: int
    end: int


def work_of_kind(line: str) -> Iterator[LineName]:
    """Yield the usual models of the kinds of work that a line names: transcription, OCR."""
    for words, model in WORDS["kinds_of_work"].items():
        for match in re.finditer(rf"(?<![a-z]){words}(?![a-z])", line):
            yield LineName("model", match.start(), match.end(), Meant(model, f"{match[0]!r} is taken for {model}."))


Reader = Callable[[Catalogue, str], Meant]


def tokens(line: str) -> list[LineToken]:
    """Return the words of a line that nothing took yet; `8xh100` is 8, x and h100."""
    words = (LineToken(it[0].rstrip(".:'"), it.start(), it.end()) for it in PATTERNS["token"].finditer(line))
    return [LineToken(word, start, start + len(word)) for word, start, _ in words if word]


def find_names(catalogue: Catalogue, line: str, typed: str) -> Iterator[LineName]:
    """Yield the names of a line in lower case, the longest at each place; `typed` is the line as it was written."""
    words, place = tokens(line), 0
    while place < len(words):
        name = None
        for many in range(min(_MOST_WORDS, len(words) - place), 0, -1):
            span = words[place : place + many]
            if _may_be_name(line, span) and (name := _name(catalogue, span, line, typed)):
                yield name
                break
        place += many if name else 1


def chips_of_memory(catalogue: Catalogue, gb: float) -> tuple[str, ...]:
    """Return the most offered chips of so much memory, which a line names in place of one: `a 24 GB card`."""
    offered = Counter(offer.accelerator for offer in catalogue.offers.values())
    alike = [
        (offered[key], key) for key, record in catalogue.accelerators.items()
        if record.kind == "gpu" and record.memory_gb is not None and record.memory_gb.newest.typical == gb
    ]  # fmt: skip
    return tuple(key for _, key in sorted(alike, reverse=True)[:_MOST_CHOICES])


def sells_tokens(catalogue: Catalogue, line: str) -> bool:
    """Return whether a line names who sells tokens; of sellers of GPUs too only where it names no GPU."""
    found = list(find_names(catalogue, PATTERNS["own_model"].sub(" ", line), line))
    sellers = [line[name.start : name.end] for name in found if name.kind in ("seller", "price")]
    has_gpu = any(name.kind in ("chip", "machine") for name in found) or GPU_WORDS & {it.text for it in tokens(line)}
    return bool(sellers) and (
        not has_gpu or any(line_sellers.provider_called(catalogue, each) is None for each in sellers))  # fmt: skip


def near_name(catalogue: Catalogue, word: str, *, is_place: bool) -> str | None:
    """Return the name that a misspelt word probably is; None where there is none or it is short."""
    letters = word.strip("-'")
    if len(letters) < _LEAST_LETTERS - 1 or not letters.isalpha():
        return None
    kinds = {"several"} if is_place else {"several", "place"}
    known = {word for kind, words in _vocabulary(catalogue).items() if kind not in kinds for word in words}
    is_known = {letters, letters.removesuffix("s"), f"{letters}s"} & known
    alike = {each for each in known if len(each) >= _LEAST_LETTERS and each[0] == letters[0]}
    close = near(letters, alike - FILLERS - QUIET, slips=1 if len(letters) < _LONG else 2)
    return close[0] if close and not is_known and abs(len(close[0]) - len(letters)) <= 1 else None


def correct_slips(catalogue: Catalogue, line: str) -> tuple[str, list[str]]:
    """Return a line with each word that is one slip from a common one corrected, and note each: lama, usres."""
    known, words = _REAL.union(*_vocabulary(catalogue).values()), PATTERNS["plain_word"].findall(line.lower())
    close = {
        word: near(word, [it for it in _OFTEN if it[0] == word[0] and abs(len(it) - len(word)) <= 1], slips=1)
        for word in dict.fromkeys(words) if word not in known and not FOREIGN.fullmatch(word)
    }  # fmt: skip
    notes = [f"{word} is taken for {each}." for word in close for each in close[word]]
    return PATTERNS["plain_word"].sub(lambda it: (close.get(it[0].lower()) or it)[0], line), notes


@cached(2, same=lambda catalogue: (catalogue.digest,))
def _vocabulary(catalogue: Catalogue) -> Mapping[str, frozenset[str]]:
    """Return every word of a name of each kind: words that are none of these need no look-up."""
    towns = [*WORDS["lands"], *(name for record in catalogue.towns.values() for name in record.names)]
    skus = [offer.sku for offer in catalogue.offers.values() if offer.sku and PATTERNS["instance"].search(offer.sku)]
    chips = _spellings(catalogue.accelerators, catalogue.ambiguous, catalogue.servers)
    sellers = [*WORDS["vendors"], *(word for key, price in catalogue.hosted.items() for word in (key, price.vendor))]
    spellings = {
        "machine": _spellings(catalogue.servers) + skus, "chip": [*chips, *WORDS["chips"], "imac air"],
        "model": [*_spellings(catalogue.models), *WORDS["models"], *read_data("serving_engines.yaml")["same_shape"]],
        "place": [*_spellings(catalogue.sites), *towns, *(name.translate(names.UMLAUTS) for name in towns)],
        "seller": sellers, "seller_first": sellers, "price": sellers,
        "provider": _spellings(catalogue.providers), "several": WORDS["asked"],
    }  # fmt: skip
    return {kind: frozenset(piece for name in called for piece in PATTERNS["pieces"].findall(names.bare(
        name).casefold())) for kind, called in spellings.items()}  # fmt: skip


def _spellings(*records_of: Mapping[str, Any]) -> list[str]:
    usual = ((*item, getattr(item[1], "usual", None)) for records in records_of for item in records.items())
    return [
        name for key, record, names_of in usual
        for name in (key, record.label, *getattr(record, "aliases", ()), *(names_of.names if names_of else ()))
    ]  # fmt: skip


def _may_be_name(line: str, span: list[LineToken]) -> bool:
    first, last = span[0], span[-1]
    between = line[first.start : last.end]
    is_cut = (re.search(r"[|,;]|: |\d/\d|\d[bm] (?:\d+|q\d)$| -\d+$", between) or re.match(r",\d{3}", line[last.end :])
        or not all(re.search(r"\w", each.text) for each in (first, last)))  # fmt: skip
    is_filler = first.text in FILLERS - {"us", "new"} or last.text in FILLERS - {*WORDS["ends_names"]}
    is_count = re.fullmatch(r"0*\d{1,3}|-\d+|\d[\d.]*k", first.text)
    return not (is_cut or is_filler or is_count) and last.text != "solar"  # where power comes from


def _is_known(called: str, known: frozenset[str], *, by_number: bool) -> bool:
    pieces = PATTERNS["pieces"].findall(names.bare(called))
    words = [piece for piece in pieces if piece[0].isalpha() and not PATTERNS["size"].fullmatch(piece)]
    return bool(words or (pieces and by_number)) and all(
        piece in known or piece.rstrip("s") in known for piece in words)  # fmt: skip


def _name(catalogue: Catalogue, span: list[LineToken], line: str, typed: str) -> LineName | None:
    start, end, known = span[0].start, span[-1].end, _vocabulary(catalogue)
    called = " ".join(word.text for word in span)
    singular = called.removesuffix("s").rstrip("'") if PATTERNS["plural"].search(called) else called
    if name := _of_choices(called, typed, (start, end)):
        return name
    spellings = (singular, called) if called == "v100s" and typed[end - 1] == "s" else (called, singular)
    for spelling in dict.fromkeys(spellings):
        for kind, reader in _READERS.items():
            is_known = _is_known(spelling, known[kind], by_number=kind in ("chip", "model"))
            if not is_known or not _fits(kind, spelling, line, (start, end), typed):
                continue
            try:
                return LineName(kind.removesuffix("_first"), start, end, reader(catalogue, spelling))
            except AmbiguousNameError as several:
                if kind in ("chip", "place"):
                    return LineName(kind, start, end, Meant(""), several.candidates)
            except (NameLookupError, PricingError):
                continue
    return None


def _of_choices(called: str, typed: str, place: tuple[int, int]) -> LineName | None:
    """Return a network of pictures where a line serves it, or what can be several things; None of other names."""
    found = next((work.format(**match.groupdict()) for name, work in WORDS["networks"].items()
        if (match := re.fullmatch(name, called))), "")  # fmt: skip
    if found and PATTERNS["serves_network"].search(typed.lower()):
        works = tuple(found.split("|"))
        only = Meant(works[0], f"{called!r} is taken for {serving_data().work[works[0]].label}.")
        return LineName("model", *place, only if len(works) == 1 else Meant(""), works)
    choices = WORDS["asked"].get(called) or WORDS["asked"].get(PATTERNS["version_names"].sub("", called))
    return LineName("several", *place, Meant(""), tuple(choices)) if choices else None


def _fits(kind: str, called: str, line: str, place: tuple[int, int], typed: str) -> bool:
    """Return whether a kind of name may stand there: a seller whose name is a word only behind `at` or `from`."""
    before, behind = line[: place[0]], line[place[1] :]
    if kind in ("seller_first", "provider"):
        is_paid = kind == "seller_first" and PATTERNS["paid_to"].match(behind) is not None
        is_name = PATTERNS["acts"].match(behind) or (kind == "provider" and called not in WORDS["words_too"])
        return is_paid or bool(is_name) or (before.split() or [""])[-1] in WORDS["before_sellers"].split()
    other_size = "sized_name" if PATTERNS["size"].fullmatch(called) else "size_behind"
    if kind == "model" and PATTERNS[other_size].match(behind):
        return False  # a bert of 400M; of nemotron 49b there is no record
    if kind == "model" and PATTERNS["size"].fullmatch(called) and (name := PATTERNS["name_before_size"].search(before)):
        # medgemma 27b is no other model of 27b
        return name[1] in FILLERS | QUIET or any(rule.pattern.fullmatch(name[1]) for rule in VERBS)
    if kind == "chip" and re.fullmatch(r"v[34]|cpus?", called):  # deepseek v3; h100 or cpu
        return "tpu" in line if called[0] == "v" else PATTERNS["beside_cpu"].search(f"{before}#{behind}") is not None
    is_mod = re.search(r"\d\w*$", before.rstrip()) and PATTERNS["describes"].match(behind)  # 4090 48gb china mod
    return kind != "place" or (not is_mod and _may_be_place(called, before, typed[slice(*place)]))


def _may_be_place(called: str, before: str, typed: str) -> bool:
    """Return whether a short word is a place: `us` is one behind `in`, or in capitals."""
    words = {*WORDS["before_place"]} - ({"to", "from"} if called == "us" else set())
    is_behind = (before.split() or [""])[-1] in words and called not in WORDS["no_places"]
    is_region = re.search(r"-|^[^0-9]*$|[a-z]{5}[0-9]$", called)  # of places only they have digits: us-east-1, eastus2
    is_code = called in WORDS["places_in_capitals"] and (called != "us" or typed.isupper())
    return is_region is not None and bool((len(called) > _SHORT and called != "world") or is_behind or is_code)


def _chip(catalogue: Catalogue, called: str) -> Meant:
    other = WORDS["chips"].get(called)
    if other is None:
        is_number = re.fullmatch(r"[\d.]+[a-z]", called) or (called.isdecimal() and int(called) < 1_000)
        if is_number or not re.search(r"\d|gaudi|trainium|inferentia|ultra|titan|jetson|orin", called):
            raise UnknownNameError(f"No chip is called {called!r}.", ())
        return accelerator_meant(catalogue, re.sub(r"(?<=\d)-(\d\d)$", r" \1gb", PATTERNS["computer"].sub("", called)))
    chip = accelerator_meant(catalogue, other).key
    return Meant(chip, f"{called!r} is taken for {catalogue.accelerator_label(chip)}.")


def _model(catalogue: Catalogue, called: str) -> Meant:
    if (size := PATTERNS["size"].fullmatch(called)) and not called.startswith("00"):
        return _of_size(catalogue, called, float(size[1]) * _BILLIONS[size[2]])
    if key := WORDS["models"].get(called):
        return Meant(key, f"{called!r} is taken for {catalogue.models[key].label}.")
    if (
        called in _PARTS_OF_NAMES
        or re.search(r"^00|^\d{3,} | \d{3,}$", called)
        or not re.search("[a-z]{2}|[a-z]\\d", called)
    ):
        raise UnknownNameError(f"No model is called {called!r}.", ())
    try:
        model = model_meant(catalogue, called)
        note = substitution_note(catalogue, called) or ""
        return model._replace(note=note[:1].upper() + note[1:])
    except SeveralModels as several:
        key = max(several.candidates, key=lambda key: catalogue.models[key].released or "")
        return Meant(key, f"{called!r} is taken for {catalogue.models[key].label}: it is the newest of that name.")
    except UnknownNameError as error:
        work = match_image_network(called) or match_non_llm_work(called)
        return Meant(work) if work else _newest(catalogue, called, error)


def _newest(catalogue: Catalogue, called: str, error: UnknownNameError) -> Meant:
    """Return the newest model of the family of that name; a size that is typed must be its own."""
    family = re.sub(r"[^a-z]", "", called)
    sizes = (PATTERNS["size"].fullmatch(word) for word in called.split())
    size = next((float(each[1]) * _BILLIONS[each[2]] for each in sizes if each), None)
    first, start = called.split(maxsplit=1)[0], family if size is None else family[:-1]
    alike = [
        key for key, record in catalogue.models.items()
        if first.isalpha() and names.plain(record.family).startswith(start) and (
            size is None or abs(record.params_b / size - 1) <= _SIZE_WITHIN)
        and not record.modality.startswith("text_encoder")
    ]  # fmt: skip
    if not alike or len(family) < _SHORT or (size is not None and re.search(r"\d", first)):
        raise error
    key = max(alike, key=lambda key: (catalogue.models[key].released or "", catalogue.models[key].params_b))
    return Meant(key, f"{called!r} is taken for {catalogue.models[key].label}: the newest of that family on record.")


def _of_size(catalogue: Catalogue, called: str, billions: float) -> Meant:
    texts = {key: record for key, record in catalogue.models.items() if record.modality == "text"}
    off = {key: abs(math.log(record.params_b / billions)) for key, record in texts.items()}
    is_no_size = billions < _LEAST_BARE_SIZE and not re.search("param|model", called)  # 60M in two years
    if is_no_size or min(off.values()) > _SIZE_NEAR:
        raise UnknownNameError(f"No model has a size of {called}.", ())
    within = max(min(off.values()), math.log1p(_SIZE_WITHIN))
    named = {key for key in texts if off[key] <= _SIZE_NAMED and re.search(rf"(?<![\d.]){billions:g}b", key.lower())}
    key = max((key for key in texts if off[key] <= within or key in named), key=lambda key: (
        (texts[key].released or "") > "2024", texts[key].active_params_b is None or billions >= _USUALLY_SPARSE,
        key in named, texts[key].family.startswith(("Llama", "gpt-oss")), texts[key].family.startswith("Qwen"),
        texts[key].released or ""))  # fmt: skip
    return Meant(key, f"{called!r} is taken for {texts[key].label}: a model of about that size and of a usual shape.")


_READERS: dict[str, Reader] = {
    "machine": line_sellers.machine_called, "chip": _chip, "seller_first": line_sellers.seller_called, "model": _model,
    "seller": line_sellers.seller_called, "price": line_sellers.price_called, "provider": line_sellers.renter_called,
    "place": lambda catalogue, called: Meant(names.site(catalogue, WORDS["lands"].get(called, called))),
}  # fmt: skip
