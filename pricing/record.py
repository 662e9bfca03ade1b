"""What every record of the catalogue is: strict, frozen, and made of figures that carry the units its fields name."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import model_validator

from pricing.fields import UNIT
from pricing.figure import Figure, Strict


class Record(Strict):
    """A record whose figures must carry the units that its fields name."""

    FIGURE_UNITS: ClassVar[dict[str, str]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Read the units off the fields."""
        marks = {name: field.json_schema_extra for name, field in cls.model_fields.items()}
        cls.FIGURE_UNITS = {
            name: str(mark[UNIT]) for name, mark in marks.items() if isinstance(mark, dict) and UNIT in mark
        }

    @model_validator(mode="after")
    def _units(self) -> Record:
        for name, unit in self.FIGURE_UNITS.items():
            figure: Figure | None = getattr(self, name)
            if figure is not None and figure.unit != unit:
                raise ValueError(f"{name}: want the unit {unit!r}, got {figure.unit!r}")
        return self
