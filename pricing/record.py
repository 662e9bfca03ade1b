"""The base of the catalogue's records: strict, frozen, and made of figures that carry the units of its fields."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from pricing.choices import Channel, Customer, MachineKind
from pricing.figure import UNIT, Figure, Id, Label, Note, StrictModel, Text, Whole, figure, optional, unit_marker
from pricing.finance import HardwareClass


class Record(StrictModel):
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


NEW_PRICE = "Price of one accelerator, or of one whole server"


class Host(Record):
    """A machine that is bought off the shelf: for cards of several kinds, or whole with the chip in it."""

    label: Label
    kind: MachineKind = Field(description="what sort of machine it is")
    accelerators: Whole = Field(default=1, description="how many cards fit")
    form_factors: tuple[Text, ...] = Field(default=(), description="of the accelerators that it is for")
    takes: tuple[Id, ...] = Field(default=(), description="ids of the accelerators that it is for; wins over the form")
    not_for: tuple[Id, ...] = Field(default=(), description="ids of accelerators of that form that it is not for")
    noise: Text | None = optional("how loud it is, in words")
    price_usd: Figure | None = figure("USD", NEW_PRICE)
    idle_power_w: Figure | None = figure("W", "Power of the whole server that has nothing to do")
    typical_power_w: Figure | None = figure("W", "Power of the whole server under a real load")
    max_power_w: Figure | None = figure("W", "Power of the whole server at most, as its maker states it")
    deposit_share: Figure | None = figure("1", "Part of the price paid with the order")
    spare_share: Figure | None = figure("1", "Boards on the shelf, as a share of the accelerators")
    note: Note = None


class Delivery(Record):
    """How long it takes until machines of a kind work, bought through one channel."""

    label: Label
    channel: Channel = Field(description="through which they are bought")
    accelerators: tuple[Id, ...] = Field(default=(), description="ids of those that it is for; wins over the class")
    products: tuple[HardwareClass, ...] = Field(default=(), description="classes that it is for; empty: all")
    usual: bool = Field(default=False, description="whether a plan buys through it where nothing is said")
    lead_time_month: Figure = Field(
        description="From the order to the first hour of work", json_schema_extra=unit_marker("month")
    )


class Premises(Record):
    """Where machines stand, and how owning differs there. Absent fields take the general facts of owning."""

    label: Label
    electricity: Customer | Literal["by_load"] = Field(
        description="what class of customer buys it; by_load: a firm up to about 50 kW, else a large site"
    )
    builds_room: bool = Field(default=False, description="true where a room is built, and no space is rented")
    network: bool = Field(default=True, description="whether a network between its machines is bought")
    people_beside: bool = Field(default=False, description="whether people sit beside the machines")
    not_counted: tuple[Text, ...] = Field(default=(), description="what may cost something there and is not counted")
    pue: Figure | None = figure("1", "Energy of the whole facility over energy of its computers")
    usd_per_kw_month: Figure | None = figure("USD/kW-month", "Space and cooling for each contracted kW")
    fte_per_accelerator: Figure | None = figure("fte/accelerator", "People to run it")
    install_share: Figure | None = figure("1", "Delivery, racking and acceptance, as a share of the hardware")
    maintenance_share: Figure | None = figure("1", "Support and repair in a year, as a share of the hardware")
    insurance_share: Figure | None = figure("1", "Insurance of a year, as a share of the hardware")
    decommissioning_share: Figure | None = figure("1", "Wiping, removing, freight at the end, share of the price")
    low_voltage_kw: Figure | None = figure("kW", "What its circuits carry for hours, where sockets have 100 to 120 V")
    usual_voltage_kw: Figure | None = figure("kW", "What its circuits carry for hours, where sockets have 230 V")
    all_kw: Figure | None = figure("kW", "What all machines may draw, each at such circuits; empty: as much as one")
    note: Note = None
