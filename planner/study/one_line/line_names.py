"""Names in a line: chips, machines, models, places and sellers, the longest first, as the catalogue calls them."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from planner.scenario.known_names import accelerator_meant
from planner.speed.match_model import model_meant, substitution_note
from planner.speed.serving.non_llm import match_non_llm_work
from planner.speed.training.images import match_image_network
from planner.study.one_line.line_records import GPU_WORDS
from planner.study.one_line.quantities import BLANK, VERBS
from pricing import Catalogue, PricingError, UnknownNameError, names
from pricing.caching import cached
from pricing.errors import AmbiguousNameError, NameLookupError
from pricing.meant import Meant, SeveralModels
from pricing.model import Model
from pricing.near import near

_MOST_WORDS, _SHORT, _LEAST_LETTERS, _LONG, _MOST_CHOICES = 6, 3, 5, 9, 4
_SIZE_WITHIN = 0.05
# Names of machines for their chip, and names that people use for two chips.
_ALSO_CALLED = {
    "mac studio": "M3 Ultra", "mac mini": "M4 Pro 20c", "macbook pro": "M4 Max", "macbook": "M4 Max", "mac": "M3 Ultra",
    "a6000 ada": "RTX 6000 Ada", "rtx a6000 ada": "RTX 6000 Ada",
    "dgx spark": "DGX-Spark-GB10-128GB", "strix halo": "Ryzen-AI-Max-395-128GB", "grace hopper": "GH200",
}  # fmt: skip
_KINDS_OF_WORK = {
    "speech to text": "Whisper-large-v3", "speech-to-text": "Whisper-large-v3", "transcription": "Whisper-large-v3",
    "transcribe": "Whisper-large-v3", "transcribing": "Whisper-large-v3", "image generation": "FLUX.1-dev",
    "text to image": "FLUX.1-dev",
}  # fmt: skip
_SEVERAL = {
    "a6000": ("RTX A6000", "RTX 6000 Ada"), "rtx 6000": ("RTX A6000", "RTX 6000 Ada", "RTX PRO 6000"),
    "6000 ada": ("RTX 6000 Ada",), "asia": ("Singapore", "Japan", "India"), "apac": ("Singapore", "Japan", "Australia"),
    "scandinavia": ("Sweden", "Norway", "Denmark"), "nordics": ("Sweden", "Norway", "Finland"),
}  # fmt: skip
_COMPUTER = re.compile(
    r"^(?:apple )?(?:macbook(?: pro| air)?|mac(?: studio| mini| pro)?|imac)(?: with)?(?: an?)? (?=m\d)"
)
_NAME_BEFORE_SIZE = re.compile(r"([a-z]{3,})(?: \d(?:\.\d)?)?[ -]$")
_VENDORS = {"chatgpt": "OpenAI", "claude": "Anthropic", "gemini": "Google", "grok": "xAI", "bedrock": "AWS Bedrock",
            "azure openai": "OpenAI", "microsoft azure openai": "OpenAI"}  # fmt: skip
_MAKERS = ("OpenAI", "Anthropic", "Google", "xAI")
_HOSTED_NAMES = frozenset({"claude", "sonnet", "opus", "haiku", "gpt", "gemini", "grok"})
_AT = frozenset({"at", "from", "on", "with", "via", "through", "by", "using", "to", "@", "pay", "paying", "paid"})
_PAID_TO = re.compile(
    r"(?:'s)? +(?:api |monthly )*(?:api|bills?|invoices?|spend|spending|costs?|charges?|subscription)(?![a-z])"
)
_TOKEN = re.compile(
    rf"\d+(?=x(?:[^\w]|[a-z]|\d{{4}}|$))|x(?=[a-z]+\d|\d{{4}})|(?!rtx|gtx)[a-z][a-z\d]*?(?=x\d+\b)|[^\s{re.escape(BLANK)},;()!?\"]+"
)
_PLURAL = re.compile(r"\d\w*s$|(?:studio|mac|mini)s$")
_PIECES = re.compile(r"[a-z]+|[0-9.]+[a-z]*|[^\Wa-z0-9_]+")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s?(b|bn|billion|m|t)(?:[- ]?(?:params?|parameters?|model))?")
_BILLIONS = {"b": 1.0, "bn": 1.0, "billion": 1.0, "m": 1e-3, "t": 1e3}
_PLACES_IN_CAPITALS = frozenset({"us", "usa", "uk", "eu", "uae"})
_NO_PLACES = frozenset({"it", "me", "my", "ai", "ml", "hr", "pr", "gb"})  # codes of countries that are words too
_BEFORE_PLACE = frozenset({"in", "from", "within", "the", "near", "to"})
# Words that say nothing of the plan by themselves; none begins or ends a name.
_FILLERS = """
- a about accelerator accelerators add adding addition advance against ai all also alternative alternatives am amd an
and answer answers any anything api app apple application approx approximately are around as at b batch batches be
because best better big bill bills budget build burn burns business but buy buying by can capacity capex card cards
case cheap cheaper cheapest chip chips cloud cluster company compare comparison compute continued continuous cost
costs could currently customers d data day days deal department dev development do does doing e each electricity else
embed embedding embeddings endpoint enough estimate etc every expensive explore fast few fine finetuned first fit for
from full g general generate get give go goes good gpu gpus graphics h had hardware has have having hello help hi
hosted hour hours house how i i'd i'm if images in inc inference instance instances instead intel into invoice is it
it's its job jobs just k keep l lab lab's large learning lease leasing least less let like llm llms load local locally
long looking lora's lots machine machines make many max maximum may maybe me mean mid minimum ml mode model models
money month monthly more most much must my n need needed needs new no node nodes not now nvidia o of off ok old on
once one only open opensource or order other our out over own owning p paid parallel particular pay paying per
pictures piece place plan please plus power practice price prices private production project purchase purchasing
question questions r really rent rental renting replace request requests research reserve reserved run running runs s
scratch self self-hosted sell server servers service services share shared shares sharing should single small so some
something source spend spending startup still student students system t take team test testing than that the their
them then there these they thing think this through time to today token tokens total traffic training u until up us
use used user users uses using utilization v versus via vs want wants was way we we'd we're we've week weeks weights
were what what's when where which while who will with within without work workload workstation workstations worth
would x y year yearly years you your ask asks board continue costing ends figure grant group limit limited migrate
move next number quote quoted replacing spends starting switch upgrade ownership demand pays owned mini pc pcs laptop
desktop gaming rig capital charges incl including fully loaded runway away launch launching between depreciate
depreciated amortize swap swapping moving migrating migration switching exchange ministry government public tender
agency authority health hospital court hearings podcasts podcast voice staff country county invoices european provider
sensible pick choose recommend recommended suggest suggestion suggestions option options annual roughly ca circa
handle handling hosting process processing analyse analyze classify summarise summarize internal tool save same lose
busy prototyping product makes allocation sends finish caps cfo gain mostly phase retire scrap imagenet geforce bought
scale weather sending parliament rpm comfyui ollama vllm huge tiny ideally gpu-hours gpu-days gpu-weeks gpu-months
gpu-years dense custom proprietary paper"""
FILLERS = frozenset(_FILLERS.split())


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


def model_of_work(line: str) -> Meant | None:
    """Return the model of a kind of work that a line names, whatever of it was read: 40 transcriptions an hour."""
    words = next((words for words in _KINDS_OF_WORK if words in line), None)
    return None if words is None else Meant(_KINDS_OF_WORK[words], f"{words!r} is taken for {_KINDS_OF_WORK[words]}.")


Reader = Callable[[Catalogue, str], Meant]


def tokens(line: str) -> list[LineToken]:
    """Return the words of a line that nothing took yet; `8xh100` is 8, x and h100."""
    words = (LineToken(match[0].rstrip(".:'"), match.start(), match.end()) for match in _TOKEN.finditer(line))
    return [LineToken(word, start, start + len(word)) for word, start, _ in words if word]


def find_names(catalogue: Catalogue, line: str, typed: str) -> Iterator[LineName]:
    """Yield the names of a line in lower case, the longest at each place; `typed` is the line as it was written."""
    words, known, place = tokens(line), _vocabulary(catalogue), 0
    while place < len(words):
        name = None
        for many in range(min(_MOST_WORDS, len(words) - place), 0, -1):
            span = words[place : place + many]
            if _may_be_name(line, span, known) and (name := _name(catalogue, span, line, typed)):
                yield name
                break
        place += many if name else 1


def chips_of_memory(catalogue: Catalogue, gb: float) -> tuple[str, ...]:
    """Return the most offered chips of so much memory, which a line names in place of one: `a 24 GB card`."""
    offered = Counter(offer.accelerator for offer in catalogue.offers.values())
    alike = [
        (offered[key], key)
        for key, record in catalogue.accelerators.items()
        if record.kind == "gpu" and record.memory_gb is not None and record.memory_gb.newest.typical == gb
    ]
    return tuple(key for _, key in sorted(alike, reverse=True)[:_MOST_CHOICES])


def sells_tokens(catalogue: Catalogue, line: str) -> bool:
    """Return whether a line names who sells tokens; of sellers of GPUs too only where it names no GPU."""
    words = [word.text for word in tokens(line)]
    sellers = [word for word in words if word not in FILLERS and any(_reads(catalogue, word, _seller, _price))]
    if not sellers:
        return False
    is_only_tokens = any(not any(_reads(catalogue, word, _provider)) for word in sellers)
    return is_only_tokens or not any(word in GPU_WORDS or any(_reads(catalogue, word, _chip)) for word in words)


def _reads(catalogue: Catalogue, word: str, *readers: Reader) -> Iterator[bool]:
    for reader in readers:
        try:
            yield bool(reader(catalogue, word))
        except PricingError:
            yield False


def near_name(catalogue: Catalogue, word: str) -> str | None:
    """Return the name that a misspelt word probably is; None where there is none or it is short."""
    letters = word.strip("-'")
    if len(letters) < _LEAST_LETTERS - 1 or not letters.isalpha():
        return None
    if {letters, letters.removesuffix("s"), f"{letters}s"} & _vocabulary(catalogue):
        return None
    alike = (each for each in _vocabulary(catalogue) if len(each) >= _LEAST_LETTERS and each[0] == letters[0])
    close = near(letters, alike, slips=1 if len(letters) < _LONG else 2)
    return close[0] if close and abs(len(close[0]) - len(letters)) <= 1 else None


@cached(2, same=lambda catalogue: (catalogue.digest,))
def _vocabulary(catalogue: Catalogue) -> frozenset[str]:
    """Return every word of a name: a line whose words are none of these needs no look-up."""
    spellings: list[str] = [*_ALSO_CALLED, *_KINDS_OF_WORK, *_SEVERAL, *_VENDORS]
    for records in (
        catalogue.accelerators, catalogue.models, catalogue.sites, catalogue.servers, catalogue.ambiguous,
        catalogue.providers,
    ):  # fmt: skip
        for key, record in records.items():
            usual = getattr(record, "usual", None)
            spellings += (key, getattr(record, "label", ""), *getattr(record, "aliases", ()))
            spellings += usual.names if usual else ()
    spellings += [word for key, price in catalogue.hosted.items() for word in (key, price.vendor)]
    return frozenset(piece for name in spellings for piece in _PIECES.findall(names.bare(name).casefold()))


def _may_be_name(line: str, span: list[LineToken], known: frozenset[str]) -> bool:
    first, last = span[0], span[-1]
    between = line[first.start : last.end]
    if BLANK in between or "," in between or ";" in between:
        return False
    if first.text in FILLERS - {"us", "new"} or last.text in FILLERS - {"us", "small", "large", "text", "mini", "max"}:
        return False
    if last.text == "solar":  # where power comes from
        return False
    if first.text.isdecimal() and len(first.text) < len("4090"):  # a count
        return False
    return all(_is_known(word.text, known) for word in span)


def _is_known(word: str, known: frozenset[str]) -> bool:
    pieces = _PIECES.findall(names.bare(word))
    return bool(pieces) and all(
        piece in known or piece.rstrip("s") in known or _SIZE.fullmatch(piece) or not piece[0].isalpha()
        for piece in pieces
    )


def _name(catalogue: Catalogue, span: list[LineToken], line: str, typed: str) -> LineName | None:
    start, end = span[0].start, span[-1].end
    called = " ".join(word.text for word in span)
    singular = called.removesuffix("s").rstrip("'") if _PLURAL.search(called) else called
    if called in _SEVERAL and len(_SEVERAL[called]) > 1:
        return LineName("several", start, end, Meant(""), _SEVERAL[called])
    spellings = (singular, called) if called == "v100s" and typed[end - 1] == "s" else (called, singular)
    for spelling in dict.fromkeys(spellings):
        for kind, reader in _READERS.items():
            if not _fits(kind, spelling, line, (start, end), typed):
                continue
            try:
                return LineName(kind.removesuffix("_first"), start, end, reader(catalogue, spelling))
            except AmbiguousNameError as several:
                if kind in ("chip", "place"):
                    return LineName(kind, start, end, Meant(""), several.candidates)
            except (NameLookupError, PricingError):
                continue
    return None


def _fits(kind: str, called: str, line: str, place: tuple[int, int], typed: str) -> bool:
    """Return whether a kind of name may stand there.

    Sellers whose names are words only behind `at`, `from` or so; of tokens also before `api` or `bill`.
    """
    before, behind = line[: place[0]], line[place[1] :]
    if kind in ("seller_first", "provider"):
        is_paid = kind == "seller_first" and _PAID_TO.match(behind) is not None
        return is_paid or (before.split() or [""])[-1] in _AT
    if kind == "model" and _SIZE.fullmatch(called) and (name := _NAME_BEFORE_SIZE.search(before)):
        is_verb = any(rule.pattern.fullmatch(name[1]) for rule in VERBS)
        return is_verb or name[1] in FILLERS  # medgemma 27b is no other model of 27b
    return kind != "place" or _may_be_place(called, before, typed[slice(*place)])


def _may_be_place(called: str, before: str, typed: str) -> bool:
    """Return whether a short word is a place: `us` is one behind `in`, or in capitals."""
    if re.search("[0-9]", called) and "-" not in called:  # of places only regions have digits: us-east-1
        return False
    is_behind = (before.split() or [""])[-1] in _BEFORE_PLACE and called not in _NO_PLACES
    return len(called) > _SHORT or is_behind or (typed.isupper() and called in _PLACES_IN_CAPITALS)


def _chip(catalogue: Catalogue, called: str) -> Meant:
    other = _ALSO_CALLED.get(called)
    if other is None:
        is_number = re.fullmatch(r"[\d.]+[a-z]", called) or (called.isdecimal() and int(called) < 1_000)
        if is_number or not re.search(r"\d|gaudi|trainium|inferentia|ultra|titan|jetson|orin", called):
            raise UnknownNameError(f"No chip is called {called!r}.", ())
        form = re.sub(r"(?<=\d)-(\d\d)$", r" \1gb", _COMPUTER.sub("", called))  # a100-40, macbook pro m3 max
        return accelerator_meant(catalogue, form)
    chip = accelerator_meant(catalogue, other).key
    return Meant(chip, f"{called!r} is taken for {catalogue.accelerator_label(chip)}.")


def _model(catalogue: Catalogue, called: str) -> Meant:
    if work := _KINDS_OF_WORK.get(called):
        return Meant(work, f"{called!r} is taken for work of {work}.")
    if size := _SIZE.fullmatch(called):
        return _of_size(catalogue, called, float(size[1]) * _BILLIONS[size[2]])
    if not re.search("[a-z]{2}|[a-z]\\d", called):
        raise UnknownNameError(f"No model is called {called!r}.", ())
    try:
        model = model_meant(catalogue, called)
        note = substitution_note(catalogue, called) or ""
        return model._replace(note=note[:1].upper() + note[1:])
    except SeveralModels as several:
        key = max(several.candidates, key=lambda key: catalogue.models[key].released or "")
        return Meant(key, f"{called!r} is taken for {catalogue.models[key].label}: it is the newest of that name.")
    except UnknownNameError as error:
        if work := match_image_network(called) or match_non_llm_work(called):
            return Meant(work)
        return _newest(catalogue, called, error)


def _newest(catalogue: Catalogue, called: str, error: UnknownNameError) -> Meant:
    """Return the newest model of the family of that name; a size that is typed must be its own."""
    family = re.sub(r"[^a-z]", "", called)
    sizes = (_SIZE.fullmatch(word) for word in called.split())
    size = next((float(each[1]) * _BILLIONS[each[2]] for each in sizes if each), None)
    first, start = called.split(maxsplit=1)[0], family if size is None else family[:-1]
    alike = [
        key
        for key, record in catalogue.models.items()
        if first.isalpha() and names.plain(record.family).startswith(start)
        and (size is None or abs(record.params_b / size - 1) <= _SIZE_WITHIN)
        and not record.modality.startswith("text_encoder")
    ]  # fmt: skip
    if not alike or len(family) < _SHORT or (size is not None and re.search(r"\d", first)):
        raise error
    key = max(alike, key=lambda key: (catalogue.models[key].released or "", catalogue.models[key].params_b))
    return Meant(
        key, f"{called!r} is taken for {catalogue.models[key].label}: it is the newest of that family on record."
    )


def _of_size(catalogue: Catalogue, called: str, billions: float) -> Meant:
    def rank(record: Model) -> tuple[bool, bool, str]:
        return record.active_params_b is None, record.family.startswith("Llama"), record.released or ""

    alike = {
        key: record
        for key, record in catalogue.models.items()
        if record.modality == "text" and abs(record.params_b / billions - 1) <= _SIZE_WITHIN
    }
    if not alike:
        raise UnknownNameError(f"No model has a size of {called}.", ())
    key = max(alike, key=lambda key: rank(alike[key]))
    return Meant(key, f"{called!r} is taken for {alike[key].label}: a model of that size and of a usual shape.")


def _seller(catalogue: Catalogue, called: str) -> Meant:
    known = {names.plain(price.vendor): price.vendor for price in catalogue.hosted.values()}
    known |= {names.plain(vendor.split()[0]): vendor for vendor in known.values()}
    vendor = _VENDORS.get(called) or known.get(names.plain(called))
    if vendor is None:
        raise UnknownNameError(f"No seller of tokens is called {called!r}.", ())
    return Meant(vendor)


def provider_called(catalogue: Catalogue, called: str) -> Meant | None:
    """Return who rents out GPUs under a name; None where nobody does."""
    try:
        return _provider(catalogue, called)
    except PricingError:
        return None


def _provider(catalogue: Catalogue, called: str) -> Meant:
    known = {names.plain(word): key for key, record in catalogue.providers.items() if (word := record.label.split()[0])}
    return Meant(known.get(names.plain(called)) or names.provider(catalogue, called))


def _price(catalogue: Catalogue, called: str) -> Meant:
    fitting = [key for key in catalogue.hosted if names.plain(key.partition("/")[2]) == names.plain(called)]
    makers = [key for key in fitting if catalogue.hosted[key].vendor in _MAKERS]
    if not fitting:
        return _newest_price(catalogue, called)
    return Meant((makers or fitting)[0])


def _newest_price(catalogue: Catalogue, called: str) -> Meant:
    """Return the newest hosted model of a maker whose name has these words: claude sonnet, gemini flash."""
    pieces = set(_PIECES.findall(called)) - {"-"}
    fitting = [
        key
        for key, price in catalogue.hosted.items()
        if price.vendor in _MAKERS and "(" not in key and pieces <= set(_PIECES.findall(key.split("/")[1].casefold()))
    ]
    if not fitting or not pieces & _HOSTED_NAMES:
        raise UnknownNameError(f"No hosted model is called {called!r}.", ())
    newest = max(fitting, key=lambda key: (_version(key), -len(key)))
    return Meant(newest, f"{called!r} is taken for {catalogue.hosted[newest].label}: it is the newest of that name.")


def _version(key: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", key)]


def _machine(catalogue: Catalogue, called: str) -> Meant:
    return Meant(names.server(catalogue, called))


def _place(catalogue: Catalogue, called: str) -> Meant:
    return Meant(names.site(catalogue, called))


_READERS: dict[str, Reader] = {
    "machine": _machine, "chip": _chip, "seller_first": _seller, "model": _model, "seller": _seller, "price": _price,
    "provider": _provider, "place": _place,
}  # fmt: skip
