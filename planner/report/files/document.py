"""What every part of a document that is printed as JSON is made of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Document(BaseModel):
    """A part of a document that is printed as JSON."""

    model_config = ConfigDict(
        frozen=True, allow_inf_nan=False, json_schema_serialization_defaults_required=True, defer_build=True
    )
