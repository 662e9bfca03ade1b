"""The records of the catalogue: things in the world, made of figures.

Every record is strict and frozen. A figure's field name ends in its unit where the unit is not plain from the name, and
`FIGURE_UNITS` fixes the one unit it may carry, so that a file cannot say kW where W is meant.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from pricing.choices import Area, Purchase
from pricing.figure import Confidence, Figure, Id, Source, Strict, Text, Whole, YearMonth
from pricing.model import Model

Share = Annotated[float, Field(gt=0, le=1)]

ProviderKind = Literal["hyperscaler", "neocloud", "marketplace", "serverless", "yours"]

# Why an offer, though it has a price, must not be called the cheapest way to rent.
Doubt = Literal[
    "component_only",  # the GPU's own line; CPU and memory are billed beside it
    "listed_not_sold",  # a list price nobody can order on these terms
    "minimum_bid",  # the lowest bid on a market, or what a bid must exceed: not what the next machine costs
    "may_be_shared",  # a GPU shared with others over a network, or the source does not say that it is not
    "rarely_available",  # priced, but seldom to be had, or not free when it was read
    "accelerator_not_stated",  # "H100": SXM5, PCIe, NVL or GH200
    "modified_hardware",  # reworked consumer boards
    "restricted",  # government regions and the like
    "term_not_stated",  # "from" price of a reservation whose length is not published
    "converted",  # another currency, converted by the source
    "per_second_service",  # serverless: billed only while a request runs, with the service's own overheads
    "old",  # the source is from another year
    "odd",  # contradicts its own neighbours (dearer spot than on demand, for one); see the note
]


class Record(Strict):
    """A record whose figures must carry the units it names."""

    FIGURE_UNITS: ClassVar[dict[str, str]] = {}

    @model_validator(mode="after")
    def _units(self) -> Record:
        for name, unit in self.FIGURE_UNITS.items():
            figure: Figure | None = getattr(self, name)
            if figure is not None and figure.unit != unit:
                raise ValueError(f"{name}: want the unit {unit!r}, got {figure.unit!r}")
        return self


class MigProfile(Strict):
    """One way to slice an accelerator. Memory and compute of one slice; `count` fit at once."""

    name: Text
    count: Whole
    memory_gb: float = Field(gt=0)
    compute_share: Share


class Accelerator(Record):
    """A chip that computes. All rates are dense: never the 2:4-sparse figure of the data sheets' headlines."""

    label: Text
    vendor: Text
    architecture: Text | None = None
    kind: Literal["gpu", "tpu", "asic", "apu", "cpu", "apple", "edge"]
    launched: YearMonth | None = None
    form_factor: Text
    memory_type: Text | None = None
    link: Text | None = None
    aliases: tuple[Id, ...] = ()
    rent_only: bool = False
    dies_per_unit: Whole = 1
    confidence: Confidence
    memory_gb: Figure | None = None
    memory_real_gb: Figure | None = None
    memory_bandwidth_gb_s: Figure | None = None
    fp64_tflops: Figure | None = None
    fp32_tflops: Figure | None = None
    tf32_dense_tflops: Figure | None = None
    fp16_dense_tflops: Figure | None = None
    bf16_dense_tflops: Figure | None = None
    fp8_dense_tflops: Figure | None = None
    fp4_dense_tflops: Figure | None = None
    int8_dense_tops: Figure | None = None
    link_gb_s: Figure | None = None
    tdp_w: Figure | None = None
    price_usd: Figure | None = None
    mig: tuple[MigProfile, ...] = ()
    mig_source: str | None = None
    note: Text | None = None

    FIGURE_UNITS: ClassVar[dict[str, str]] = {
        "memory_gb": "GB",
        "memory_real_gb": "GB",
        "memory_bandwidth_gb_s": "GB/s",
        **{f"{p}_tflops": "TFLOP/s" for p in ("fp64", "fp32")},
        **{f"{p}_dense_tflops": "TFLOP/s" for p in ("tf32", "fp16", "bf16", "fp8", "fp4")},
        "int8_dense_tops": "TOP/s",
        "link_gb_s": "GB/s",
        "tdp_w": "W",
        "price_usd": "USD",
    }


class AmbiguousAccelerator(Strict):
    """A trade name that covers several chips. Offers that say no more than this keep it; nobody guesses for them."""

    label: Text
    candidates: tuple[Id, ...] = Field(min_length=2)
    aliases: tuple[Id, ...] = ()
    why: Text


class Server(Record):
    """A machine as it is bought: whole, with its accelerators in it."""

    label: Text
    accelerator: Id
    accelerators: Whole
    nics: Text | None = None
    cooling: Text | None = None
    confidence: Confidence
    price_usd: Figure | None = None
    max_power_w: Figure | None = None
    typical_power_w: Figure | None = None
    rack_units: Figure | None = None
    support_usd_per_year: Figure | None = None
    cheaper_than_parts: Text | None = Field(default=None, description="why it costs less than its accelerators alone")
    note: Text | None = None

    FIGURE_UNITS: ClassVar[dict[str, str]] = {
        "price_usd": "USD",
        **{f"{case}_power_w": "W" for case in ("max", "typical")},
        "rack_units": "U",
        "support_usd_per_year": "USD/year",
    }


class Site(Record):
    """A place on the electricity map. What it does not know it takes from `parent`."""

    label: Text
    kind: Literal["world", "bloc", "country", "province", "us_state"]
    country: Text | None = None
    parent: Id | None = None
    aliases: tuple[Id, ...] = ()
    usd_per_kwh: Figure | None = None
    carbon_g_per_kwh: Figure | None = None
    pue: Figure | None = None
    colocation_usd_per_kw_month: Figure | None = None
    build_usd_per_kw: Figure | None = None
    corporate_tax_share: Figure | None = None
    note: Text | None = None

    FIGURE_UNITS: ClassVar[dict[str, str]] = {
        "usd_per_kwh": "USD/kWh",
        "carbon_g_per_kwh": "g/kWh",
        "pue": "1",
        "colocation_usd_per_kw_month": "USD/kW-month",
        "build_usd_per_kw": "USD/kW",
        "corporate_tax_share": "1",
    }


class Provider(Record):
    """Somebody who rents accelerators out, and the small print."""

    label: Text
    kind: ProviderKind
    headquarters: Text | None = Field(default=None, description="general knowledge, not from the terms' source")
    aliases: tuple[Id, ...] = ()
    billing_increment_s: Figure | None = None
    minimum_accelerators: Figure | None = None
    egress_usd_per_gb: Figure | None = None
    free_egress_gb_per_month: Figure | None = None
    block_storage_usd_per_gb_month: Figure | None = None
    object_storage_usd_per_gb_month: Figure | None = None
    startup_credits_usd: Figure | None = None
    interconnect: Text | None = None
    spot_semantics: Text | None = None
    compliance: Text | None = None
    note: Text | None = None

    FIGURE_UNITS: ClassVar[dict[str, str]] = {
        "billing_increment_s": "second",
        "minimum_accelerators": "count",
        "egress_usd_per_gb": "USD/GB",
        "free_egress_gb_per_month": "GB/month",
        "block_storage_usd_per_gb_month": "USD/GB-month",
        "object_storage_usd_per_gb_month": "USD/GB-month",
        "startup_credits_usd": "USD",
    }


class Offer(Record):
    """One price of one provider for one shape in one region under one kind of purchase."""

    provider: Id
    accelerator: Id
    accelerators_per_instance: Whole
    region: Text
    area: Area
    purchase: Purchase
    sku: Text | None = None
    vcpus: float | None = Field(default=None, gt=0)
    ram_gb: float | None = Field(default=None, gt=0)
    usd_per_accelerator_hour: Figure | None = Field(default=None, description="absent: ask for a quote")
    usd_per_instance_hour: float | None = Field(
        default=None, gt=0, description="as the source prints it for the newest reading; must equal price x count"
    )
    doubts: tuple[Doubt, ...] = ()
    note: Text | None = None

    FIGURE_UNITS: ClassVar[dict[str, str]] = {"usd_per_accelerator_hour": "USD/accelerator-hour"}

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


class Series(Record):
    """A price through time that is not one offer: an index, a marketplace median, an offer no longer sold."""

    label: Text
    accelerator: Id
    publisher: Text
    purchase: Purchase
    measure: Literal["list", "index", "marketplace_median", "lowest_listing", "minimum_bid"]
    usd_per_accelerator_hour: Figure

    FIGURE_UNITS: ClassVar[dict[str, str]] = {"usd_per_accelerator_hour": "USD/accelerator-hour"}


class HostedPrice(Record):
    """What a hosted model costs for each million tokens."""

    label: Text
    vendor: Text
    model: Text
    input_usd_per_mtoken: Figure
    output_usd_per_mtoken: Figure | None = None
    cached_input_usd_per_mtoken: Figure | None = None
    note: Text | None = None

    FIGURE_UNITS: ClassVar[dict[str, str]] = {
        "input_usd_per_mtoken": "USD/Mtoken",
        "output_usd_per_mtoken": "USD/Mtoken",
        "cached_input_usd_per_mtoken": "USD/Mtoken",
    }


class Fact(Strict):
    """A figure that belongs to no chip, place or provider: staff, spares, failure rates, cost of capital."""

    label: Text
    topic: Literal[
        "network", "storage", "power", "cooling", "staff", "maintenance", "insurance", "install", "spares", "software",
        "facility", "finance", "tax", "reliability", "preemption", "utilisation", "market", "residual",
    ]  # fmt: skip
    scope: Text | None = None
    figure: Figure


class Schedule(Strict):
    """Shares of a cost written off year by year. They sum to 1."""

    label: Text
    jurisdiction: Text
    shares_by_year: tuple[Share, ...] = Field(min_length=1)
    source: str
    locator: Text | None = None
    note: Text | None = None

    @model_validator(mode="after")
    def _whole(self) -> Schedule:
        if abs(sum(self.shares_by_year) - 1) > 1e-6:
            raise ValueError(f"want shares that sum to 1, got {sum(self.shares_by_year):.6f}")
        return self


class ResidualCurve(Strict):
    """What is left of the launch price at an age. low / typical / high as three curves where known."""

    label: Text
    accelerators: tuple[Id, ...] = Field(default=(), description="empty: any accelerator")
    age_months: tuple[int, ...] = Field(min_length=1)
    typical: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None
    kind: Literal["measured", "reported", "derived", "assumption"]
    source: str
    locator: Text | None = None
    note: Text | None = None

    @model_validator(mode="after")
    def _one_share_for_each_age(self) -> ResidualCurve:
        if list(self.age_months) != sorted(set(self.age_months)):
            raise ValueError("want ages in months that rise")
        for name in ("typical", "low", "high"):
            shares = getattr(self, name)
            if shares is not None and len(shares) != len(self.age_months):
                raise ValueError(f"{name}: want {len(self.age_months)} shares, one for each age, got {len(shares)}")
        return self


class UsedPrice(Strict):
    """What an accelerator of a given age was seen to sell for."""

    accelerator: Text
    age_months: int | None = Field(default=None, ge=0)
    price_usd: float | None = Field(default=None, gt=0)
    launch_price_usd: float | None = Field(default=None, gt=0)
    share_of_launch_price: float | None = Field(default=None, gt=0)
    on: YearMonth
    basis: Text
    confidence: Confidence
    source: str
    note: Text | None = None


class DataFile(Strict):
    """What any file under data/ may hold. One schema for all of them; a file uses the sections it needs."""

    about: Text = Field(description="one sentence: what this file holds and where it came from")
    sources: dict[Id, Source] = Field(default_factory=dict)
    accelerators: dict[Id, Accelerator] = Field(default_factory=dict)
    ambiguous: dict[Id, AmbiguousAccelerator] = Field(default_factory=dict)
    servers: dict[Id, Server] = Field(default_factory=dict)
    sites: dict[Id, Site] = Field(default_factory=dict)
    providers: dict[Id, Provider] = Field(default_factory=dict)
    offers: dict[Id, Offer] = Field(default_factory=dict)
    series: dict[Id, Series] = Field(default_factory=dict)
    models: dict[Id, Model] = Field(default_factory=dict)
    hosted: dict[Id, HostedPrice] = Field(default_factory=dict)
    facts: dict[Id, Fact] = Field(default_factory=dict)
    schedules: dict[Id, Schedule] = Field(default_factory=dict)
    residuals: dict[Id, ResidualCurve] = Field(default_factory=dict)
    used_prices: dict[Id, UsedPrice] = Field(default_factory=dict)
