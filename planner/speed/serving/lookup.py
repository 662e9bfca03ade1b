"""From what runs call models, machines and engines to the records that describe them."""

import re
from dataclasses import dataclass
from datetime import date

from planner.network.guess import MIXED, UNSAID, ModelSizes, active_in_name, is_hybrid_name, size_in_name, typical_model
from planner.network.kinds import MissingShapeField, UnknownShape
from planner.network.network import Network
from planner.network.record import build_text_decoder
from planner.speed.hardware import MissingAcceleratorDataError, slice_shares
from planner.speed.match_model import (
    QUANTISED,
    find_model_record,
    match_accelerator,
    match_model,
    model_spellings,
    shape_alias,
)
from planner.speed.serving.case_of import UNSAID_CHECKPOINT, Checkpoint
from planner.speed.serving.chips import EngineDefaults, ServingAccelerator, build_accelerator, serving_data
from pricing.caching import by_digest, cached
from pricing.catalogue import Catalogue
from pricing.errors import UnknownNameError

_EXTRA = re.compile(r"\s*\((virtualised|vGPU|\d+ ?W|\d+ threads|chip)\)|\s+MIG .*$")
_MIG = re.compile(r"\bMIG (\S+)")
_YEAR = re.compile(r"(20\d\d)(?:-(\d\d))?(?:-(\d\d))?")
_RELEASE = re.compile(r"\d+\.\d+")
_UNDATED = date(2025, 1, 1)  # a run that does not say when: the middle of what was published


@dataclass(frozen=True)
class ResolvedModel:
    """A model that was found, and its shape."""

    name: str
    shape: Network
    checkpoint: Checkpoint = UNSAID_CHECKPOINT
    guessed: bool = False  # from its size


@cached(4_096, equal=by_digest)
def find_shape(catalogue: Catalogue, called: str) -> ResolvedModel:
    """The shape of the model a person names, fine-tuned and quantised variants included, or `UnknownShape`."""
    try:
        return _recorded(catalogue, find_model_record(catalogue, called), called)
    except UnknownNameError as error:
        raise UnknownShape(f"unknown shape: no model of the catalogue is {called!r}") from error


@cached(4_096, equal=by_digest)
def shape_in_table(catalogue: Catalogue, called: str, sizes: ModelSizes = UNSAID) -> ResolvedModel:
    """The model that a row of a table names. It is matched loosely, but only with a model of the row's own size.

    Where the catalogue has none of that name and those sizes, the shape is what such a size usually has.
    """
    key = match_model(catalogue, QUANTISED.sub("", called), sizes=sizes)
    if key is None:
        return _shape_from_size(called, sizes)
    try:
        return _recorded(catalogue, key, called)
    except MissingShapeField:
        return _shape_from_size(called, sizes)


def _recorded(catalogue: Catalogue, key: str, called: str) -> ResolvedModel:
    """The catalogue's model; without its window where the variant that is called so has none."""
    record = catalogue.models[key]
    shape = build_text_decoder(record)
    dropped = any((shape_alias(name) or {}).get("no_window") for name in model_spellings(called))
    published = Checkpoint(record.weights, record.rest_weights, record.scale_group)
    return ResolvedModel(key, shape.without_window() if dropped else shape, published)


def _shape_from_size(called: str, sizes: ModelSizes) -> ResolvedModel:
    """Return what a model of that size is usually like, where no catalogue knows it; without a size, `UnknownShape`."""
    if is_hybrid_name(called):
        raise UnknownShape(MIXED)
    size = sizes.params_b or size_in_name(called)
    if size is None:
        raise UnknownShape(f"unknown shape: no model of the catalogue is {called!r}, and its size is not stated")
    active = sizes.active_params_b or active_in_name(called)
    typical = typical_model(called, params_b=size, active_params_b=active, year=sizes.year)
    return ResolvedModel(called, build_text_decoder(typical), guessed=True)


@cached(4_096, equal=by_digest)
def find_chip(catalogue: Catalogue, called: str, memory_gb: float | None = None) -> ServingAccelerator:
    """The machine a run names, or a slice of it, or `MissingAcceleratorDataError`.

    A processor's server has `memory_gb` for each.
    """
    try:
        key = match_accelerator(catalogue, _EXTRA.sub("", called))
    except UnknownNameError as error:
        raise MissingAcceleratorDataError(f"unknown accelerator: {error}") from error
    record = catalogue.accelerators[key]
    cut = _MIG.search(called)
    if cut is None:
        return build_accelerator(key, record, memory_gb=memory_gb)
    compute_share, memory_share = slice_shares(record, cut[1])
    return build_accelerator(key, record, memory_share=memory_share, compute_share=compute_share)


@cached(4_096)
def find_engine(called: str) -> str:
    """The family of engines a run names; `other` for those nobody has measured here."""
    plain = called.casefold()
    for family, engine in serving_data().engines.items():
        if any(name in plain for name in engine.names):
            return family
    return "other"


@cached(4_096)
def find_period(family: str, day: date) -> EngineDefaults:
    """Return how that family of engines worked on that day."""
    return serving_data().engines[family].on(day)


@cached(4_096)
def find_release(family: str, called: str) -> date | None:
    """Return the day of a release such as 1.0 or v0.17.0; None where nobody wrote it down."""
    number = _RELEASE.search(called)
    return serving_data().engines[family].releases.get(number[0]) if number else None


def parse_published_day(published: str) -> date:
    """The day in a text such as 2025-09, the first of the month or year where it says no more."""
    match = _YEAR.search(published)
    if match is None:
        return _UNDATED
    try:
        return date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    except ValueError:
        return date(int(match[1]), 1, 1)
