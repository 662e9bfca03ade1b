"""A model of one's own: the shape of a network that the catalogue does not have, in the scenario as its fields."""

from typing import Annotated, Literal

from pydantic import Field

from planner.scenario.base import Id
from pricing.model import Shape

MOST_MODELS = 4  # more would not go into a link


class OwnModel(Shape):
    """It is called by its name wherever a model of the catalogue could be, and goes before one that is called so."""

    name: Id
    modality: Annotated[
        Literal["text", "text_encoder", "text_encoder_decoder"],
        Field(description="whether it writes, reads both ways and writes nothing, or does one with each half"),
    ] = "text"
