"""The records of the catalogue: things in the world, made of figures.

Every record is strict and frozen. A figure's field name ends in its unit where the unit is not plain from the name, and
the field says the one unit it may carry, so that a file cannot say kW where W is meant. What a field means stands on it
too: editors show it, and the glossary says the same.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from pricing.choices import Area, Fabric, MachineKind, Mains, Orders, Purchase, SoldAs
from pricing.figure import (
    Aliases,
    Confidence,
    Country,
    Day,
    Figure,
    Id,
    Label,
    Note,
    Share,
    Source,
    SourceId,
    StrictModel,
    Text,
    Url,
    Usual,
    Whole,
    YearMonth,
    figure,
    optional,
    unit_marker,
)
from pricing.finance import DepreciationSchedule, HardwareClass, ResidualCurve, UsedPrice
from pricing.model import Model
from pricing.record import Delivery, Host, Premises, Record

ProviderKind = Literal["hyperscaler", "neocloud", "marketplace", "serverless", "yours"]
Bloc = Literal["EU", "EEA"]
NodeSizes = tuple[Whole, ...]
PLACES = "where it is: a country, several to choose from, or somewhere in a union of states"
SIZES = "how many accelerators one machine can have"
LEAST_AT_ONCE = "The fewest accelerators in one order"
MOST_AT_ONCE = "The most accelerators that one order can hold"
FABRIC_RATE = "Rate between machines for each accelerator, one direction"
BOUGHT = "Price of one accelerator, or of one whole server: new, or used where its note says so"
HOURLY = "Price of one accelerator for one clock hour, busy or not"

# Why an offer, though it has a price, must not be called the cheapest way to rent.
ListingDoubt = Literal[
    "component_only",  # the GPU's own line; CPU and memory are billed beside it
    "listed_not_sold",  # a list price nobody can order on these terms
    "minimum_bid",  # the lowest bid on a market, or what a bid must exceed: not what the next machine costs
    "may_be_shared",  # a GPU shared with others over a network, or the source does not say that it is not
    "rarely_available",  # priced, but seldom available, or not free when it was read
    "accelerator_not_stated",  # "H100": SXM5, PCIe, NVL or GH200
    "modified_hardware",  # reworked consumer boards
    "restricted",  # government regions and the like
    "term_not_stated",  # "from" price of a reservation whose length is not published
    "converted",  # another currency, converted by the source
    "per_second_service",  # serverless: billed only while a request runs, with the service's own overheads
    "old",  # the source is from another year
    "odd",  # contradicts its own neighbours (spot above on demand, for one); see the note
]


class MigProfile(StrictModel):
    """One way to slice an accelerator. Memory and compute of one slice; `count` fit at once."""

    name: Text = Field(description="as its maker calls the slice: 1g.10gb")
    count: Whole = Field(description="how many of them fit at once")
    memory_gb: float = Field(gt=0, description="memory of one slice")
    compute_share: Share = Field(description="part of the accelerator's compute in one slice")


class Accelerator(Record):
    """A chip that computes. All rates are dense: never the 2:4-sparse figure of the data sheets' headlines."""

    label: Label
    vendor: Text = Field(description="who makes it")
    architecture: Text | None = optional("generation of the chip: Hopper, CDNA3")
    kind: Literal["gpu", "tpu", "asic", "apu", "cpu", "apple", "edge"] = Field(description="what sort of chip it is")
    launched: YearMonth | None = None
    form_factor: Text = Field(description="how it is built in: SXM5, PCIe, OAM, board")
    memory_type: Text | None = optional("HBM3, GDDR6X")
    link: Text | None = optional("what joins it to its like in one machine: NVLink 4")
    aliases: Aliases = ()
    usual: Usual | None = optional("names of several accelerators that usually mean this one")
    rent_only: bool = Field(default=False, description="true where nobody sells it")
    consumer: bool = Field(
        default=False, description="true where it is made for private people: GeForce, Radeon RX, Arc"
    )
    workstation: bool = Field(
        default=False, description="true where it is made for workstations: RTX PRO, Quadro, Radeon PRO, Arc Pro"
    )
    priced_used: bool = Field(
        default=False, description="true where its newest price is that of a used one: it is bought used"
    )
    successor: Id | None = optional("id of the accelerator that takes its place at the same maker")
    whole_machine: bool = Field(
        default=False, description="true where its price is that of a whole machine: a Mac, a small desktop"
    )
    without_bf16: bool = Field(default=False, description="true where it has no 16-bit brain floating point")
    software_ended: Text | None = optional("the last toolkit or driver that has it, where newer ones leave it out")
    board: Whole | None = optional("how many are built on one board, where they come on boards")
    dies_per_unit: Whole = Field(default=1, description="chips in what is sold and counted as one")
    confidence: Confidence
    memory_gb: Figure | None = figure("GB", "Memory as it is marketed")
    memory_real_gb: Figure | None = figure(
        "GB", "Memory the device really has, in units of 1e9 bytes; what has to fit must fit into this"
    )
    memory_bandwidth_gb_s: Figure | None = figure("GB/s", "Peak rate between memory and chip")
    fp64_tflops: Figure | None = figure("TFLOP/s", "Peak dense rate, 64-bit floating point")
    fp32_tflops: Figure | None = figure("TFLOP/s", "Peak dense rate, 32-bit floating point, without tensor units")
    tf32_dense_tflops: Figure | None = figure("TFLOP/s", "Peak dense rate, 32-bit inputs at reduced precision")
    fp16_dense_tflops: Figure | None = figure("TFLOP/s", "Peak dense rate, 16-bit floating point")
    bf16_dense_tflops: Figure | None = figure(
        "TFLOP/s", "Peak dense rate, 16-bit brain floating point; what training is planned with"
    )
    fp8_dense_tflops: Figure | None = figure("TFLOP/s", "Peak dense rate, 8-bit floating point")
    fp4_dense_tflops: Figure | None = figure("TFLOP/s", "Peak dense rate, 4-bit floating point")
    int8_dense_tops: Figure | None = figure("TOP/s", "Peak dense rate, 8-bit integers")
    link_gb_s: Figure | None = figure(
        "GB/s", "Rate of the link between accelerators of one machine, both directions together"
    )
    tdp_w: Figure | None = figure("W", "Power the maker designs the cooling for")
    price_usd: Figure | None = figure("USD", BOUGHT)
    embodied_kg: Figure | None = figure("kg", "Carbon dioxide equivalent of making one, from the mine to the gate")
    mig: tuple[MigProfile, ...] = Field(default=(), description="the slices it can be cut into")
    mig_source: str | None = optional("who says how it can be cut: the id of a source")
    note: Note = None

    @property
    def hardware_class(self) -> HardwareClass:
        """Return among what it is bought and sold."""
        if self.whole_machine or self.kind in ("apple", "edge"):
            return "desktop"
        if self.consumer:
            return "consumer"
        if self.workstation:
            return "workstation"
        return "pcie" if self.form_factor.startswith("PCIe") else "sxm"

    @property
    def launch_year(self) -> float | None:
        """Return the year as a number, with its month; the middle of the year where only that is known."""
        if self.launched is None:
            return None
        year, _, month = self.launched.partition("-")
        return float(year) + (float(month) - 0.5) / 12 if month else float(year) + 0.5


class AmbiguousAccelerator(StrictModel):
    """A trade name that covers several chips. Offers that say no more than this keep it; nobody guesses for them."""

    label: Label
    candidates: tuple[Id, ...] = Field(min_length=2, description="the accelerators it may be, by their ids")
    aliases: Aliases = ()
    why: Text = Field(description="in what they differ, so that nobody may guess")


class Server(Record):
    """A machine as it is bought: whole, with its accelerators in it."""

    label: Label
    kind: MachineKind = Field(default="server", description="what sort of machine it is")
    accelerator: Id = Field(description="id of the accelerator in it")
    accelerators: Whole = Field(description="how many are in it")
    nics: Text | None = optional("its network cards")
    cooling: Text | None = optional("air, liquid")
    confidence: Confidence
    price_usd: Figure | None = figure("USD", BOUGHT)
    max_power_w: Figure | None = figure("W", "Power of the whole server at most, as its maker states it")
    typical_power_w: Figure | None = figure("W", "Power of the whole server under a real load")
    idle_power_w: Figure | None = figure("W", "Power of the whole server that has nothing to do")
    rack_units: Figure | None = figure("U", "Height in a rack")
    cheaper_than_parts: Text | None = optional("why it costs less than its accelerators alone")
    note: Note = None


class Site(Record):
    """A place on the electricity map. What it does not know it takes from `parent`."""

    label: Label
    kind: Literal["world", "bloc", "country", "province", "us_state"] = Field(description="how large a place it is")
    country: Text | None = optional("in which it lies, in words")
    parent: Id | None = optional("id of the site that knows what this one does not")
    aliases: Aliases = ()
    mains: Mains | None = optional("volts of its sockets; absent: the parent's")
    electricity_like: tuple[Id, ...] = Field(
        default=(), description="ids of sites whose average stands in for a price of electricity that it lacks"
    )
    usd_per_kwh: Figure | None = figure("USD/kWh", "Electricity at the meter, for a large site")
    household_usd_per_kwh: Figure | None = figure("USD/kWh", "Electricity at the meter, for a household, with taxes")
    commercial_usd_per_kwh: Figure | None = figure("USD/kWh", "Electricity at the meter, for a firm of up to 50 kW")
    carbon_g_per_kwh: Figure | None = figure("g/kWh", "Carbon dioxide equivalent of one kWh from the grid")
    water_l_per_kwh: Figure | None = figure("L/kWh", "Water used up where one kWh of the grid is made, by its fuels")
    pue: Figure | None = figure("1", "Energy of the whole facility over energy of its computers")
    colocation_usd_per_kw_month: Figure | None = figure(
        "USD/kW-month", "Space, cooling and connection in somebody's data centre, for each kW reserved"
    )
    build_usd_per_kw: Figure | None = figure("USD/kW", "Building a data centre, for each kW of computers")
    corporate_tax_share: Figure | None = figure("1", "Tax rate on a company's profit, national and local together")
    note: Note = None


class CountryRecord(StrictModel):
    """A country: in which part of the world it lies, and what it belongs to."""

    label: Label
    area: Area = Field(description="in which part of the world it lies")
    blocs: tuple[Bloc, ...] = Field(default=(), description="unions of states that it is a member of")
    source: SourceId


class TownList(StrictModel):
    """What people call a part of a site: its cities, regions, and regions of clouds in it."""

    names: tuple[Text, ...] = Field(min_length=1, description="as people write them")
    source: SourceId


class MachineFabric(Record):
    """The network between a provider's whole machines where their price includes one."""

    accelerators: tuple[Id, ...] = Field(min_length=1, description="machines of 8 and more of these have it")
    fabric: Fabric = Field(description="what joins the machines")
    fabric_gb_s: Figure | None = figure("GB/s", FABRIC_RATE)
    most_at_once: Figure | None = figure("count", MOST_AT_ONCE)
    source: SourceId
    read: Day = Field(description="the day it was read")


class Provider(Record):
    """Somebody who rents accelerators out, and the small print."""

    label: Label
    kind: ProviderKind = Field(description="what sort of business it is")
    page: Url | None = optional("where its prices are shown, for a person to order")
    headquarters: Country | None = optional("general knowledge, not from the terms' source")
    aliases: Aliases = ()
    orders: Orders | None = optional("who may order; `verified`: after a check or for a quota")
    sizes: NodeSizes = Field(default=(), description=f"{SIZES}, where its list has a price for one; an offer's own win")
    most_at_once: Figure | None = figure("count", MOST_AT_ONCE)
    unapproved_accelerators: Figure | None = figure("count", "The most that a new account gets before more is approved")
    unapproved_usd_per_hour: Figure | None = figure("USD/hour", "The most that a new account may spend in an hour")
    fabrics: tuple[MachineFabric, ...] = Field(default=(), description="networks between its machines, in the price")
    regions: dict[Text, tuple[Country | Bloc, ...]] = Field(
        default_factory=dict, description=f"{PLACES}, for regions as its offers call them"
    )
    sale_sources: tuple[Id, ...] = Field(default=(), description="who says orders, sizes and regions: sources' ids")
    sale_read: Day | None = optional("the day those were read")
    billing_increment_s: Figure | None = figure("second", "What the length of a session is rounded up to")
    minimum_accelerators: Figure | None = figure("count", "The fewest that are rented out at once")
    egress_usd_per_gb: Figure | None = figure("USD/GB", "Traffic out to the internet, beyond what is free")
    free_egress_gb_per_month: Figure | None = figure("GB/month", "Traffic out that costs nothing")
    block_storage_usd_per_gb_month: Figure | None = figure("USD/GB-month", "Disks attached to machines")
    object_storage_usd_per_gb_month: Figure | None = figure("USD/GB-month", "Storage reached over the network")
    startup_credits_usd: Figure | None = figure(
        "USD", "The most that the provider's programme for young companies gives"
    )
    interconnect: Text | None = optional("the network between its machines, in words")
    spot_semantics: Text | None = optional("what may happen to a spot machine, in words")
    compliance: Text | None = optional("what it is certified for, in words")
    note: Note = None

    @model_validator(mode="after")
    def _check_sources(self) -> Provider:
        stated = [name for name in ("orders", "sizes", "regions") if getattr(self, name)]
        if stated and not (self.sale_sources and self.sale_read):
            raise ValueError(f"{' and '.join(stated)}: want sale_sources and sale_read beside: who says so, and when")
        return self


class Offer(Record):
    """One price of one provider for one shape in one region under one kind of purchase."""

    provider: Id = Field(description="id of the provider")
    accelerator: Id = Field(description="id of the accelerator, or of the trade name where the source says no more")
    accelerators_per_instance: Whole = Field(description="Accelerators in one rented machine; it is rented whole")
    region: Text = Field(description="as the provider calls it")
    area: Area = Field(description="in which part of the world that is")
    purchase: Purchase = Field(description="on demand, spot, or reserved for how long")
    sku: Text | None = optional("what the provider calls the machine")
    vcpus: float | None = optional("virtual processors of one rented machine", gt=0)
    ram_gb: float | None = optional("Main memory of one rented machine", gt=0)
    countries: tuple[Country | Bloc, ...] = Field(default=(), description=f"{PLACES}; absent: as its provider's region")
    sold_as: SoldAs | None = optional("absent: from the provider's kind and the sizes")
    sizes: NodeSizes = Field(default=(), description=f"{SIZES}, where the price is for one; absent: the provider's")
    least_at_once: Figure | None = figure("count", LEAST_AT_ONCE)
    most_at_once: Figure | None = figure("count", MOST_AT_ONCE)
    free_machines: int | None = optional("how many were free when its price was last read; only of live prices", ge=0)
    fabric: Fabric | None = optional("what joins its machines, in the price, as its source says")
    fabric_gb_s: Figure | None = figure("GB/s", FABRIC_RATE)
    usd_per_accelerator_hour: Figure | None = figure("USD/accelerator-hour", HOURLY + "; absent: ask for a quote")
    usd_per_instance_hour: float | None = optional(
        "as the source prints it for the newest reading; must equal price x count", gt=0
    )
    doubts: tuple[ListingDoubt, ...] = Field(default=(), description="why it must not be called the cheapest")
    note: Note = None

    @model_validator(mode="after")
    def _instance_is_its_accelerators(self) -> Offer:
        if self.usd_per_instance_hour is None or self.usd_per_accelerator_hour is None:
            return self
        want = self.usd_per_accelerator_hour.newest.typical * self.accelerators_per_instance
        if abs(want - self.usd_per_instance_hour) > 0.005 * want + 0.005:
            raise ValueError(
                f"want price per accelerator x {self.accelerators_per_instance} = price per instance, "
                f"got {want:.4f} and {self.usd_per_instance_hour}: is one of them per GPU and the other per machine?"
            )
        return self


class PriceSeries(Record):
    """A price through time that is not one offer: an index, a marketplace median, an offer no longer sold."""

    label: Label
    accelerator: Id = Field(description="id of the accelerator, or of the trade name where the source says no more")
    publisher: Text = Field(description="whose offer, index or market it is")
    purchase: Purchase = Field(description="on demand, spot, or reserved for how long")
    measure: Literal["list", "index", "marketplace_median", "lowest_listing", "minimum_bid"] = Field(
        description="what of a market was read"
    )
    usd_per_accelerator_hour: Figure = Field(description=HOURLY, json_schema_extra=unit_marker("USD/accelerator-hour"))


class HostedPrice(Record):
    """The price of a hosted model for each million tokens."""

    label: Label
    vendor: Text = Field(description="who sells it by the token")
    model: Text = Field(description="which model, as the catalogue or the seller calls it")
    tier: Text | None = optional("for which prompts, hours, places or version it is, where that is not the base price")
    input_usd_per_mtoken: Figure = Field(
        description="A million tokens sent to a hosted model", json_schema_extra=unit_marker("USD/Mtoken")
    )
    output_usd_per_mtoken: Figure | None = figure("USD/Mtoken", "A million tokens it writes")
    cached_input_usd_per_mtoken: Figure | None = figure(
        "USD/Mtoken", "A million tokens sent that it has seen shortly before"
    )
    note: Note = None


class Fact(StrictModel):
    """A figure that belongs to no chip, place or provider: staff, spares, failure rates, cost of capital."""

    label: Label
    topic: Literal[
        "network", "storage", "power", "cooling", "staff", "maintenance", "insurance", "install", "spares", "software",
        "facility", "finance", "tax", "reliability", "preemption", "utilisation", "market", "residual", "carbon",
    ] = Field(description="what it is about")  # fmt: skip
    scope: Text | None = optional("for what, and per what, it holds")
    figure: Figure = Field(description="the number, in any unit of the list")


class DataFile(StrictModel):
    """The content of any file under data/. A file uses the sections it needs."""

    about: Text = Field(description="one sentence: what this file holds and where it came from")
    sources: dict[Id, Source] = Field(default_factory=dict, description="who says so, by id")
    accelerators: dict[Id, Accelerator] = Field(default_factory=dict, description="chips that compute, by id")
    ambiguous: dict[Id, AmbiguousAccelerator] = Field(default_factory=dict, description="trade names of several chips")
    servers: dict[Id, Server] = Field(default_factory=dict, description="machines as they are bought, by id")
    hosts: dict[Id, Host] = Field(
        default_factory=dict, description="machines for cards without a server, and chips sold whole, by id"
    )
    deliveries: dict[Id, Delivery] = Field(
        default_factory=dict, description="months until machines work, by kind and channel, by id"
    )
    sites: dict[Id, Site] = Field(default_factory=dict, description="places on the electricity map, by id")
    places: dict[Id, Premises] = Field(
        default_factory=dict, description="what machines stand in: a home, a campus, by id"
    )
    lands: dict[Country, CountryRecord] = Field(default_factory=dict, description="countries, by their two letters")
    towns: dict[Id, TownList] = Field(default_factory=dict, description="cities and regions, by the id of their site")
    providers: dict[Id, Provider] = Field(default_factory=dict, description="who rents accelerators out, by id")
    offers: dict[Id, Offer] = Field(
        default_factory=dict, description="what they ask, by provider/accelerator/count/region/purchase"
    )
    series: dict[Id, PriceSeries] = Field(
        default_factory=dict, description="prices through time that are not one offer, by id"
    )
    models: dict[Id, Model] = Field(default_factory=dict, description="networks by id")
    hosted: dict[Id, HostedPrice] = Field(default_factory=dict, description="prices by the token, by id")
    facts: dict[Id, Fact] = Field(
        default_factory=dict, description="figures that belong to no chip, place or provider, by id"
    )
    schedules: dict[Id, DepreciationSchedule] = Field(
        default_factory=dict, description="how a cost may be written off, by id"
    )
    residuals: dict[Id, ResidualCurve] = Field(
        default_factory=dict, description="what is left of a price at an age, by id"
    )
    used_prices: dict[Id, UsedPrice] = Field(default_factory=dict, description="what used accelerators sold for, by id")
