"""Catalogues with other models than the one on record."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from planner.network.record import parameter_count_b
from pricing.catalogue import Catalogue
from pricing.model import Model


def model(label: str = "Ours", **fields: Any) -> Model:
    """A model that writes, checked as the reader of the data files checks one."""
    plain = {"family": "ours", "modality": "text", "source": "ours", "confidence": "high"}
    return Model(**{"label": label, **plain, **fields})


def active_parameter_count_b(model: Model) -> float | None:
    """Parameters that work on each token, and the router that sees every expert; None if that is all of them."""
    if model.experts is None:
        return None
    busy, hidden, layers = model.experts_per_token or 0, model.hidden or 0, model.moe_layers or 0
    few = model.model_copy(update={"experts": busy})
    return parameter_count_b(few) + layers * hidden * (model.experts - busy) / 1e9


def with_model(catalogue: Catalogue, key: str, **fields: Any) -> Catalogue:
    """The catalogue with one more model, which is called by its key."""
    return with_models(catalogue, {**catalogue.models, key: model(key, **fields)})


def reworded(catalogue: Catalogue, change: Callable[[Model], dict[str, Any]]) -> Catalogue:
    return with_models(catalogue, {key: one.model_copy(update=change(one)) for key, one in catalogue.models.items()})


def with_models(catalogue: Catalogue, models: dict[str, Model]) -> Catalogue:
    """The catalogue with these models; its digest says that it is another."""
    digest = sha256(repr(models).encode()).hexdigest()
    return catalogue.model_copy(update={"models": models, "digest": digest})
