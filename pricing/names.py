"""From what people type to exactly one record: loose about spelling, strict about meaning."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from pricing.caching import cached
from pricing.catalogue import Catalogue
from pricing.errors import AmbiguousNameError, UnknownNameError
from pricing.figure import Figure
from pricing.near import near as closest

_NOISE = re.compile(r"[^a-z0-9]+")
_SIZE_POINT = re.compile(r"(?<=[0-9])[^a-z0-9]+(?=[0-9]+\s*[bm]\b)")
_AT_WORK = re.compile(r"[- ]A\d+(\.\d+)?B$")
_THE = re.compile(r"^\s*the\s+", re.IGNORECASE)
_REGION = re.compile(r"[a-z][a-z0-9-]+")
_NUMBERED_REGION = re.compile(r"[a-z]+(?:-[a-z]+)+-?[0-9]+")
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ö": "Oe", "ß": "ss", "ø": "o", "ł": "l", "Ł": "L"})
_ACCELERATOR_NOISE = re.compile(r"\b(nvidia|geforce|amd|instinct|intel|radeon|tesla)\b")


@cached(16_384)
def plain(name: str) -> str:
    """Return a name without case, spaces, dots, hyphens and makers' names: `NVIDIA GeForce RTX 4090` is `rtx4090`.

    What parts two numbers before a model's size stays, as `p`: OPT-1.3B is not OPT-13B.
    """
    words = _NOISE.sub(" ", _SIZE_POINT.sub("p", name.casefold()).replace("+", "plus"))
    return _ACCELERATOR_NOISE.sub("", words).replace(" ", "") or words.replace(" ", "")


def accelerator(catalogue: Catalogue, name: str) -> str:
    """Return the one accelerator called `name`; raise an error that names the candidates."""
    ambiguous = _index({key: (record.label, *record.aliases) for key, record in catalogue.ambiguous.items()})
    if (several := ambiguous.get(plain(name))) is not None:
        record = catalogue.ambiguous[several]
        raise AmbiguousNameError(
            f"{name!r} can be {either(record.candidates)}. {record.why} Say which.", record.candidates
        )
    ids = _index({key: (record.label, *record.aliases) for key, record in catalogue.accelerators.items()})
    return _find("accelerator", name, ids)


def offered_accelerators(catalogue: Catalogue, name: str) -> tuple[str, ...]:
    """Like `accelerator`, for filters: an ambiguous name stands for all it can mean, itself included."""
    try:
        return (accelerator(catalogue, name),)
    except AmbiguousNameError as several:
        covered = frozenset(several.candidates)
        narrower = (key for key, wide in catalogue.ambiguous.items() if covered.issuperset(wide.candidates))
        return (*several.candidates, *narrower)


def provider(catalogue: Catalogue, name: str) -> str:
    return _find("provider", name, _index({k: (r.label, *r.aliases) for k, r in catalogue.providers.items()}))


def server(catalogue: Catalogue, name: str) -> str:
    return _find("server", name, _index({k: (r.label,) for k, r in catalogue.servers.items()}))


def site(catalogue: Catalogue, name: str) -> str:
    """The one site called `name`. Of "Bavaria, Germany" the last part that is known counts, or one that lies in it."""
    parts = [part.strip() for part in name.split(",") if part.strip()]
    if parts[1:] and not _sites(catalogue, name):
        within = _resolve_site(catalogue, parts[-1], by_code=True)
        for part in parts[-2::-1]:  # from large to small: "Austin, Texas" is Texas, as no Austin is known
            inside = [key for key in _sites(catalogue, part, by_code=True) if within in catalogue.around(key)]
            within = inside[0] if len(inside) == 1 else within
        return within
    return _resolve_site(catalogue, name)


def _resolve_site(catalogue: Catalogue, name: str, *, by_code: bool = False) -> str:
    sites = _sites(catalogue, name, by_code=by_code)
    if sites[1:]:
        readings = [f"{key} ({_site_words(catalogue, key)})" for key in sites]
        raise AmbiguousNameError(f"{name!r} can be {either(readings)}. Say which.", sites)
    return sites[0] if sites else _find("site", name, _index(_site_names(catalogue)))


def _sites(catalogue: Catalogue, name: str, *, by_code: bool = False) -> tuple[str, ...]:
    """Return the sites that a spelling can mean; an id wins over a label or an alias.

    Behind a comma the code of a state or province counts too: "San Jose, CA" is not in Canada.
    """
    typed = plain(_THE.sub("", bare(name)))
    if not typed:
        return ()
    by_id = tuple(key for key in catalogue.sites if typed in (plain(key), plain(key.partition("-")[2]) * by_code))
    by_id = tuple(
        key for key in by_id if not by_id[1:] or any(isinstance(value, Figure) for _, value in catalogue.sites[key])
    )  # Phoenix, AZ: no Baku
    by_name, region = _sites_by_name(catalogue), name.strip().lower()
    return by_id or by_name.get(region) or by_name.get(typed) or _sites_of_region(catalogue, region)


@cached(4, same=lambda catalogue: (catalogue.sites, catalogue.towns))
def _sites_by_name(catalogue: Catalogue) -> Mapping[str, tuple[str, ...]]:
    """Return the sites by each of their names; by a city or region in them where none of them is called so."""
    towns: dict[str, tuple[str, ...]] = {}
    sites: dict[str, tuple[str, ...]] = {}
    parts = {key: record.names for key, record in catalogue.towns.items()}
    for index, called in ((towns, parts), (sites, _site_names(catalogue))):
        for key, names in called.items():
            spellings = {plain(form) for name in names for form in (bare(name), bare(name.translate(UMLAUTS)))}
            spellings |= {name for name in names if _NUMBERED_REGION.fullmatch(name)}  # us-east-1 is not us-east1
            index |= {spelling: (*index.get(spelling, ()), key) for spelling in spellings}
    return towns | sites


def _sites_of_region(catalogue: Catalogue, name: str) -> tuple[str, ...]:
    """The countries in which providers have a region of this name, as a machine says it: us-east-1, westeurope."""
    if not _REGION.fullmatch(name):
        return ()
    regions = (provider.regions.get(name, ()) for provider in catalogue.providers.values())
    alone = dict.fromkeys(countries[0] for countries in regions if len(countries) == 1)
    return tuple(country for country in alone if country in catalogue.sites)


def _site_names(catalogue: Catalogue) -> dict[str, tuple[str, ...]]:
    return {key: (record.label, *record.aliases) for key, record in catalogue.sites.items()}


def _site_words(catalogue: Catalogue, key: str) -> str:
    record = catalogue.sites[key]
    where = f", {record.country}" if record.country else f", the {record.kind}"
    return f"{record.label}{where}"


def bare(name: str) -> str:
    """Without accents: Österreich is Osterreich."""
    return "".join(mark for mark in unicodedata.normalize("NFD", name) if not unicodedata.combining(mark))


def model(catalogue: Catalogue, name: str) -> str:
    """Return the one model called `name`; a mixture also without what works on a token, where that leaves only one."""
    ids = _index({k: (r.label, *r.aliases) for k, r in catalogue.models.items()})
    return _find("model", name, _short_names(tuple(catalogue.models)) | ids)


@cached(8)
def _short_names(names: tuple[str, ...]) -> dict[str, str]:
    short: dict[str, list[str]] = {}
    for key in names:
        if (plainer := _AT_WORK.sub("", key)) != key:
            short.setdefault(plain(plainer), []).append(key)
    return {spelling: keys[0] for spelling, keys in short.items() if not keys[1:]}


def _index(names: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return every spelling, plain, to the id it means. An id wins over another record's label or alias."""
    index = {plain(spelling): key for key, spellings in names.items() for spelling in spellings}
    index |= {plain(key): key for key in names}
    index.pop("", None)  # a name in letters that `plain` drops is not what an empty wish means
    return index


def _find(what: str, name: str, ids: Mapping[str, str]) -> str:
    key = ids.get(plain(name))
    if key is not None:
        return key
    near = closest(plain(name), ids, 4) if what == "site" else _similar(name, ids)
    candidates = tuple(dict.fromkeys(ids[spelling] for spelling in near))[:4]
    hint = f" Did you mean {either(candidates)}?" if candidates else ""
    raise UnknownNameError(f"No {what} is called {name!r}.{hint or _INSTEAD.get(what, '')}", candidates)


_INSTEAD = {
    "site": " Write a country, a state of the US or a province of Canada; or World, whose average price of electricity "
    "stands in until you enter your own (usd_per_kwh)."
}


def _similar(name: str, ids: Mapping[str, str]) -> list[str]:
    """The spellings of products that a name may stand for: all share words and numbers, and many are half typed."""
    typed = plain(name)
    longer = (spelling for spelling in ids if typed and spelling.startswith(typed))
    near = _names_with_words(name, ids)
    near += sorted(longer, key=lambda spelling: (spelling[len(typed)].isdecimal(), len(spelling)))
    near += get_close_matches(typed, ids, n=4, cutoff=0.6)
    near += [spelling for spelling in ids if typed and typed in spelling and spelling not in near]
    return near


def _names_with_words(name: str, ids: Mapping[str, str]) -> list[str]:
    """The spellings that say each of several words, the newest release first: "Llama 70B" is some Llama of 70B."""
    first, *rest = [plain(word) for word in name.split()] or [""]
    if not rest or not all((first, *rest)):
        return []
    pattern = re.compile(f"{re.escape(first)}.*?" + ".*?".join(f"(?<![0-9]){re.escape(word)}" for word in rest))
    spellings = [spelling for spelling in ids if pattern.match(spelling)]
    return sorted(spellings, key=lambda spelling: (len(spelling), spelling))


def either(names: Iterable[str]) -> str:
    """Return the choices as one text: A, B or C."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
