"""From data files to one catalogue: the only code that opens a data file.

Reading YAML strictly takes a few tenths of a second, so the checked result is kept in the user's cache folder as JSON.
The key of that copy is a digest of every byte of the data, but for the line that names its schema to editors, *and* of
this package's code: a copy that is out of date has another name and is never looked at. What is read back is validated
again; a damaged copy is rebuilt.
"""

import hashlib
import re
from collections.abc import Iterator
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Any, get_args

import pydantic

from pricing import strict_yaml
from pricing.caching import cached
from pricing.catalogue import SECTIONS, Catalogue, cache_dir, cited_sources, figures, read_cached, write_cached
from pricing.errors import CatalogError, FilePosition
from pricing.records import Bloc, DataFile
from pricing.strict_yaml import first_error_message

DATA = Path(__file__).parent / "data"

# Tells an editor which schema a file keeps to. It is no fact, and in just this form it can hide none: the digest leaves
# it out, so that saved plans stay those of the same facts.
_LINE_FOR_EDITORS = re.compile(rb"\A# yaml-language-server: \$schema=[A-Za-z0-9_./-]+\r?\n")
# pydantic names a day that is a key by its repr; the file says 2026-05-01.
_DAY_AS_KEY = re.compile(r"datetime\.date\(([0-9]+), ([0-9]+), ([0-9]+)\)")


@cached(1)
def load_catalogue() -> Catalogue:
    """Return the catalogue that ships with the program, loaded once."""
    return load(DATA, cache=cache_dir())


def load(folder: Path, *, cache: Path | None = None) -> Catalogue:
    """Return the catalogue in `folder`, from its checked copy where there is one."""
    contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.yaml"))}
    if not contents:
        raise CatalogError(FilePosition(folder.name), "want at least one .yaml file in this folder")
    digest = _digest({name: _LINE_FOR_EDITORS.sub(b"", raw) for name, raw in contents.items()})
    if cache is None:
        return build(contents, digest)
    copy = cache / f"catalogue-{_digest({'data': digest.encode(), 'code': _code_digest().encode()})[:32]}.json"
    cached_copy = _load_cached(copy, digest)
    if cached_copy is not None:
        return cached_copy
    catalogue = build(contents, digest)
    write_cached(copy, catalogue.model_dump_json(exclude_unset=True).encode())
    return catalogue


def build(contents: dict[str, bytes], digest: str) -> Catalogue:
    """Read, validate, merge and cross-check. The first thing wrong is raised, with its place and what was wanted."""
    merged: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    home: dict[tuple[str, str], str] = {}
    for name, raw in contents.items():
        data = read_file(name, raw)
        for section in SECTIONS:
            for key, record in getattr(data, section).items():
                if (section, key) in home:
                    raise CatalogError(FilePosition(name, key=f"{section}.{key}"), f"already in {home[section, key]}")
                home[section, key] = name
                merged[section][key] = record
    catalogue = Catalogue.model_construct(None, digest=digest, day=date.min, **merged)
    _check_references(catalogue, home)
    day = max((placed.figure.checked for placed in figures(catalogue)), default=date.min)
    return catalogue.model_copy(update={"day": day})


def read_file(name: str, raw: bytes) -> DataFile:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        wish = f"want UTF-8 text, got byte 0x{raw[error.start]:02x} at {error.start}"
        raise CatalogError(FilePosition(name), wish) from error
    try:
        return DataFile.model_validate(strict_yaml.read(text, file=name))
    except pydantic.ValidationError as error:
        steps, wish, _ = first_error_message(error)
        path = tuple(
            _DAY_AS_KEY.sub(lambda key: date(*map(int, key.groups())).isoformat(), str(step)) for step in steps
        )
        where = strict_yaml.lines(text, file=name)
        place = next((path[:n] for n in range(len(path), 0, -1) if path[:n] in where), ())
        raise CatalogError(FilePosition(name, where.get(place), ".".join(path)), wish) from error


def _check_references(catalogue: Catalogue, home: dict[tuple[str, str], str]) -> None:
    # One after the other: the chain of parents can only be followed where every parent exists.
    wrong = (_citation_errors, _name_errors, _wrong_countries, _parent_errors)
    for section, key, wish in chain.from_iterable(find(catalogue) for find in wrong):
        raise CatalogError(FilePosition(home[section, key], key=f"{section}.{key}"), wish)


def _citation_errors(catalogue: Catalogue) -> Iterator[tuple[str, str, str]]:
    cited = set()
    for section, key, source in cited_sources(catalogue):
        if source not in catalogue.sources:
            yield section, key, f"cites the source {source!r}, which no file declares"
        cited.add(source)
    for source in sorted(catalogue.sources.keys() - cited):
        yield "sources", source, "declared, but nothing cites it"


def _name_errors(catalogue: Catalogue) -> Iterator[tuple[str, str, str]]:
    chips = catalogue.accelerators.keys()
    named = chips | catalogue.ambiguous.keys()
    for section, field, ids in (
        ("offers", "provider", catalogue.providers.keys()),
        ("offers", "accelerator", named),
        ("series", "accelerator", named),
        ("accelerators", "successor", chips),
        ("servers", "accelerator", chips),
        ("hosts", "takes", chips),
        ("deliveries", "accelerators", chips),
        ("hosts", "not_for", chips),
        ("ambiguous", "candidates", chips),
        ("sites", "parent", catalogue.sites.keys()),
        ("sites", "electricity_like", catalogue.sites.keys()),
        ("residuals", "accelerators", named),
    ):
        for key, record in getattr(catalogue, section).items():
            for target in _name_list(getattr(record, field)):
                if target not in ids:
                    yield section, key, f"{field}: nothing is called {target!r}"
    yield from (("towns", key, f"nothing is called {key!r}") for key in catalogue.towns if key not in catalogue.sites)
    for key, provider in catalogue.providers.items():
        joined = chain.from_iterable(fabric.accelerators for fabric in provider.fabrics)
        yield from (("providers", key, f"fabrics: nothing is called {name!r}") for name in joined if name not in named)


def _wrong_countries(catalogue: Catalogue) -> Iterator[tuple[str, str, str]]:
    lands, places = catalogue.lands.keys(), catalogue.lands.keys() | get_args(Bloc)
    for key, provider in catalogue.providers.items():
        if provider.headquarters is not None and provider.headquarters not in lands:
            yield "providers", key, f"headquarters: nothing is called {provider.headquarters!r}"
        regions = chain.from_iterable(provider.regions.values())
        yield from (
            ("providers", key, f"regions: nothing is called {code!r}") for code in regions if code not in places
        )
    for key, offer in catalogue.offers.items():
        yield from (
            ("offers", key, f"countries: nothing is called {code!r}") for code in offer.countries if code not in places
        )


def _name_list(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else value


def _parent_errors(catalogue: Catalogue) -> Iterator[tuple[str, str, str]]:
    for key in catalogue.sites:
        seen: set[str] = set()
        place = catalogue.sites[key].parent
        while place is not None and place not in seen:
            seen.add(place)
            place = catalogue.sites[place].parent
        if key in seen:
            yield "sites", key, "parent: the chain of parents comes back to itself"


def _digest(contents: dict[str, bytes]) -> str:
    total = hashlib.sha256()
    for name, raw in sorted(contents.items()):
        total.update(f"{len(name)}:{name}:{len(raw)}:".encode())
        total.update(raw)
    return total.hexdigest()


@cached(1)
def _code_digest() -> str:
    code = {path.name: path.read_bytes() for path in Path(__file__).parent.glob("*.py")}
    return _digest({**code, "pydantic": pydantic.VERSION.encode()})


def _load_cached(copy: Path, digest: str) -> Catalogue | None:
    body = read_cached(copy)
    try:
        catalogue = None if body is None else Catalogue.model_validate_json(body)
    except pydantic.ValidationError:
        return None
    return catalogue if catalogue is not None and catalogue.digest == digest else None
