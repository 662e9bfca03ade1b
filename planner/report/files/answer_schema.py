"""The JSON of `plan`, `compare` and `sweep`: every key with its meaning and unit.

Programs read these documents, so keys are plain words with their unit and never change with the language of the page;
text for people stands in values. Within a version keys are added and never renamed or dropped. Where a number does not
exist the value is null, with a reason beside it where there is one. All money is in US dollars, costs positive; shares
are 0.35 for 35 %; days are ISO 8601.
"""

import json
import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, TypeAdapter, create_model

from planner.money.ledger import Part
from planner.money.owned_fleet import DeliveredOrder
from planner.money.verdict.decision import Verdict
from planner.report.files.document_parts import (
    ActualsSchema,
    CurrencySchema,
    EmissionsSchema,
    ExtraSchema,
    OldFigureSchema,
    ProfitAndLossSchema,
    SchemaModel,
    Sentences,
)
from planner.scenario.terms import Timing
from planner.scenario.ways import Way
from planner.study.measures import EMISSIONS, MEASURES

VERSION: Literal[1] = 1
Version = Annotated[Literal[1], Field(description="of these keys; another number means renamed keys")]
PlanDay = Annotated[date, Field(description="the day of the plan: prices and ages as known then")]
CatalogueDay = Annotated[date, Field(description="the day of the newest fact that the plan may use")]
Digest = Annotated[str, Field(description="of the facts: the same digest, day and scenario give the same answer")]
Share = float
Side = Literal["own", "rent", "keep", "mix"]


class BandSchema(SchemaModel):
    """A range over the simulated futures."""

    p10: float = Field(description="10th percentile of the futures")
    p50: float = Field(description="half of all futures lie below")
    p90: float = Field(description="90th percentile of the futures")


class OfferSchema(SchemaModel):
    """A rental offer of the catalogue, or a quote of yours, whose terms an option goes by."""

    id: str = Field(description="as `prices --json` and the scenario's `rent.offer` call it")
    provider_id: str = Field(description="of the catalogue")
    provider: str = Field(description="as the provider writes its name")
    accelerator_id: str = Field(description="of the catalogue")
    accelerators_per_machine: int = Field(description="that are rented together")
    purchase: str = Field(description="on_demand, spot, capacity_block or reserved_1m to reserved_3y")
    region: str = Field(description="as the provider calls it")
    sku: str | None = Field(description="what the provider calls the machine")
    usd_per_accelerator_hour: float | None = Field(description="as it is listed; null: ask for a quote")
    today_usd_per_accelerator_hour: float | None = Field(description="what that price is worth on the plan's day")
    today_usd_low: float | None = Field(description="10th percentile of what such prices are worth")
    today_usd_high: float | None = Field(description="90th percentile of what such prices are worth")
    still_there_share: float | None = Field(description="chance that the offer is still available, as a share")
    sold_as: str = Field(description="bid, pod, machine, cluster or serverless")
    most_accelerators_at_once: int = Field(description="accelerators in one order")
    most_is_assumed: bool = Field(description="whether we assume that number, since the seller publishes none")
    price_since: date | None = Field(description="the day of the price")
    price_checked: date | None = Field(description="when somebody last looked at the price")
    source_url: str | None = Field(description="where the price was read")


class LineSchema(SchemaModel):
    """One line of an option's ledger."""

    name: str = Field(description="for people; may be reworded")
    part: Part = Field(description="what the money is for")
    is_cash: bool = Field(description="false: it counts in the comparison, and nobody pays it")
    total_usd: float | None = Field(
        description="over the whole plan, plainly summed; null where a price is not published"
    )
    by_year_usd: tuple[float | None, ...] = Field(description="today, then each year of twelve months")


def _measure_fields(part: str) -> dict[str, Any]:
    measures = (measure for measure in MEASURES if measure.part == part)
    return {it.name: (float | None if it.may_lack else float, Field(description=it.description)) for it in measures}


class OptionHeadSchema(SchemaModel):
    """An option without its measures."""

    key: str = Field(description="own, own-16, on_demand ...: the `option` of the CSV files")
    way: Way = Field(description="own, loan, lease, on_demand ...; several options may be of one way")
    side: Side = Field(description="own, rent, keep or mix")
    label: str = Field(description="for people: Buy 8 and run them")
    what: str = Field(description="for people: the product, its place and terms")
    accelerators: float = Field(description="at once, at most")
    orders: tuple[DeliveredOrder, ...] = Field(description="of machines; empty where none are bought")
    useful_accelerator_hours: float = Field(description="of work done, over the plan")
    offer: OfferSchema | None = Field(description="whose terms it goes by; null where nothing is rented by the hour")
    usd_per_accelerator_hour: float | None = Field(description="rent used in the calculation; null: none, or several")
    oldest_figure_checked: date | None = Field(description="of the figures it rests on, the one not looked at longest")


_EMITTED = _measure_fields(EMISSIONS)
Emissions = create_model("Emissions", __base__=EmissionsSchema, __doc__=EmissionsSchema.__doc__, **_EMITTED)
_Measured = create_model("_Measured", __base__=OptionHeadSchema, **_measure_fields(""))


class OptionSchema(_Measured):
    """One option to get the work done, with its measures."""

    reasons: dict[str, str] = Field(description="why a number of this option is null, by its key")
    return_reason: str | None = Field(description="of `return_per_year`; use `reasons`")
    payback_reason: str | None = Field(description="of `payback_months`; use `reasons`")
    cash_by_year_usd: tuple[float, ...] = Field(description="what is paid, as it falls due: today, then each year")
    emissions: Emissions = Field(description="what it emits over the plan, and the water of its electricity")
    profit_and_loss: ProfitAndLossSchema | None = Field(description="by year; null where no idle hours are sold")
    is_complete: bool = Field(description="false: a line has no published price, and the totals are at least so much")
    not_priced: Sentences = Field(description="lines without a published price")
    warnings: Sentences = Field(description="to look at before it is believed")
    lines: tuple[LineSchema, ...] = Field(description="the ledger by year without zero lines; by month: cash flow CSV")


class UnavailableOptionSchema(SchemaModel):
    """An option that is not available, or was not calculated."""

    way: Way = Field(description="which")
    label: str = Field(description="for people")
    reason: str = Field(description="why it is not there, and what would change that")


class SimulatedBreakEvenSchema(SchemaModel):
    """A break-even over the simulated futures."""

    share_with_one: Share = Field(description="of futures in which there is one")
    p10: float | None = Field(description="10th percentile of those with one")
    p50: float | None = Field(description="half of those with one lie below")
    p90: float | None = Field(description="90th percentile of those with one")


class BreakEvenSchema(SchemaModel):
    """The value of one input, all others as they are, at which owning and renting cost the same."""

    name: str = Field(description="busy_share, usd_per_accelerator_hour, usd_per_kwh, hardware_price ...")
    label: str = Field(description="for people")
    unit: str = Field(description="of the three values")
    you: float | None = Field(description="the value in this plan")
    value: float | None = Field(description="where both cost the same")
    achievable: float | None = Field(description="of busy_share: the highest utilization that a queue allows")
    reason: str | None = Field(description="why there is no such value")
    in_futures: SimulatedBreakEvenSchema | None = Field(description="for busy_share and usd_per_accelerator_hour")


class RentChangeSchema(SchemaModel):
    """When owning pays back if rents change by so much a year."""

    change_per_year: float = Field(description="-0.1: rents fall 10 % a year")
    payback_months: float | None = Field(description="counted plainly")
    payback_discounted_months: float | None = Field(description="discounted to today, as pages show it")
    reason: str | None = Field(description="why it does not pay back")


class UncertainInputSchema(SchemaModel):
    """An input that the futures are drawn from."""

    name: str = Field(description="as the formulas of the ledger call it")
    unit: str = Field(description="of its three values")
    low: float = Field(description="10th percentile of the draws")
    typical: float = Field(description="the value used in the plan")
    high: float = Field(description="90th percentile of the draws")
    kind: str = Field(description="assumption, derived, reported ...: what kind of statement the range is")
    source: str = Field(description="of the range")
    reason: str = Field(description="why the range is so wide")


class FuturesSchema(SchemaModel):
    """The plan in simulated futures. Shares are counted, not rounded."""

    count: int = Field(description="how many were simulated")
    seed: int = Field(description="they start from; the same gives the same")
    own_cheaper_than_rent_share: Share | None = Field(description="of futures in which `own` costs less than `rent`")
    own_saves_usd: BandSchema | None = Field(description="savings of owning against renting, discounted to today")
    own_saves_usd_dots: tuple[float, ...] = Field(description="fifty equally likely values, the smallest first")
    deadline_met_share: Share | None = Field(description="of futures in which every training with a deadline keeps it")
    inputs: tuple[UncertainInputSchema, ...] = Field(description="what was drawn")


class OrderMonthSchema(SchemaModel):
    """The plan with its order put off to this month, compared with ordering today."""

    month: int = Field(description="of the order; 0 is today")
    present_usd: float = Field(description="net present cost of the whole plan")
    present_low_usd: float | None = Field(description="10th percentile of the futures")
    present_high_usd: float | None = Field(description="90th percentile of the futures")
    worth_usd: float = Field(description="saved against ordering today; negative where it costs")
    worth_p10_usd: float | None = Field(description="10th percentile of the futures")
    worth_p90_usd: float | None = Field(description="90th percentile of the futures")
    saved_on_machines_usd: float = Field(description="of which")
    rent_meanwhile_usd: float = Field(description="less this")
    cheaper_than_today_share: Share | None = Field(description="of futures")


class WaitingSchema(SchemaModel):
    """Buy today or later."""

    sentences: Sentences = Field(description="for people: when to order, or why nothing can be put off")
    best_month: int | None = Field(description="0 is today; null: never buying costs least, or nothing can be put off")
    never_usd: float | None = Field(description="renting throughout")
    never_cheaper_share: Share | None = Field(description="of futures in which never buying beats buying today")
    futures: int | None = Field(description="how many were simulated")
    months: tuple[OrderMonthSchema, ...] = Field(description="each month in which the order arrives before the end")


class AnswerSchema(SchemaModel):
    """One scenario answered: `plan --json`, and each of the plans of `compare --json`."""

    kind: Literal["answer"] = Field("answer", description="which document this is")
    version: Version = VERSION
    file: str = Field(description="the file or preset")
    name: str = Field(description="as the scenario calls itself")
    scenario_id: str = Field(description="the same for the same scenario: the `scenario_id` of the cash flow")
    scenario: dict[str, JsonValue] = Field(description="as it was entered, without defaults: see `schema scenario`")
    day: PlanDay
    catalogue_day: CatalogueDay
    catalogue_digest: Digest
    accelerator_id: str = Field(description="of the catalogue")
    accelerator: str = Field(description="as its maker writes it")
    accelerators_at_once: int | None = Field(description="that the work wants at most")
    site_id: str = Field(description="of the catalogue")
    site: str = Field(description="where owned machines stand")
    years: float = Field(description="that the plan lasts")
    discount_rate_per_year: float = Field(description="effective")
    timing: Timing = Field(description="when in a month or year money is taken to move")
    money: Literal["nominal", "real"] = Field(description="whether prices are of their day or of today")
    hours_per_month: float = Field(description="8,760 / 12 unless the scenario says otherwise")
    currency: CurrencySchema | None = Field(description="null: dollars only")
    time_to_train_hours: float | None = Field(description="of one run, the longest where several models are trained")
    verdict: Verdict = Field(
        description="own, rent, keep or mix; probably: in 70 to 89 of 100 futures; close; limited by money; incomplete"
    )
    title: str = Field(description="the verdict as the page writes it")
    sentences: Sentences = Field(description="why, how sure, and what would turn it, as the page writes it")
    about: Sentences = Field(description="assumptions of a preset")
    best: str | None = Field(description="the option that the verdict is for")
    against: str | None = Field(description="the option that it was measured against: the best of the others")
    compared: tuple[str, ...] = Field(description="the two options that break-evens and paybacks are about, if any")
    own: str | None = Field(description="the best option that owns")
    rent: str | None = Field(description="the best option that rents")
    baseline: str | None = Field(description="the option that savings, returns and paybacks are counted against")
    gap_share: float | None = Field(description="by which `against` costs more, in the middle of the futures")
    share_cheaper: Share | None = Field(
        description="of futures in which the group of `best` (own, rent, hosted) is the cheapest"
    )
    limit: str | None = Field(description="the limit on money that the cheapest option breaks")
    turned_by_timing: tuple[Timing, ...] = Field(description="conventions under which the two compared change places")
    missing: Sentences = Field(description="prices nobody knows that could turn the answer, missing options")
    options: tuple[OptionSchema, ...] = Field(description="the lowest net present cost first")
    not_offered: tuple[UnavailableOptionSchema, ...] = Field(description="requested, but not among the options")
    break_evens: tuple[BreakEvenSchema, ...] = Field(description="each input alone")
    rent_changes: tuple[RentChangeSchema, ...] = Field(description="for the first of those compared against the second")
    futures: FuturesSchema | None = Field(description="null where nothing could be simulated")
    waiting: WaitingSchema | None = Field(description="null in a comparison")
    also: ExtraSchema | None = Field(description="null in a comparison, and where there is no answer")
    warnings: Sentences = Field(description="to look at before the answer is believed")
    old_figures: tuple[OldFigureSchema, ...] = Field(description="the weightiest of those past their age limit")
    not_counted: Sentences = Field(description="what is in no total")
    conventions: Sentences = Field(description="rules that can turn a result, and the facts it rests on")
    actuals: ActualsSchema | None = Field(None, description="bills beside the plan; null where none are given")


class InputDifferenceSchema(SchemaModel):
    """An input on which the scenarios differ."""

    input: str = Field(description="its path in a scenario file: work.0.accelerators")
    values: tuple[JsonValue, ...] = Field(description="one for each plan, in their order; null where not stated")


class ComparisonSchema(SchemaModel):
    """Scenarios side by side: `compare --json`."""

    kind: Literal["comparison"] = Field("comparison", description="which document this is")
    version: Version = VERSION
    plans: tuple[AnswerSchema, ...] = Field(description="in the order in which they were named")
    differences: tuple[InputDifferenceSchema, ...] = Field(description="every input on which they differ")


class FrequencySchema(SchemaModel):
    """The frequency of a value among the scenarios of a sweep."""

    value: str = Field(description="as in the rows")
    share: Share = Field(description="of all scenarios")


class FlipSchema(SchemaModel):
    """The share of steps from one value of an input to the next at which another option wins."""

    inputs: tuple[str, ...] = Field(description="paths; several where they move together")
    share_of_steps: Share = Field(description="at which another option wins, all other inputs unchanged")
    most_between: tuple[tuple[JsonValue, ...], tuple[JsonValue, ...]] | None = Field(
        description="the most frequent step: values before and after, one for each input"
    )


class SweepInputSchema(SchemaModel):
    """The value of one input in a scenario of a sweep."""

    input: str = Field(description="its path in a scenario file")
    value: JsonValue = Field(description="null: the catalogue's figure")


class SweepOptionSchema(SchemaModel):
    """One option of one scenario of a sweep; a key that was not among `outputs` is null."""

    key: str = Field(description="an option; own_right_size is the smallest fleet that is enough")
    present_usd: float | None = Field(description="net present cost: median of the futures; as entered without them")
    low_usd: float | None = Field(description="the range beside it, over futures")
    high_usd: float | None = Field(description="its upper end")
    cash_today_usd: float | None = Field(description="to be paid on day one")
    measures: dict[str, float | None] = Field(description="the other measures that `outputs` names")


class SweepRowSchema(SchemaModel):
    """One scenario of a sweep, as in its row of the CSV. A key that was not among `outputs` is null."""

    id: int = Field(description="from 0, in the order of the file")
    inputs: tuple[SweepInputSchema, ...] = Field(description="what varies")
    leads: str = Field(description="the side of `best`: own, rent, keep or mix; or incomplete, limited, refused")
    best: str | None = Field(description="the option that is best")
    own: str | None = Field(description="the best option that owns")
    rent: str | None = Field(description="the best option that rents")
    right_size_accelerators: int | None = Field(description="how many own_right_size is, where best or own names it")
    verdict: str | None = Field(description="as in an answer")
    share_cheaper: Share | None = Field(description="of futures in which the group of `best` is the cheapest")
    gap_share: float | None = Field(description="by which the rival costs more, in the middle of the futures")
    npv_usd: float | None = Field(description="savings of owning against renting, or of the best option of a side")
    payback_months: float | None = Field(description="of owning against renting, counted plainly")
    payback_says: str | None = Field(description="how it ends, or why there is none")
    payback_discounted_months: float | None = Field(description="the same, discounted to today")
    payback_discounted_says: str | None = Field(description="how that ends, or why there is none")
    break_even_busy_share: Share | None = Field(description="utilization at which both cost the same")
    break_even_says: str | None = Field(description="found, or why there is none")
    options: tuple[SweepOptionSchema, ...] = Field(description="those that have a price")
    note: str | None = Field(description="a limit, a missing price, or why the scenario was refused")


class SweepSchema(SchemaModel):
    """The result of a sweep: `sweep --json`. The rows are those of its CSV file."""

    kind: Literal["sweep"] = Field("sweep", description="which document this is")
    version: Version = VERSION
    file: str = Field(description="the CSV with the rows")
    day: PlanDay
    catalogue_digest: Digest
    scenarios: int = Field(description="points of the grid")
    were_there: int = Field(description="rows already in the file")
    seconds: float = Field(description="for the rest")
    leads: tuple[FrequencySchema, ...] | None = Field(description="at typical figures; null where verdicts are given")
    verdicts: tuple[FrequencySchema, ...] | None = Field(description="null where not among `outputs`")
    best: tuple[FrequencySchema, ...] = Field(description="the best option, or none")
    flips: tuple[FlipSchema, ...] = Field(description="the input that turns the answer most often first")
    rows: tuple[SweepRowSchema, ...] = Field(description="one for each scenario")


def answer_schema() -> dict[str, Any]:
    """Return the JSON schema of all three documents; `kind` tells them apart."""
    documents: TypeAdapter[Any] = TypeAdapter(
        Annotated[AnswerSchema | ComparisonSchema | SweepSchema, Field(discriminator="kind")]
    )
    text = json.dumps(documents.json_schema(mode="serialization"))
    schema = json.loads(re.sub(r'\b([A-Z]\w+)Schema"', r'\1"', text))  # readers know the documents without the suffix
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The answers of `plan`, `compare` and `sweep`",
        "description": " ".join((__doc__ or "").split()),
        **schema,
    }
