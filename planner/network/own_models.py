"""The catalogue with models of one's own laid over it."""

from hashlib import sha256

from planner.scenario.own_model import OwnModel
from pricing.caching import cached
from pricing.catalogue import Catalogue
from pricing.model import Model

_OURS = {"family": "own", "source": "own", "confidence": "medium"}


def with_user_models(catalogue: Catalogue, models: tuple[OwnModel, ...]) -> Catalogue:
    """The same catalogue where there are none; with them another, which its digest says."""
    if not models:
        return catalogue
    if all(catalogue.models.get(one.name) == user_model_record(one) for one in models):
        return catalogue  # laid over it before
    added = {one.name: user_model_record(one) for one in models}
    digest = sha256(f"{catalogue.digest}{models!r}".encode()).hexdigest()
    return catalogue.model_copy(update={"models": {**catalogue.models, **added}, "digest": digest})


@cached(64)
def user_model_record(own: OwnModel) -> Model:
    """The record of it that everything is counted from."""
    said = {name: getattr(own, name) for name in own.model_fields_set - {"name"}}
    return Model.model_validate({"modality": own.modality, **said, **_OURS, "label": own.name})
